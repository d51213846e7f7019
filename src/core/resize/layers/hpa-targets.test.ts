import { describe, expect, test } from '@jest/globals';
import { anAdvice, anHpaRecord, aSituation, pods, resized } from '../../../../test/builders/rightsizing.ts';
import { decideInPlace } from '../plan/decide-in-place.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { hpaTargets } from './hpa-targets.ts';

const measured = anHpaRecord({ metrics: [{ percent: 60 }] });
const context = aSituation({ hpas: [measured], pods: pods(3), advice: [anAdvice({ cpu: '400m', memory: '512Mi' })] });
const decide = (more: Partial<WorkloadSituation> = {}) => hpaTargets.apply({ ...context, ...more }, decideInPlace);

describe('the targets of autoscalers', () => {
  test('are not stored without autoscalers', () => {
    const alone = { ...context, hpas: [] };
    expect(hpaTargets.apply(alone, decideInPlace)).toEqual(decideInPlace(alone));
  });

  test('follow the inner decision, and are stored before any write', () => {
    const { steps, autoscalers, memory } = decide();
    expect(steps.length).toBeGreaterThan(0);
    expect(autoscalers.map(({ name }) => name)).toEqual([measured.name]);
    expect(memory.autoscalers[0]?.targets).toMatchObject([{ percent: 60, request: 500 }]);
    expect(resized(context.pods, steps)).not.toEqual(context.pods);
  });

  test('are neither changed nor stored in a dry run, and not changed while Evenkeel is paused', () => {
    expect(decide({ policy: { ...context.policy, dryRun: true } }).memory.autoscalers).toEqual([]);
    expect(decide({ policy: { ...context.policy, paused: true } }).autoscalers).toEqual([]);
  });

  test('lower no request in force, which throttling or a user may have raised beyond their bounds', () => {
    const low = { ...context, hpas: [anHpaRecord({ metrics: [{ percent: 33 }] })] };
    const kept = decide(low).memory.autoscalers.map((each) => ({
      ...each,
      targets: each.targets.map((target) => ({ ...target, percent: 33, request: 400 })),
    }));
    const memory = { ...low.memory, autoscalers: kept };
    const advice = [anAdvice({ cpu: '600m', memory: '512Mi' })];
    const { containers, steps } = decide({ ...low, memory, advice });
    expect([containers[0]?.target?.requests.cpuMillicores, steps]).toEqual([500, []]);
  });
});
