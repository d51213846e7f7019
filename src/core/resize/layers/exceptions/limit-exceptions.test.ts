import { describe, expect, test } from '@jest/globals';
import { cpuDemand, memoryDemand, requestsOnlyPolicy, TEMPORARY } from '../../../../../test/builders/exceptions.ts';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  memory,
  oomAdvice,
  pods,
  resized,
  T0,
  NO_OVERRIDES,
} from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../decide-workload.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import { NO_MEMORY, NO_USER_REQUESTS, type WorkloadSituation } from '../../model/situation.ts';
import { DEFAULT_POLICY_RULES, type PolicyRules } from '../../policy/policy-rules.ts';
import { DemandLog, type ContainerDemand } from '../../model/evidence/demand.ts';
import type { ExceptionDecision, LimitException } from '../../model/limit-exception.ts';

const LIMITED = { container: { requests: amounts('100m', '128Mi'), limits: amounts(null, '256Mi') } };
const fit = anAdvice({ cpu: '100m', memory: '128Mi' });
const gateState = aSituation().gateState;

/** Three pods with a memory limit of 256Mi that may not be changed, and suitable requests. */
function limited(more: Partial<WorkloadSituation> = {}): WorkloadSituation {
  return aSituation({ pods: pods(3, LIMITED), advice: [fit], policy: requestsOnlyPolicy(), ...more });
}

const rising = (now = T0) => memoryDemand(now, '220Mi', '238Mi', '244Mi');

/** Advice with this latest working set, which bounds reductions of the limit. */
function using(text: string, latest = text) {
  const evidence = fit.memoryEvidence!;
  return { ...fit, memoryEvidence: { ...evidence, latest: memory(latest) } };
}

/** A decision, and the situation after it. */
function then(
  situation: WorkloadSituation,
  afterMs: number,
  more: Partial<WorkloadSituation> = {},
): { readonly decision: WorkloadDecision; readonly next: WorkloadSituation } {
  const decision = decideWorkload(situation);
  const next = {
    ...situation,
    memory: decision.memory,
    pods: resized(situation.pods, decision.steps),
    now: situation.now + afterMs,
    demand: [],
    ...more,
  };
  return { decision, next };
}

/** Decides every `stepMs` with the demand of the test. */
function live(
  start: WorkloadSituation,
  forMs: number,
  demand: (now: number) => WorkloadSituation['demand'],
  stepMs = 30 * MINUTE_MS,
): WorkloadSituation {
  let situation = start;
  while (situation.now < start.now + forMs) situation = then({ ...situation, demand: demand(situation.now) }, stepMs).next;
  return situation;
}

const only = (decision: Pick<WorkloadDecision, 'memory'>): LimitException => decision.memory.limitExceptions[0]!;
const limits = ({ pods: all }: WorkloadSituation) => all.map((pod) => (pod.containers[0]!.limits.memoryBytes ?? 0) / MiB);
const decided = (decision: 'approve' | 'reject', at: number, value: number | null = null): ExceptionDecision => ({
  container: 'main',
  resource: 'memory',
  decision,
  value,
  at,
  by: 'ann',
});

/** The memory limit follows its request. */
function withRatio(policy: PolicyRules): PolicyRules {
  const { memory, ...container } = policy.container;
  return { ...policy, container: { ...container, memory: { ...memory, limit: { rule: 'Ratio', ratio: 1.25 } } } };
}

describe('is opened by evidence', () => {
  const cases: readonly (readonly [string, WorkloadSituation, string | null])[] = [
    ['memory near its limit and rising', limited({ demand: rising() }), 'usage-over-limit'],
    ['one minute of three near the limit', limited({ demand: memoryDemand(T0, '150Mi', '150Mi', '244Mi') }), null],
    ['memory that is steady near its limit', limited({ demand: memoryDemand(T0, '240Mi', '240Mi', '240Mi') }), null],
    ['memory that fills its limit', limited({ demand: memoryDemand(T0, '250Mi', '250Mi', '250Mi') }), 'usage-over-limit'],
    ['old windows', limited({ demand: rising(T0 - 10 * MINUTE_MS) }), null],
    [
      'stale data',
      limited({ demand: rising(), gateState: { ...gateState, stale: { source: 'usage', message: 'usage is 5 minutes old' } } }),
      null,
    ],
    [
      'a limit that rule Ratio raises',
      limited({ demand: rising(), policy: withRatio(autoPolicy()), advice: [anAdvice({ cpu: '100m', memory: '300Mi' })] }),
      null,
    ],
    [
      'a limit that rule Keep leaves as it is',
      limited({ demand: rising(), policy: autoPolicy(), advice: [anAdvice({ cpu: '100m', memory: '300Mi' })] }),
      'usage-over-limit',
    ],
    ['an OOM kill at a limit that may not be raised', limited({ advice: [killed(T0 - MINUTE_MS)] }), 'oom-killed'],
    ['an OOM kill three days ago', limited({ advice: [killed(T0 - 3 * DAY_MS)] }), null],
    ['more than a ceiling', limited({ policy: autoPolicy(), advice: [ceiled(250, 128)] }), 'recommendation-over-ceiling'],
    ['more than a ceiling, but long ago', limited({ policy: autoPolicy(), advice: [ceiled(250, 128, 50)] }), null],
    ['an excluded workload', limited({ demand: rising(), overrides: { ...NO_OVERRIDES, excluded: true } }), null],
    ['mode Off', limited({ demand: rising(), overrides: { ...NO_OVERRIDES, mode: 'Off' } }), null],
    ['mode Recommend', limited({ demand: rising(), policy: DEFAULT_POLICY_RULES }), 'usage-over-limit'],
    ['too little history', limited({ demand: rising(), advice: [] }), 'usage-over-limit'],
    ['CPU at its limit', cpuLimited(cpuDemand(T0, [199, 200, 200])), 'usage-over-limit'],
    [
      'CPU throttled for ten minutes',
      cpuLimited(
        cpuDemand(
          T0,
          Array.from({ length: 12 }, () => 120),
          0.4,
        ),
      ),
      'cpu-throttled',
    ],
    [
      'CPU throttled for five minutes',
      cpuLimited(
        cpuDemand(
          T0,
          Array.from({ length: 5 }, () => 120),
          0.4,
        ),
      ),
      null,
    ],
  ];
  test.each(cases)('%s', (_, situation, type) => {
    const decision = decideWorkload(situation);
    expect(decision.memory.limitExceptions.filter(({ state }) => state === 'open').map((each) => each.type)).toEqual(
      type === null ? [] : [type],
    );
    // A change under way is reported first.
    expect(['exception', 'applying'].includes(decision.state)).toBe(type !== null || decision.state === 'applying');
  });

  test('once for any number of decisions; demand that returns after a pause counts as one more occurrence', () => {
    const first = then(limited({ demand: rising() }), MINUTE_MS, { demand: rising(T0 + MINUTE_MS) });
    const second = then(first.next, HOUR_MS, { demand: memoryDemand(T0 + HOUR_MS + MINUTE_MS, '150Mi') });
    expect(only(second.decision).occurrences).toBe(1);
    expect(second.decision.events).toEqual([]);
    const lull = then(second.next, HOUR_MS, { demand: rising(T0 + 2 * HOUR_MS + MINUTE_MS) });
    const third = then(lull.next, HOUR_MS);
    expect(third.decision.memory.limitExceptions).toHaveLength(1);
    expect(only(third.decision)).toMatchObject({ state: 'open', occurrences: 2, openedAt: T0 });
  });

  test('with lastSeenAt no earlier than openedAt, although an OOM kill is reported minutes late', () => {
    const late = [killed(T0 - 5 * MINUTE_MS)];
    const opened = decideWorkload(limited({ advice: late }));
    expect(only(opened)).toMatchObject({ type: 'oom-killed', openedAt: T0, lastSeenAt: T0, occurrences: 1 });
    const open = then(limited({ demand: rising() }), MINUTE_MS, { advice: late });
    expect(only(decideWorkload(open.next))).toMatchObject({ type: 'oom-killed', openedAt: T0, lastSeenAt: T0, occurrences: 2 });
  });

  test('and an OOM kill after the opening counts as one more occurrence', () => {
    const open = then(limited({ advice: [killed(T0 - 5 * MINUTE_MS)] }), 2 * MINUTE_MS, { advice: [killed(T0 + MINUTE_MS)] });
    const again = decideWorkload(open.next);
    expect(only(again)).toMatchObject({ openedAt: T0, lastSeenAt: T0 + MINUTE_MS, occurrences: 2 });
  });

  test('its type only becomes more severe', () => {
    const first = then(limited({ demand: rising() }), MINUTE_MS, { advice: [killed(T0 + 1)] });
    expect(only(first.decision).type).toBe('usage-over-limit');
    const second = then(first.next, MINUTE_MS, { demand: rising(T0 + 2 * MINUTE_MS), advice: [fit] });
    expect(only(second.decision)).toMatchObject({ type: 'oom-killed', occurrences: 2 });
    expect(only(then(second.next, 0).decision).type).toBe('oom-killed');
  });
});

describe('page cache', () => {
  const log = new DemandLog();
  const sampled = (minutes: number, workingMib: number, rssMib: number | null): readonly ContainerDemand[] => {
    for (let minute = 0; minute < minutes; minute += 1) {
      const at = T0 + minute * MINUTE_MS;
      log.observe('p', { at, cpuMillicores: 1, memoryBytes: workingMib * MiB, memoryRssBytes: rssMib === null ? null : rssMib * MiB });
    }
    return [{ container: 'main', windows: log.windows(), memorySteadySince: log.memorySteadySince }];
  };
  const opened = (more: Partial<WorkloadSituation>) =>
    decideWorkload(limited(more)).memory.limitExceptions.filter(({ state }) => state === 'open');

  test('that fills a limit opens nothing where the source reports RSS; unreclaimable memory does', () => {
    const now = T0 + 20 * MINUTE_MS;
    expect(opened({ now, demand: sampled(21, 255, 60) })).toEqual([]);
    expect(opened({ now, demand: [{ container: 'main', windows: ownWindows(now, 255, 250) }] })).toHaveLength(1);
  });

  test('reported minutes late does not hide rising memory', () => {
    const now = T0 + 2 * MINUTE_MS;
    const windows = [125, 242, 252].map((mib, index) => ownWindows(T0 + index * MINUTE_MS, mib, 120).at(-1)!);
    expect(opened({ now, demand: [{ container: 'main', windows }] })).toHaveLength(1);
  });

  const full = (now: number, since: number | null) =>
    memoryDemand(now, '255Mi', '255Mi', '255Mi').map((each) => ({ ...each, memorySteadySince: since }));

  test('without RSS: memory that was steady at a limit for hours without an OOM kill opens nothing, and resolves with a reason', () => {
    expect(opened({ demand: full(T0, T0 - 4 * HOUR_MS) })).toEqual([]);
    expect(opened({ demand: full(T0, T0 - HOUR_MS) })).toHaveLength(1);
    const after = live(limited(), 5 * HOUR_MS, (now) => full(now, T0));
    expect(after.memory.limitExceptions[0]).toMatchObject({ state: 'resolved', occurrences: 1 });
    expect(after.memory.limitExceptions[0]?.evidence).toMatch(/steady at the limit for 3 hours.*page cache/);
    expect(live(after, 2 * DAY_MS, (now) => full(now, T0), 6 * HOUR_MS).memory.limitExceptions[0]?.openCount).toHaveLength(1);
  });

  test('is not assumed after an OOM kill', () => {
    const demand = full(T0, T0 - 4 * HOUR_MS);
    expect(opened({ demand, advice: [killed(T0 - HOUR_MS)] }).map(({ type }) => type)).toEqual(['oom-killed']);
  });

  test('steady means neither rising nor falling', () => {
    const watched = new DemandLog();
    [250, 250, 245, 250, 251, 251, 200, 200].forEach((mib, minute) =>
      watched.observe('p', { at: T0 + minute * MINUTE_MS, cpuMillicores: 1, memoryBytes: mib * MiB }),
    );
    expect(watched.memorySteadySince).toBe(T0 + 6 * MINUTE_MS);
  });
});

describe('a temporary overage', () => {
  const temporary = limited({ policy: requestsOnlyPolicy({ limitOverage: TEMPORARY }), demand: rising() });

  test('is never granted with mode Never', () => {
    const { decision, next } = then(limited({ demand: rising() }), MINUTE_MS);
    expect(only(decision)).toMatchObject({ overage: null, proposed: 320 * MiB });
    expect(limits(next)).toEqual([256, 256, 256]);
  });

  test('is granted to every pod at once and stored in the same decision', () => {
    const { decision, next } = then({ ...temporary, gateState: { ...gateState, warmUpUntil: T0 + HOUR_MS } }, MINUTE_MS);
    expect(limits(next)).toEqual([320, 320, 320]);
    expect(only(decision).overage).toMatchObject({ before: 256 * MiB, value: 320 * MiB, until: T0 + DAY_MS });
    expect(decision.message).toMatch(/the pods have a temporary limit of 320Mi for 1d more/);
  });

  test('is granted to pods that are created meanwhile', () => {
    const { next } = then(temporary, MINUTE_MS);
    const created = then({ ...next, pods: [...next.pods.slice(0, 2), ...pods(4, LIMITED).slice(3)] }, MINUTE_MS).next;
    expect(limits(created)).toEqual([320, 320, 320]);
  });

  test.each<[string, Partial<WorkloadSituation>, readonly number[], RegExp]>([
    ['the policy’s ratio', { policy: requestsOnlyPolicy({ limitOverage: { ...TEMPORARY, maxRatio: 1.1 } }) }, [281, 281, 281], /./],
    ['a LimitRange', { limitRanges: [rangeUpTo('300Mi')] }, [300, 300, 300], /LimitRange/],
    ['what the node has free', { freeOnNodes: new Map([['n1', { cpuMillicores: 0, memoryBytes: 75 * MiB }]]) }, [276, 276, 276], /./],
    [
      'a full node',
      { freeOnNodes: new Map([['n1', { cpuMillicores: 0, memoryBytes: 0 }]]) },
      [256, 256, 256],
      /bounded by the free capacity of node n1/,
    ],
    [
      'mode Recommend',
      { policy: { ...requestsOnlyPolicy({ limitOverage: TEMPORARY }), mode: 'Recommend' } },
      [256, 256, 256],
      /mode Recommend makes no changes/,
    ],
    ['an old kubelet', { kubeletVersions: new Map([['n1', 'v1.33.0']]) }, [256, 256, 256], /without a restart/],
    ['a dry run', { gateState: { ...gateState, dryRun: true } }, [256, 256, 256], /dry run/],
  ])('keeps to %s', (_, more, expected, words) => {
    const { decision, next } = then({ ...temporary, ...more }, MINUTE_MS);
    expect(limits(next)).toEqual(expected);
    expect(only(decision).evidence).toMatch(words);
  });

  test('grows with demand, never from itself, and publishes one Event when demand exceeds it', () => {
    let { next } = then(temporary, MINUTE_MS, { demand: memoryDemand(T0 + MINUTE_MS, '400Mi', '440Mi', '480Mi') });
    const grown = then(next, MINUTE_MS, { demand: memoryDemand(T0 + 2 * MINUTE_MS, '500Mi', '510Mi', '511Mi') });
    expect(limits(grown.next)).toEqual([512, 512, 512]);
    const reached = then(grown.next, MINUTE_MS, { demand: memoryDemand(T0 + 3 * MINUTE_MS, '511Mi', '511Mi', '511Mi') });
    expect(reached.decision.events.map(({ reason }) => reason)).toEqual(['CeilingReached']);
    expect(only(reached.decision).evidence).toMatch(/^CeilingReached/);
    next = live(reached.next, 6 * HOUR_MS, (now) => memoryDemand(now, '511Mi', '511Mi', '511Mi'));
    expect(limits(next)).toEqual([512, 512, 512]);
    expect(next.memory.limitExceptions).toHaveLength(1);
  });

  test('is taken back one pod after the other when demand was below 80 % for a day', () => {
    const { next } = then(temporary, MINUTE_MS, { advice: [using('150Mi')] });
    const early = live(next, 23 * HOUR_MS, (now) => memoryDemand(now, '150Mi', '150Mi', '150Mi'));
    expect([limits(early), early.memory.limitExceptions[0]?.state]).toEqual([[320, 320, 320], 'open']);
    const first = live(early, 90 * MINUTE_MS, (now) => memoryDemand(now, '150Mi', '150Mi', '150Mi'));
    expect(limits(first).filter((limit) => limit === 256).length).toBeLessThan(3);
    const back = live(first, 3 * HOUR_MS, (now) => memoryDemand(now, '150Mi', '150Mi', '150Mi'));
    expect(limits(back)).toEqual([256, 256, 256]);
    expect(back.memory.limitExceptions[0]).toMatchObject({ state: 'resolved' });
    expect(back.memory.limitExceptions[0]?.overage?.returnedAt).not.toBeNull();
  });

  test('ends when its time is over, but never below present usage', () => {
    const busy = then(temporary, MINUTE_MS, { advice: [using('240Mi')] }).next;
    const after = live(busy, 26 * HOUR_MS, (now) => memoryDemand(now, '240Mi', '240Mi', '240Mi'));
    expect(limits(after)).toEqual([320, 320, 320]);
    expect(decideWorkload(after).message).toMatch(/until it can be taken back/);
    const quiet = live({ ...after, advice: [using('190Mi')] }, 3 * HOUR_MS, (now) => memoryDemand(now, '210Mi', '210Mi', '210Mi'));
    expect(limits(quiet)).toEqual([256, 256, 256]);
    // An overage is granted once per opening.
    const again = live(quiet, 3 * HOUR_MS, rising);
    expect(limits(again)).toEqual([256, 256, 256]);
  });

  test('waits for the policy’s windows and for calm before it is taken back', () => {
    const over = { ...then(temporary, MINUTE_MS, { advice: [using('150Mi')] }).next, now: T0 + 25 * HOUR_MS };
    const calm = { ...gateState, warmUpUntil: T0 + 30 * HOUR_MS };
    expect(limits(live({ ...over, gateState: calm }, 2 * HOUR_MS, (now) => memoryDemand(now, '150Mi')))).toEqual([320, 320, 320]);
    expect(limits(live(over, 3 * HOUR_MS, (now) => memoryDemand(now, '150Mi')))).toEqual([256, 256, 256]);
  });

  test('is hidden from the rest of the decision: the previous limit is in force', () => {
    const { next } = then(temporary, MINUTE_MS, { advice: [anAdvice({ cpu: '100m', memory: '200Mi' })] });
    const changed = live(next, 3 * HOUR_MS, rising);
    expect(changed.pods.map((pod) => (pod.containers[0]!.requests.memoryBytes ?? 0) / MiB)).toEqual([200, 200, 200]);
    expect(changed.memory.lastApplied?.values.get('main')?.limits.memoryBytes).toBe(256 * MiB);
    expect(limits(changed)).toEqual([320, 320, 320]);
  });
});

describe('a user', () => {
  const open = then(limited({ demand: rising() }), MINUTE_MS).next;

  test('approves: the proposed limit is the baseline, also for later pods', () => {
    const { decision, next } = then(
      { ...open, userRequests: { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 + 1)] } },
      MINUTE_MS,
    );
    expect(only(decision)).toMatchObject({ state: 'approved', decided: { by: 'ann', value: 320 * MiB }, inEffect: true });
    expect(decision.memory.lastApplied).toMatchObject({ by: 'ann', reason: 'a limit exception was approved' });
    expect(limits(next)).toEqual([320, 320, 320]);
    const later = live({ ...next, pods: pods(3, LIMITED) }, 2 * DAY_MS, (now) => memoryDemand(now, '244Mi', '246Mi', '248Mi'));
    expect(limits(later)).toEqual([320, 320, 320]);
    expect(later.memory.limitExceptions.filter(({ state }) => state === 'open')).toEqual([]);
  });

  test('approves another value, which is in force', () => {
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 + 1, 288 * MiB)] };
    expect(limits(then({ ...open, userRequests }, MINUTE_MS).next)).toEqual([288, 288, 288]);
  });

  test('approves a memory limit that was deployed equal to its request: both rise', () => {
    const equal = { requests: amounts('100m', '256Mi'), limits: amounts(null, '256Mi') };
    const situation = limited({
      pods: pods(3, { container: equal }),
      workload: aWorkloadRecord({}, equal),
      policy: autoPolicy(),
      advice: [anAdvice({ cpu: '100m', memory: '256Mi' })],
      demand: rising(),
    });
    const { next } = then(situation, MINUTE_MS);
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 + 1, 320 * MiB)] };
    const { decision } = then({ ...next, userRequests }, MINUTE_MS);
    expect(decision.memory.lastApplied?.values.get('main')).toEqual({ requests: amounts('100m', '320Mi'), limits: amounts(null, '320Mi') });
  });

  test('approves while an overage is in force, which is not taken back', () => {
    const given = then(limited({ demand: rising(), policy: requestsOnlyPolicy({ limitOverage: TEMPORARY }) }), MINUTE_MS).next;
    const approved = live(
      { ...given, userRequests: { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 + 1)] } },
      2 * DAY_MS,
      () => [],
    );
    expect(limits(approved)).toEqual([320, 320, 320]);
  });

  test('an older decision applies to an earlier exception', () => {
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 - 1)] };
    expect(only(then({ ...open, userRequests }, MINUTE_MS).decision).state).toBe('open');
  });

  test('rejects: the overage is taken back, and no exception opens until demand grows by a fifth', () => {
    const given = then(limited({ demand: rising(), policy: requestsOnlyPolicy({ limitOverage: TEMPORARY }) }), MINUTE_MS).next;
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('reject', T0 + 1)] };
    const rejected = live({ ...given, userRequests, advice: [using('190Mi')] }, 3 * HOUR_MS, rising);
    expect(limits(rejected)).toEqual([256, 256, 256]);
    expect(rejected.memory.limitExceptions[0]).toMatchObject({ state: 'rejected', decided: { by: 'ann' } });
    const grown = then({ ...rejected, demand: memoryDemand(rejected.now, '256Mi', '280Mi', '300Mi') }, MINUTE_MS);
    expect(only(grown.decision)).toMatchObject({ state: 'open', occurrences: 1 });
  });

  test('a higher recommendation is no growth of demand', () => {
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('reject', T0 + 1)] };
    const higher = { ...anAdvice({ cpu: '100m', memory: '400Mi', memoryAdvice: { recentPeak: 240 * MiB } }) };
    const rejected = live({ ...open, userRequests, advice: [higher] }, 3 * HOUR_MS, () => []);
    expect(rejected.memory.limitExceptions.map(({ state }) => state)).toEqual(['rejected']);
  });

  test('a rejection ends after seven days', () => {
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('reject', T0 + 1)] };
    const rejected = live({ ...open, userRequests }, 6 * DAY_MS, rising, 6 * HOUR_MS);
    expect(rejected.memory.limitExceptions[0]?.state).toBe('rejected');
    expect(live(rejected, 2 * DAY_MS, rising, 6 * HOUR_MS).memory.limitExceptions[0]?.state).toBe('open');
  });

  test('is ignored in a mode that makes no changes', () => {
    const userRequests = { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 + 1)] };
    const { decision, next } = then({ ...open, userRequests, policy: { ...requestsOnlyPolicy(), mode: 'Recommend' } }, MINUTE_MS);
    expect([only(decision).state, ...limits(next)]).toEqual(['open', 256, 256, 256]);
  });

  test('approves a ceiling: it is written to the workload’s annotation until it is stored, and later changes are the user’s', () => {
    const start = limited({ policy: autoPolicy(), advice: [ceiled(250, 128)] });
    const reported = then(start, MINUTE_MS);
    expect(reported.decision.events.map(({ reason }) => reason)).toEqual(['CeilingReached']);
    const asked = { ...reported.next, userRequests: { ...NO_USER_REQUESTS, exceptionDecisions: [decided('approve', T0 + 1)] } };
    const first = then(asked, MINUTE_MS);
    expect(first.decision.ceilings).toEqual([{ container: 'main', resource: 'memory', value: 250 * MiB }]);
    expect(then(first.next, MINUTE_MS).decision.ceilings).toHaveLength(1);
    const ceiling = new Map([['main', amounts(null, '250Mi')]]);
    const settled = then(
      { ...first.next, overrides: { ...NO_OVERRIDES, ceiling }, advice: [anAdvice({ cpu: '100m', memory: '250Mi' })] },
      MINUTE_MS,
    );
    expect([only(settled.decision).inEffect, settled.decision.ceilings]).toEqual([true, []]);
    expect(then({ ...settled.next, overrides: NO_OVERRIDES }, MINUTE_MS).decision.ceilings).toEqual([]);
  });

  test('an exception is resolved when its ceiling is removed or raised', () => {
    const reported = then(limited({ policy: autoPolicy(), advice: [ceiled(250, 128)] }), MINUTE_MS);
    // Slightly above the previous ceiling, and still capped.
    const raised = then({ ...reported.next, advice: [ceiled(250, 160)] }, MINUTE_MS);
    expect(only(raised.decision).state).toBe('open');
    const free = then({ ...reported.next, advice: [anAdvice({ cpu: '100m', memory: '240Mi' })] }, MINUTE_MS);
    expect(only(free.decision)).toMatchObject({
      state: 'resolved',
      evidence: expect.stringMatching(/^the ceiling no longer bounds the recommendation/),
    });
    // The recommendation is lower and the ceiling still applies, so the exception is resolved only after a day.
    const less = then({ ...reported.next, advice: [anAdvice({ cpu: '100m', memory: '120Mi' })] }, MINUTE_MS);
    expect(only(less.decision).state).toBe('open');
  });
});

test('the third opening in a week is reported as recurring', () => {
  let situation = limited({ demand: rising() });
  const reasons: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const opened = then(situation, HOUR_MS);
    reasons.push(...opened.decision.events.map(({ reason }) => reason));
    situation = live(opened.next, 26 * HOUR_MS, (now) => memoryDemand(now, '100Mi'));
    expect(situation.memory.limitExceptions[0]?.state).toBe('resolved');
    situation = { ...situation, demand: rising(situation.now) };
  }
  expect(reasons).toEqual(['LimitExceeded', 'LimitExceeded', 'LimitExceeded', 'LimitExceptionRecurs']);
});

test('closed exceptions are removed after a week', () => {
  const start = limited({ demand: rising() });
  const resolved = live(then(start, HOUR_MS).next, 26 * HOUR_MS, (now) => memoryDemand(now, '100Mi'));
  expect(resolved.memory.limitExceptions).toHaveLength(1);
  expect(live(resolved, 8 * DAY_MS, (now) => memoryDemand(now, '100Mi'), 6 * HOUR_MS).memory).toMatchObject({
    limitExceptions: NO_MEMORY.limitExceptions,
  });
});

function killed(at: number) {
  const evidence = fit.memoryEvidence!;
  return {
    ...fit,
    lastOomAt: at,
    oomKills: 1,
    oom: oomAdvice(356 * MiB, at),
    memoryEvidence: { ...evidence, lastOomAt: at, minLimitByKills: 356 * MiB },
  };
}

/** Advice that a ceiling capped. @param wanted recommendation without it in MiB @param given ceiling in MiB @param used peak of the last hour in MiB */
function ceiled(wanted: number, given: number, recentPeak = wanted * 0.9) {
  const base = anAdvice({ cpu: '100m', memory: `${given}Mi`, memoryAdvice: { recentPeak: recentPeak * MiB } });
  const steps = [
    { resource: 'memory', step: 'usage', detail: 'u', total: wanted * MiB },
    { resource: 'memory', step: 'ceiling', detail: 'c', total: given * MiB },
  ] as const;
  return { ...base, memory: { ...base.memory!, steps } };
}

/** Three minutes with one working set and the given unreclaimable memory. */
function ownWindows(now: number, workingMib: number, ownMib: number): ContainerDemand['windows'] {
  const working = `${workingMib}Mi`;
  return memoryDemand(now, working, working, working)[0]!.windows.map((each) => ({ ...each, unreclaimableBytes: ownMib * MiB }));
}

function cpuLimited(demand: WorkloadSituation['demand']): WorkloadSituation {
  return limited({ demand, pods: pods(3, { container: { requests: amounts('100m', '128Mi'), limits: amounts('200m', '512Mi') } }) });
}

function rangeUpTo(text: string) {
  return {
    namespace: 'shop',
    name: 'sizes',
    min: amounts(null, null),
    max: amounts(null, text),
    maxLimitRequestRatio: { cpu: null, memory: null },
  };
}
