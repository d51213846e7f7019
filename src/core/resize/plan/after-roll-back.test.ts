// Shortages are raised also during the hold after a roll-back: safety never waits for savings.

import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  memory,
  NO_OVERRIDES,
  pods,
  resized,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { formatMemory } from '#kube/quantity';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { NO_MEMORY, NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';
import { DEFAULT_POLICY_RULES } from '../policy/policy-rules.ts';
import { readOverrides } from '../policy/workload-overrides.ts';
import { correctFutureTimestamps } from '../status/memory-codec.ts';

const lessCpu = anAdvice({ cpu: '100m', memory: '512Mi' });
const shortOfCpu = anAdvice({ cpu: '2', memory: '512Mi', cpuAdvice: { lowerBound: 1900, latest: 1900 } });
const shortOfMemory = anAdvice({ cpu: '500m', memory: '3Gi', memoryAdvice: { lowerBound: memory('2900Mi'), latest: memory('2900Mi') } });

function after(situation: WorkloadSituation, decision: WorkloadDecision, ms: number): WorkloadSituation {
  return { ...situation, memory: decision.memory, pods: resized(situation.pods, decision.steps), now: situation.now + ms };
}

/** The situation with an unready first pod. */
function ill(situation: WorkloadSituation): WorkloadSituation {
  const unreadySince = situation.now - 3 * MINUTE_MS;
  return { ...situation, pods: situation.pods.map((pod, index) => (index === 0 ? { ...pod, ready: false, unreadySince } : pod)) };
}

function well(situation: WorkloadSituation): WorkloadSituation {
  return { ...situation, pods: situation.pods.map((pod) => ({ ...pod, ready: true, unreadySince: null })) };
}

/** Four pods of 500m and 512Mi an hour after a reduction failed on the canary. */
function rolledBack(advice = lessCpu): WorkloadSituation {
  const start = aSituation({ pods: pods(4), advice: [advice] });
  const harmed = ill(after(start, decideWorkload(start), 5 * MINUTE_MS));
  return well(after(harmed, decideWorkload(harmed), HOUR_MS));
}

const requests = ({ pods: all }: WorkloadSituation) =>
  all.map(({ containers }) => `${containers[0]?.requests.cpuMillicores}m ${formatMemory(containers[0]?.requests.memoryBytes ?? 0)}`);
const onAllPods = (text: string) => [text, text, text, text];

describe('while an automatic roll-back is held', () => {
  test.each([
    ['CPU', shortOfCpu, '2000m 512Mi'],
    ['memory', shortOfMemory, '500m 3Gi'],
  ])('raises a shortage of %s at once on all pods, reduces nothing, and doubles the next hold', (_case, short, has) => {
    const held = rolledBack();
    expect(requests(held)).toEqual(onAllPods('500m 512Mi'));
    const raised = after(held, decideWorkload({ ...held, advice: [short] }), MINUTE_MS);
    expect(requests(raised)).toEqual(onAllPods(has));
    const settled = decideWorkload({ ...raised, advice: [short] });
    expect(settled.memory.rolledBack).toMatchObject({ count: 1, heldUntil: held.memory.rolledBack!.heldUntil });
    const later = decideWorkload({ ...after(raised, settled, 8 * HOUR_MS), advice: [lessCpu] });
    expect([later.reason, later.steps]).toEqual(['rolled-back', []]);
  });

  test('delays a raise that is not urgent', () => {
    const held = rolledBack();
    const more = anAdvice({ cpu: '700m', memory: '512Mi', cpuAdvice: { lowerBound: 400 } });
    expect(decideWorkload({ ...held, advice: [more] })).toMatchObject({ reason: 'rolled-back', steps: [] });
  });
});

test.each<[string, (situation: WorkloadSituation) => WorkloadSituation]>([
  ['a roll-back', (held) => ({ ...held, userRequests: { ...NO_USER_REQUESTS, rollback: { at: T0, by: 'ann' } } })],
  ['a hold', (held) => ({ ...held, overrides: { ...NO_OVERRIDES, heldUntil: held.now + DAY_MS } })],
])('%s that a user requested also holds raises', (_case, asked) => {
  const start = asked(aSituation({ pods: pods(4), advice: [shortOfCpu] }));
  expect(decideWorkload(start)).toMatchObject({ state: 'awaiting', reason: 'hold', steps: [] });
});

test.each([
  ['ends at an annotation between the roll-back and now', -1, true],
  ['does not end at an annotation before the roll-back', -100, false],
  ['stays while the annotation lies in the future', 1, false],
])('the hold after a roll-back %s', (_case, hours, ends) => {
  const held = { ...rolledBack(), advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] };
  const now = held.now + HOUR_MS;
  const overrides = { ...NO_OVERRIDES, heldUntil: now + hours * HOUR_MS + MINUTE_MS };
  const { memory: after } = decideWorkload({ ...held, now, overrides });
  expect((after.rolledBack?.heldUntil ?? 0) <= now).toBe(ends);
});

test('the hold after a roll-back ends at an annotation of the same second, as kubectl writes it', () => {
  const held = { ...rolledBack(), advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] };
  const at = held.memory.rolledBack!.at + 700;
  const memoryOfHold = { ...held.memory, rolledBack: { ...held.memory.rolledBack!, at } };
  const overrides = { ...NO_OVERRIDES, heldUntil: at - 700 };
  const now = at + MINUTE_MS;
  expect(decideWorkload({ ...held, memory: memoryOfHold, now, overrides }).memory.rolledBack?.heldUntil).toBe(at - 700);
});

test('a request where nothing was changed since a roll-back starts a new hold, and the Event reports no values', () => {
  const held = { ...rolledBack(), userRequests: { ...NO_USER_REQUESTS, rollback: { at: T0, by: 'ann' } } };
  const { memory: after, events, steps } = decideWorkload(held);
  expect(after.rolledBack).toMatchObject({ at: held.now, heldUntil: held.now + DAY_MS, values: held.memory.rolledBack?.values });
  expect(events.find(({ reason }) => reason === 'RolledBack')?.message).toBe(
    'there is no change to roll back; automatic changes are on hold for 24 h: requested by ann',
  );
  expect(steps).toEqual([]);
});

describe('a roll-back', () => {
  /** Memory is reduced on the canary, CPU is raised meanwhile, and then the canary fails. */
  function raisedMeanwhile(): WorkloadSituation {
    const start = aSituation({ pods: pods(4), advice: [anAdvice({ cpu: '500m', memory: '128Mi' })] });
    const reduced = after(start, decideWorkload(start), 2 * MINUTE_MS);
    const short = { ...reduced, advice: [anAdvice({ cpu: '2', memory: '128Mi', cpuAdvice: { lowerBound: 1900, latest: 1900 } })] };
    return after(short, decideWorkload(short), 4 * MINUTE_MS);
  }

  /** Four pods of 500m and 512Mi whose reduction has begun. */
  function rolledBackCandidate(): WorkloadSituation {
    const start = aSituation({ pods: pods(4), advice: [anAdvice({ cpu: '500m', memory: '128Mi' })] });
    return after(start, decideWorkload(start), 2 * MINUTE_MS);
  }

  test('after a regression reverts reductions and no raise that was made meanwhile', () => {
    const harmed = ill(raisedMeanwhile());
    const decision = decideWorkload(harmed);
    expect(decision.memory.rolledBack?.reason).toBe('readiness');
    expect(requests(after(harmed, decision, MINUTE_MS))).toEqual(onAllPods('2000m 512Mi'));
  });

  /** A crashing pod with more than the others, which the rolled-back change never reached. */
  function withUntouchedPod(): WorkloadSituation {
    const start = aSituation({ pods: pods(4), advice: [lessCpu] });
    const harmed = ill(after(start, decideWorkload(start), 5 * MINUTE_MS));
    const untouched = (pod: PodRecord): PodRecord => ({
      ...pod,
      ready: false,
      unreadySince: T0,
      containers: pod.containers.map((each) => ({
        ...each,
        state: 'waiting',
        waitingReason: 'CrashLoopBackOff',
        ready: false,
        requests: amounts('900m', '512Mi'),
        actual: { requests: amounts('900m', '512Mi'), limits: each.limits },
      })),
    });
    const all = harmed.pods.map((pod, index) => (index === 3 ? untouched(pod) : pod));
    return { ...harmed, pods: all, unreadPods: new Set(all.slice(3).map(({ uid }) => uid)) };
  }

  test.each([
    ['after a regression lowers no pod whose usage is unknown', null, '900m 512Mi'],
    ['that a user requests lowers it', { at: T0, by: 'ann' }, '500m 512Mi'],
  ])('%s', (_case, rollback, expected) => {
    const crashed = { ...withUntouchedPod(), userRequests: { ...NO_USER_REQUESTS, rollback } };
    const back = after(crashed, decideWorkload(crashed), MINUTE_MS);
    expect(requests(after(back, decideWorkload(back), MINUTE_MS))).toEqual(['500m 512Mi', '500m 512Mi', '500m 512Mi', expected]);
  });

  test.each([
    ['below a floor', { 'evenkeel.io/floor': '{"main":{"cpu":"700m"}}' }, '700m 512Mi', 'cpu of main 700m instead of 500m, by its floor'],
    [
      'above a ceiling',
      { 'evenkeel.io/ceiling': '{"main":{"memory":"384Mi"}}' },
      '500m 384Mi',
      'memory of main 384Mi instead of 512Mi, by its ceiling',
    ],
  ])('never goes %s that was set since, and says so', (_case, annotations, expected, message) => {
    const rollback = { at: T0, by: 'ann' };
    const asked = { ...rolledBackCandidate(), overrides: readOverrides(annotations), userRequests: { ...NO_USER_REQUESTS, rollback } };
    const decision = decideWorkload(asked);
    expect(decision.events.map((event) => event.message)).toContain(`rolled back to the previous values: requested by ann; ${message}`);
    const back = after(asked, decision, MINUTE_MS);
    expect(requests(after(back, decideWorkload(back), MINUTE_MS))).toEqual(onAllPods(expected));
  });

  test('keeps Burstable pods Burstable where memory was raised to its limit meanwhile, because no resize may change the class', () => {
    const limits = amounts('1', '512Mi');
    const all = pods(4, { qosClass: 'Burstable', container: { requests: amounts('1', '511Mi'), limits } });
    const start = aSituation({ pods: all, advice: [anAdvice({ cpu: '100m', memory: '511Mi' })] });
    const reduced = after(start, decideWorkload(start), 5 * MINUTE_MS);
    const apply = reduced.memory.apply!;
    const raised = { requests: amounts('100m', '512Mi'), limits };
    const canary = ({ containers: [each], ...pod }: PodRecord): PodRecord => ({
      ...pod,
      containers: [each!.requests.cpuMillicores === 100 ? { ...each!, ...raised, actual: raised } : each!],
    });
    const harmed = ill({
      ...reduced,
      pods: reduced.pods.map(canary),
      memory: { ...reduced.memory, apply: { ...apply, values: new Map([['main', raised]]) } },
    });
    const decision = decideWorkload(harmed);
    expect(decision.memory.lastApplied?.values).toEqual(new Map([['main', { requests: amounts('999m', '512Mi'), limits }]]));
    expect(requests(after(harmed, decision, MINUTE_MS))).toEqual(onAllPods('999m 512Mi'));
  });

  test('that a user requests reverts both', () => {
    const asked = { ...raisedMeanwhile(), userRequests: { ...NO_USER_REQUESTS, rollback: { at: T0, by: 'ann' } } };
    const back = after(asked, decideWorkload(asked), MINUTE_MS);
    expect(requests(after(back, decideWorkload(back), MINUTE_MS))).toEqual(onAllPods('500m 512Mi'));
  });
});

test('a change under way that began after a roll-back is held, not taken back, while usage is stale', () => {
  const start = { ...rolledBack(), now: T0 + 2 * DAY_MS };
  const begun = after(start, decideWorkload(start), 2 * MINUTE_MS);
  expect(requests(begun)).toContain('100m 512Mi');
  const stale: WorkloadSituation = {
    ...begun,
    gateState: { ...begun.gateState, stale: { source: 'usage', message: 'usage: last confirmed 5 minutes ago' } },
  };
  const held = decideWorkload(stale);
  expect([held.reason, held.steps]).toEqual(['stale-data', []]);
});

describe('a raise that began after a roll-back', () => {
  /** The roll-back has not reached the canary; all other pods have been raised since. */
  function unfinished(): WorkloadSituation {
    const start = aSituation({ pods: pods(4), advice: [lessCpu] });
    const harmed = ill(after(start, decideWorkload(start), 5 * MINUTE_MS));
    const short = { ...harmed, memory: decideWorkload(harmed).memory, now: harmed.now + MINUTE_MS, advice: [shortOfMemory] };
    const raise = decideWorkload(short);
    return {
      ...after(short, { ...raise, steps: raise.steps.filter(({ pod }) => pod.name !== 'web-1') }, MINUTE_MS),
      gateState: { ...short.gateState, stale: { source: 'usage', message: 'usage: last confirmed 5 minutes ago' } },
    };
  }

  test('leaves the roll-back to be carried out while usage is stale, and is not taken back by it', () => {
    const stale = unfinished();
    expect(requests(stale)).toEqual(['100m 512Mi', '500m 3Gi', '500m 3Gi', '500m 3Gi']);
    expect(requests(after(stale, decideWorkload(stale), MINUTE_MS))).toEqual(['500m 512Mi', '500m 3Gi', '500m 3Gi', '500m 3Gi']);
  });
});

describe('pods that were created after a roll-back', () => {
  const at = T0 - HOUR_MS;
  const values = new Map([['main', { requests: amounts('200m', '256Mi'), limits: amounts(null, null) }]]);
  const template = new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts(null, null) }]]);
  const young = pods(3, { createdAt: T0 - 30 * MINUTE_MS, readySince: T0 - 29 * MINUTE_MS });
  const memoryOf = (requestedAt: number | null): WorkloadSituation['memory'] => ({
    ...NO_MEMORY,
    template,
    lastRollbackRequestAt: requestedAt,
    lastApplied: { at, by: 'evenkeel', reason: 'roll-back', pods: 0, values },
    rolledBack: { at, reason: 'restarts', message: '', heldUntil: T0 + DAY_MS, count: 1, requestedAt, values },
  });

  test.each<[string, Partial<WorkloadSituation>]>([
    ['an annotation cannot be read', { memory: memoryOf(null), overrides: readOverrides({ 'evenkeel.io/floor': '2GG' }) }],
    [
      'its policy is invalid',
      { memory: memoryOf(null), policyProblem: 'spec: …', policy: DEFAULT_POLICY_RULES, readableRules: autoPolicy() },
    ],
    [
      'the mode is Recommend',
      {
        memory: memoryOf(at),
        policy: autoPolicy({ mode: 'Recommend' }),
        userRequests: { ...NO_USER_REQUESTS, rollback: { at, by: 'ann' } },
      },
    ],
  ])('are not reduced while %s', (_case, more) => {
    expect(decideWorkload(aSituation({ pods: young, ...more })).steps).toEqual([]);
  });
});

describe('a request for a roll-back', () => {
  const requested = (situation: WorkloadSituation, at: number): WorkloadSituation => ({
    ...situation,
    userRequests: { ...NO_USER_REQUESTS, rollback: { at, by: 'ann' } },
  });

  /** The request was executed ten days ago; a later reduction was rolled back automatically just now. */
  function harmedSince(): WorkloadSituation {
    const start = aSituation({ pods: pods(4), advice: [lessCpu] });
    const asked = requested(after(start, decideWorkload(start), MINUTE_MS), T0 + MINUTE_MS);
    const back = after(asked, decideWorkload(asked), 10 * DAY_MS);
    const harmed = ill(after(back, decideWorkload(back), 5 * MINUTE_MS));
    return well(after(harmed, decideWorkload(harmed), MINUTE_MS));
  }

  test('is carried out once: not again after a later automatic roll-back', () => {
    const harmed = harmedSince();
    const { rolledBack: automatic } = harmed.memory;
    expect(automatic).toMatchObject({ reason: 'readiness', requestedAt: null, count: 1 });
    const { memory: kept, reason, events } = decideWorkload(harmed);
    expect([kept.rolledBack, reason, events]).toEqual([automatic, 'rolled-back', []]);
    expect(decideWorkload({ ...harmed, advice: [shortOfCpu] }).steps).toHaveLength(4);
  });

  test('is carried out once, also where the clock was set back before the automatic roll-back', () => {
    const harmed = harmedSince();
    const now = harmed.now - 30 * DAY_MS;
    const corrected = correctFutureTimestamps(harmed.memory, now);
    expect(decideWorkload({ ...harmed, now, memory: corrected }).memory.rolledBack).toMatchObject({ requestedAt: null, count: 1 });
  });

  test('that is new is carried out after an automatic roll-back', () => {
    const harmed = harmedSince();
    const { rolledBack: asked } = decideWorkload(requested(harmed, harmed.now)).memory;
    expect(asked).toMatchObject({ reason: 'request', requestedAt: harmed.now, count: 0 });
  });
});

test('the end of a hold that a user had set does not end the hold after a roll-back, and the present time does', () => {
  const start = aSituation({ pods: pods(4), advice: [lessCpu] });
  const rollback = { at: T0 + MINUTE_MS, by: 'ann' };
  const userRequests = { ...NO_USER_REQUESTS, rollback };
  const held = (situation: WorkloadSituation, heldUntil: number) => ({ ...situation, overrides: { ...start.overrides, heldUntil } });
  const asked = held({ ...after(start, decideWorkload(start), 2 * MINUTE_MS), userRequests }, T0 + HOUR_MS);
  const back = after(asked, decideWorkload(asked), 2 * HOUR_MS);
  expect(decideWorkload(back)).toMatchObject({ state: 'awaiting', reason: 'hold', until: asked.now + DAY_MS });
  expect(decideWorkload(held(back, back.now)).memory.rolledBack?.heldUntil).toBe(back.now);
});

describe('a reduction that causes a regression each time', () => {
  /** Number of reductions where the canary is unready whenever it has less CPU than before, and the last decision. */
  function reductionsWithin(days: number, advice = lessCpu): { readonly count: number; readonly last: WorkloadDecision } {
    let situation = aSituation({ pods: pods(4), advice: [advice] });
    let [count, last] = [0, decideWorkload(situation)];
    for (let hour = 0; hour < 24 * days; hour += 1) {
      situation = ill(situation);
      if (requests(situation).every((each) => each.startsWith('500m'))) situation = well(situation);
      last = decideWorkload(situation);
      if (last.steps.some(({ lowers }) => lowers)) count += 1;
      situation = after(situation, last, HOUR_MS);
    }
    return { count, last };
  }

  test('is tried five times in three weeks, and never again', () => {
    const { count, last } = reductionsWithin(60);
    expect([count, last.reason, last.until]).toEqual([5, 'rolled-back', null]);
    expect(last.message).toContain('rolled back 5 times in a row');
  });

  test('is made once its target is greater by more than a tenth', () => {
    const { last } = reductionsWithin(60);
    const later = aSituation({ pods: pods(4), memory: last.memory, now: T0 + 70 * DAY_MS });
    const toMore = (cpu: string) => decideWorkload({ ...later, advice: [anAdvice({ cpu, memory: '512Mi' })] }).steps.length;
    expect([toMore('110m'), toMore('111m')]).toEqual([0, 1]);
  });
});
