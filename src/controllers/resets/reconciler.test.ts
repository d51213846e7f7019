import { beforeEach, describe, expect, test } from '@jest/globals';
import { NO_OVERRIDES } from '../../../test/builders/rightsizing.ts';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { resetBinding, formatResetRequest } from '../../core/resource-audit/reset-request.ts';
import { DEFAULT_POLICY_RULES } from '../../core/resize/policy/policy-rules.ts';
import type { Effect, WorkloadRestart } from '../../core/effects/effect.ts';
import type { WriteOutcome } from '../../ports/cluster/writers.ts';
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
  world.cluster.workloadList = world.cluster.workloadList.map((workload) =>
    workload.name === 'web' ? { ...workload, ...record } : workload,
  );
};
const annotate = (annotations: Readonly<Record<string, string | null>>) => {
  const merged = Object.entries({ ...annotationsOf(), ...annotations }).filter(([, value]) => value !== null);
  change({ annotations: Object.fromEntries(merged) as Record<string, string> });
};
const isRecommended = () => world.cluster.recommendationList.some(({ metadata }) => metadata.name === 'deployment-web');
/** Creates the Recommendation as the next decision does. */
const recreateRecommendation = () => {
  const [like] = dashboardWorld().cluster.recommendationList.filter(({ metadata }) => metadata.name === 'deployment-web');
  const metadata = { ...like!.metadata, creationTimestamp: new Date(world.clock.now() + 1000).toISOString() };
  world.cluster.recommendationList = [...world.cluster.recommendationList, { ...like!, metadata }];
};
const unsigned = (restarted = false) =>
  formatResetRequest({ by: 'ann', at: Date.parse(NOW), heldUntil: Date.parse(UNTIL), reason: 'too small', restarted });
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
      if (restart.kind !== 'restart') throw new Error(`a reset requests no ${restart.kind}`);
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

const reconcileToEnd = async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    const result = await reconciler.reconcile(WEB, signal);
    if ('done' in result) return;
  }
};

test('a reset restarts once, deletes the Recommendation, removes the size annotations and holds', async () => {
  await reconcileToEnd();
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

test('a crash at any point repeats no restart: the same write marks the request as restarted', async () => {
  await reconciler.reconcile(WEB, signal);
  expect(JSON.parse(annotationsOf()[RESTARTED]!)).toMatchObject({ restarted: true });
  world.records.broken = true;
  await expect(reconciler.reconcile(WEB, signal)).rejects.toThrow();
  world.records.broken = false;
  await reconcileToEnd();
  await reconcileToEnd();
  expect(restarts).toHaveLength(1);
});

describe('A request that a tenant keeps and puts back', () => {
  test.each([
    ['before its restart', false],
    ['after its restart', true],
  ])('%s, three times, restarts nothing and deletes no newer Recommendation', async (_, restarted) => {
    const earlier = request(restarted);
    await reconcileToEnd();
    recreateRecommendation();
    for (let times = 0; times < 3; times += 1) {
      world.clock.advance(60_000);
      annotate({ [RESTARTED]: earlier, 'evenkeel.io/floor': '{"app":{"cpu":"2"}}' });
      await reconcileToEnd();
      expect(annotationsOf()).toMatchObject({ 'evenkeel.io/held-until': UNTIL, 'evenkeel.io/floor': '{"app":{"cpu":"2"}}' });
      expect(annotationsOf()[RESTARTED]).toBeUndefined();
    }
    expect([restarts.length, isRecommended()]).toEqual([1, true]);
  });

  test('after a later restart is refused, and the hold stays', async () => {
    const earlier = request();
    await reconcileToEnd();
    recreateRecommendation();
    world.clock.advance(60_000);
    change({ restartedAt: world.clock.now() });
    annotate({ [RESTARTED]: earlier });
    await reconcileToEnd();
    expect([restarts.length, isRecommended(), ends('refused')]).toEqual([1, true, 1]);
    expect(annotationsOf()).toEqual({ 'evenkeel.io/held-until': UNTIL, 'evenkeel.io/do-not-disrupt': 'true' });
  });

  test('is carried out where the last restart has a future timestamp', async () => {
    change({ restartedAt: world.clock.now() + 86_400_000 });
    await reconcileToEnd();
    expect([restarts.length, isRecommended(), ends('done')]).toEqual([1, false, 1]);
  });
});

test('a restart that is reverted on the template, as by GitOps, is not repeated', async () => {
  await reconciler.reconcile(WEB, signal);
  const { restartedAt: _, ...others } = world.cluster.workloadList.find(({ name }) => name === 'web')!;
  world.cluster.workloadList = world.cluster.workloadList.map((workload) => (workload.name === 'web' ? others : workload));
  await reconcileToEnd();
  expect([restarts.length, isRecommended(), ends('done')]).toEqual([1, false, 1]);
});

describe('a reset is not carried out', () => {
  test.each<[string, () => void]>([
    ['the pause', () => (answer = { kind: 'blocked', reason: 'paused', message: 'Evenkeel is paused' })],
    ['a paused policy', () => (policy.paused = true)],
  ])('while %s blocks it, and waits', async (_, block) => {
    block();
    expect(await reconciler.reconcile(WEB, signal)).toEqual({ requeueAfterMs: 10_000 });
    expect(annotationsOf()[RESTARTED]).toBe(request());
  });

  test('once its hold has ended: it lapses', async () => {
    world.clock.advance(86_400_000);
    await reconcileToEnd();
    expect([restarts.length, ends('lapsed')]).toEqual([0, 1]);
    expect(annotationsOf()).toEqual({ 'evenkeel.io/floor': '{"app":{"cpu":"1"}}', 'evenkeel.io/do-not-disrupt': 'true' });
    expect(world.events[0]).toMatchObject({ type: 'Warning', reason: 'ResetNotMade' });
  });

  test.each<[string, string, WriteOutcome]>([
    ['where the API server refuses it', 'refused', { kind: 'refused', status: 403, message: 'denied by webhook' }],
    ['in a dry run', 'dry-run', { kind: 'dry-run' }],
  ])('%s, and the workload keeps its annotations and Recommendation', async (_, end, outcome) => {
    answer = outcome;
    await reconcileToEnd();
    expect(ends(end)).toBe(1);
    expect(annotationsOf()).toEqual({ 'evenkeel.io/floor': '{"app":{"cpu":"1"}}', 'evenkeel.io/do-not-disrupt': 'true' });
    expect(isRecommended()).toBe(true);
  });

  test.each([
    ['is no request', () => 'please'],
    ['is not signed, so was not made through the API', () => unsigned()],
    ['claims that the pods were restarted', () => unsigned(true)],
    ['was made for another workload', () => TEST_SIGNER.sign({ kind: 'Deployment', uid: 'of another', field: RESTARTED }, unsigned())],
  ])('where the annotation %s', async (_, value) => {
    annotate({ [RESTARTED]: value() });
    await reconcileToEnd();
    expect([restarts.length, ends('unreadable'), annotationsOf()[RESTARTED]]).toEqual([0, 1, undefined]);
    expect(isRecommended()).toBe(true);
  });
});

test('a conflicting write is retried', async () => {
  answer = { kind: 'conflict', message: 'modified' };
  expect(await reconciler.reconcile(WEB, signal)).toEqual({ requeueAfterMs: 1000 });
});

test('workloads with a reset request are enqueued', () => {
  const seen: string[] = [];
  watchResets(world.cluster, (key) => void seen.push(key));
  world.cluster.announce({ kind: 'workload', key: WEB });
  world.cluster.announce({ kind: 'workload', key: 'shop/Deployment/cart' });
  expect(seen).toEqual([WEB, WEB]);
});
