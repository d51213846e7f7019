// Watches a reduction through its next daily peak by throttling and pressure.

import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  pods,
  resized,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from '#kube/units';
import type { ContainerReadings } from '#kube/records/usage';
import { NO_EVIDENCE, type Evidence, type EvidenceHour } from '../../../recommender/history/evidence-hours.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { APPLY_STAGES, NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../../model/situation.ts';
import { DEFAULT_POLICY_RULES } from '../../policy/policy-rules.ts';
import { correctFutureTimestamps, readMemory, writeMemory } from '../../status/memory-codec.ts';
import { MAX_OBSERVED_REDUCTIONS } from './observed-reductions.ts';

const LIMITED = { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') };
/** Interval of decisions; a stage lasts 10 minutes. */
const STEP_MS = 5 * MINUTE_MS;

type EvidenceAt = (at: Instant) => { readonly now?: Partial<Evidence>; readonly weekBefore?: Partial<Evidence> };

/** Evidence of the past hours. */
function hoursUntil(now: Instant, of: EvidenceAt): readonly EvidenceHour[] {
  const first = Math.ceil((T0 - 2 * HOUR_MS) / HOUR_MS);
  return Array.from({ length: Math.max(0, Math.floor(now / HOUR_MS) - first) }, (_, index) => {
    const at = (first + index) * HOUR_MS;
    const { now: shown = {}, weekBefore = {} } = of(at);
    return { at, ...NO_EVIDENCE, ...shown, weekBefore: { ...NO_EVIDENCE, ...weekBefore } };
  });
}

const QUIET: EvidenceAt = () => ({ now: { throttledRatio: 0.1 }, weekBefore: { throttledRatio: 0.1 } });
const UNMEASURED: EvidenceAt = () => ({});
/** Evidence of throttling at the next day's peak, from 9 to 10 o'clock, that is higher by `rise` than a week before. */
const throttledNextMorning =
  (rise: number): EvidenceAt =>
  (at) => ({ now: { throttledRatio: at === T0 + 21 * HOUR_MS ? 0.2 + rise : 0.2 }, weekBefore: { throttledRatio: 0.2 } });

interface Options {
  readonly situation?: Partial<WorkloadSituation>;
  readonly evidence?: EvidenceAt;
  readonly restarts?: boolean;
}

/** Decides every 5 minutes until `until`. @param restarts stores and reads the memory after each decision */
function live(from: WorkloadSituation, until: Instant, { evidence = UNMEASURED, restarts = false }: Options = {}): WorkloadSituation {
  let situation = from;
  while (situation.now < until) {
    const advice = situation.advice.map((each) => ({ ...each, evidence: hoursUntil(situation.now, evidence) }));
    const demand = [{ container: 'main', windows: [], throttlingMeasuredAt: situation.now }];
    const decision = decideWorkload({ ...situation, advice, demand });
    const memory = restarts ? readMemory(writeMemory(decision.memory)) : decision.memory;
    situation = { ...situation, memory, pods: resized(situation.pods, decision.steps), now: situation.now + STEP_MS };
  }
  return situation;
}

function aReduction(situation: Partial<WorkloadSituation> = {}): WorkloadSituation {
  return aSituation({ workload: aWorkloadRecord({}, LIMITED), pods: pods(3, { container: LIMITED }), ...situation });
}

/** The situation an hour later, when the reduction is in force on all pods. */
function reduced(options: Options = {}): WorkloadSituation {
  return live(aReduction(options.situation), T0 + HOUR_MS, options);
}

const cpus = ({ pods: all }: WorkloadSituation): readonly (number | null)[] =>
  all.map(({ containers }) => containers[0]?.requests.cpuMillicores ?? null);

describe('the pods of a reduction that is in force on all pods', () => {
  const CRASH = { reason: 'Error', exitCode: 1, finishedAt: T0 + 8 * HOUR_MS };
  const looping = (pod: PodRecord): PodRecord => ({
    ...pod,
    ready: false,
    readySince: null,
    unreadySince: CRASH.finishedAt,
    containers: pod.containers.map((each) => ({ ...each, lastTermination: CRASH, state: 'waiting', waitingReason: 'CrashLoopBackOff' })),
  });
  const unready = (pod: PodRecord): PodRecord => ({ ...pod, ready: false, readySince: null, unreadySince: T0 + 8 * HOUR_MS });
  const killed = (pod: PodRecord): PodRecord => ({
    ...pod,
    containers: pod.containers.map((each) => ({ ...each, lastTermination: { ...CRASH, reason: 'OOMKilled', exitCode: 137 } })),
  });

  /** The decision after eight hours without a regression. @param become changes each pod */
  function laterThan8Hours(become: (pod: PodRecord, index: number) => PodRecord) {
    const before = live(reduced(), T0 + 8 * HOUR_MS);
    expect(cpus(before).every((cpu) => (cpu ?? 0) < 500)).toBe(true);
    const now = T0 + 8 * HOUR_MS + STEP_MS;
    return decideWorkload({ ...before, pods: before.pods.map(become), now });
  }

  test.each<[string, (pod: PodRecord, index: number) => PodRecord, string | undefined]>([
    ['roll it back when one is in CrashLoopBackOff', (pod, index) => (index === 1 ? looping(pod) : pod), 'restarts'],
    ['roll it back when none is ready', unready, 'readiness'],
    ['do not when one is not ready', (pod, index) => (index === 1 ? unready(pod) : pod), undefined],
    ['do not when one restarted', (pod, index) => (index === 1 ? { ...looping(pod), containers: pod.containers } : pod), undefined],
    [
      'do not when those of a later revision are in CrashLoopBackOff',
      (pod, index) => (index === 1 ? { ...looping(pod), uid: 'later', createdAt: T0 + 7 * HOUR_MS } : pod),
      undefined,
    ],
  ])('%s', (_case, become, reason) => {
    const { memory, steps } = laterThan8Hours(become);
    expect(memory.rolledBack?.reason).toBe(reason);
    expect(new Set(steps.map(({ pod }) => pod.name))).toEqual(new Set(reason === undefined ? [] : ['web-1', 'web-2', 'web-3']));
  });

  test('roll it back when one is OOM-killed at a lower limit than before', () => {
    const lower = { requests: amounts('1', '512Mi'), limits: amounts('1', '512Mi') };
    const before = new Map([['main', { requests: amounts('1', '1Gi'), limits: amounts('1', '1Gi') }]]);
    const inForce = { at: T0 + HOUR_MS, by: 'evenkeel', reason: 'over-provisioned', pods: 3, values: new Map([['main', lower]]) };
    const watched = [{ since: T0, until: T0 + DAY_MS, comparedHours: 0, before }];
    const { memory } = decideWorkload(
      aSituation({
        workload: aWorkloadRecord({}, lower),
        pods: pods(3, { container: lower }).map((pod, index) => (index === 0 ? killed(pod) : pod)),
        memory: { ...NO_MEMORY, lastApplied: inForce, observedReductions: watched },
        now: T0 + 8 * HOUR_MS,
      }),
    );
    expect(memory.rolledBack).toMatchObject({ reason: 'restarts', message: expect.stringContaining('OOM-killed') });
  });
});

describe('a reduction that is in force on all pods', () => {
  test('is watched for 24 hours and until the evidence of the last of them has come', () => {
    const { memory } = reduced();
    expect(memory.apply).toBeNull();
    expect(memory.observedReductions).toMatchObject([{ since: T0, comparedHours: 0 }]);
    expect(memory.observedReductions[0]!.until - memory.lastApplied!.at).toBe(26 * HOUR_MS);
    expect(memory.observedReductions[0]!.before.get('main')).toEqual(LIMITED);
    expect(live(reduced(), memory.observedReductions[0]!.until + STEP_MS).memory.observedReductions).toEqual([]);
  });

  test.each([
    ['by the threshold', 0.25, true],
    ['by less', 0.24, false],
  ])('is rolled back where an hour of the next day is throttled %s more than a week before', (_case, rise, isTakenBack) => {
    const evidence = throttledNextMorning(rise);
    const end = live(reduced({ evidence }), T0 + DAY_MS, { evidence });
    expect(cpus(end)).toEqual(isTakenBack ? [500, 500, 500] : [100, 100, 100]);
    expect(end.memory.rolledBack?.reason).toBe(isTakenBack ? 'throttling' : undefined);
    if (isTakenBack) {
      expect(end.memory.rolledBack?.message).toContain('throttled CPU periods of main: 25 percentage points more than in the same hour');
      expect(end.memory.rolledBack?.at).toBeLessThan(T0 + 22 * HOUR_MS + 2 * STEP_MS);
    }
  });

  test.each([
    ['cpuPressureRatio', 'waited for CPU'],
    ['memoryPressureRatio', 'waited for memory'],
  ] as const)('is rolled back for %s', (measure, words) => {
    const evidence: EvidenceAt = () => ({ now: { [measure]: 0.5 }, weekBefore: { [measure]: 0.1 } });
    const end = live(reduced({ evidence }), T0 + 6 * HOUR_MS, { evidence });
    expect(end.memory.rolledBack).toMatchObject({ reason: 'pressure', message: expect.stringContaining(words) });
    expect(cpus(end)).toEqual([500, 500, 500]);
  });

  test('is rolled back also while its policy is invalid', () => {
    const evidence = throttledNextMorning(0.25);
    const before = reduced({ evidence });
    const invalid = { policyProblem: 'spec.windows[0].start: …', policy: DEFAULT_POLICY_RULES, readableRules: before.policy };
    expect(cpus(live({ ...before, ...invalid }, T0 + DAY_MS, { evidence }))).toEqual([500, 500, 500]);
  });

  test('is not rolled back for pressure of a resource that it has not lowered', () => {
    const evidence: EvidenceAt = () => ({ now: { memoryPressureRatio: 0.9 }, weekBefore: { memoryPressureRatio: 0 } });
    const situation = { advice: [anAdvice({ memory: '512Mi' })] };
    const end = live(reduced({ evidence, situation }), T0 + 6 * HOUR_MS, { evidence });
    expect([end.memory.rolledBack, cpus(end)]).toEqual([null, [100, 100, 100]]);
  });

  test('is not rolled back for evidence from before it or of idle hours', () => {
    const early: EvidenceAt = (at) => ({ now: { throttledRatio: at <= T0 + HOUR_MS ? 0.9 : 0 }, weekBefore: { throttledRatio: 0 } });
    expect(live(reduced({ evidence: early }), T0 + 4 * HOUR_MS, { evidence: early }).memory.rolledBack).toBeNull();
    const always: EvidenceAt = () => ({ now: { throttledRatio: 0.9 }, weekBefore: { throttledRatio: 0 } });
    const before = reduced();
    const lastIdle = { since: T0, wokenAt: T0 + 4 * HOUR_MS, reason: '', shortIdlePeriods: 0, activeMs: 0, floor: new Map() };
    const woken = { ...before, memory: { ...before.memory, lastIdle } };
    expect(live(woken, T0 + 5 * HOUR_MS, { evidence: always }).memory.rolledBack).toBeNull();
  });

  test('is neither rolled back nor verified where nothing could be compared, which the status reports', () => {
    const evidence: EvidenceAt = () => ({ now: { throttledRatio: 0.9 } });
    const end = live(reduced({ evidence }), T0 + 20 * HOUR_MS, { evidence });
    const { message, memory, state } = decideWorkload(end);
    expect([state, memory.observedReductions[0]?.comparedHours, memory.rolledBack]).toEqual(['applied', 0, null]);
    expect(message).toContain('nothing could be compared for 20h: neither the week before nor an unchanged replica was measured');
  });

  test('reports how much was compared', () => {
    const end = live(reduced({ evidence: QUIET }), T0 + 6 * HOUR_MS, { evidence: QUIET });
    const { message } = decideWorkload(end);
    expect(message).toContain('the last reduction is watched until 2026-11-21T14:');
    expect(message).toContain('3 hours compared so far without a regression');
  });

  test('delays no change: the next reduction starts while it is watched, and a regression rolls both back', () => {
    const first = reduced({ situation: { advice: [anAdvice({ memory: '512Mi' })] } });
    const second = live({ ...first, advice: [anAdvice()] }, T0 + 4 * HOUR_MS);
    expect(second.memory.observedReductions.map(({ before }) => before.get('main')?.requests)).toEqual([
      amounts('500m', '512Mi'),
      amounts('100m', '512Mi'),
    ]);
    const evidence: EvidenceAt = () => ({ now: { memoryPressureRatio: 0.5 }, weekBefore: { memoryPressureRatio: 0 } });
    const end = live(second, T0 + 8 * HOUR_MS, { evidence });
    expect(end.pods.map(({ containers }) => containers[0]?.requests)).toEqual([1, 2, 3].map(() => amounts('500m', '512Mi')));
    expect(end.memory.observedReductions).toEqual([]);
  });

  test('reverts no later raise', () => {
    const first = reduced();
    const raised = live({ ...first, advice: [anAdvice({ memory: '900Mi' })] }, T0 + 4 * HOUR_MS);
    const evidence: EvidenceAt = () => ({ now: { throttledRatio: 0.9 }, weekBefore: { throttledRatio: 0 } });
    const end = live(raised, T0 + 8 * HOUR_MS, { evidence });
    expect(end.pods[0]?.containers[0]?.requests).toEqual(amounts('500m', '900Mi'));
  });

  test('is not watched where it only ends a temporary increase, or where the policy watches for less than an hour', () => {
    const values = new Map([['main', { requests: amounts('500m', '512Mi'), limits: LIMITED.limits }]]);
    const memory: ResizeMemory = {
      ...NO_MEMORY,
      lastApplied: { at: T0 - DAY_MS, by: 'evenkeel', reason: '', pods: 3, values },
      cpuBeforeIncrease: new Map([['main', 100]]),
    };
    const advice = [anAdvice({ memory: '512Mi' })];
    const end = live(aReduction({ memory, advice }), T0 + HOUR_MS);
    expect([cpus(end), end.memory.observedReductions]).toEqual([[100, 100, 100], []]);
    const policy = autoPolicy({ rollback: { ...autoPolicy().rollback, withinMs: 3000 } });
    expect(reduced({ situation: { policy } }).memory.observedReductions).toEqual([]);
  });

  test('is not rolled back for a measure that the policy disables', () => {
    const policy = autoPolicy({ rollback: { ...autoPolicy().rollback, onThrottleRatio: 1 } });
    const evidence: EvidenceAt = () => ({ now: { throttledRatio: 1 }, weekBefore: { throttledRatio: 0 } });
    expect(live(reduced({ evidence, situation: { policy } }), T0 + 6 * HOUR_MS, { evidence }).memory.rolledBack).toBeNull();
  });
});

describe('a watch', () => {
  test('survives a restart of the controller', () => {
    const evidence = throttledNextMorning(0.5);
    const options = { evidence, restarts: true };
    const end = live(reduced(options), T0 + DAY_MS, options);
    expect([cpus(end), end.memory.rolledBack?.reason]).toEqual([[500, 500, 500], 'throttling']);
  });

  test('survives a clock that is set back without lasting longer', () => {
    const { memory } = reduced();
    const now = T0 - 10 * DAY_MS;
    const [watched] = correctFutureTimestamps(memory, now).observedReductions;
    expect(watched).toMatchObject({ since: now - HOUR_MS, comparedHours: 0 });
    expect(watched!.until - watched!.since).toBe(memory.observedReductions[0]!.until - T0);
  });

  test('continues where its pods are replaced, with the evidence of the new pods', () => {
    const evidence = throttledNextMorning(0.5);
    const before = reduced({ evidence });
    const created = before.now;
    const replaced = pods(3, { container: LIMITED, createdAt: created, readySince: created }).map((pod) => ({
      ...pod,
      uid: `${pod.uid}-2`,
      name: `${pod.name}-2`,
    }));
    const conformed = live({ ...before, pods: replaced }, T0 + 2 * HOUR_MS, { evidence });
    expect([cpus(conformed), conformed.memory.observedReductions.length]).toEqual([[100, 100, 100], 1]);
    expect(cpus(live(conformed, T0 + DAY_MS, { evidence }))).toEqual([500, 500, 500]);
  });

  test('merges the oldest of more reductions in a day than can be stored', () => {
    const values = (cpu: string) => new Map([['main', { requests: amounts(cpu, '512Mi'), limits: LIMITED.limits }]]);
    const watched = Array.from({ length: MAX_OBSERVED_REDUCTIONS }, (_, index) => ({
      since: T0 - (MAX_OBSERVED_REDUCTIONS - index) * HOUR_MS,
      until: T0 + (18 + index) * HOUR_MS,
      comparedHours: 0,
      before: values(`${900 - index * 10}m`),
    }));
    const { memory } = reduced({ situation: { memory: { ...NO_MEMORY, observedReductions: watched } } });
    expect(memory.observedReductions.map(({ before }) => before.get('main')?.requests.cpuMillicores)).toEqual([
      900, 880, 870, 860, 850, 840, 830, 500,
    ]);
  });
});

describe('after a roll-back for evidence', () => {
  const evidence: EvidenceAt = () => ({ now: { throttledRatio: 0.9 }, weekBefore: { throttledRatio: 0 } });

  test('the same reduction is held for a day, then for two: successful stages do not reset the count', () => {
    const first = live(reduced({ evidence }), T0 + 6 * HOUR_MS, { evidence });
    const { rolledBack } = first.memory;
    expect(rolledBack).toMatchObject({ count: 1, heldUntil: rolledBack!.at + DAY_MS });
    const held = live(first, rolledBack!.heldUntil - STEP_MS, { evidence });
    expect(cpus(held)).toEqual([500, 500, 500]);
    const late = (at: Instant): ReturnType<EvidenceAt> => (at > rolledBack!.heldUntil + 2 * HOUR_MS ? evidence(at) : {});
    const again = live(held, rolledBack!.heldUntil + 90 * MINUTE_MS, { evidence: late });
    expect([cpus(again), again.memory.apply, again.memory.rolledBack?.count]).toEqual([[100, 100, 100], null, 1]);
    const second = live(again, rolledBack!.heldUntil + 8 * HOUR_MS, { evidence: late }).memory.rolledBack;
    expect(second).toMatchObject({ count: 2, heldUntil: second!.at + 2 * DAY_MS });
  });

  test.each([
    ['resets the count', QUIET, 0],
    ['without evidence does not', UNMEASURED, 1],
  ])('a watch that ends %s', (_case, later, count) => {
    const rolledBack = {
      at: T0 - 3 * DAY_MS,
      reason: 'throttling',
      message: '',
      heldUntil: T0 - 2 * DAY_MS,
      count: 1,
      requestedAt: null,
      values: new Map(),
    };
    const options = { evidence: later, situation: { memory: { ...NO_MEMORY, rolledBack } } };
    const end = live(reduced(options), T0 + 27 * HOUR_MS, options);
    expect([end.memory.observedReductions, end.memory.rolledBack?.count]).toEqual([[], count]);
  });
});

describe('without a week of evidence a reduction is compared with unchanged replicas', () => {
  const PRESSED = { throttledRatio: [], memoryPressureRatio: [] };

  /** CPU pressure of each pod, read twice in a row up to now. */
  function readings(all: readonly PodRecord[], now: Instant, ratios: readonly number[]): ReadonlyMap<string, readonly ContainerReadings[]> {
    const of = (ratio: number) => [2, 1].map((index) => ({ from: now - index * STEP_MS, at: now - (index - 1) * STEP_MS, ratio }));
    return new Map(all.map(({ uid }, index) => [uid, [{ container: 'main', ...PRESSED, cpuPressureRatio: of(ratios[index] ?? 0) }]]));
  }

  /** The decision some minutes after the canary, the first of three pods, was changed. */
  function canary(minutes: number, ratios: readonly number[], rows: readonly EvidenceHour[] = []) {
    const before = aReduction();
    const first = decideWorkload(before);
    const after = resized(before.pods, first.steps).map((pod, index) =>
      index === 0 ? { ...pod, resizedBy: { manager: 'evenkeel', at: T0 } } : pod,
    );
    const now = T0 + minutes * MINUTE_MS;
    const advice = before.advice.map((each) => ({ ...each, evidence: rows }));
    return decideWorkload({ ...before, advice, pods: after, memory: first.memory, now, readings: readings(after, now, ratios) });
  }

  test.each([
    ['waits 25 points more than any of them', 10, [0.45, 0.2, 0.1], 'pressure'],
    ['waits 24 points more', 10, [0.44, 0.2, 0.1], undefined],
    ['has been read only once since its change', 9, [0.9, 0.2, 0.1], undefined],
    ['waits no more than the one that always waits most', 10, [0.6, 0.1, 0.5], undefined],
  ])('a canary that %s', (_case, minutes, ratios, reason) => {
    expect(canary(minutes, ratios).memory.rolledBack?.reason).toBe(reason);
  });

  test('a canary with the same pressure before its change is not rolled back', () => {
    const row = { at: T0 - HOUR_MS, ...NO_EVIDENCE, cpuPressureRatio: 0.6, weekBefore: NO_EVIDENCE };
    expect(canary(10, [0.6, 0.1, 0.1], [row]).memory.rolledBack).toBeNull();
  });

  test('once it is in force, while one of them cannot be reached', () => {
    const before = reduced();
    const old = aPodRecord({ name: 'web-9', container: LIMITED, node: 'n9' });
    const situation = { ...before, pods: [...before.pods, old], unreadPods: new Set([old.uid]) };
    const quiet = decideWorkload({ ...situation, readings: readings(situation.pods, situation.now, [0.1, 0.1, 0.1, 0.1]) });
    expect([quiet.memory.observedReductions[0]?.comparedHours, quiet.memory.rolledBack]).toEqual([1, null]);
    const harmed = decideWorkload({ ...situation, readings: readings(situation.pods, situation.now, [0.5, 0.5, 0.5, 0.1]) });
    expect(harmed.memory.rolledBack?.message).toContain('percentage points more than in unchanged replicas');
  });
});

test('the stages of a change last as long as before', () => {
  expect(APPLY_STAGES).toHaveLength(4);
  let situation = aReduction({ pods: pods(20, { container: LIMITED }) });
  const lasted = new Map<string, number>();
  while (situation.memory.lastApplied === null) {
    const decision = decideWorkload(situation);
    const stage = decision.memory.apply?.stage;
    if (stage !== undefined) lasted.set(stage, (lasted.get(stage) ?? 0) + 1);
    situation = { ...situation, memory: decision.memory, pods: resized(situation.pods, decision.steps), now: situation.now + MINUTE_MS };
  }
  expect(Object.fromEntries(lasted)).toEqual({ Canary: 10, Tenth: 10, Half: 10, All: 10 });
});
