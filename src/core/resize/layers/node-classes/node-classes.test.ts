import { describe, expect, test } from '@jest/globals';
import { DAY_MS } from '#kube/units';
import { amounts, anAdvice, aSituation, autoPolicy, aWorkloadRecord, pods, T0 } from '../../../../../test/builders/rightsizing.ts';
import { decideInPlace } from '../../plan/decide-in-place.ts';
import { NO_MEMORY, NO_USER_REQUESTS, type WorkloadSituation } from '../../model/situation.ts';
import { decideWorkload } from '../decide-workload.ts';
import { nodeClasses } from './node-classes.ts';

const [one, two, three] = pods(3);
const advised = (container: string, cpu: string) => ({ ...anAdvice({ cpu, memory: '512Mi' }), container });
const context = aSituation({
  workload: aWorkloadRecord({ kind: 'DaemonSet' }),
  pods: [
    { ...one!, node: 's1' },
    { ...two!, node: 's2' },
    { ...three!, node: 'l1' },
  ],
  nodeClasses: new Map([
    ['s1', '2cpu-8Gi'],
    ['s2', '2cpu-8Gi'],
    ['l1', '16cpu-64Gi'],
  ]),
  advice: [advised('main', '300m'), advised('main@2cpu-8Gi', '200m'), advised('main@16cpu-64Gi', '900m')],
});

describe('pods of a DaemonSet on nodes of several classes', () => {
  test('are decided by class with the advice of each class, the class with the most pods first', () => {
    const seen: (readonly [number, readonly (number | undefined)[]])[] = [];
    const decision = nodeClasses.apply(context, (own) => {
      seen.push([own.pods.length, own.advice.map(({ cpu }) => cpu?.target)]);
      return decideInPlace(own);
    });
    expect(seen).toEqual([
      [2, [200]],
      [1, [900]],
    ]);
    expect(decision.classes?.map(({ name }) => name)).toEqual(['2cpu-8Gi', '16cpu-64Gi']);
    expect([...(decision.memory.classes?.keys() ?? [])]).toEqual(['2cpu-8Gi', '16cpu-64Gi']);
  });

  test('have their CPU reduced under a CPU limit where the throttling of the workload is measured', () => {
    const limited = pods(3, { container: { limits: amounts('1', null) } }).map((pod, index) => ({
      ...pod,
      node: ['s1', 's2', 'l1'][index]!,
    }));
    const reasonAt = (throttlingMeasuredAt: number | null): string | null =>
      nodeClasses.apply({ ...context, pods: limited, demand: [{ container: 'main', windows: [], throttlingMeasuredAt }] }, decideInPlace)
        .classes?.[0]?.decision.reason ?? null;
    expect([reasonAt(T0), reasonAt(null)]).toEqual([null, 'unmeasured']);
  });

  test('have Events that begin as the message does, so that a lapsed approval is reported once', () => {
    const values = new Map(['main@2cpu-8Gi'].map((name) => [name, { requests: amounts('200m', '512Mi'), limits: amounts(null, null) }]));
    const userRequests = { ...NO_USER_REQUESTS, approved: { at: T0 - 8 * DAY_MS, by: 'ann', values } };
    const { events, message } = decideWorkload({ ...context, policy: autoPolicy({ mode: 'Approve' }), userRequests });
    expect(events.map(({ reason }) => reason)).toEqual(['ApprovalLapsed']);
    expect(message).toContain(events[0]?.message);
  });

  test('are decided together where all nodes are of one class, and the memory of a former class is kept', () => {
    const alike = new Map(['s1', 's2', 'l1'].map((node) => [node, '2cpu-8Gi']));
    const seen: WorkloadSituation[] = [];
    const next = (own: WorkloadSituation) => {
      seen.push(own);
      return decideInPlace(own);
    };
    expect(nodeClasses.apply({ ...context, nodeClasses: alike }, next).classes).toBeUndefined();
    expect(seen.map(({ advice }) => advice.map(({ container }) => container))).toEqual([['main']]);
    const memory = { ...NO_MEMORY, classes: new Map([['16cpu-64Gi', NO_MEMORY]]) };
    const apart = nodeClasses.apply({ ...context, nodeClasses: alike, memory }, next);
    expect([...(apart.memory.classes?.keys() ?? [])]).toEqual(['2cpu-8Gi', '16cpu-64Gi']);
  });
});
