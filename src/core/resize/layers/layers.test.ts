// Interaction of layers that act on the same pods: no layer reverts the change or the hold of another one.

import { describe, expect, test } from '@jest/globals';
import { memoryDemand, requestsOnlyPolicy, TEMPORARY } from '../../../../test/builders/exceptions.ts';
import {
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  memory,
  pods,
  resized,
  T0,
  NO_OVERRIDES,
} from '../../../../test/builders/rightsizing.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { writeBoostAtCreation } from './start-up/boost-at-creation.ts';
import { decideWorkload } from './decide-workload.ts';
import { recommendationStatus } from '../status/recommendation-status.ts';
import { NO_MEMORY, NO_USER_REQUESTS, type ResizeMemory, type WorkloadSituation } from '../model/situation.ts';

const UNLIMITED = amounts(null, null);
const SMALL = new Map([['main', { requests: amounts('100m', '128Mi'), limits: UNLIMITED }]]);
const BEFORE = new Map([['main', { requests: amounts('500m', '512Mi'), limits: UNLIMITED }]]);
const applied = (values = SMALL, at = T0 - DAY_MS): NonNullable<ResizeMemory['lastApplied']> => ({
  at,
  by: 'evenkeel',
  reason: 'over-provisioned',
  pods: 3,
  values,
});
const held = { ...NO_OVERRIDES, heldUntil: T0 + HOUR_MS };
const rising = memoryDemand(T0, '220Mi', '238Mi', '244Mi');
const limited = { container: { requests: amounts('100m', '128Mi'), limits: amounts(null, '256Mi') } };
const fitting = anAdvice({ cpu: '100m', memory: '128Mi' });

describe('A workload that a user holds (held-until)', () => {
  test('keeps new pods unchanged, so that a reset to the deployed values is not reverted', () => {
    const situation = aSituation({ overrides: held, memory: { ...NO_MEMORY, lastApplied: applied() } });
    expect(decideWorkload(situation).steps).toEqual([]);
    expect(decideWorkload({ ...situation, now: T0 + 2 * HOUR_MS }).steps).not.toEqual([]);
  });

  test('gets the roll-back that a user requests', () => {
    const situation = aSituation({
      overrides: held,
      pods: pods(3, { container: { requests: amounts('100m', '128Mi') } }),
      userRequests: { ...NO_USER_REQUESTS, rollback: { at: T0 - MINUTE_MS, by: 'ops' } },
      memory: { ...NO_MEMORY, lastApplied: applied(), previous: { at: T0 - DAY_MS, values: BEFORE } },
    });
    expect(decideWorkload(situation).steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores)).toEqual([500, 500, 500]);
  });

  test('gets no temporary overage', () => {
    const policy = requestsOnlyPolicy({ limitOverage: TEMPORARY });
    const open = aSituation({ pods: pods(3, limited), advice: [fitting], policy, demand: rising });
    expect(decideWorkload(open).steps).toHaveLength(3);
    expect(decideWorkload({ ...open, overrides: held }).steps).toEqual([]);
  });
});

describe('In mode Recommend', () => {
  const rolledBack: NonNullable<ResizeMemory['rolledBack']> = {
    at: T0 - HOUR_MS,
    reason: 'restarts',
    message: '',
    heldUntil: T0 + HOUR_MS,
    count: 1,
    requestedAt: null,
    values: SMALL,
  };
  const after = { ...NO_MEMORY, lastApplied: applied(BEFORE, T0 - HOUR_MS), rolledBack };
  const recommends = aSituation({
    policy: autoPolicy({ mode: 'Recommend' }),
    pods: pods(3, { container: { requests: amounts('200m', '512Mi') } }),
  });

  test('an earlier automatic roll-back changes no pod', () => {
    expect(decideWorkload({ ...recommends, memory: after }).steps).toEqual([]);
  });

  test('a requested roll-back is executed, but not while the policy is paused', () => {
    const asked = { ...after, rolledBack: { ...rolledBack, requestedAt: T0 - HOUR_MS } };
    expect(decideWorkload({ ...recommends, memory: asked }).steps).toHaveLength(3);
    const paused = autoPolicy({ mode: 'Recommend', paused: true });
    expect(decideWorkload({ ...recommends, memory: asked, policy: paused }).steps).toEqual([]);
  });
});

describe('In mode Approve', () => {
  const policy = autoPolicy({ mode: 'Approve' });
  const approvedLimits = (limit: string | null) => ({
    ...NO_USER_REQUESTS,
    approved: {
      at: T0 - HOUR_MS,
      by: 'ops',
      values: new Map([['main', { requests: amounts('100m', '128Mi'), limits: amounts(null, limit) }]]),
    },
  });

  test('a change that turns out too small does not continue to values that were not approved', () => {
    const first = decideWorkload(aSituation({ policy, userRequests: approvedLimits(null) }));
    expect(first.memory.apply).not.toBeNull();
    const short = anAdvice({ cpu: '900m', memory: '1Gi' });
    const second = decideWorkload(
      aSituation({
        policy,
        userRequests: approvedLimits(null),
        pods: resized(aSituation().pods, first.steps),
        memory: first.memory,
        advice: [short],
        now: T0 + MINUTE_MS,
      }),
    );
    const given = second.steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores);
    // The values in force before are restored, and no other pod is reduced.
    expect(given).toEqual([500]);
    expect([second.state, second.reason, second.memory.apply]).toEqual(['awaiting', 'approval', null]);
  });

  test('an approved baseline is not lowered by an older approval', () => {
    const raised = new Map([['main', { requests: amounts('100m', '128Mi'), limits: amounts(null, '512Mi') }]]);
    const situation = aSituation({
      policy,
      userRequests: approvedLimits('256Mi'),
      pods: pods(3, { container: { requests: amounts('100m', '128Mi'), limits: amounts(null, '512Mi') } }),
      advice: [{ ...fitting, memoryEvidence: { ...fitting.memoryEvidence!, lastOomAt: T0 - HOUR_MS } }],
      memory: { ...NO_MEMORY, lastApplied: applied(raised, T0 - 30 * MINUTE_MS) },
    });
    expect(decideWorkload(situation).memory.apply).toBeNull();
  });
});

describe('An idled workload', () => {
  const natural = BEFORE;
  const idle: NonNullable<ResizeMemory['idle']> = {
    since: T0 - HOUR_MS,
    natural,
    sizes: new Map([['main', { requests: amounts('10m', '512Mi'), limits: UNLIMITED }]]),
    floor: new Map(),
    activeMs: 0,
    replicas: 3,
    idleReplicas: null,
    autoscaler: null,
    scaled: false,
    waking: null,
    wakeTriggers: 'load',
  };
  const rules = autoPolicy();
  const sleeping = (more: Partial<WorkloadSituation> = {}): WorkloadSituation =>
    aSituation({
      policy: { ...rules, idle: { ...rules.idle, enabled: true } },
      gateState: { ...aSituation().gateState, idleWorkloads: true },
      workload: { ...aSituation().workload, annotations: { 'evenkeel.io/idle': '{}' } },
      advice: [anAdvice({ cpu: '500m', memory: '512Mi' })],
      pods: pods(3, { container: { requests: amounts('10m', '512Mi') } }),
      memory: { ...NO_MEMORY, idle },
      ...more,
    });

  test('stays idle', () => {
    expect(decideWorkload(sleeping())).toMatchObject({ state: 'idle', steps: [] });
  });

  test('wakes where another manager resizes one of its pods, and does not revert it', () => {
    const resizedBy = { manager: 'kubectl-edit', at: T0 - MINUTE_MS };
    const byHand = aPodRecord({ name: 'web-1', resizedBy, container: { requests: amounts('700m', '512Mi') } });
    const decision = decideWorkload(sleeping({ pods: [byHand, ...sleeping().pods.slice(1)] }));
    expect(decision.steps.map(({ pod, containers }) => [pod.name, containers[0]?.to.requests.cpuMillicores])).toEqual([
      ['web-2', 500],
      ['web-3', 500],
    ]);
  });

  test('wakes where another tool sizes its pods', () => {
    const annotations = { vpaUpdates: 'Pod resources updated by web: container 0: cpu request' };
    const decision = decideWorkload(sleeping({ pods: pods(3, { annotations, container: { requests: amounts('300m', '512Mi') } }) }));
    expect(decision.steps.filter(({ lowers }) => lowers)).toEqual([]);
    expect(decision.memory.idle?.waking).not.toBeNull();
  });

  test('does not exist with Guaranteed pods, whose requests equal their limits', () => {
    const guaranteed = { container: { requests: amounts('500m', '512Mi'), limits: amounts('500m', '512Mi') } };
    const situation = sleeping({
      pods: pods(3, guaranteed),
      memory: NO_MEMORY,
      activity: {
        belowThresholdSince: T0 - 30 * DAY_MS,
        cpuMillicores: 1,
        maxCpuMillicores: 800,
        lastInUseAt: null,
        reported: new Set(['web-1', 'web-2', 'web-3']),
      },
    });
    expect(decideWorkload(situation).state).not.toBe('idle');
    expect(decideWorkload({ ...situation, pods: pods(3) }).state).toBe('idle');
  });

  test('counts no more short idle periods than the schema permits', () => {
    const lastIdle = { since: 0, wokenAt: 0, reason: '', shortIdlePeriods: 64, activeMs: 0, floor: new Map() };
    const waking = { since: T0 - MINUTE_MS, reason: 'load', by: 'load' as const };
    const woken = sleeping({ pods: pods(3), memory: { ...NO_MEMORY, lastIdle, idle: { ...idle, waking } } });
    expect(decideWorkload(woken).memory.lastIdle?.shortIdlePeriods).toBe(64);
  });
});

describe('A LimitRange', () => {
  const range = {
    namespace: 'shop',
    name: 'bounds',
    min: UNSET_RESOURCES,
    max: UNSET_RESOURCES,
    maxLimitRequestRatio: { cpu: null, memory: null },
  };
  const policy = requestsOnlyPolicy({ limitOverage: TEMPORARY });
  const open = aSituation({ pods: pods(3, limited), advice: [fitting], policy, demand: rising });

  test.each([
    ['between limit and request', { ...range, maxLimitRequestRatio: { cpu: null, memory: 2 } }, []],
    ['between limit and request, with a little room', { ...range, maxLimitRequestRatio: { cpu: null, memory: 2.25 } }, [288, 288, 288]],
    ['of a pod', { ...range, podMax: amounts(null, '280Mi') }, [280, 280, 280]],
  ])('%s bounds a temporary overage', (_, limitRange, given) => {
    const { steps } = decideWorkload({ ...open, limitRanges: [limitRange] });
    expect(steps.map(({ containers }) => (containers[0]?.to.limits.memoryBytes ?? 0) / memory('1Mi'))).toEqual(given);
  });
});

test('Of pods created with a boost no more are stored than the schema permits, and all boosts end', () => {
  const base = new Map([['main', { requests: amounts('500m', null), limits: UNLIMITED }]]);
  const more = new Map([['main', { requests: amounts('1500m', null), limits: UNLIMITED }]]);
  const annotations = { 'evenkeel.io/start-up': writeBoostAtCreation(base, more) };
  const created = pods(80, {
    annotations,
    createdAt: T0 - MINUTE_MS,
    ready: false,
    readySince: null,
    container: { requests: amounts('1500m', '512Mi'), record: { startedAt: T0 - MINUTE_MS, ready: false } },
  });
  const policy = autoPolicy({ startup: { boostRatio: 3, durationMs: 2 * MINUTE_MS } });
  const advice = [anAdvice({ cpu: '500m', memory: '512Mi' })];
  const decision = decideWorkload(aSituation({ policy, advice, pods: created }));
  const facts = { now: T0, generation: 1, replicas: 80, savingsPerMonthUsd: 0, costPerMonthUsd: 0, source: 'kubelet' };
  expect(recommendationStatus(decision, facts, undefined).boosts?.length).toBe(64);
  const started = created.map((pod) => ({ ...pod, ready: true, readySince: T0 }));
  const later = decideWorkload(aSituation({ policy, advice, pods: started, memory: decision.memory, now: T0 + 30 * MINUTE_MS }));
  expect(later.steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores)).toEqual(created.map(() => 500));
});
