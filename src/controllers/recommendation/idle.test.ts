// Idle mode through the reconciler: idled, woken, and nothing lost at whichever write the process ends.

import { beforeEach, describe, expect, test } from '@jest/globals';
import { crds, validatorOf } from '../../../test/builders/crds.ts';
import { amounts, anAdvice, anHpaRecord, aPodRecord, pods, T0 } from '../../../test/builders/rightsizing.ts';
import { idleOriginal } from '../../../test/builders/original-annotations.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { TEST_SIGNER } from '../../../test/fakes/test-signer.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import type { Sizes } from '../../core/resize/model/evidence/idle-memory.ts';
import { writeIdleAnnotation } from '../../core/resize/status/idle-annotation.ts';
import type { Activity } from '../../core/resize/model/evidence/idle-tracker.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';

const IDLE: PodResizePolicySpec = { mode: 'Auto', idle: { enabled: true, after: '8h', cpuThreshold: '5m', cpu: '10m' } };
const KEDA = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'web', uid: 'uid-keda' };
const ALL = new Set(['web-1', 'web-2', 'web-3']);
const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'Recommendation')!);
/** The advice equals the pods' size, so only idle mode resizes them. */
const FITTING = anAdvice({ cpu: '500m', memory: '512Mi' });

let world: ResizeWorld;

function idleActivity(forMs = 9 * HOUR_MS): Activity {
  return { belowThresholdSince: world.clock.now() - forMs, cpuMillicores: 1, maxCpuMillicores: 800, lastInUseAt: null, reported: ALL };
}

function activeActivity(cpuMillicores = 400): Activity {
  return { belowThresholdSince: null, cpuMillicores, maxCpuMillicores: 800, lastInUseAt: world.clock.now(), reported: ALL };
}

const idleAnnotation = (): string | undefined => world.cluster.workloadList[0]?.annotations['evenkeel.io/idle'];
const originalAnnotation = (): string | undefined => world.cluster.workloadList[0]?.annotations['evenkeel.io/original'];
const reasons = (): readonly string[] => world.events.map(({ reason }) => reason);

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [FITTING]);
  world.setPolicy('all', IDLE);
});

async function becomeIdle(): Promise<void> {
  world.activity.set(WEB, idleActivity());
  await world.run(10 * MINUTE_MS);
  expect(world.cpus()).toEqual([10, 10, 10]);
}

describe('A workload that was in use and is idle for long enough', () => {
  test('is idled in place: all pods, requests only; its natural size is stored on it and on its Recommendation', async () => {
    await becomeIdle();
    expect(world.status()).toMatchObject({
      state: 'idle',
      savingsPerMonthUsd: 0,
      idle: { replicas: 3, natural: [{ name: 'main', requests: { cpu: '500m', memory: '512Mi' } }], sizes: [{ requests: { cpu: '10m' } }] },
    });
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
    expect(JSON.parse(idleAnnotation() ?? '{}')).toMatchObject({ natural: [{ name: 'main', requests: { cpu: '500m' } }] });
    expect(reasons()).toContain('Idled');
    expect(world.applied.filter(({ reason }) => reason.startsWith('idle'))).toHaveLength(3);
    for (const pod of world.cluster.podList) {
      expect(pod.containers[0]).toMatchObject({ requests: amounts('10m', '512Mi'), limits: amounts(null, null) });
    }
  });

  test('is restored on all pods as soon as a sample shows it in use', async () => {
    await becomeIdle();
    world.activity.set(WEB, activeActivity());
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500]);
    await world.run(10 * MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'optimal', lastIdle: { shortIdlePeriods: 1 } });
    expect(world.status().idle).toBeUndefined();
    expect(idleAnnotation()).toBeUndefined();
    expect(reasons()).toContain('Woken');
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
  });

  test('is restored also by a sample of the moment at which it was idled', async () => {
    await becomeIdle();
    world.activity.set(WEB, { ...activeActivity(), lastInUseAt: Date.parse(world.status().idle?.since ?? '') });
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('stays idled while the recommender sees no usage, and is restored to its natural size', async () => {
    await becomeIdle();
    world.advice.set(WEB, [anAdvice({ cpu: '15m', memory: '64Mi' })]);
    await world.run(DAY_MS);
    expect(world.status().state).toBe('idle');
    world.activity.set(WEB, activeActivity());
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('a pod that is created while it is idled is reduced too, and is raised with the others', async () => {
    await becomeIdle();
    world.cluster.podList = [...world.cluster.podList, aPodRecord({ name: 'web-4', labels: { workload: 'web' } })];
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([10, 10, 10, 10]);
    world.activity.set(WEB, activeActivity());
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500, 500]);
  });

  test('is idled again after another full period, and after twice that where load woke it early', async () => {
    await becomeIdle();
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    const wokenAt = Date.parse(world.status().lastIdle?.wokenAt ?? '');
    world.activity.set(WEB, { ...idleActivity(), belowThresholdSince: wokenAt - HOUR_MS });
    await world.run(15 * HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    await world.run(1.5 * HOUR_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
  });
});

describe('An idle workload wakes', () => {
  test.each<[string, () => void, string]>([
    ['when its policy disables idle mode', () => world.setPolicy('all', { mode: 'Auto' }), 'disabled in the policy'],
    ['when its policy is paused', () => world.setPolicy('all', { ...IDLE, paused: true }), 'paused'],
    ['when its policy is deleted', () => world.removePolicy('all'), 'the mode is Recommend'],
    ['when its policy changes to Observe', () => world.setPolicy('all', { ...IDLE, mode: 'Observe' }), 'the mode is Observe'],
    ['when its policy changes to Recommend', () => world.setPolicy('all', { ...IDLE, mode: 'Recommend' }), 'the mode is Recommend'],
    ['when it is excluded', () => annotate({ 'evenkeel.io/exclude': 'true' }), 'the mode is Off'],
    ['when a user requests it', () => world.requestByUser({ wake: { at: new Date(world.clock.now()).toISOString(), by: 'ann' } }), 'ann'],
    ['when a user removes the annotation', () => annotate({ 'evenkeel.io/idle': null }), 'was removed'],
    ['when a user sets a floor above its idle size', () => annotate({ 'evenkeel.io/floor': '{"*":{"cpu":"50m"}}' }), 'floor'],
    ['when a rollout starts', () => change({ rolloutInProgress: true }), 'roll-out'],
    ['after an OOM kill', () => world.advice.set(WEB, [{ ...FITTING, lastOomAt: world.clock.now() }]), 'OOM'],
  ])('%s', async (_, cause, because) => {
    await becomeIdle();
    await world.run(10 * MINUTE_MS);
    cause();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    const reported = world.events.find(({ reason }) => reason === 'Woken')?.message;
    expect(reported).toContain(because);
    expect(idleAnnotation()).toBeUndefined();
  });

  test('when the controller starts with the feature disabled', async () => {
    await becomeIdle();
    world.idleWorkloads = false;
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    world.activity.set(WEB, idleActivity());
    await world.run(2 * DAY_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('when its Recommendation was deleted while it was idled: its annotation has the natural size', async () => {
    await becomeIdle();
    world.cluster.recommendationList = [];
    world.start();
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(idleAnnotation()).toBeUndefined();
  });

  test('when its Recommendation is deleted while it is not used, and is idled again after another full period', async () => {
    await becomeIdle();
    world.cluster.recommendationList = [];
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.events.find(({ reason }) => reason === 'Woken')?.message).toContain('its Recommendation was deleted');
    expect(idleAnnotation()).toBeUndefined();
    await world.run(9 * HOUR_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
  });

  test.each<[string, () => void]>([
    ['Observe', () => world.setPolicy('all', { ...IDLE, mode: 'Observe' })],
    ['Recommend', () => world.setPolicy('all', { ...IDLE, mode: 'Recommend' })],
    ['Off', () => annotate({ 'evenkeel.io/mode': 'Off' })],
  ])('when its Recommendation is deleted in mode %s, pod by pod: a pod of another size stays', async (_, setMode) => {
    await becomeIdle();
    world.cluster.recommendationList = [];
    setMode();
    world.setPods((pod) =>
      pod.name === 'web-3' ? { ...pod, containers: [{ ...pod.containers[0]!, requests: amounts('200m', '512Mi') }] } : pod,
    );
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 200]);
    expect(idleAnnotation()).toBeUndefined();
  });

  test('outside of windows and inside of cool-downs', async () => {
    await becomeIdle();
    world.setPolicy('all', { ...IDLE, cooldown: '7d', windows: [{ start: '0 3 1 1 *', duration: '1h', timeZone: 'UTC' }] });
    world.activity.set(WEB, activeActivity());
    await world.run(6 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('not while Evenkeel is paused, but as soon as the pause ends', async () => {
    await becomeIdle();
    world.pause = { reason: 'incident', until: null };
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
    world.pause = null;
    await world.run(6 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });
});

describe('Where the policy allows fewer replicas', () => {
  const fewer = (replicas: number): PodResizePolicySpec => ({ ...IDLE, idle: { ...IDLE.idle, replicas } });
  const replicas = (): number => world.cluster.workloadList[0]!.replicas.desired;
  const HPA = anHpaRecord({ minReplicas: 3, currentReplicas: 3, desiredReplicas: 3 });

  async function shrinks(to: number): Promise<void> {
    world.setPolicy('all', fewer(to));
    world.activity.set(WEB, idleActivity());
    await world.run(10 * MINUTE_MS);
  }

  test('it is scaled down and reduced in place, and both are restored by load', async () => {
    await shrinks(1);
    expect([replicas(), world.cpus()]).toEqual([1, [10, 10, 10]]);
    expect(world.status().idle).toMatchObject({ replicas: 3, idleReplicas: 1, scaled: true });
    expect(JSON.parse(originalAnnotation() ?? '{}')).toMatchObject({
      v: 1,
      fields: { replicas: { user: 3, wants: { idle: 1 }, set: 1, by: 'idle' } },
    });
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    expect([replicas(), world.cpus()]).toEqual([3, [500, 500, 500]]);
    expect([idleAnnotation(), originalAnnotation()]).toEqual([undefined, undefined]);
    expect(reasons().filter((reason) => reason === 'Scaled')).toHaveLength(2);
    expect(world.applied.filter(({ from }) => JSON.stringify(from) === '{"replicas":1}')).toMatchObject([{ to: { replicas: 3 } }]);
  });

  test('none is left where the policy sets 0; then only a user request wakes it, and the message reports that', async () => {
    await shrinks(0);
    world.cluster.podList = [];
    await world.run(DAY_MS);
    expect(replicas()).toBe(0);
    expect(world.status()).toMatchObject({ state: 'idle', idle: { wakeTriggers: expect.stringContaining('request') } });
    // Three replicas at the price of the only node.
    expect(world.decisions.find(WEB)?.savings.reclaimedPerMonthUsd).toBeCloseTo(3 * (0.5 * 0.03 + 0.5 * 0.004) * 730, 1);
    world.requestByUser({ wake: { at: new Date(world.clock.now()).toISOString(), by: 'ann' } });
    await world.run(10 * MINUTE_MS);
    expect(replicas()).toBe(3);
    expect(world.status().idle).toBeUndefined();
  });

  test('a user who scales it wakes it, and the user’s replicas stay', async () => {
    await shrinks(1);
    change({ replicas: { desired: 2, current: 2, ready: 2 } });
    await world.run(10 * MINUTE_MS);
    expect([replicas(), world.cpus(), originalAnnotation()]).toEqual([2, [500, 500, 500], undefined]);
    expect(world.status().lastIdle?.wakeReason).toContain('set to 2 by another manager');
  });

  test('with an autoscaler, minReplicas is lowered instead, and the autoscaler sets the replicas', async () => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    expect(world.cluster.hpaList[0]?.minReplicas).toBe(1);
    expect([replicas(), world.cpus()]).toEqual([3, [500, 500, 500]]);
    expect(world.status().idle).toMatchObject({ autoscaler: { name: 'web', minReplicas: 3 }, idleReplicas: 1 });
    expect(JSON.parse(world.cluster.hpaList[0]?.annotations['evenkeel.io/original'] ?? '{}')).toMatchObject({
      v: 1,
      fields: { minReplicas: { user: 3, wants: { idle: 1 }, set: 1, by: 'idle' } },
    });
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 3, annotations: {} });
    expect(world.status().idle).toBeUndefined();
  });

  test('an autoscaler whose minReplicas a user sets keeps them, without an annotation of idle mode', async () => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    world.setHpa('web', (hpa) => ({ ...hpa, minReplicas: 2 }));
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 2, annotations: {} });
    expect([world.status().idle, world.status().lastIdle?.wakeReason]).toEqual([undefined, expect.stringContaining('set to 2')]);
    expect(reasons().filter((reason) => reason === 'Scaled')).toHaveLength(1);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['was removed', {}],
    [
      'was replaced by one that is not signed, which stays',
      { 'evenkeel.io/original': idleOriginal('minReplicas', { user: 9, value: 1, since: T0 }) },
    ],
  ])('an autoscaler whose annotation %s has its minReplicas restored from the Recommendation', async (_, annotations) => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    world.setHpa('web', (hpa) => ({ ...hpa, annotations }));
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 3, annotations });
    expect(world.status().idle).toBeUndefined();
  });

  test('a removed annotation of the replicas is written again while it is idled', async () => {
    await shrinks(1);
    const before = originalAnnotation();
    annotate({ 'evenkeel.io/original': null });
    expect(originalAnnotation()).toBeUndefined();
    await world.run(10 * MINUTE_MS);
    expect([originalAnnotation(), replicas()]).toEqual([before, 1]);
  });

  test('an autoscaler has its minReplicas restored where the Recommendation was deleted', async () => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    world.cluster.recommendationList = [];
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]?.minReplicas).toBe(3);
  });

  test('its replicas are restored where the Recommendation was deleted', async () => {
    await shrinks(1);
    world.cluster.recommendationList = [];
    world.start();
    await world.run(10 * MINUTE_MS);
    expect([replicas(), world.cpus()]).toEqual([3, [500, 500, 500]]);
  });

  test.each(Array.from({ length: 12 }, (_, writes) => writes))(
    'a death after %i writes loses no least of an autoscaler',
    async (writes) => {
      world.cluster.hpaList = [HPA];
      await world.run(MINUTE_MS);
      world.setPolicy('all', fewer(1));
      world.activity.set(WEB, idleActivity());
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(world.cluster.hpaList[0]?.minReplicas).toBe(1);
      world.activity.set(WEB, activeActivity());
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 3, annotations: {} });
      expect(idleAnnotation()).toBeUndefined();
    },
  );

  test.each<[string, () => void, string]>([
    ['of a KEDA ScaledObject', () => (world.cluster.hpaList = [{ ...HPA, controller: KEDA }]), 'ScaledObject web'],
    ['whose annotation is never', () => (world.cluster.hpaList = [{ ...HPA, annotations: { 'evenkeel.io/idle': 'never' } }]), 'never'],
  ])('an autoscaler %s is not changed, and the message reports it', async (_, given, words) => {
    given();
    await shrinks(1);
    expect(world.cluster.hpaList[0]?.minReplicas).toBe(3);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'hpa', message: expect.stringContaining(words) });
  });

  test.each(Array.from({ length: 12 }, (_, writes) => writes))(
    'no replica is lost when the process ends after %i writes',
    async (writes) => {
      await world.run(MINUTE_MS);
      world.setPolicy('all', fewer(1));
      world.activity.set(WEB, idleActivity());
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(replicas()).toBe(1);
      world.activity.set(WEB, activeActivity());
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect([replicas(), world.cpus(), idleAnnotation(), originalAnnotation()]).toEqual([3, [500, 500, 500], undefined, undefined]);
    },
  );
});

describe('An idle record that is put back after the workload was woken', () => {
  const replicas = (): number => world.cluster.workloadList[0]!.replicas.desired;
  const MODES: readonly (readonly [string, () => void])[] = [
    ['Observe', () => world.setPolicy('all', { ...IDLE, mode: 'Observe' })],
    ['Recommend', () => world.setPolicy('all', { ...IDLE, mode: 'Recommend' })],
    ['Off', () => annotate({ 'evenkeel.io/mode': 'Off' })],
    ['Auto', () => undefined],
  ];

  /** Records nine pods of 900m that were reduced to three of 10m; a user has set three of 500m since then. */
  function earlierRecords(): Readonly<Record<string, string>> {
    const sizes = (cpu: string): Sizes => new Map([['main', { requests: amounts(cpu, '512Mi'), limits: amounts(null, null) }]]);
    const since = T0 - 30 * DAY_MS;
    const sign = (field: string, text: string) => TEST_SIGNER.sign({ kind: 'Deployment', uid: 'uid-web', field }, text);
    return {
      'evenkeel.io/idle': sign(
        'evenkeel.io/idle',
        writeIdleAnnotation({ since, natural: sizes('900m'), sizes: sizes('10m'), wakeTriggers: 'load' }),
      ),
      'evenkeel.io/original': sign('evenkeel.io/original', idleOriginal('replicas', { user: 9, value: 3, since })),
    };
  }

  test.each(MODES)('has no effect in mode %s, with its Recommendation or without', async (_, setMode) => {
    const records = earlierRecords();
    setMode();
    await world.run(10 * MINUTE_MS);
    for (const isLost of [false, true]) {
      annotate(records);
      if (isLost) world.cluster.recommendationList = [];
      world.start();
      const reported = world.events.length;
      await world.run(30 * MINUTE_MS);
      expect([replicas(), world.cpus(), idleAnnotation(), originalAnnotation()]).toEqual([3, [500, 500, 500], undefined, undefined]);
      expect(reasons().slice(reported)).toContain('RecordOutdated');
    }
  });
});

describe('A process that ends', () => {
  // The writes in order: annotation, status, three pods; three pods, annotation, status.
  test.each(Array.from({ length: 9 }, (_, writes) => writes))('after %i writes while idling loses nothing', async (writes) => {
    await world.run(MINUTE_MS);
    world.activity.set(WEB, idleActivity());
    world.diesAfterWrites = writes;
    await world.run(10 * MINUTE_MS);
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
    expect(world.status().idle?.natural).toEqual([{ name: 'main', requests: { cpu: '500m', memory: '512Mi' } }]);
    world.activity.set(WEB, activeActivity());
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect([idleAnnotation(), world.status().idle]).toEqual([undefined, undefined]);
  });

  test.each(Array.from({ length: 9 }, (_, writes) => writes))('after %i writes while waking restores everything', async (writes) => {
    await becomeIdle();
    world.activity.set(WEB, activeActivity());
    world.diesAfterWrites = writes;
    await world.run(10 * MINUTE_MS);
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect([idleAnnotation(), world.status().idle]).toEqual([undefined, undefined]);
  });

  test.each(Array.from({ length: 9 }, (_, writes) => writes))(
    'after %i writes while waking restores everything in mode Observe, its Recommendation deleted',
    async (writes) => {
      await becomeIdle();
      world.cluster.recommendationList = [];
      world.setPolicy('all', { ...IDLE, mode: 'Observe' });
      world.start();
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(world.cpus()).toEqual([500, 500, 500]);
      expect([idleAnnotation(), world.recommendation()]).toEqual([undefined, undefined]);
    },
  );

  test('removes its annotation where the workload is in use before the next start', async () => {
    await world.run(MINUTE_MS);
    world.activity.set(WEB, idleActivity());
    world.diesAfterWrites = 1;
    await world.run(10 * MINUTE_MS);
    expect(idleAnnotation()).toBeDefined();
    world.start();
    world.activity.set(WEB, { ...activeActivity(), lastInUseAt: T0 });
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(idleAnnotation()).toBeUndefined();
  });
});

describe('A workload keeps its size', () => {
  test.each<[string, () => void]>([
    ['that was never in use: it is small, not idle', () => world.activity.set(WEB, { ...idleActivity(), maxCpuMillicores: 3 })],
    ['one of whose pods has no samples', () => world.activity.set(WEB, { ...idleActivity(), reported: new Set(['web-1', 'web-2']) })],
    ['on a node without usage', () => world.unreadNodes.add('n1')],
    ['that is not idle for long enough', () => world.activity.set(WEB, idleActivity(7 * HOUR_MS))],
    ['with a recent OOM kill', () => world.advice.set(WEB, [{ ...FITTING, lastOomAt: T0 - HOUR_MS }])],
    ['while a rollout is in progress', () => change({ rolloutInProgress: true })],
    ['that a user holds', () => annotate({ 'evenkeel.io/held-until': '2027-01-01T00:00:00Z' })],
    ['that is excluded', () => annotate({ 'evenkeel.io/exclude': 'true' })],
    ['in mode Approve', () => world.setPolicy('all', { ...IDLE, mode: 'Approve' })],
    [
      'outside the windows of its policy',
      () => world.setPolicy('all', { ...IDLE, windows: [{ start: '0 3 1 1 *', duration: '1h', timeZone: 'UTC' }] }),
    ],
    [
      'whose container has a more careful mode of its own',
      () => world.setPolicy('all', { ...IDLE, containers: [{ name: 'main', mode: 'Recommend' }] }),
    ],
    ['in a dry run of its policy', () => world.setPolicy('all', { ...IDLE, dryRun: true })],
  ])('%s', async (_, block) => {
    world.activity.set(WEB, idleActivity());
    // The advice shows no use either, for the case of a workload that was never in use.
    world.advice.set(WEB, [{ ...FITTING, cpu: { ...FITTING.cpu!, peak: 1 } }]);
    block();
    await world.run(30 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(idleAnnotation()).toBeUndefined();
  });

  test('and is reported as held by its annotation, not as rolled back', async () => {
    world.activity.set(WEB, idleActivity());
    annotate({ 'evenkeel.io/held-until': '2027-01-01T00:00:00Z' });
    await world.run(30 * MINUTE_MS);
    expect(world.status().message).toContain('held by the annotation evenkeel.io/held-until');
  });

  test.each(['DaemonSet', 'Job', 'CronJob'])('that is a %s', async (kind) => {
    const [web] = world.cluster.workloadList;
    const key = `shop/${kind}/web`;
    world.cluster.workloadList = [];
    world.cluster.podList = [];
    world.addWorkload({ ...web!, kind }, pods(3));
    world.advice.set(key, [FITTING]);
    world.activity.set(key, idleActivity());
    await world.run(30 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('and reports the blocker where it is the only one', async () => {
    world.activity.set(WEB, idleActivity());
    change({ rolloutInProgress: true });
    await world.run(10 * MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'rollout', message: expect.stringContaining('no load for 9h') });
  });
});

test('the recommendation from before an idle period stays a floor until the workload was active for as long as a recommendation needs', async () => {
  const minimumCpus: number[] = [];
  world.onAdvise = (_, rules) => minimumCpus.push(rules.get('main')?.cpu.min ?? 0);
  await becomeIdle();
  world.activity.set(WEB, activeActivity());
  await world.run(2 * HOUR_MS);
  expect(minimumCpus.at(-1)).toBe(500);
  await world.run(DAY_MS);
  expect(minimumCpus.at(-1)).toBe(10);
});

function annotate(annotations: Readonly<Record<string, string | null>>): void {
  const [web] = world.cluster.workloadList;
  const merged = Object.entries({ ...web!.annotations, ...annotations }).filter(([, value]) => value !== null);
  change({ annotations: Object.fromEntries(merged) as Record<string, string> });
}

function change(record: Partial<(typeof world.cluster.workloadList)[number]>): void {
  world.cluster.workloadList = world.cluster.workloadList.map((workload) => ({ ...workload, ...record }));
}
