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
  oomAdvice,
} from '../../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { valuesOf } from '../../model/container-values.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../model/situation.ts';
import { DEFAULT_POLICY_RULES } from '../../policy/policy-rules.ts';

const OOM_KILL = { reason: 'OOMKilled', exitCode: 137, finishedAt: T0 + MINUTE_MS };
const CRASH = { reason: 'Error', exitCode: 1, finishedAt: T0 + MINUTE_MS };

type Crash = typeof CRASH;

/** The pod after a termination of its container, which runs again or is in CrashLoopBackOff. */
function crashed(pod: PodRecord, lastTermination: Crash, traits: { readonly loops?: boolean; readonly restarts?: number } = {}): PodRecord {
  const { loops = false, restarts = 1 } = traits;
  const waiting = { state: 'waiting', waitingReason: 'CrashLoopBackOff', ready: false } as const;
  const containers = pod.containers.map((container) => ({ ...container, lastTermination, restarts, ...(loops ? waiting : {}) }));
  return loops ? { ...pod, ready: false, readySince: null, unreadySince: lastTermination.finishedAt, containers } : { ...pod, containers };
}

/** The decision 9 minutes after the canary was lowered. @param become changes each pod */
function afterCanary(become: (pod: PodRecord, index: number) => PodRecord, situation: Partial<WorkloadSituation> = {}) {
  const before = aSituation(situation);
  const first = decideWorkload(before);
  const after = resized(before.pods, first.steps).map((pod, index) => become(pod, index));
  return decideWorkload({ ...before, pods: after, memory: first.memory, now: T0 + 9 * MINUTE_MS });
}

describe('CrashLoopBackOff', () => {
  test('of a changed pod takes the change back, in the pod that waits, too', () => {
    const { memory, steps } = afterCanary((pod, index) => (index === 0 ? crashed(pod, CRASH, { loops: true, restarts: 4 }) : pod));
    expect(memory.rolledBack).toMatchObject({ reason: 'restarts', message: expect.stringContaining('CrashLoopBackOff') });
    expect(steps.map((step) => [step.pod.name, step.containers[0]?.to.requests])).toEqual([['web-1', amounts('500m', '512Mi')]]);
  });

  test('takes the change back also while an annotation of the workload cannot be read', () => {
    const before = aSituation();
    const first = decideWorkload(before);
    const after = resized(before.pods, first.steps).map((pod, index) => (index === 0 ? crashed(pod, CRASH, { loops: true }) : pod));
    const overrides = { ...before.overrides, problems: ['evenkeel.io/floor: …'] };
    const ill = { ...before, pods: after, memory: first.memory, now: T0 + 5 * MINUTE_MS, overrides };
    const { reason, memory, steps } = decideWorkload(ill);
    expect([reason, memory.rolledBack?.reason]).toEqual(['invalid-annotation', 'restarts']);
    expect(steps.map(({ pod, isRollBack }) => [pod.name, isRollBack])).toEqual([['web-1', true]]);
  });

  test('takes the change back also while its policy is invalid, by what can be read of the policy', () => {
    const before = aSituation();
    const first = decideWorkload(before);
    const after = resized(before.pods, first.steps).map((pod, index) => (index === 0 ? crashed(pod, CRASH, { loops: true }) : pod));
    const invalid = { policyProblem: 'spec.windows[0].start: …', policy: DEFAULT_POLICY_RULES };
    const ill = { ...before, ...invalid, pods: after, memory: first.memory, now: T0 + 5 * MINUTE_MS };
    const { reason, memory, steps } = decideWorkload({ ...ill, readableRules: before.policy });
    expect([reason, memory.rolledBack?.reason]).toEqual(['invalid-policy', 'restarts']);
    expect(steps.map(({ pod, isRollBack }) => [pod.name, isRollBack])).toEqual([['web-1', true]]);
    const dryRun = decideWorkload({ ...ill, readableRules: autoPolicy({ dryRun: true }) });
    expect([dryRun.reason, dryRun.memory.rolledBack, dryRun.steps]).toEqual(['invalid-policy', null, []]);
    const asked = decideWorkload({ ...ill, readableRules: autoPolicy({ rollback: { ...before.policy.rollback, onRestarts: false } }) });
    expect([asked.reason, asked.memory.rolledBack, asked.steps]).toEqual(['invalid-policy', null, []]);
  });

  test.each(['Auto', 'Recommend'] as const)('nothing but a roll-back is done while its policy is invalid: mode %s', (mode) => {
    const invalid = { policyProblem: 'spec.windows[0].start: …', policy: DEFAULT_POLICY_RULES, readableRules: autoPolicy({ mode }) };
    const before = aSituation(invalid);
    const idle = decideWorkload(before);
    expect([idle.reason, idle.steps, idle.autoscalers]).toEqual(['invalid-policy', [], []]);
    const lastApplied = { at: T0 - HOUR_MS, by: 'evenkeel', reason: 'over-provisioned', pods: 3, values: valuesOf(before.workload) };
    const previous = { at: T0 - HOUR_MS, values: new Map([['main', { requests: amounts('900m', '1Gi'), limits: amounts(null, null) }]]) };
    const memory = { ...NO_MEMORY, lastApplied, previous };
    const userRequests = { ...before.userRequests, rollback: { at: T0, by: 'ann' } };
    const { steps } = decideWorkload({ ...before, memory, userRequests });
    expect(steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores)).toEqual([900, 900, 900]);
  });

  test('of unchanged pods as well is not attributed to the change', () => {
    const { memory } = afterCanary((pod) => crashed(pod, CRASH, { loops: true }));
    expect(memory.rolledBack).toBeNull();
  });

  test('of only one unchanged pod as well rolls the change back', () => {
    const { memory } = afterCanary((pod, index) => (index === 1 ? pod : crashed(pod, CRASH, { loops: true })));
    expect(memory.rolledBack?.message).toContain('CrashLoopBackOff since the change: web-1');
  });

  test('of unchanged pods that failed as often before the change does not prevent the roll-back', () => {
    const everyFiveMinutes = Array.from({ length: 289 }, (_, index) => T0 - DAY_MS + index * 5 * MINUTE_MS);
    const { memory } = afterCanary((pod) => crashed(pod, CRASH, { loops: true, restarts: 200 }), {
      failures: new Map(['uid-web-2', 'uid-web-3'].map((uid) => [uid, everyFiveMinutes])),
    });
    expect(memory.rolledBack?.message).toContain('CrashLoopBackOff since the change: web-1');
  });

  test('of unchanged pods that failed once in the day before is not attributed to the change', () => {
    const { memory } = afterCanary((pod) => crashed(pod, CRASH, { loops: true }), {
      failures: new Map(['uid-web-2', 'uid-web-3'].map((uid) => [uid, [T0 - 3 * HOUR_MS]])),
    });
    expect(memory.rolledBack).toBeNull();
  });

  test('does not block the raise that ends it', () => {
    const [pod] = pods(1, { container: { limits: amounts(null, '512Mi') } });
    const known = anAdvice({ cpu: '500m', memory: '640Mi', lastOomAt: T0 - MINUTE_MS, oomKills: 3 });
    const advice = [{ ...known, oom: oomAdvice(640 * 2 ** 20) }];
    const { steps } = decideWorkload(aSituation({ pods: [crashed(pod!, OOM_KILL, { loops: true, restarts: 5 })], advice }));
    expect(steps.map((step) => step.containers[0]?.to.requests.memoryBytes)).toEqual([640 * 2 ** 20]);
  });

  test.each([
    ['a user requested, which also lowers', T0 - 2 * MINUTE_MS, '512Mi'],
    ['is automatic, which lowers nothing', null, '1Gi'],
  ])('keeps a pod in reach of a roll-back that %s', (_case, requestedAt, memoryRequest) => {
    const looping = crashed(aPodRecord({ container: { requests: amounts('100m', '1Gi') } }), CRASH, { loops: true });
    const values = new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts(null, null) }]]);
    const at = T0 - MINUTE_MS;
    const rolledBack = { at, reason: 'restarts', message: '', heldUntil: T0 + DAY_MS, count: 1, requestedAt, values: new Map() };
    const lastApplied = { at, by: 'evenkeel', reason: 'roll-back', pods: 0, values };
    const { steps } = decideWorkload(aSituation({ pods: [looping], memory: { ...NO_MEMORY, rolledBack, lastApplied } }));
    expect(steps[0]?.containers[0]?.to.requests).toEqual(amounts('500m', memoryRequest));
  });
});

test('the values before a change are kept while no pod is reachable', () => {
  const first = decideWorkload(aSituation());
  const pending = pods(3, { phase: 'Pending', node: null, ready: false, readySince: null });
  const [out] = pods(1, { resize: { state: 'infeasible', message: 'no', since: T0 } });
  const unread = { unreadPods: new Set(pending.map(({ uid }) => uid)) };
  const second = decideWorkload(aSituation({ pods: [...pending.slice(1), out!], memory: first.memory, now: T0 + MINUTE_MS, ...unread }));
  expect(second.memory.previous?.values).toEqual(first.memory.previous?.values);
});

describe('restarts after a change', () => {
  const flaky = { createdAt: T0 - 30 * DAY_MS };
  const every = (intervalMs: number, from: number, count: number): readonly number[] =>
    Array.from({ length: count }, (_, index) => from + index * intervalMs);
  const ofAll = (times: readonly number[]) => new Map(pods(3).map(({ uid }) => [uid, times]));

  test.each([
    ['that never restarted before take it back', [], false, 'restarts'],
    ['that restart every hour anyway do not', every(HOUR_MS, T0 - DAY_MS, 24), false, undefined],
    ['that restarted often, though not in the day before, take it back', every(5 * MINUTE_MS, T0 - 8 * DAY_MS, 2000), false, 'restarts'],
    ['while unchanged pods restart as well do not', [], true, undefined],
  ])('of pods %s', (_case, failures, othersToo, reason) => {
    const restarts = failures.length + 1;
    const { memory } = afterCanary((pod, index) => (index === 0 || othersToo ? crashed(pod, CRASH, { restarts }) : pod), {
      pods: pods(3, flaky),
      failures: ofAll(failures),
    });
    expect(memory.rolledBack?.reason).toBe(reason);
  });

  test('count against restarts whose times are known alone', () => {
    const { memory } = afterCanary((pod, index) => (index === 0 ? crashed(pod, CRASH, { restarts: 2000 }) : pod), { pods: pods(3, flaky) });
    expect(memory.rolledBack?.reason).toBe('restarts');
  });

  test.each([
    ['never restarted before take it back', [], 'restarts'],
    ['restarted every quarter of an hour do not', [60, 45, 30, 15].map((minutes) => T0 - minutes * MINUTE_MS), undefined],
  ])('of pods that are two hours old and %s', (_case, failures, reason) => {
    const { memory } = afterCanary((pod, index) => (index === 0 ? crashed(pod, CRASH) : pod), {
      pods: pods(3, { createdAt: T0 - 2 * HOUR_MS }),
      failures: new Map([['uid-web-1', failures]]),
    });
    expect(memory.rolledBack?.reason).toBe(reason);
  });

  test('count each, as those of the day before do', () => {
    const times = [...every(2 * HOUR_MS, T0 - DAY_MS, 12), ...every(MINUTE_MS, T0 + MINUTE_MS, 6)];
    const { memory } = afterCanary((pod, index) => (index === 0 ? crashed(pod, { ...CRASH, finishedAt: T0 + 6 * MINUTE_MS }) : pod), {
      pods: pods(3, flaky),
      failures: new Map([...ofAll(times.slice(0, 12)), ['uid-web-1', times]]),
    });
    expect(memory.rolledBack?.reason).toBe('restarts');
  });

  test('that came between the change and another resize of the pod are none of the day before', () => {
    const crash = { ...CRASH, finishedAt: T0 + 8 * MINUTE_MS };
    const resizedBy = { manager: 'evenkeel', at: T0 + 4 * MINUTE_MS };
    const { memory } = afterCanary((pod, index) => (index === 0 ? crashed({ ...pod, resizedBy }, crash) : pod), {
      pods: pods(3, flaky),
      failures: new Map([['uid-web-1', every(10 * SECOND_MS, T0 + MINUTE_MS, 18)]]),
    });
    expect(memory.rolledBack?.reason).toBe('restarts');
  });

  test('are not attributed to an unchanged pod that restarts as often as before the change', () => {
    const canary = every(2 * MINUTE_MS, T0 + MINUTE_MS, 3);
    const { memory } = afterCanary((pod, index) => (index === 0 ? crashed(pod, { ...CRASH, finishedAt: canary[2]! }) : pod), {
      pods: pods(3, flaky),
      failures: new Map([
        ['uid-web-1', canary],
        ['uid-web-3', every(3 * MINUTE_MS, T0 - DAY_MS, 483)],
      ]),
    });
    expect(memory.rolledBack?.reason).toBe('restarts');
  });

  test('of a pod that was created after it began count against the day before of the other pods', () => {
    const created = (failures: readonly number[]) =>
      afterCanary((pod, index) => (index === 0 ? crashed({ ...pod, createdAt: T0 + 30 * SECOND_MS }, CRASH) : pod), {
        pods: pods(3, flaky),
        failures: ofAll(failures),
      });
    expect(created([]).memory.rolledBack?.reason).toBe('restarts');
    expect(created(every(HOUR_MS, T0 - DAY_MS, 24)).memory.rolledBack).toBeNull();
  });

  test('of pods that were all created after it began take it back', () => {
    const { memory } = afterCanary((pod, index) => {
      const fresh = { ...pod, createdAt: T0 + 30 * SECOND_MS };
      return index === 0 ? crashed(fresh, CRASH) : fresh;
    });
    expect(memory.rolledBack?.reason).toBe('restarts');
  });

  test('before the change of the pod are not attributed to it', () => {
    const before = { ...CRASH, finishedAt: T0 + 30 * SECOND_MS };
    const { memory } = afterCanary((pod, index) =>
      index === 0 ? crashed({ ...pod, resizedBy: { manager: 'evenkeel', at: T0 + MINUTE_MS } }, before) : pod,
    );
    expect(memory.rolledBack).toBeNull();
  });

  test('one OOM kill below the limit before counts alone, however often the workload restarts', () => {
    const container = { requests: amounts('500m', '512Mi'), limits: amounts(null, '700Mi') };
    const lowering = {
      pods: pods(3, { ...flaky, container }),
      workload: aWorkloadRecord({}, container),
      kubeletVersions: new Map([['n1', 'v1.34.0']]),
      policy: autoPolicy({
        container: {
          ...autoPolicy().container,
          memory: { ...autoPolicy().container.memory, limit: { rule: 'Ratio' as const, ratio: 1.25 } },
        },
      }),
    };
    const killed = (kill: Crash) =>
      afterCanary((pod, index) => (index === 0 ? crashed(pod, kill, { restarts: 25 }) : pod), {
        ...lowering,
        failures: ofAll(every(HOUR_MS, T0 - DAY_MS, 24)),
      });
    expect(killed(OOM_KILL).memory.rolledBack?.message).toContain('OOM-killed at a lower memory limit than before the change');
    expect(killed(CRASH).memory.rolledBack).toBeNull();
    const countedAt = (at: number) =>
      afterCanary((pod) => pod, { ...lowering, countedKills: new Map([['uid-web-1', [{ container: 'main', at }]]]) });
    expect(countedAt(T0 + MINUTE_MS).memory.rolledBack?.message).toContain('OOM-killed at a lower memory limit than before the change');
    expect(countedAt(T0 - MINUTE_MS).memory.rolledBack).toBeNull();
  });

  test('are ignored with rollback.onRestarts: false', () => {
    const policy = autoPolicy({ rollback: { ...autoPolicy().rollback, onRestarts: false } });
    expect(afterCanary((pod, index) => (index === 0 ? crashed(pod, OOM_KILL) : pod), { policy }).memory.rolledBack).toBeNull();
  });
});

describe('a changed pod that is not ready', () => {
  const down = (pod: PodRecord, unreadySince: number): PodRecord => ({ ...pod, ready: false, readySince: null, unreadySince });
  const reasonWith = (unreadySinceOfOthers: readonly (number | null)[]): string | undefined =>
    afterCanary((pod, index) => {
      const since = [T0 + 2 * MINUTE_MS, ...unreadySinceOfOthers][index] ?? null;
      return since === null ? pod : down(pod, since);
    }).memory.rolledBack?.reason;

  test.each<[string, readonly (number | null)[], string | undefined]>([
    ['while the others are takes the change back', [null, null], 'readiness'],
    ['as one of the others is not takes the change back', [T0 + MINUTE_MS, null], 'readiness'],
    ['as none of the others is does not', [T0 + MINUTE_MS, T0 + 3 * MINUTE_MS], undefined],
    ['as those others are not that were ready before does not', [T0 - HOUR_MS, T0 + MINUTE_MS], undefined],
    ['as the others were not before the change takes it back', [T0 - HOUR_MS, T0 - HOUR_MS], 'readiness'],
  ])('%s', (_case, unreadySinceOfOthers, reason) => {
    expect(reasonWith(unreadySinceOfOthers)).toBe(reason);
  });
});

describe('the order in which pods are reduced', () => {
  test('of a StatefulSet begins with the highest ordinal', () => {
    const names = ['web-0', 'web-1', 'web-2', 'web-10'];
    const situation = aSituation({ workload: aWorkloadRecord({ kind: 'StatefulSet' }), pods: names.map((name) => aPodRecord({ name })) });
    expect(decideWorkload(situation).steps.map(({ pod }) => pod.name)).toEqual(['web-10']);
  });

  test('waits until two minutes after a pod became ready', () => {
    const started = (readySince: number) => decideWorkload(aSituation({ pods: pods(3, { readySince }) }));
    const young = started(T0 - 119 * SECOND_MS);
    expect([young.steps, young.state, young.reason]).toEqual([[], 'awaiting', 'start-up']);
    expect(started(T0 - 120 * SECOND_MS).steps).toHaveLength(1);
  });

  test('a raise in a pod that has just started does not wait for a reduction', () => {
    const [young] = pods(1, { readySince: T0 - SECOND_MS });
    const values = new Map([['main', { requests: amounts('100m', '1Gi'), limits: amounts(null, null) }]]);
    const lastApplied = { at: T0 - DAY_MS, by: 'evenkeel', reason: '', pods: 1, values };
    const { steps } = decideWorkload(
      aSituation({ pods: [young!], memory: { ...NO_MEMORY, lastApplied }, advice: [anAdvice({ memory: '1Gi' })] }),
    );
    expect(steps.map((step) => step.containers[0]?.to.requests)).toEqual([amounts('500m', '1Gi')]);
  });

  test('a raise waits for nothing', () => {
    const advice = [anAdvice({ cpu: '900m', memory: '1Gi' })];
    expect(decideWorkload(aSituation({ pods: pods(3, { readySince: T0 - SECOND_MS }), advice })).steps).toHaveLength(3);
  });

  test('skips pods of a cordoned node, which only raises reach', () => {
    const onNodes = pods(3).map((pod, index) => ({ ...pod, node: `n${index}` }));
    const situation = aSituation({ pods: onNodes, cordonedNodes: new Set(['n0']) });
    expect(decideWorkload(situation).steps.map(({ pod }) => pod.name)).toEqual(['web-2']);
    const advice = [anAdvice({ cpu: '900m', memory: '1Gi' })];
    expect(decideWorkload({ ...situation, advice }).steps).toHaveLength(3);
  });
});

describe('a canary that is not ready, while', () => {
  const gateState = (source: 'usage' | 'informers') => ({
    ...aSituation().gateState,
    stale: { source, message: 'last confirmed 10m ago' },
  });

  test.each<[string, Partial<WorkloadSituation>, boolean]>([
    ['its node reports no usage, is rolled back', { unreadPods: new Set(pods(3).map(({ uid }) => uid)) }, true],
    ['usage is stale, is rolled back', { gateState: gateState('usage') }, true],
    ['the status of pods is stale itself, is left alone', { gateState: gateState('informers') }, false],
  ])('%s', (_case, ill, isRolledBack) => {
    const first = decideWorkload(aSituation());
    const after = resized(aSituation().pods, first.steps).map((pod, index) =>
      index === 0 ? { ...pod, ready: false, readySince: null, unreadySince: T0 + MINUTE_MS } : pod,
    );
    const { memory, steps } = decideWorkload(aSituation({ pods: after, memory: first.memory, now: T0 + 5 * MINUTE_MS, ...ill }));
    expect(memory.rolledBack?.reason).toBe(isRolledBack ? 'readiness' : undefined);
    const back = steps.map((step) => [step.pod.name, step.isRollBack, step.containers[0]?.to.requests]);
    expect(back).toEqual(isRolledBack ? [['web-1', true, amounts('500m', '512Mi')]] : []);
  });

  test('usage is stale: nothing else is decided', () => {
    const advice = [anAdvice({ cpu: '2', memory: '512Mi', cpuAdvice: { lowerBound: 1900 } })];
    const { steps, state, reason } = decideWorkload(aSituation({ advice, gateState: gateState('usage') }));
    expect([steps, state, reason]).toEqual([[], 'awaiting', 'stale-data']);
  });
});
