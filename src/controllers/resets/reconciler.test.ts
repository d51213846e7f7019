import { beforeEach, describe, expect, test } from '@jest/globals';
import { NO_OVERRIDES } from '../../../test/builders/rightsizing.ts';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { resetBinding, resetText } from '../../core/resource-audit/reset-request.ts';
import { DEFAULT_POLICY_RULES } from '../../core/resize/policy/policy-rules.ts';
import type { Effect, WorkloadRestart } from '../../core/effects/effect.ts';
import type { WriteOutcome } from '../../ports/writers.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import { ResetReconciler, watchResets } from './reconciler.ts';
import { TEST_SIGNER } from '../../../test/fakes/test-signer.ts';

const WEB = 'shop/Deployment/web';
const NOW = '2026-11-20T14:30:00.000Z';
const UNTIL = '2026-11-21T14:30:00.000Z';
const RESTARTED = 'evenkeel.io/reset-to-deploy';
const { signal } = new AbortController();

let world: DashboardWorld;
let restarts: WorkloadRestart[];
let answer: WriteOutcome;
let policy: { paused: boolean; dryRun: boolean };
let reconciler: ResetReconciler;

const annotationsOf = () => world.cluster.workloadList.find(({ name }) => name === 'web')!.annotations;
const change = (record: Partial<WorkloadRecord>) => {
  world.cluster.workloadList = world.cluster.workloadList.map((each) => (each.name === 'web' ? { ...each, ...record } : each));
};
const annotate = (annotations: Readonly<Record<string, string | null>>) => {
  const merged = Object.entries({ ...annotationsOf(), ...annotations }).filter(([, value]) => value !== null);
  change({ annotations: Object.fromEntries(merged) as Record<string, string> });
};
const isRecommended = () => world.cluster.recommendationList.some(({ metadata }) => metadata.name === 'deployment-web');
/** As the next decision creates it. */
const recommendAnew = () => {
  const [like] = dashboardWorld().cluster.recommendationList.filter(({ metadata }) => metadata.name === 'deployment-web');
  const metadata = { ...like!.metadata, creationTimestamp: new Date(world.clock.now() + 1000).toISOString() };
  world.cluster.recommendationList = [...world.cluster.recommendationList, { ...like!, metadata }];
};
const unsigned = (restarted = false) =>
  resetText({ by: 'ann', at: Date.parse(NOW), heldUntil: Date.parse(UNTIL), reason: 'too small', restarted });
const request = (restarted = false) =>
  TEST_SIGNER.sign(resetBinding(world.cluster.workloadList.find(({ name }) => name === 'web')!), unsigned(restarted));
const ends = (outcome: string) => world.metrics.total('evenkeel_resets_total', { outcome });

beforeEach(() => {
  world = dashboardWorld();
  restarts = [];
  answer = { kind: 'done' };
  policy = { paused: false, dryRun: false };
  annotate({
    [RESTARTED]: request(),
    'evenkeel.io/held-until': UNTIL,
    'evenkeel.io/floor': '{"app":{"cpu":"1"}}',
    'evenkeel.io/do-not-disrupt': 'true',
  });
  const gate = {
    carryOut: async (restart: Effect): Promise<WriteOutcome> => {
      if (restart.kind !== 'restart') throw new Error(`a reset asks for no ${restart.kind}`);
      restarts.push(restart);
      if (answer.kind === 'done') {
        annotate(restart.annotations);
        change({ restartedAt: Date.parse(restart.restartedAt) });
      }
      return answer;
    },
  };
  reconciler = new ResetReconciler({
    clock: world.clock,
    cluster: world.cluster,
    policies: {
      governanceOf: () => ({
        policy: null,
        rules: { ...DEFAULT_POLICY_RULES, ...policy },
        problem: null,
        readableRules: null,
        overrides: NO_OVERRIDES,
        outranked: [],
        outOfScope: false,
      }),
    },
    gate,
    records: world.records,
    signer: TEST_SIGNER,
    events: { record: (event) => void world.events.push(event) },
    logger: world.logger,
    metrics: world.metrics,
  });
});

const toTheEnd = async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    const result = await reconciler.reconcile(WEB, signal);
    if ('done' in result) return;
  }
};

test('a reset restarts once, deletes the Recommendation, clears the annotations about sizes and holds', async () => {
  await toTheEnd();
  expect(restarts).toHaveLength(1);
  expect(restarts[0]).toMatchObject({
    target: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    lane: 'user',
    restartedAt: NOW,
  });
  expect(isRecommended()).toBe(false);
  expect(annotationsOf()).toEqual({ 'evenkeel.io/held-until': UNTIL, 'evenkeel.io/do-not-disrupt': 'true' });
  expect(world.events).toMatchObject([{ reason: 'ResetToDeploy', subject: { kind: 'Deployment', name: 'web' } }]);
  expect(ends('done')).toBe(1);
});

test('a crash at any point repeats no restart: the note of it is in the same write', async () => {
  await reconciler.reconcile(WEB, signal);
  expect(JSON.parse(annotationsOf()[RESTARTED]!)).toMatchObject({ restarted: true });
  world.records.broken = true;
  await expect(reconciler.reconcile(WEB, signal)).rejects.toThrow();
  world.records.broken = false;
  await toTheEnd();
  await toTheEnd();
  expect(restarts).toHaveLength(1);
});

describe('A request that a tenant keeps and puts back', () => {
  test.each([
    ['as it was made', false],
    ['as it was once the pods were restarted', true],
  ])('%s, three times, restarts nothing and deletes no newer Recommendation', async (_, restarted) => {
    const earlier = request(restarted);
    await toTheEnd();
    recommendAnew();
    for (let times = 0; times < 3; times += 1) {
      world.clock.advance(60_000);
      annotate({ [RESTARTED]: earlier, 'evenkeel.io/floor': '{"app":{"cpu":"2"}}' });
      await toTheEnd();
      expect(annotationsOf()).toMatchObject({ 'evenkeel.io/held-until': UNTIL, 'evenkeel.io/floor': '{"app":{"cpu":"2"}}' });
      expect(annotationsOf()[RESTARTED]).toBeUndefined();
    }
    expect([restarts.length, isRecommended()]).toEqual([1, true]);
  });

  test('after a later restart is refused, and the hold stays', async () => {
    const earlier = request();
    await toTheEnd();
    recommendAnew();
    world.clock.advance(60_000);
    change({ restartedAt: world.clock.now() });
    annotate({ [RESTARTED]: earlier });
    await toTheEnd();
    expect([restarts.length, isRecommended(), ends('refused')]).toEqual([1, true, 1]);
    expect(annotationsOf()).toEqual({ 'evenkeel.io/held-until': UNTIL, 'evenkeel.io/do-not-disrupt': 'true' });
  });

  test('is carried out where a clock that was ahead has restarted the pods before', async () => {
    change({ restartedAt: world.clock.now() + 86_400_000 });
    await toTheEnd();
    expect([restarts.length, isRecommended(), ends('done')]).toEqual([1, false, 1]);
  });
});

test('a restart that is reverted on the template, as by GitOps, is not repeated', async () => {
  await reconciler.reconcile(WEB, signal);
  const { restartedAt: _, ...others } = world.cluster.workloadList.find(({ name }) => name === 'web')!;
  world.cluster.workloadList = world.cluster.workloadList.map((each) => (each.name === 'web' ? others : each));
  await toTheEnd();
  expect([restarts.length, isRecommended(), ends('done')]).toEqual([1, false, 1]);
});

describe('is not made', () => {
  test.each<[string, () => void]>([
    ['the kill switch', () => (answer = { kind: 'blocked', reason: 'paused', message: 'Evenkeel is paused' })],
    ['a paused policy', () => (policy.paused = true)],
  ])('while %s holds it, and waits', async (_, hold) => {
    hold();
    expect(await reconciler.reconcile(WEB, signal)).toEqual({ requeueAfterMs: 10_000 });
    expect(annotationsOf()[RESTARTED]).toBe(request());
  });

  test('once its hold is over: it lapses', async () => {
    world.clock.advance(86_400_000);
    await toTheEnd();
    expect([restarts.length, ends('lapsed')]).toEqual([0, 1]);
    expect(annotationsOf()).toEqual({ 'evenkeel.io/floor': '{"app":{"cpu":"1"}}', 'evenkeel.io/do-not-disrupt': 'true' });
    expect(world.events[0]).toMatchObject({ type: 'Warning', reason: 'ResetNotMade' });
  });

  test.each<[string, string, WriteOutcome]>([
    ['where the server says no', 'refused', { kind: 'refused', status: 403, message: 'denied by webhook' }],
    ['in a dry run', 'dry-run', { kind: 'dry-run' }],
  ])('%s, and leaves everything as it was', async (_, end, outcome) => {
    answer = outcome;
    await toTheEnd();
    expect(ends(end)).toBe(1);
    expect(annotationsOf()).toEqual({ 'evenkeel.io/floor': '{"app":{"cpu":"1"}}', 'evenkeel.io/do-not-disrupt': 'true' });
    expect(isRecommended()).toBe(true);
  });

  test.each([
    ['is no request', () => 'please'],
    ['was not made through the API, as its signature tells', () => unsigned()],
    ['claims that the pods were restarted', () => unsigned(true)],
    ['was made for another workload', () => TEST_SIGNER.sign({ kind: 'Deployment', uid: 'of another', field: RESTARTED }, unsigned())],
  ])('where the annotation %s', async (_, value) => {
    annotate({ [RESTARTED]: value() });
    await toTheEnd();
    expect([restarts.length, ends('unreadable'), annotationsOf()[RESTARTED]]).toEqual([0, 1, undefined]);
    expect(isRecommended()).toBe(true);
  });
});

test('a write of somebody else’s meanwhile has it looked at again', async () => {
  answer = { kind: 'conflict', message: 'modified' };
  expect(await reconciler.reconcile(WEB, signal)).toEqual({ requeueAfterMs: 1000 });
});

test('workloads are looked at where a reset is asked for', () => {
  const seen: string[] = [];
  watchResets(world.cluster, (key) => void seen.push(key));
  world.cluster.announce({ kind: 'workload', key: WEB });
  world.cluster.announce({ kind: 'workload', key: 'shop/Deployment/cart' });
  expect(seen).toEqual([WEB, WEB]);
});
