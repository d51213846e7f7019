import { describe, expect, test } from '@jest/globals';
import { anAdvice, aSituation } from '../../../../test/builders/rightsizing.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { DEFAULT_POLICY_RULES } from '../policy/policy-rules.ts';
import { writePriority } from './write-priority.ts';

const policy = DEFAULT_POLICY_RULES;
const decide = (situation: Partial<WorkloadSituation> = {}) => decideWorkload(aSituation({ policy, ...situation }));

describe('a write of a Recommendation', () => {
  test('is urgent where the decision changes something now, or where the memory has changed', () => {
    const acting = decide({ policy: { ...policy, mode: 'Auto' } });
    expect(acting.steps).not.toEqual([]);
    expect(writePriority(acting, { state: 'recommended' }, 'state')).toBe('urgent');
    expect(writePriority(acting, undefined, 'state')).toBe('urgent');
    expect(writePriority(decide(), { state: 'recommended' }, 'memory')).toBe('urgent');
  });

  test('comes last where nothing is known of a workload yet', () => {
    expect(writePriority(decide({ advice: [] }), undefined, 'state')).toBe('collecting');
  });

  test('has first values behind changes of state, and before statuses that only get old', () => {
    expect(writePriority(decide(), undefined, 'state')).toBe('amounts');
    expect(writePriority(decide(), { state: 'collecting' }, 'state')).toBe('amounts');
    expect(writePriority(decide(), { state: 'applied' }, 'state')).toBe('state');
    expect(writePriority(decide({ advice: [anAdvice({ cpu: '200m' })] }), { state: 'recommended' }, 'amounts')).toBe('amounts');
    expect(writePriority(decide(), { state: 'recommended' }, 'age')).toBe('refresh');
  });
});
