import { describe, expect, test } from '@jest/globals';
import { anAdvice, aSituation, autoPolicy, pods } from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS } from '../../../model/units.ts';
import { decideInPlace } from '../../plan/decide-in-place.ts';
import { DEFAULT_POLICY_RULES } from '../../policy/policy-rules.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { idle } from './idle.ts';

const base = aSituation({ pods: pods(3), advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] });
const quiet: WorkloadSituation = {
  ...base,
  policy: autoPolicy({ idle: { ...DEFAULT_POLICY_RULES.idle, enabled: true } }),
  standing: { ...base.standing, idleWorkloads: true },
  activity: {
    quietSince: base.now - 48 * HOUR_MS,
    cpuMillicores: 1,
    busiestMillicores: 800,
    inUseAt: base.now - 48 * HOUR_MS,
    heard: new Set(base.pods.map(({ name }) => name)),
  },
};

describe('idle mode', () => {
  test('leaves a workload alone whose policy does not ask for it', () => {
    const context = { ...quiet, policy: autoPolicy() };
    expect(idle.apply(context, decideInPlace)).toEqual(decideInPlace(context));
  });

  test('makes a quiet workload small, remembers its natural size first, and decides nothing else while it is idle', () => {
    const fallen = idle.apply(quiet, decideInPlace);
    expect([fallen.state, fallen.steps.length]).toEqual(['idle', 3]);
    expect(fallen.memory.idle?.natural.get('main')?.requests.cpuMillicores).toBe(500);
    const asleep = idle.apply({ ...quiet, memory: fallen.memory }, () => {
      throw new Error('the layers inside are not asked');
    });
    expect(asleep.state).toBe('idle');
  });
});
