import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aSituation,
  aWorkloadRecord,
  memory,
  NO_OVERRIDES,
  pods,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../../model/situation.ts';

const DEPLOYED = { requests: amounts('500m', '256Mi'), limits: amounts(null, '1Gi') };
const REDUCED = { requests: amounts('500m', '128Mi'), limits: amounts(null, '1Gi') };

function leaking(situation: Partial<WorkloadSituation> = {}, kills = {}): WorkloadSituation {
  const advice = [anAdvice({ cpu: '500m', memory: '900Mi', leakSuspected: true, ...kills })];
  return aSituation({ workload: aWorkloadRecord({}, DEPLOYED), pods: pods(2, { container: REDUCED }), advice, ...situation });
}

function decidedBy(decision: 'approve' | 'reject', situation: WorkloadSituation): WorkloadSituation {
  const opened = decideWorkload(situation);
  const at = situation.now + HOUR_MS;
  const exceptionDecisions = [{ container: 'main', resource: 'memory' as const, decision, value: null, at, by: 'ann' }];
  return {
    ...situation,
    now: at,
    memory: { ...opened.memory, apply: null, lastApplied: null },
    userRequests: { ...NO_USER_REQUESTS, exceptionDecisions },
  };
}

describe('A suspected leak', () => {
  test('restores the deployed request and limit, and opens a limit exception', () => {
    const { containers, memory: remembered, events } = decideWorkload(leaking());
    expect(containers[0]?.target).toMatchObject({ requests: amounts('500m', '256Mi'), limits: amounts(null, '1Gi') });
    expect(remembered.limitExceptions).toMatchObject([{ type: 'leak', state: 'open', limit: memory('1Gi'), proposed: null }]);
    expect(events.map(({ reason }) => reason)).toContain('LimitExceeded');
  });

  test('keeps a greater request, so that alternating suspicion causes no changes', () => {
    const grown = { requests: amounts('500m', '3600Mi'), limits: amounts(null, '8Gi') };
    const deployed = { requests: amounts('500m', '256Mi'), limits: amounts(null, '8Gi') };
    const advice = anAdvice({ cpu: '500m', memory: '2Gi', leakSuspected: true });
    const situation = aSituation({ workload: aWorkloadRecord({}, deployed), pods: pods(3, { container: grown }), advice: [advice] });
    const { containers, steps } = decideWorkload(situation);
    expect(containers[0]?.target?.requests.memoryBytes).toBe(memory('3600Mi'));
    expect(steps).toEqual([]);
  });

  test('is not raised after OOM kills', () => {
    const kill = { at: T0 - HOUR_MS, need: memory('2Gi') };
    const oom = { limitNeed: kill.need, killedPodNeed: kill.need, requestNeed: kill.need, recentKills: [kill], lastNodeKill: null };
    const { containers } = decideWorkload(leaking({}, { lastOomAt: kill.at, oom }));
    expect(containers[0]?.target?.limits.memoryBytes).toBe(memory('1Gi'));
    expect(containers[0]?.killedPod).toBeNull();
  });

  test('that a user approves does not count for 30 days', () => {
    const approved = decidedBy('approve', leaking());
    const after = decideWorkload(approved);
    expect(after.memory.limitExceptions).toMatchObject([{ state: 'approved', leakApprovedAt: approved.now }]);
    const at = (days: number) => decideWorkload({ ...approved, now: approved.now + days * DAY_MS, memory: after.memory });
    expect(at(29).containers[0]?.target?.requests.memoryBytes).toBe(memory('900Mi'));
    // The request that was raised meanwhile is kept.
    expect(at(31).containers[0]?.target?.requests.memoryBytes).toBe(memory('900Mi'));
    expect(at(31).memory.limitExceptions).toMatchObject([{ type: 'leak', state: 'open' }]);
  });

  test.each([
    [29, 'approved', '950Mi'],
    [31, 'open', '900Mi'],
  ])('is %i days after its approval %s, and %s are requested where 950Mi are advised', (days, state, request) => {
    const approved = decidedBy('approve', leaking());
    const { memory: remembered } = decideWorkload(approved);
    const advice = [anAdvice({ cpu: '500m', memory: '950Mi', leakSuspected: true })];
    const after = decideWorkload({ ...approved, advice, now: approved.now + days * DAY_MS, memory: remembered });
    expect(after.containers[0]?.target?.requests.memoryBytes).toBe(memory(request));
    expect(after.memory.limitExceptions).toMatchObject([{ type: 'leak', state }]);
  });

  test('that a user rejects stays at its deployed size, and is not reported again for 7 days', () => {
    const rejected = decidedBy('reject', leaking());
    const after = decideWorkload(rejected);
    const next = decideWorkload({ ...rejected, now: rejected.now + DAY_MS, memory: after.memory });
    expect(next.containers[0]?.target?.requests.memoryBytes).toBe(memory('256Mi'));
    expect(next.memory.limitExceptions).toMatchObject([{ type: 'leak', state: 'rejected' }]);
  });

  test('ends with its exception when memory no longer grows', () => {
    const first = decideWorkload(leaking());
    const [calm] = leaking().advice.map((each) => ({ ...each, leakSuspected: false }));
    const next = decideWorkload(leaking({ advice: [calm!], memory: first.memory, now: T0 + HOUR_MS, overrides: NO_OVERRIDES }));
    expect(next.memory.limitExceptions).toMatchObject([{ type: 'leak', state: 'resolved' }]);
  });
});
