import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, memory, pods, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../model/situation.ts';
import { raisesWaitingForNodes } from './waiting-raises.ts';

const short = anAdvice({ cpu: '900m', memory: '1Gi' });

/** The pods after the kubelet has deferred or refused their resize. */
function deferred(all: readonly PodRecord[], state: 'deferred' | 'infeasible' = 'deferred'): readonly PodRecord[] {
  return all.map((pod) => ({
    ...pod,
    containers: pod.containers.map((each) => ({ ...each, actual: pods(1)[0]!.containers[0]!.actual })),
    resize: { state, message: "Node didn't have enough resource: cpu", since: T0 },
  }));
}

function waitingOf(given: Partial<WorkloadSituation>) {
  const situation = aSituation({ advice: [short], ...given });
  const decision = decideWorkload(situation);
  return { waiting: raisesWaitingForNodes(situation, decision), decision };
}

describe('raises that wait for node capacity', () => {
  const first = decideWorkload(aSituation({ advice: [short], pods: pods(2) }));
  const putOff = deferred(resized(pods(2), first.steps));

  test('are the pods whose resize is deferred, with their requests beyond the actual ones', () => {
    const [one, two] = putOff;
    const { waiting } = waitingOf({ memory: first.memory, pods: [one!, { ...two!, resize: pods(1)[0]!.resize }], now: T0 + MINUTE_MS });
    expect(waiting).toEqual({ pods: 1, since: T0, requests: { cpuMillicores: 400, memoryBytes: memory('512Mi') } });
  });

  test('still count after their revert until the retry', () => {
    const reverted = waitingOf({ memory: first.memory, pods: putOff, now: T0 + 30 * MINUTE_MS });
    expect(reverted.decision.steps.map(({ kind }) => kind)).toEqual(['revert', 'revert']);
    expect(reverted.waiting?.pods).toBe(2);
    const later = waitingOf({ memory: reverted.decision.memory, pods: pods(2), now: T0 + 35 * MINUTE_MS });
    expect(later.decision).toMatchObject({ state: 'awaiting', reason: 'node-capacity' });
    expect(later.waiting).toEqual({
      pods: 2,
      since: T0 + 30 * MINUTE_MS,
      requests: { cpuMillicores: 800, memoryBytes: memory('1Gi') },
    });
  });

  test('end when the raise is not wanted any more', () => {
    const reverted = waitingOf({ memory: first.memory, pods: putOff, now: T0 + 30 * MINUTE_MS });
    const { failures } = reverted.decision.memory;
    const enough = { memory: { ...NO_MEMORY, failures }, pods: pods(2), advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] };
    expect(waitingOf({ ...enough, now: T0 + HOUR_MS }).waiting).toBeNull();
  });

  test.each([
    ['a resize that the node carries out', { pods: resized(pods(2), first.steps), memory: first.memory }],
    ['a reduction that the node defers', { pods: deferred(resized(pods(2), [])), advice: [anAdvice()] }],
    ['a resize of another tool, where Evenkeel only recommends', { pods: putOff, policy: autoPolicy({ mode: 'Recommend' }) }],
  ])('are not: %s', (_case, given) => {
    expect(waitingOf(given).waiting).toBeNull();
  });

  test('count a pod once, whose limit alone waits, too', () => {
    const shape = { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') };
    const [pod] = pods(1, { container: shape });
    const raised = { ...pod!.containers[0]!, limits: amounts(null, '2Gi') };
    const waits = { ...pod!, containers: [raised], resize: { state: 'deferred' as const, message: '', since: T0 - HOUR_MS / 4 } };
    expect(waitingOf({ pods: [waits], advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] }).waiting).toEqual({
      pods: 1,
      since: T0 - HOUR_MS / 4,
      requests: { cpuMillicores: 0, memoryBytes: 0 },
    });
  });
});
