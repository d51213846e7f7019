// Idle mode through the reconciler, with its writes: made small, woken, and nothing lost whichever write a process dies at.

import { beforeEach, describe, expect, test } from '@jest/globals';
import { crds, validatorOf } from '../../../test/builders/crds.ts';
import { amounts, anAdvice, anHpaRecord, aPodRecord, pods, T0 } from '../../../test/builders/rightsizing.ts';
import { idleOriginal } from '../../../test/builders/original-notes.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/resize-world.ts';
import { TEST_SIGNER } from '../../../test/fakes/test-signer.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import type { Sizes } from '../../core/resize/model/idle-memory.ts';
import { writeIdleAnnotation } from '../../core/resize/status/idle-annotation.ts';
import type { Activity } from '../../core/resize/model/idle-tracker.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';

const IDLE: PodResizePolicySpec = { mode: 'Auto', idle: { enabled: true, after: '8h', cpuThreshold: '5m', cpu: '10m' } };
const KEDA = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'web', uid: 'uid-keda' };
const ALL = new Set(['web-1', 'web-2', 'web-3']);
const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'Recommendation')!);
/** What right-sizing would ask for is what the pods have: idle mode alone moves them. */
const FITTING = anAdvice({ cpu: '500m', memory: '512Mi' });

let world: ResizeWorld;

function quiet(forMs = 9 * HOUR_MS): Activity {
  return { belowThresholdSince: world.clock.now() - forMs, cpuMillicores: 1, maxCpuMillicores: 800, lastInUseAt: null, reported: ALL };
}

function busy(cpuMillicores = 400): Activity {
  return { belowThresholdSince: null, cpuMillicores, maxCpuMillicores: 800, lastInUseAt: world.clock.now(), reported: ALL };
}

const note = (): string | undefined => world.cluster.workloadList[0]?.annotations['evenkeel.io/idle'];
const original = (): string | undefined => world.cluster.workloadList[0]?.annotations['evenkeel.io/original'];
const reasons = (): readonly string[] => world.events.map(({ reason }) => reason);

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [FITTING]);
  world.setPolicy('all', IDLE);
});

async function fallsIdle(): Promise<void> {
  world.activity.set(WEB, quiet());
  await world.run(10 * MINUTE_MS);
  expect(world.cpus()).toEqual([10, 10, 10]);
}

describe('A workload that was used and is quiet for long enough', () => {
  test('is made small in place, all pods, requests alone; what it had stands on it and on its Recommendation', async () => {
    await fallsIdle();
    expect(world.status()).toMatchObject({
      state: 'idle',
      savingsPerMonthUsd: 0,
      idle: { replicas: 3, natural: [{ name: 'main', requests: { cpu: '500m', memory: '512Mi' } }], sizes: [{ requests: { cpu: '10m' } }] },
    });
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
    expect(JSON.parse(note() ?? '{}')).toMatchObject({ natural: [{ name: 'main', requests: { cpu: '500m' } }] });
    expect(reasons()).toContain('Idled');
    expect(world.applied.filter(({ reason }) => reason.startsWith('idle'))).toHaveLength(3);
    for (const pod of world.cluster.podList) {
      expect(pod.containers[0]).toMatchObject({ requests: amounts('10m', '512Mi'), limits: amounts(null, null) });
    }
  });

  test('has all of it again when a sample shows it in use: at once, on all pods', async () => {
    await fallsIdle();
    world.activity.set(WEB, busy());
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500]);
    await world.run(10 * MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'optimal', lastIdle: { shortIdlePeriods: 1 } });
    expect(world.status().idle).toBeUndefined();
    expect(note()).toBeUndefined();
    expect(reasons()).toContain('Woken');
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
  });

  test('has it again, too, when that sample is of the very moment at which it was made small', async () => {
    await fallsIdle();
    world.activity.set(WEB, { ...busy(), lastInUseAt: Date.parse(world.status().idle?.since ?? '') });
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('stays small while its nights teach the recommender nothing but silence, and wakes to what it had', async () => {
    await fallsIdle();
    world.advice.set(WEB, [anAdvice({ cpu: '15m', memory: '64Mi' })]);
    await world.run(DAY_MS);
    expect(world.status().state).toBe('idle');
    world.activity.set(WEB, busy());
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('a pod that is created while it sleeps is made small too, and is raised with the others', async () => {
    await fallsIdle();
    world.cluster.podList = [...world.cluster.podList, aPodRecord({ name: 'web-4', labels: { workload: 'web' } })];
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([10, 10, 10, 10]);
    world.activity.set(WEB, busy());
    await world.reconcile(WEB);
    expect(world.cpus()).toEqual([500, 500, 500, 500]);
  });

  test('falls idle again only after as long anew, and after twice as long where load woke it early', async () => {
    await fallsIdle();
    world.activity.set(WEB, busy());
    await world.run(10 * MINUTE_MS);
    const wokenAt = Date.parse(world.status().lastIdle?.wokenAt ?? '');
    world.activity.set(WEB, { ...quiet(), belowThresholdSince: wokenAt - HOUR_MS });
    await world.run(15 * HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    await world.run(1.5 * HOUR_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
  });
});

describe('An idle workload wakes', () => {
  test.each<[string, () => void, string]>([
    ['when its policy makes none small any more', () => world.setPolicy('all', { mode: 'Auto' }), 'disabled in the policy'],
    ['when its policy is paused', () => world.setPolicy('all', { ...IDLE, paused: true }), 'paused'],
    ['when its policy is deleted', () => world.removePolicy('all'), 'the mode is Recommend'],
    ['when its policy publishes nothing any more', () => world.setPolicy('all', { ...IDLE, mode: 'Observe' }), 'the mode is Observe'],
    ['when its policy only recommends', () => world.setPolicy('all', { ...IDLE, mode: 'Recommend' }), 'the mode is Recommend'],
    ['when it is excluded', () => annotate({ 'evenkeel.io/exclude': 'true' }), 'the mode is Off'],
    ['when a person asks for it', () => world.requestByUser({ wake: { at: new Date(world.clock.now()).toISOString(), by: 'ann' } }), 'ann'],
    ['when a person takes the note away', () => annotate({ 'evenkeel.io/idle': null }), 'was removed'],
    ['when a person sets a floor above its idle size', () => annotate({ 'evenkeel.io/floor': '{"*":{"cpu":"50m"}}' }), 'floor'],
    ['when a roll-out begins', () => change({ rolloutInProgress: true }), 'roll-out'],
    ['when it was killed for memory', () => world.advice.set(WEB, [{ ...FITTING, lastOomAt: world.clock.now() }]), 'OOM'],
  ])('%s', async (_, cause, because) => {
    await fallsIdle();
    await world.run(10 * MINUTE_MS);
    cause();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    const reported = world.events.find(({ reason }) => reason === 'Woken')?.message;
    expect(reported).toContain(because);
    expect(note()).toBeUndefined();
  });

  test('when the feature is switched off: the controller starts anew with it', async () => {
    await fallsIdle();
    world.idleWorkloads = false;
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    world.activity.set(WEB, quiet());
    await world.run(2 * DAY_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('when its Recommendation was deleted while it slept: its own note tells what it had', async () => {
    await fallsIdle();
    world.cluster.recommendationList = [];
    world.start();
    world.activity.set(WEB, busy());
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(note()).toBeUndefined();
  });

  test('when its Recommendation is deleted while it is quiet, too, and falls idle again only after as long anew', async () => {
    await fallsIdle();
    world.cluster.recommendationList = [];
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.events.find(({ reason }) => reason === 'Woken')?.message).toContain('its Recommendation was deleted');
    expect(note()).toBeUndefined();
    await world.run(9 * HOUR_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
  });

  test.each<[string, () => void]>([
    ['Observe', () => world.setPolicy('all', { ...IDLE, mode: 'Observe' })],
    ['Recommend', () => world.setPolicy('all', { ...IDLE, mode: 'Recommend' })],
    ['Off', () => annotate({ 'evenkeel.io/mode': 'Off' })],
  ])('when its Recommendation is deleted in mode %s, pod by pod: one of another size stays', async (_, setMode) => {
    await fallsIdle();
    world.cluster.recommendationList = [];
    setMode();
    world.setPods((pod) =>
      pod.name === 'web-3' ? { ...pod, containers: [{ ...pod.containers[0]!, requests: amounts('200m', '512Mi') }] } : pod,
    );
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 200]);
    expect(note()).toBeUndefined();
  });

  test('outside of windows and inside of cool-downs', async () => {
    await fallsIdle();
    world.setPolicy('all', { ...IDLE, cooldown: '7d', windows: [{ start: '0 3 1 1 *', duration: '1h', timeZone: 'UTC' }] });
    world.activity.set(WEB, busy());
    await world.run(6 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('but not while everything is stopped, and then as soon as it is not', async () => {
    await fallsIdle();
    world.pause = { reason: 'incident', until: null };
    world.activity.set(WEB, busy());
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
    world.activity.set(WEB, quiet());
    await world.run(10 * MINUTE_MS);
  }

  test('it is scaled down and made small in place, and both go back when load comes', async () => {
    await shrinks(1);
    expect([replicas(), world.cpus()]).toEqual([1, [10, 10, 10]]);
    expect(world.status().idle).toMatchObject({ replicas: 3, idleReplicas: 1, scaled: true });
    expect(JSON.parse(original() ?? '{}')).toMatchObject({
      v: 1,
      fields: { replicas: { user: 3, wants: { idle: 1 }, set: 1, by: 'idle' } },
    });
    world.activity.set(WEB, busy());
    await world.run(10 * MINUTE_MS);
    expect([replicas(), world.cpus()]).toEqual([3, [500, 500, 500]]);
    expect([note(), original()]).toEqual([undefined, undefined]);
    expect(reasons().filter((reason) => reason === 'Scaled')).toHaveLength(2);
    expect(world.applied.filter(({ from }) => JSON.stringify(from) === '{"replicas":1}')).toMatchObject([{ to: { replicas: 3 } }]);
  });

  test('none is left where the policy says 0; then only a request wakes it, and it says so', async () => {
    await shrinks(0);
    world.cluster.podList = [];
    await world.run(DAY_MS);
    expect(replicas()).toBe(0);
    expect(world.status()).toMatchObject({ state: 'idle', idle: { wakeTriggers: expect.stringContaining('request') } });
    // All three replicas, at the price of the only node.
    expect(world.decisions.find(WEB)?.savings.reclaimedPerMonthUsd).toBeCloseTo(3 * (0.5 * 0.03 + 0.5 * 0.004) * 730, 1);
    world.requestByUser({ wake: { at: new Date(world.clock.now()).toISOString(), by: 'ann' } });
    await world.run(10 * MINUTE_MS);
    expect(replicas()).toBe(3);
    expect(world.status().idle).toBeUndefined();
  });

  test('who scales it meanwhile means it: it wakes, and its replicas are left as they were set', async () => {
    await shrinks(1);
    change({ replicas: { desired: 2, current: 2, ready: 2 } });
    await world.run(10 * MINUTE_MS);
    expect([replicas(), world.cpus(), original()]).toEqual([2, [500, 500, 500], undefined]);
    expect(world.status().lastIdle?.because).toContain('set to 2 by another manager');
  });

  test('of an autoscaler the least is lowered in place of them; it alone says how many there are', async () => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    expect(world.cluster.hpaList[0]?.minReplicas).toBe(1);
    expect([replicas(), world.cpus()]).toEqual([3, [500, 500, 500]]);
    expect(world.status().idle).toMatchObject({ autoscaler: { name: 'web', minReplicas: 3 }, idleReplicas: 1 });
    expect(JSON.parse(world.cluster.hpaList[0]?.annotations['evenkeel.io/original'] ?? '{}')).toMatchObject({
      v: 1,
      fields: { minReplicas: { user: 3, wants: { idle: 1 }, set: 1, by: 'idle' } },
    });
    world.activity.set(WEB, busy());
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 3, annotations: {} });
    expect(world.status().idle).toBeUndefined();
  });

  test('an autoscaler whose least a user sets meanwhile keeps that, and nothing of idle mode stays on it', async () => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    world.setHpa('web', (hpa) => ({ ...hpa, minReplicas: 2 }));
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 2, annotations: {} });
    expect([world.status().idle, world.status().lastIdle?.because]).toEqual([undefined, expect.stringContaining('set to 2')]);
    expect(reasons().filter((reason) => reason === 'Scaled')).toHaveLength(1);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['was removed', {}],
    [
      'was replaced by one that is not signed, which stays',
      { 'evenkeel.io/original': idleOriginal('minReplicas', { user: 9, value: 1, since: T0 }) },
    ],
  ])('an autoscaler whose note %s has its least back by the Recommendation', async (_, annotations) => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    world.setHpa('web', (hpa) => ({ ...hpa, annotations }));
    world.activity.set(WEB, busy());
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 3, annotations });
    expect(world.status().idle).toBeUndefined();
  });

  test('a note of the replicas that was removed is written anew while it is idle', async () => {
    await shrinks(1);
    const before = original();
    annotate({ 'evenkeel.io/original': null });
    expect(original()).toBeUndefined();
    await world.run(10 * MINUTE_MS);
    expect([original(), replicas()]).toEqual([before, 1]);
  });

  test('an autoscaler has its least back where the Recommendation is lost meanwhile', async () => {
    world.cluster.hpaList = [HPA];
    await shrinks(1);
    world.cluster.recommendationList = [];
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cluster.hpaList[0]?.minReplicas).toBe(3);
  });

  test('its replicas are back where the Recommendation is lost meanwhile', async () => {
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
      world.activity.set(WEB, quiet());
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(world.cluster.hpaList[0]?.minReplicas).toBe(1);
      world.activity.set(WEB, busy());
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(world.cluster.hpaList[0]).toMatchObject({ minReplicas: 3, annotations: {} });
      expect(note()).toBeUndefined();
    },
  );

  test.each<[string, () => void, string]>([
    ['that KEDA keeps', () => (world.cluster.hpaList = [{ ...HPA, controller: KEDA }]), 'ScaledObject web'],
    ['whose annotation says never', () => (world.cluster.hpaList = [{ ...HPA, annotations: { 'evenkeel.io/idle': 'never' } }]), 'never'],
  ])('an autoscaler %s is left alone, and the state says so', async (_, given, words) => {
    given();
    await shrinks(1);
    expect(world.cluster.hpaList[0]?.minReplicas).toBe(3);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'hpa', message: expect.stringContaining(words) });
  });

  test.each(Array.from({ length: 12 }, (_, writes) => writes))('a death after %i writes loses no replica', async (writes) => {
    await world.run(MINUTE_MS);
    world.setPolicy('all', fewer(1));
    world.activity.set(WEB, quiet());
    world.diesAfterWrites = writes;
    await world.run(10 * MINUTE_MS);
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(replicas()).toBe(1);
    world.activity.set(WEB, busy());
    world.diesAfterWrites = writes;
    await world.run(10 * MINUTE_MS);
    world.start();
    await world.run(10 * MINUTE_MS);
    expect([replicas(), world.cpus(), note(), original()]).toEqual([3, [500, 500, 500], undefined, undefined]);
  });
});

describe('An idle record that is put back once the workload is awake', () => {
  const replicas = (): number => world.cluster.workloadList[0]!.replicas.desired;
  const MODES: readonly (readonly [string, () => void])[] = [
    ['Observe', () => world.setPolicy('all', { ...IDLE, mode: 'Observe' })],
    ['Recommend', () => world.setPolicy('all', { ...IDLE, mode: 'Recommend' })],
    ['Off', () => annotate({ 'evenkeel.io/mode': 'Off' })],
    ['Auto', () => undefined],
  ];

  /** Of nine pods of 900m that were made three of 10m. Since then a user has set three of 500m. */
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
      expect([replicas(), world.cpus(), note(), original()]).toEqual([3, [500, 500, 500], undefined, undefined]);
      expect(reasons().slice(reported)).toContain('RecordOutdated');
    }
  });
});

describe('A process that dies', () => {
  // Each write of the way down and back up: the note, the status, three pods; three pods, the note, the status.
  test.each(Array.from({ length: 9 }, (_, writes) => writes))('after %i writes leaves nothing lost while falling idle', async (writes) => {
    await world.run(MINUTE_MS);
    world.activity.set(WEB, quiet());
    world.diesAfterWrites = writes;
    await world.run(10 * MINUTE_MS);
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([10, 10, 10]);
    expect(world.status().idle?.natural).toEqual([{ name: 'main', requests: { cpu: '500m', memory: '512Mi' } }]);
    world.activity.set(WEB, busy());
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect([note(), world.status().idle]).toEqual([undefined, undefined]);
  });

  test.each(Array.from({ length: 9 }, (_, writes) => writes))('after %i writes still wakes all of it', async (writes) => {
    await fallsIdle();
    world.activity.set(WEB, busy());
    world.diesAfterWrites = writes;
    await world.run(10 * MINUTE_MS);
    world.start();
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect([note(), world.status().idle]).toEqual([undefined, undefined]);
  });

  test.each(Array.from({ length: 9 }, (_, writes) => writes))(
    'after %i writes still wakes all of it in mode Observe, its Recommendation deleted',
    async (writes) => {
      await fallsIdle();
      world.cluster.recommendationList = [];
      world.setPolicy('all', { ...IDLE, mode: 'Observe' });
      world.start();
      world.diesAfterWrites = writes;
      await world.run(10 * MINUTE_MS);
      world.start();
      await world.run(10 * MINUTE_MS);
      expect(world.cpus()).toEqual([500, 500, 500]);
      expect([note(), world.recommendation()]).toEqual([undefined, undefined]);
    },
  );

  test('and whose quiet is over before it starts again takes its note back', async () => {
    await world.run(MINUTE_MS);
    world.activity.set(WEB, quiet());
    world.diesAfterWrites = 1;
    await world.run(10 * MINUTE_MS);
    expect(note()).toBeDefined();
    world.start();
    world.activity.set(WEB, { ...busy(), lastInUseAt: T0 });
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(note()).toBeUndefined();
  });
});

describe('A workload is left at its size', () => {
  test.each<[string, () => void]>([
    ['that was never seen in use: it is small, not idle', () => world.activity.set(WEB, { ...quiet(), maxCpuMillicores: 3 })],
    ['one of whose pods was not heard', () => world.activity.set(WEB, { ...quiet(), reported: new Set(['web-1', 'web-2']) })],
    ['on a node that tells nothing', () => world.unreadNodes.add('n1')],
    ['that is not quiet for long enough', () => world.activity.set(WEB, quiet(7 * HOUR_MS))],
    ['that was lately killed for memory', () => world.advice.set(WEB, [{ ...FITTING, lastOomAt: T0 - HOUR_MS }])],
    ['while a roll-out is in progress', () => change({ rolloutInProgress: true })],
    ['that a person holds', () => annotate({ 'evenkeel.io/held-until': '2027-01-01T00:00:00Z' })],
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
    world.activity.set(WEB, quiet());
    // Never seen in use by the recommender either, where that is the question.
    world.advice.set(WEB, [{ ...FITTING, cpu: { ...FITTING.cpu!, peak: 1 } }]);
    block();
    await world.run(30 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(note()).toBeUndefined();
  });

  test('and is reported as held by the annotation, not as rolled back', async () => {
    world.activity.set(WEB, quiet());
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
    world.activity.set(key, quiet());
    await world.run(30 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('and tells so where that is all that is in the way', async () => {
    world.activity.set(WEB, quiet());
    change({ rolloutInProgress: true });
    await world.run(10 * MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'awaiting', reason: 'rollout', message: expect.stringContaining('no load for 9h') });
  });
});

test('What was recommended before it fell idle is recommended at least until it has been awake for as long as a recommendation takes', async () => {
  const asked: number[] = [];
  world.onAdvise = (_, rules) => asked.push(rules.get('main')?.cpu.min ?? 0);
  await fallsIdle();
  world.activity.set(WEB, busy());
  await world.run(2 * HOUR_MS);
  expect(asked.at(-1)).toBe(500);
  await world.run(DAY_MS);
  expect(asked.at(-1)).toBe(10);
});

function annotate(annotations: Readonly<Record<string, string | null>>): void {
  const [web] = world.cluster.workloadList;
  const merged = Object.entries({ ...web!.annotations, ...annotations }).filter(([, value]) => value !== null);
  change({ annotations: Object.fromEntries(merged) as Record<string, string> });
}

function change(record: Partial<(typeof world.cluster.workloadList)[number]>): void {
  world.cluster.workloadList = world.cluster.workloadList.map((workload) => ({ ...workload, ...record }));
}
