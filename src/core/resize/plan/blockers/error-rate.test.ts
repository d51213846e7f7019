import { describe, expect, test } from '@jest/globals';
import { aSituation, autoPolicy, pods, T0 } from '../../../../../test/builders/rightsizing.ts';
import { MINUTE_MS } from '#kube/units';
import { DEFAULT_POLICY_RULES } from '../../policy/policy-rules.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { errorRateQuery, isErrorRateNeeded } from './error-rate.ts';

const query = 'sum(rate(errors_total{namespace="$namespace",workload="$kind/$name"}[5m]))';
const policy = autoPolicy({ rollback: { ...DEFAULT_POLICY_RULES.rollback, errorRateQuery: query } });

function begun(errorRate: number | null | undefined) {
  return decideWorkload(aSituation({ policy, ...(errorRate === undefined ? {} : { errorRate }) }));
}

describe('the error rate of a policy', () => {
  test('the query is of the workload', () => {
    expect(errorRateQuery(aSituation({ policy }))).toBe('sum(rate(errors_total{namespace="shop",workload="Deployment/web"}[5m]))');
    expect(errorRateQuery(aSituation())).toBeNull();
  });

  test('it is queried before a change starts, and not for a workload without changes', () => {
    const situation = aSituation({ policy });
    expect(isErrorRateNeeded(situation, decideWorkload(situation).memory.apply)).toBe(true);
    expect(isErrorRateNeeded(situation, null)).toBe(false);
    expect(isErrorRateNeeded({ ...situation, errorRate: null }, decideWorkload(situation).memory.apply)).toBe(false);
  });

  test('a reduction does not start without an error rate', () => {
    expect([begun(null).state, begun(null).reason, begun(null).steps]).toEqual(['awaiting', 'stale-data', []]);
    expect(begun(0).state).toBe('applying');
  });

  test.each<[string, number, number | null, boolean]>([
    ['as before', 0.5, 0.5, false],
    ['some more', 0.5, 0.9, false],
    ['more than double', 0.5, 1.1, true],
    ['the first ones', 0, 0.02, true],
    ['next to none', 0, 0.009, false],
    ['unknown now', 0.5, null, false],
  ])('%s', (_, before, after, takenBack) => {
    const first = begun(before);
    const changed = pods(3).map((pod, index) =>
      index > 0
        ? pod
        : {
            ...pod,
            containers: pod.containers.map((each) => {
              const to = first.steps[0]?.containers[0]?.to ?? each;
              return { ...each, ...to, actual: to, allocated: to.requests };
            }),
          },
    );
    const second = decideWorkload(aSituation({ policy, pods: changed, memory: first.memory, now: T0 + MINUTE_MS, errorRate: after }));
    expect(second.memory.rolledBack?.reason).toBe(takenBack ? 'errors' : undefined);
  });
});
