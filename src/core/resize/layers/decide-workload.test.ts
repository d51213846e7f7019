import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  aContainer,
  amounts,
  anAdvice,
  anHpaRecord,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  memory,
  pods,
  resized,
  T0,
  NO_OVERRIDES,
  oomAdvice,
} from '../../../../test/builders/rightsizing.ts';
import { formatMemory } from '#kube/quantity';
import { DAY_MS, GiB, HOUR_MS, MINUTE_MS } from '#kube/units';
import { parseWindow } from '../../model/window.ts';
import { DEFAULT_POLICY_RULES } from '../policy/policy-rules.ts';
import { decideWorkload } from './decide-workload.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { NO_MEMORY, NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';

const hpa = anHpaRecord({
  metrics: [{ percent: 70 }],
  controller: { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'web', uid: 'u' },
});
const gateState = aSituation().gateState;
const short = anAdvice({ cpu: '900m', memory: '1Gi' });

/** Decides and applies the steps, `rounds` times at most, until a decision makes no step. */
function live(
  start: WorkloadSituation,
  rounds = 40,
  stepMs = 5 * MINUTE_MS,
): { readonly end: WorkloadSituation; readonly last: WorkloadDecision } {
  let situation = start;
  let last = decideWorkload(situation);
  for (let round = 0; round < rounds; round += 1) {
    situation = { ...situation, memory: last.memory, pods: resized(situation.pods, last.steps), now: situation.now + stepMs };
    last = decideWorkload(situation);
  }
  return { end: situation, last };
}

describe('the state of a workload', () => {
  const window = parseWindow({ start: '0 22 * * *', duration: '6h' });
  if (!window.ok) throw new Error(window.message);
  test.each<[string, Partial<WorkloadSituation>, string, string | null]>([
    ['a due change', {}, 'applying', null],
    ['within the dead band', { advice: [anAdvice({ cpu: '480m', memory: '500Mi' })] }, 'optimal', null],
    ['too little history', { advice: [anAdvice({ enoughHistory: false })] }, 'collecting', null],
    ['no usage at all', { advice: [] }, 'collecting', null],
    ['mode Recommend publishes only', { policy: DEFAULT_POLICY_RULES }, 'recommended', null],
    ['mode Approve waits for approval', { policy: autoPolicy({ mode: 'Approve' }) }, 'awaiting', 'approval'],
    ['excluded by annotation', { overrides: { ...NO_OVERRIDES, excluded: true } }, 'excluded', null],
    ['mode Off by annotation', { overrides: { ...NO_OVERRIDES, mode: 'Off' } }, 'excluded', null],
    [
      'an annotation that cannot be read',
      { overrides: { ...NO_OVERRIDES, problems: ['evenkeel.io/floor: …'] } },
      'blocked',
      'invalid-annotation',
    ],
    ['an invalid policy', { policyProblem: 'spec.windows[0].start: …' }, 'blocked', 'invalid-policy'],
    ['no pods/resize', { gateState: { ...gateState, inPlace: false } }, 'blocked', 'no-in-place'],
    ['the pause', { gateState: { ...gateState, paused: { reason: 'incident', until: null } } }, 'awaiting', 'paused'],
    ['a paused policy', { policy: autoPolicy({ paused: true }) }, 'awaiting', 'paused'],
    ['a paused recommendation', { userRequests: { ...NO_USER_REQUESTS, paused: true } }, 'awaiting', 'paused'],
    ['old data', { gateState: { ...gateState, stale: { source: 'usage', message: 'usage is 5m old' } } }, 'awaiting', 'stale-data'],
    ['the warm-up', { gateState: { ...gateState, warmUpUntil: T0 + MINUTE_MS } }, 'awaiting', 'warm-up'],
    ['a roll-out', { workload: aWorkloadRecord({ rolloutInProgress: true }) }, 'awaiting', 'rollout'],
    ['the window', { policy: autoPolicy({ windows: [window.value] }) }, 'awaiting', 'window'],
    ['confidence', { advice: [anAdvice({ cpuAdvice: { confidence: 0.5 }, memoryAdvice: { confidence: 0.5 } })] }, 'awaiting', 'confidence'],
    ['a hold', { overrides: { ...NO_OVERRIDES, heldUntil: T0 + HOUR_MS } }, 'awaiting', 'hold'],
    [
      'an autoscaler on both resources',
      { hpas: [hpa, { ...hpa, resourceMetrics: [{ ...hpa.resourceMetrics[0]!, resource: 'memory' }] }] },
      'awaiting',
      'hpa',
    ],
    [
      'an autoscaler in motion, which no approval changes',
      { policy: autoPolicy({ mode: 'Approve' }), hpas: [{ ...hpa, resourceMetrics: [], desiredReplicas: 4 }] },
      'awaiting',
      'hpa',
    ],
    ['an autoscaler in motion', { hpas: [{ ...hpa, resourceMetrics: [], desiredReplicas: 4 }] }, 'awaiting', 'hpa'],
    ['a Job', { workload: aWorkloadRecord({ kind: 'Job' }) }, 'awaiting', 'restart'],
    ['a pod on Windows', { pods: pods(1, { windows: true }) }, 'awaiting', 'restart'],
    ['a BestEffort pod', { pods: pods(1, { container: { requests: amounts(null, null) } }) }, 'awaiting', 'restart'],
    [
      'a container that restarts when resized',
      { pods: pods(1, { container: { record: { resizePolicy: { cpu: 'RestartContainer', memory: 'NotRequired' } } } }) },
      'awaiting',
      'restart',
    ],
    [
      'a Vertical Pod Autoscaler that sizes its pods',
      { pods: pods(2, { annotations: { vpaUpdates: 'Pod resources updated by web-vpa: container 0: cpu request' } }) },
      'blocked',
      'other-manager',
    ],
    ['other workloads under way', { otherWorkloadsUnderWay: 10 }, 'awaiting', 'concurrency'],
    ['dry run of the policy', { policy: autoPolicy({ dryRun: true }) }, 'awaiting', 'dry-run'],
    ['dry run of everything', { gateState: { ...gateState, dryRun: true } }, 'awaiting', 'dry-run'],
  ])('%s', (_, situation, state, reason) => {
    const decision = decideWorkload(aSituation(situation));
    expect([decision.state, decision.reason]).toEqual([state, reason]);
    if (state === 'awaiting' && reason !== 'dry-run') expect(decision.steps).toEqual([]);
  });

  test('another manager is reported with the remedy, and only where its pods would be changed', () => {
    const situation = aSituation({ pods: pods(1, { annotations: { vpaUpdates: 'Pod resources updated by web-vpa: container 0: cpu' } }) });
    expect(decideWorkload(situation).message).toMatch(/VerticalPodAutoscaler web-vpa .*updateMode to Off/);
    expect(decideWorkload({ ...situation, policy: DEFAULT_POLICY_RULES }).state).toBe('recommended');
    expect(decideWorkload({ ...situation, pods: pods(1, { annotations: { vpaInPlaceUpdated: 'true' } }) }).reason).toBe('other-manager');
  });

  test('reports the time of the next attempt where it is known', () => {
    const decision = decideWorkload(aSituation({ policy: autoPolicy({ windows: [window.value] }) }));
    expect(decision.until).toBe(Date.parse('2026-11-20T22:00:00Z'));
    const lastApplied = { at: T0 - 20 * MINUTE_MS, by: 'evenkeel', reason: 'over-provisioned', pods: 3, values: new Map() };
    const cooling = decideWorkload(aSituation({ memory: { ...NO_MEMORY, lastApplied } }));
    expect([cooling.reason, cooling.until]).toEqual(['cooldown', T0 + 40 * MINUTE_MS]);
  });

  test('an autoscaler on CPU blocks only CPU; one on other metrics blocks nothing', () => {
    const held = decideWorkload(aSituation({ hpas: [hpa] }));
    expect(held.steps[0]?.containers[0]?.to.requests).toEqual(amounts('500m', '128Mi'));
    const free = decideWorkload(aSituation({ hpas: [{ ...hpa, resourceMetrics: [] }] }));
    expect(free.steps[0]?.containers[0]?.to.requests).toEqual(amounts('100m', '128Mi'));
  });

  test.each<[string, Partial<WorkloadSituation>]>([
    ['windows', { policy: autoPolicy({ windows: [window.value] }) }],
    ['the warm-up', { gateState: { ...gateState, warmUpUntil: T0 + HOUR_MS } }],
    ['cool-down', { memory: { ...NO_MEMORY, lastApplied: { at: T0 - 1, by: '', reason: '', pods: 3, values: new Map() } } }],
    ['a roll-out', { workload: aWorkloadRecord({ rolloutInProgress: true }) }],
    [
      'low confidence',
      { advice: [anAdvice({ cpu: '900m', memory: '1Gi', cpuAdvice: { confidence: 0.1 }, memoryAdvice: { confidence: 0.1 } })] },
    ],
  ])('a shortage is raised at once on all pods, in spite of %s', (_, situation) => {
    const decision = decideWorkload(aSituation({ advice: [short], ...situation }));
    expect(decision.steps.map((step) => step.containers[0]?.to.requests)).toEqual([1, 2, 3].map(() => amounts('900m', '1Gi')));
  });
});

describe('the stages of a reduction', () => {
  test('are one pod, a tenth, half and all, each verified before the next', () => {
    let situation = aSituation({
      pods: pods(20),
      workload: aWorkloadRecord({ replicas: { desired: 20, current: 20, ready: 20 } }),
    });
    const having: number[] = [];
    for (let minute = 0; minute <= 60; minute += 1) {
      const decision = decideWorkload(situation);
      const after = resized(situation.pods, decision.steps);
      const count = after.filter((pod) => pod.containers[0]?.requests.cpuMillicores === 100).length;
      if (having.at(-1) !== count) having.push(count);
      situation = { ...situation, memory: decision.memory, pods: after, now: situation.now + MINUTE_MS };
    }
    expect(having).toEqual([1, 2, 10, 20]);
    expect(decideWorkload(situation).state).toBe('applied');
  });

  test('a restart of a changed pod rolls the change back and holds the workload for a day', () => {
    const first = decideWorkload(aSituation());
    const after = resized(aSituation().pods, first.steps).map((pod, index) =>
      index > 0
        ? pod
        : {
            ...pod,
            containers: pod.containers.map((each) => ({
              ...each,
              lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt: T0 + MINUTE_MS },
            })),
          },
    );
    const second = decideWorkload(aSituation({ pods: after, memory: first.memory, now: T0 + 2 * MINUTE_MS }));
    expect([second.state, second.reason, second.until]).toEqual(['awaiting', 'rolled-back', T0 + 2 * MINUTE_MS + DAY_MS]);
    expect(second.steps.map((step) => [step.pod.name, step.containers[0]?.to.requests])).toEqual([['web-1', amounts('500m', '512Mi')]]);
    expect(second.memory.rolledBack?.count).toBe(1);
  });

  test.each([
    ['a moment', MINUTE_MS, false, 'applying'],
    ['minutes', 2 * MINUTE_MS, false, 'awaiting'],
    ['minutes, as others that were not touched', 2 * MINUTE_MS, true, 'applying'],
  ])('a changed pod that stops being ready for %s', (_, forMs, othersToo, state) => {
    const first = decideWorkload(aSituation());
    const unready = { ready: false, readySince: null, unreadySince: T0 + MINUTE_MS };
    const after = resized(aSituation().pods, first.steps).map((pod, index) => (index === 0 || othersToo ? { ...pod, ...unready } : pod));
    const second = decideWorkload(aSituation({ pods: after, memory: first.memory, now: T0 + MINUTE_MS + forMs }));
    expect([second.state, second.memory.rolledBack?.reason]).toEqual([state, state === 'awaiting' ? 'readiness' : undefined]);
  });

  test('while pods are not ready nothing more is reduced, which the state reports', () => {
    const starting = pods(3, { ready: false, readySince: null, unreadySince: T0 - MINUTE_MS });
    const decision = decideWorkload(aSituation({ pods: starting }));
    expect([decision.steps, decision.state, decision.reason, decision.message]).toEqual([
      [],
      'awaiting',
      'rollout',
      expect.stringContaining('web-1 is not ready'),
    ]);
  });

  test.each([
    ['an automatic roll-back', null, ['512Mi', '1Gi']],
    ['a roll-back that a user requested', T0, []],
  ])('memory for an OOM kill during the hold of %s', (_, requestedAt, moves) => {
    const { end } = live(aSituation());
    const values = end.memory.previous!.values;
    const rolledBack = { at: end.now, reason: 'restarts', message: '', heldUntil: end.now + DAY_MS, count: 1, requestedAt, values };
    const memory = {
      ...end.memory,
      previous: null,
      rolledBack,
      lastApplied: { at: end.now, by: 'evenkeel', reason: 'roll-back', pods: 3, values },
    };
    const killed = { ...anAdvice({ cpu: '100m', memory: '1Gi', memoryAdvice: { lowerBound: GiB } }), lastOomAt: end.now, oomKills: 1 };
    const decision = decideWorkload({ ...end, memory, pods: aSituation().pods, advice: [killed] });
    const [step] = decision.steps;
    expect(
      step === undefined
        ? []
        : [step.containers[0]?.from.requests, step.containers[0]?.to.requests].map((each) => formatMemory(each?.memoryBytes ?? 0)),
    ).toEqual(moves);
  });

  test('a container that becomes too small during the stages is raised at once in all pods', () => {
    const first = decideWorkload(aSituation());
    const after = resized(aSituation().pods, first.steps);
    const second = decideWorkload(aSituation({ pods: after, memory: first.memory, advice: [short], now: T0 + MINUTE_MS }));
    expect(second.steps.map((step) => step.containers[0]?.to.requests)).toEqual([1, 2, 3].map(() => amounts('900m', '1Gi')));
  });

  test('a small raise during the stages continues from the present stage and reverts nothing', () => {
    const more = anAdvice({ cpu: '140m', cpuAdvice: { lowerBound: 130 } });
    const first = decideWorkload(aSituation());
    const after = resized(aSituation().pods, first.steps);
    const second = decideWorkload(aSituation({ pods: after, memory: first.memory, advice: [more], now: T0 + MINUTE_MS }));
    expect(second.steps.map(({ pod, containers }) => [pod.name, containers[0]?.to.requests.cpuMillicores])).toEqual([['web-1', 140]]);
    expect(second.steps.map(({ reason }) => reason)).toEqual(['under-provisioned']);
    expect(second.memory.apply).toMatchObject({ stage: 'Canary', stageStartedAt: T0 });
    expect(second.memory.previous).toEqual(first.memory.previous);
    const { end } = live(
      aSituation({ pods: resized(after, second.steps), memory: second.memory, advice: [more], now: T0 + 2 * MINUTE_MS }),
    );
    expect(end.pods.map((pod) => pod.containers[0]?.requests.cpuMillicores)).toEqual([140, 140, 140]);
  });

  test('a user requests the previous values, and the workload is held', () => {
    const { end } = live(aSituation());
    expect(end.pods.every((pod) => pod.containers[0]?.requests.cpuMillicores === 100)).toBe(true);
    const asked = { ...end, userRequests: { ...NO_USER_REQUESTS, rollback: { at: end.now, by: 'ops@example.com' } } };
    const reason = decideWorkload(asked).steps.map((step) => step.reason);
    expect(new Set(reason)).toEqual(new Set(['rolled back: requested by ops@example.com']));
    const back = live(asked, 5);
    expect(back.end.pods.every((pod) => pod.containers[0]?.requests.cpuMillicores === 500)).toBe(true);
    expect([back.last.reason, back.last.until]).toEqual(['hold', end.now + DAY_MS]);
  });

  test('a pod created from the template gets the values in force as soon as it runs', () => {
    const { end } = live(aSituation());
    const created = aPodRecord({ name: 'web-9', createdAt: end.now });
    const decision = decideWorkload({ ...end, pods: [...end.pods, created] });
    expect(decision.steps.map((step) => [step.pod.name, step.kind])).toEqual([['web-9', 'correct-drift']]);
    const starting = decideWorkload({ ...end, pods: [...end.pods, { ...created, phase: 'Pending' }] });
    expect(starting.steps).toEqual([]);
  });

  test('a controller that is killed at any step and restarted reaches the same result', () => {
    const undisturbed = live(aSituation({ pods: pods(7) }), 60).end;
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 60, maxLength: 60 }),
        (crashes, done) => {
          let situation = aSituation({ pods: pods(7) });
          for (let round = 0; round < 60; round += 1) {
            const decision = decideWorkload(situation);
            // A crash after the memory was stored and a part of the steps was taken.
            const steps = crashes[round] === true ? decision.steps.slice(0, done[round]) : decision.steps;
            situation = { ...situation, memory: decision.memory, pods: resized(situation.pods, steps), now: situation.now + 5 * MINUTE_MS };
          }
          expect(live(situation, 20).end.pods).toEqual(undisturbed.pods);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('nodes that refuse a resize', () => {
  const grown = aContainer({
    requests: amounts('900m', '1Gi'),
    record: { actual: { requests: amounts('500m', '512Mi'), limits: amounts(null, null) } },
  });

  const TOO_LARGE = "Node didn't have enough capacity: cpu, requested: 900, capacity: 800";

  test('an infeasible resize is reverted at once and not retried for some time', () => {
    const stuck = aPodRecord({
      containers: [grown],
      resize: { state: 'infeasible', message: TOO_LARGE, since: T0, refusal: { code: 'node-capacity', resource: 'cpu' } },
    });
    const decision = decideWorkload(aSituation({ pods: [stuck], advice: [short] }));
    expect(decision.steps.map((step) => [step.kind, step.containers[0]?.to.requests])).toEqual([['revert', amounts('500m', '512Mi')]]);
    expect([decision.state, decision.reason]).toEqual(['awaiting', 'node-capacity']);
    const own = [anAdvice({ cpu: '900m', memory: '512Mi' })];
    const later = decideWorkload(aSituation({ pods: pods(1), advice: own, memory: decision.memory, now: T0 + HOUR_MS }));
    expect(later.steps).toEqual([]);
    expect([later.reason, later.until]).toEqual(['node-capacity', T0 + 6 * HOUR_MS]);
  });

  test.each(['infeasible', 'deferred'] as const)(
    'less that a node says %s to is no matter of room, and not asked for over and over',
    (state) => {
      const shrunk = aContainer({
        requests: amounts('500m', '128Mi'),
        record: { actual: { requests: amounts('500m', '512Mi'), limits: amounts(null, null) } },
      });
      const advice = [anAdvice({ cpu: '500m' })];
      const stuck = aPodRecord({ containers: [shrunk], resize: { state, message: 'not on this node', since: T0 - HOUR_MS } });
      const { memory: remembered, steps } = decideWorkload(aSituation({ pods: [stuck], advice }));
      expect(steps.map((step) => [step.kind, step.containers[0]?.to.requests])).toEqual([['revert', amounts('500m', '512Mi')]]);
      const at = (now: number, more = {}): WorkloadDecision =>
        decideWorkload(aSituation({ pods: pods(1), advice, memory: remembered, now, ...more }));
      const waiting = at(T0 + MINUTE_MS);
      expect([waiting.steps, waiting.state, waiting.reason]).toEqual([[], 'awaiting', 'node-capacity']);
      expect(at(T0 + MINUTE_MS, { advice: [anAdvice({ cpu: '500m', memory: '144Mi' })] }).steps).toEqual([]);
      expect(at(waiting.until ?? 0).steps.map(({ kind }) => kind)).toEqual(['change']);
      const others = decideWorkload(aSituation({ pods: pods(3), advice, memory: remembered, now: T0 + MINUTE_MS }));
      expect(others.steps.map(({ pod }) => pod.name)).toEqual(['web-2']);
    },
  );

  test('a change that the node defers waits for capacity, with the node’s message', () => {
    const first = decideWorkload(aSituation({ advice: [short], pods: pods(2) }));
    const message = "Node didn't have enough resource: cpu";
    const putOff = resized(pods(2), first.steps).map((pod) => ({ ...pod, resize: { state: 'deferred' as const, message, since: T0 } }));
    const all = decideWorkload(aSituation({ advice: [short], memory: first.memory, pods: putOff }));
    expect([all.state, all.reason, all.message]).toEqual([
      'awaiting',
      'node-capacity',
      `web-1: the resize is deferred on its node, ${message}`,
    ]);
    expect(all.memory.apply).not.toBeNull();
    const one = putOff.map((pod, index) => (index === 0 ? { ...pod, resize: aPodRecord().resize } : pod));
    const some = decideWorkload(aSituation({ advice: [short], memory: first.memory, pods: one }));
    expect([some.state, some.message]).toEqual([
      'applying',
      expect.stringContaining(`web-2: the resize is deferred on its node, ${message}`),
    ]);
  });

  test('a deferred resize is reverted after half an hour', () => {
    const waiting = (minutes: number) =>
      decideWorkload(
        aSituation({
          pods: [
            aPodRecord({ containers: [grown], resize: { state: 'deferred', message: 'no room now', since: T0 - minutes * MINUTE_MS } }),
          ],
          advice: [short],
        }),
      ).steps.map((step) => step.kind);
    expect(waiting(29)).toEqual([]);
    expect(waiting(30)).toEqual(['revert']);
  });

  test('where the policy allows it, the pod is evicted; by default never', () => {
    const stuck = aPodRecord({ containers: [grown], resize: { state: 'infeasible', message: '', since: T0 } });
    const situation = aSituation({ pods: [stuck, ...pods(3).slice(1)], advice: [short] });
    expect(decideWorkload(situation).evict).toBeNull();
    expect(decideWorkload({ ...situation, policy: autoPolicy({ apply: 'InPlaceOrEvict' }) }).evict?.name).toBe('web-1');
  });

  test('an exhausted quota is respected and reported', () => {
    const quota = {
      namespace: 'shop',
      name: 'team',
      hardRequests: amounts('2', null),
      hardLimits: amounts(null, null),
      usedRequests: amounts('1500m', null),
      usedLimits: amounts(null, null),
    };
    const decision = decideWorkload(aSituation({ advice: [short], quotas: [quota] }));
    expect(decision.steps.map((step) => step.pod.name)).toEqual(['web-1']);
    const full = decideWorkload(aSituation({ advice: [short], quotas: [{ ...quota, usedRequests: amounts('2', null) }] }));
    expect([full.reason, full.message]).toEqual(['quota', expect.stringContaining('ResourceQuota team')]);
  });
});

describe('approval', () => {
  const policy = autoPolicy({ mode: 'Approve' });
  const approved = (cpuText: string, at = T0 - HOUR_MS) => ({
    ...NO_USER_REQUESTS,
    approved: { at, by: 'ops', values: new Map([['main', { requests: amounts(cpuText, '128Mi'), limits: amounts(null, null) }]]) },
  });

  test('approved values are applied, whatever the confidence', () => {
    const advice = [anAdvice({ cpuAdvice: { confidence: 0.1 }, memoryAdvice: { confidence: 0.1 } })];
    const decision = decideWorkload(aSituation({ policy, userRequests: approved('100m'), advice }));
    expect(decision.steps[0]?.containers[0]?.to.requests).toEqual(amounts('100m', '128Mi'));
    expect(decision.memory.apply?.by).toBe('ops');
  });

  test.each([
    ['after 7 days', approved('100m', T0 - 7 * DAY_MS)],
    ['when the recommendation has risen', approved('80m')],
    ['when it differs from the recommendation', approved('4')],
  ])('lapses %s', (_, userRequests) => {
    const decision = decideWorkload(aSituation({ policy, userRequests }));
    expect([decision.state, decision.reason, decision.events[0]?.reason]).toEqual(['awaiting', 'approval', 'ApprovalLapsed']);
  });

  test('lapses with a roll-back, so that the values are not applied again automatically', () => {
    const rolledBack = {
      at: T0 - 30 * MINUTE_MS,
      reason: 'restarts',
      message: 'restarted after the change: web-1/main',
      heldUntil: T0 + HOUR_MS,
      count: 1,
      requestedAt: null,
      values: new Map(),
    };
    const situation = aSituation({ policy, userRequests: approved('100m'), memory: { ...NO_MEMORY, rolledBack } });
    const held = decideWorkload(situation);
    expect([held.reason, held.until]).toEqual(['rolled-back', T0 + HOUR_MS]);
    const later = decideWorkload({ ...situation, now: T0 + 2 * HOUR_MS });
    expect([later.state, later.reason, later.steps]).toEqual(['awaiting', 'approval', []]);
    const anew = decideWorkload({ ...situation, now: T0 + 2 * HOUR_MS, userRequests: approved('100m', T0 + HOUR_MS) });
    expect(anew.state).toBe('applying');
  });

  test('rejected values are not recommended again until they change', () => {
    const rejected = {
      at: T0 - DAY_MS,
      by: 'ops',
      values: new Map([['main', { requests: amounts('105m', '128Mi'), limits: amounts(null, null) }]]),
    };
    const same = decideWorkload(aSituation({ userRequests: { ...NO_USER_REQUESTS, rejected } }));
    expect([same.state, same.reason, same.until]).toEqual(['optimal', 'rejected', T0 + 6 * DAY_MS]);
    const moved = decideWorkload(aSituation({ userRequests: { ...NO_USER_REQUESTS, rejected }, advice: [anAdvice({ cpu: '200m' })] }));
    expect(moved.state).toBe('applying');
  });
});

/** Memory limits follow their requests. */
const RATIO = autoPolicy({
  container: {
    ...autoPolicy().container,
    memory: { ...autoPolicy().container.memory, limit: { rule: 'Ratio', ratio: 1.25 } },
  },
});

describe('limits', () => {
  test('request and limit of a Guaranteed pod change together', () => {
    const demand = [{ container: 'main', windows: [], throttlingMeasuredAt: T0 }];
    const decision = decideWorkload(aSituation({ pods: pods(1, { container: { limits: amounts('500m', '512Mi') } }), demand }));
    const to = decision.steps[0]?.containers[0]?.to;
    expect(to?.requests).toEqual(to?.limits);
    expect(to?.requests.cpuMillicores).toBe(200);
  });

  test('a CPU limit is kept, and a request rises no further than it', () => {
    const kept = decideWorkload(aSituation({ pods: pods(1, { container: { limits: amounts('800m', null) } }) }));
    expect(kept.steps[0]?.containers[0]?.to.limits.cpuMillicores).toBe(800);
    const raised = decideWorkload(aSituation({ pods: pods(1, { container: { limits: amounts('800m', null) } }), advice: [short] }));
    expect(raised.steps[0]?.containers[0]?.to.limits.cpuMillicores).toBe(800);
    expect(raised.steps[0]?.containers[0]?.to.requests.cpuMillicores).toBe(800);
  });

  test('a memory limit does not fall on a kubelet before 1.34', () => {
    const container = { limits: amounts(null, '700Mi') };
    const on = (version: string) =>
      decideWorkload(aSituation({ policy: RATIO, pods: pods(1, { container }), kubeletVersions: new Map([['n1', version]]) })).steps[0]
        ?.containers[0]?.to.limits.memoryBytes;
    expect(on('v1.33.5')).toBe(memory('700Mi'));
    expect(on('v1.34.0')).toBeLessThan(memory('700Mi'));
  });

  test('the memory limit of a young pod does not fall, and its request does', () => {
    const container = { limits: amounts(null, '700Mi') };
    const aged = (ageMs: number) => {
      const [pod] = pods(1, { container }).map((each) => ({ ...each, createdAt: T0 - ageMs }));
      const situation = aSituation({ policy: RATIO, pods: pod === undefined ? [] : [pod], kubeletVersions: new Map([['n1', 'v1.34.0']]) });
      return decideWorkload(situation).steps[0]?.containers[0];
    };
    const [young, grown] = [aged(HOUR_MS - 1), aged(HOUR_MS)];
    expect(young?.to.limits.memoryBytes).toBe(memory('700Mi'));
    expect(young?.to.requests).toEqual(grown?.to.requests);
    expect(grown?.to.limits.memoryBytes).toBeLessThan(memory('700Mi'));
  });

  test('an OOM-killed container is raised at once, also without history', () => {
    const killed = anAdvice({ memory: '700Mi', memoryAdvice: { lowerBound: memory('700Mi') }, enoughHistory: false });
    const unknown = { ...killed, cpu: null, memoryEvidence: null, oom: oomAdvice(memory('700Mi')), lastOomAt: T0 - 60_000, confidence: 0 };
    const container = { limits: amounts(null, '512Mi') };
    const decision = decideWorkload(aSituation({ pods: pods(1, { container }), advice: [unknown] }));
    const [change] = decision.steps[0]?.containers ?? [];
    expect(change?.to.requests.memoryBytes).toBe(memory('700Mi'));
    expect(change?.to.limits.memoryBytes).toBe(memory('700Mi'));
    expect(change?.to.requests.cpuMillicores).toBe(change?.from.requests.cpuMillicores);
  });

  test('a LimitRange adjusts the recommendation, which the explanation shows', () => {
    const range = {
      namespace: 'shop',
      name: 'bounds',
      min: amounts('150m', null),
      max: amounts(null, null),
      maxLimitRequestRatio: { cpu: null, memory: null },
    };
    const decision = decideWorkload(aSituation({ limitRanges: [range] }));
    expect(decision.containers[0]?.target?.requests.cpuMillicores).toBe(150);
    expect(decision.containers[0]?.target?.steps).toContainEqual({
      resource: 'cpu',
      step: 'limit-range',
      detail: 'minimum of LimitRange bounds',
      total: 150,
    });
  });
});
