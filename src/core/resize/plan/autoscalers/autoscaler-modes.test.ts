import { describe, expect, test } from '@jest/globals';
import { anAdvice, anHpaRecord, aSituation, autoPolicy, pods, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { MiB } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../../model/situation.ts';

const APPROVE = autoPolicy({ mode: 'Approve' });
/** Three pods of 500m and 512Mi, of which 300m are the autoscaler's target. */
const scaled = (changed: Partial<WorkloadSituation> = {}): WorkloadSituation =>
  aSituation({ policy: APPROVE, hpas: [anHpaRecord()], pods: pods(3), ...changed });

function recommended(situation: WorkloadSituation) {
  const { containers, message, state, reason } = decideWorkload(situation);
  return { requests: containers[0]?.target?.requests, message, state, reason };
}

describe('Where an autoscaler measures CPU and its target does not follow, in modes other than Auto', () => {
  test.each(['Recommend', 'Approve'] as const)('mode %s recommends the present CPU request, and says so', (mode) => {
    const { requests, message, state } = recommended(scaled({ policy: autoPolicy({ mode }) }));
    expect(requests).toEqual({ cpuMillicores: 500, memoryBytes: 128 * MiB });
    expect(state).toBe(mode === 'Recommend' ? 'recommended' : 'awaiting');
    expect(message).toBe('main: memory 512Mi → 128Mi');
    const onlyCpu = recommended(scaled({ policy: autoPolicy({ mode }), advice: [anAdvice({ memory: '512Mi' })] }));
    expect(onlyCpu).toMatchObject({ state: 'optimal', reason: null });
    expect(onlyCpu.message).toContain('HorizontalPodAutoscaler web measures cpu against the request; its target follows in mode Auto only');
  });

  test('an approval changes memory alone', () => {
    const shown = decideWorkload(scaled()).containers[0]!.target!;
    const approved = { at: T0, by: 'ann', values: new Map([['main', shown]]) };
    const begun = decideWorkload(scaled({ userRequests: { ...NO_USER_REQUESTS, approved } }));
    const [after] = resized(pods(3), begun.steps);
    expect(after?.containers[0]?.requests).toEqual({ cpuMillicores: 500, memoryBytes: 128 * MiB });
  });
});

test('an approved change starts with the parts that nothing blocks', () => {
  const scaledObjects = [{ namespace: 'shop', name: 'web', hpa: 'other', utilizationOf: ['cpu'] as const }];
  const situation = scaled({ hpas: [], scaledObjects: scaledObjects as unknown as WorkloadSituation['scaledObjects'] });
  const shown = decideWorkload(situation).containers[0]!.target!;
  const approved = { at: T0, by: 'ann', values: new Map([['main', shown]]) };
  const { steps } = decideWorkload({ ...situation, userRequests: { ...NO_USER_REQUESTS, approved } });
  expect(steps[0]?.containers[0]?.to.requests).toEqual({ cpuMillicores: 500, memoryBytes: 128 * MiB });
});
