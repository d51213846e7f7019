import { beforeEach, describe, expect, test } from '@jest/globals';
import { aContainer, amounts, anAdvice, anHpaRecord, aWorkloadRecord, memory } from '../../../test/builders/rightsizing.ts';
import { targetsAnnotation } from '../../../test/builders/original-annotations.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { originalBinding, readOriginal, writeTargets, type RecordedTarget } from '../../core/hpa/recorded-target.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import { TEST_SIGNER } from '../../../test/fakes/test-signer.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

/** Three pods of 500m that need 100m, and an HPA at 60 %: 300m per pod, which is also 90 % of 334m. */
beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
  world.cluster.hpaList = [anHpaRecord()];
  world.setPolicy('all', { mode: 'Auto' });
});

function revert(by = 'argocd-controller'): void {
  world.setHpa('web', (hpa) => ({
    ...hpa,
    resourceMetrics: hpa.resourceMetrics.map((metric) => ({ ...metric, targetUtilizationRatio: 0.6 })),
    metricsWriter: by,
  }));
}

function original() {
  return readOriginal(world.cluster.hpaList[0]!)?.targets ?? [];
}

/** CPU usage per pod at which the HPA neither scales up nor down. */
function scalePoint(): number {
  const cpus = world.cpus();
  return (world.targetsOf('web')[0]! * cpus.reduce<number>((sum, cpu) => sum + (cpu ?? 0), 0)) / cpus.length / 100;
}

describe('an autoscaler that measures against the request', () => {
  test('keeps its replicas: its target changes with the requests, at each stage', async () => {
    const seen = new Set<number>();
    for (let minutes = 0; minutes < 120; minutes++) {
      await world.run(MINUTE_MS);
      seen.add(world.targetsOf('web')[0]!);
      expect(Math.abs(scalePoint() - 300)).toBeLessThanOrEqual(300 * 0.01);
    }
    expect(world.cpus()).toEqual([334, 334, 334]);
    expect(seen).toEqual(new Set([67, 77, 90]));
    expect(original()).toEqual([{ resource: 'cpu', container: null, percent: 60, request: 500, set: 90 }]);
    expect(world.status().autoscalers).toMatchObject([{ name: 'web', original: expect.stringContaining('"cpuMillicores":500') }]);
  });

  test.each([
    ['the first time', () => undefined],
    ['after its original target was recorded', () => world.run(2 * HOUR_MS)],
  ])('with an unsigned annotation of its original is not followed: %s', async (_, before) => {
    await before();
    const [live = 0] = world.targetsOf('web');
    const metrics = [{ resource: 'cpu', averageUtilization: 1, cpuMillicores: 5000, now: live }];
    world.setHpa('web', (hpa) => ({ ...hpa, annotations: { 'evenkeel.io/original': JSON.stringify({ metrics }) } }));
    await world.run(4 * HOUR_MS);
    expect(world.targetsOf('web')).toEqual([90]);
    expect(world.cpus()).toEqual([334, 334, 334]);
    expect(Math.abs(scalePoint() - 300)).toBeLessThanOrEqual(3);
  });

  test('with a signed annotation of a later version is not followed, and an Event reports it', async () => {
    const [hpa] = world.cluster.hpaList;
    const target = { resource: 'cpu', container: null, percent: 20, request: 500, set: 60 } as const;
    const annotation = targetsAnnotation([target], world.clock.now()).replace('"v":1', '"v":2');
    const record = TEST_SIGNER.sign(originalBinding(hpa!), annotation);
    world.setHpa('web', (each) => ({ ...each, hasAnnotations: true, annotations: { 'evenkeel.io/original': record } }));
    world.setPolicy('all', { mode: 'Recommend' });
    await world.run(2 * HOUR_MS);
    expect([world.targetsOf('web'), world.cluster.hpaList[0]!.annotations]).toEqual([[60], { 'evenkeel.io/original': record }]);
    const refused = world.events.filter(({ reason }) => reason === 'RecordUnreadable');
    expect(refused[0]?.message).toContain('HorizontalPodAutoscaler web: annotation evenkeel.io/original has a format that this version');
  });

  test.each(Array.from({ length: 14 }, (_, writes) => writes))(
    'with the note of a version before the first, which died after %i writes, has its own target once the pods are as they were',
    async (writes) => {
      world.diesAfterWrites = writes;
      await world.run(2 * HOUR_MS);
      const { uid, annotations } = world.cluster.hpaList[0]!;
      const { targets, issuedAt } = readOriginal({ annotations }) ?? { targets: [], issuedAt: 0 };
      if (targets.length > 0) {
        const earlier = `${writeTargets(targets).slice(0, -1)},"issuedAt":"${new Date(issuedAt).toISOString()}"}`;
        world.setHpa('web', (hpa) => ({
          ...hpa,
          annotations: { 'evenkeel.io/original': TEST_SIGNER.sign(originalBinding({ uid }), earlier) },
        }));
      }
      world.start();
      await world.run(2 * HOUR_MS);
      expect(world.targetsOf('web')).toEqual([90]);
      world.setPolicy('all', { mode: 'Recommend' });
      world.setPods((pod) => ({ ...pod, containers: [aContainer()] }));
      await world.run(HOUR_MS);
      expect([world.targetsOf('web'), world.cluster.hpaList[0]!.annotations]).toEqual([[60], {}]);
      expect(world.events.filter(({ reason }) => reason === 'RecordUnreadable')).toEqual([]);
    },
  );

  test('reports its limit, and each change of its target', async () => {
    await world.run(2 * HOUR_MS);
    const { state, reason, message } = world.status();
    expect([state, reason]).toEqual(['applied', undefined]);
    expect(message).toContain('HorizontalPodAutoscaler web keeps its replicas with targets of 50–90 %; its target is 60 % of 500m');
    const moves = world.events.filter(({ reason: why }) => why === 'AutoscalerTargetMoved');
    expect(moves.map(({ subject, message: words }) => `${subject.kind} ${subject.name}: ${words.slice(0, 27)}`)).toContain(
      'HorizontalPodAutoscaler web: cpu target 60 % → 67 %, wit',
    );
    expect(world.log.lines.filter((line) => line.message === 'Patched HorizontalPodAutoscaler')).toHaveLength(moves.length);
  });

  test('follows memory, one container of several, and each of two autoscalers', async () => {
    const pair = [aContainer(), aContainer({ name: 'proxy', requests: amounts('100m', '128Mi') })];
    world.setPods((pod) => ({ ...pod, containers: pair }));
    world.cluster.workloadList = [aWorkloadRecord({ containers: pair.map((container) => ({ ...container, image: 'a' })) })];
    world.advice.set(WEB, [anAdvice({ cpu: '350m', memory: '400Mi' }), anAdvice({ container: 'proxy', cpu: '50m', memory: '128Mi' })]);
    world.cluster.hpaList = [
      anHpaRecord({ metrics: [{ percent: 60 }, { resource: 'memory', percent: 70 }] }),
      anHpaRecord({ name: 'proxy', metrics: [{ container: 'proxy', percent: 50 }] }),
    ];
    await world.run(4 * HOUR_MS);
    const [main, proxy] = world.cluster.podList[0]!.containers.map(({ requests }) => requests);
    expect([main?.cpuMillicores, proxy?.cpuMillicores, main?.memoryBytes]).toEqual([350, 56, memory('400Mi')]);
    // 60 % of 600m, 70 % of 640Mi, 50 % of the proxy's 100m.
    expect(world.targetsOf('web')).toEqual([Math.round((60 * 600) / 406), Math.round((70 * 640) / 528)]);
    expect(world.targetsOf('proxy')).toEqual([Math.round((50 * 100) / 56)]);
  });

  test('rises before requests fall, and falls after requests grow', async () => {
    const order: string[] = [];
    const { refuse, refuseHpa } = world;
    world.refuse = (resize) => (order.push('resize'), refuse(resize));
    world.refuseHpa = () => (order.push('target'), refuseHpa());
    await world.run(MINUTE_MS);
    expect(order).toEqual(['target', 'resize']);
    await world.run(2 * HOUR_MS);
    order.length = 0;
    world.advice.set(WEB, [anAdvice({ cpu: '400m' })]);
    await world.run(10 * MINUTE_MS);
    expect(order).toEqual(['resize', 'resize', 'resize', 'target']);
    expect(world.targetsOf('web')).toEqual([75]);
  });

  test('is restored by a roll-back, without an annotation of Evenkeel', async () => {
    await world.run(2 * HOUR_MS);
    world.requestByUser({ rollback: { at: new Date(world.clock.now()).toISOString(), by: 'ada' } });
    await world.run(10 * MINUTE_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.targetsOf('web')).toEqual([60]);
    expect(world.cluster.hpaList[0]!.annotations).toEqual({});
    expect(world.status().autoscalers).toBeUndefined();
  });

  test.each(Array.from({ length: 16 }, (_, writes) => writes))(
    'loses no original target when the process ends after %i writes',
    async (writes) => {
      world.diesAfterWrites = writes;
      await world.run(2 * HOUR_MS);
      world.start();
      for (let minutes = 0; minutes < 120; minutes++) {
        await world.run(MINUTE_MS);
        expect(Math.abs(scalePoint() - 300)).toBeLessThanOrEqual(300 * 0.01);
      }
      expect(world.cpus()).toEqual([334, 334, 334]);
      expect(world.targetsOf('web')).toEqual([90]);
      expect(original()).toMatchObject([{ percent: 60, request: 500 }]);
    },
  );

  test('is changed twice more where another writer reverts it, then left alone, and the requests are restored', async () => {
    await world.run(2 * HOUR_MS);
    for (const moves of [90, 90, 60]) {
      revert();
      await world.run(HOUR_MS);
      expect(world.targetsOf('web')).toEqual([moves]);
    }
    await world.run(4 * HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({
      state: 'awaiting',
      reason: 'hpa',
      message: expect.stringContaining('reverted by argocd-controller'),
    });
    const reported = world.events.filter(({ reason }) => reason === 'AutoscalerReverted');
    expect(reported.map(({ message }) => message.split('; ').at(-1))).toEqual([
      'it is adjusted once more',
      'it is adjusted once more',
      'it is not adjusted again',
    ]);
  });

  test('is not counted as reverted while its change has not been written', async () => {
    let refused = 0;
    world.refuseHpa = () => (refused++ < 5 ? { kind: 'conflict', message: 'the version moved on' } : null);
    await world.run(2 * HOUR_MS);
    expect(refused).toBeGreaterThan(5);
    expect(world.events.filter(({ reason }) => reason === 'AutoscalerReverted')).toEqual([]);
    expect(world.cpus()).toEqual([334, 334, 334]);
  });

  test('replaced without the annotation, keeps its original target by the Recommendation', async () => {
    await world.run(2 * HOUR_MS);
    revert();
    world.setHpa('web', (hpa) => ({ ...hpa, uid: 'another', annotations: {}, hasAnnotations: false }));
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([90]);
    expect(original()).toEqual([{ resource: 'cpu', container: null, percent: 60, request: 500, set: 90 }]);
  });

  test('a target that a user sets stays', async () => {
    await world.run(2 * HOUR_MS);
    world.setHpa('web', (hpa) => ({ ...hpa, resourceMetrics: [{ ...hpa.resourceMetrics[0]!, targetUtilizationRatio: 0.75 }] }));
    await world.run(DAY_MS + HOUR_MS);
    expect(scalePoint()).toBeCloseTo(334 * 0.75, -1);
    expect(original()).toMatchObject([{ percent: 75, request: 334 }]);
    expect(world.targetsOf('web')).toEqual([90]);
  });

  test.each<[string, () => void, string]>([
    [
      'kept by a ScaledObject',
      () =>
        world.setHpa('web', (hpa) => ({
          ...hpa,
          controller: { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'load', uid: 'u' },
        })),
      'ScaledObject load manages it',
    ],
    [
      'taken over by a ScaledObject',
      () => {
        const target = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };
        world.cluster.scaledObjectList = [{ namespace: 'shop', name: 'load', target, hpa: 'web', utilizationOf: ['cpu'] }];
      },
      'ScaledObject load manages it',
    ],
    [
      'that may not be patched',
      () => (world.refuseHpa = () => ({ kind: 'refused', status: 403, message: 'policy says no' })),
      'the API server refused to move its target: policy says no',
    ],
    ['in mode Approve', () => world.setPolicy('all', { mode: 'Approve' }), ''],
    ['in dry run', () => world.setPolicy('all', { mode: 'Auto', dryRun: true }), 'dry run: '],
    ['while Evenkeel is paused', () => (world.pause = { reason: 'incident', until: null }), 'Evenkeel is paused: incident'],
    [
      'that changed the replicas lately',
      () => world.setHpa('web', (hpa) => ({ ...hpa, lastScaleAt: world.clock.now() + DAY_MS })),
      'stabilization window',
    ],
  ])('%s: neither its target nor the requests change', async (_, arrange, words) => {
    arrange();
    await world.run(2 * HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.status()).toMatchObject({ state: 'awaiting', message: expect.stringContaining(words) });
  });

  test('with hpa: Off is not changed', async () => {
    world.setPolicy('all', { mode: 'Auto', hpa: 'Off' });
    await world.run(4 * HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('in a mode that resizes nothing, follows the pods as they are created with their template’s size', async () => {
    await world.run(2 * HOUR_MS);
    world.setPolicy('all', { mode: 'Recommend' });
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([90]);
    const targets: number[] = [];
    for (const name of ['web-1', 'web-2', 'web-3']) {
      world.setPods((pod) => (pod.name === name ? { ...pod, containers: [aContainer()] } : pod));
      await world.run(10 * MINUTE_MS);
      targets.push(...world.targetsOf('web'));
    }
    expect(targets).toEqual([77, 67, 60]);
    expect(world.cluster.hpaList[0]!.annotations).toEqual({});
  });
});

describe('a record that Evenkeel signed earlier and a tenant puts back', () => {
  type Mode = NonNullable<PodResizePolicySpec['mode']>;
  const MODES = ['Observe', 'Recommend', 'Approve', 'Off', 'Auto'] as const;
  const earlier = (target: Partial<RecordedTarget> = {}): string => {
    const targets = [{ resource: 'cpu' as const, container: null, percent: 20, request: 500, set: 60, ...target }];
    const [hpa] = world.cluster.hpaList;
    return TEST_SIGNER.sign(originalBinding(hpa!), targetsAnnotation(targets, world.clock.now() - 30 * DAY_MS));
  };
  const putBack = (record: string): void =>
    world.setHpa('web', (hpa) => ({ ...hpa, hasAnnotations: true, annotations: { 'evenkeel.io/original': record } }));
  const setMode = (mode: Mode | 'Off'): void => {
    world.setPolicy('all', { mode: mode === 'Off' ? 'Auto' : mode });
    const annotations = mode === 'Off' ? { 'evenkeel.io/mode': 'Off' } : {};
    world.cluster.workloadList = [aWorkloadRecord({ annotations })];
  };

  describe.each(MODES)('in mode %s', (mode) => {
    beforeEach(() => {
      setMode(mode);
      // Pods have what they need: only the record could change the target.
      world.advice.set(WEB, [anAdvice({ cpu: '500m', memory: '512Mi' })]);
    });

    test.each<[string, Partial<RecordedTarget>]>([
      ['of a change to the present target', {}],
      ['of the present target for larger pods', { percent: 60, request: 5000, set: 90 }],
      ['of a change to another target', { set: 77 }],
    ])('changes no target %s', async (_, target) => {
      putBack(earlier(target));
      await world.run(2 * HOUR_MS);
      putBack(earlier(target));
      await world.run(2 * HOUR_MS);
      world.start();
      await world.run(2 * HOUR_MS);
      expect(world.targetsOf('web')).toEqual([60]);
      expect(world.log.lines.filter(({ message }) => message === 'Patched HorizontalPodAutoscaler')).toEqual([]);
      const refused = world.events.filter(({ reason }) => reason === 'RecordOutdated');
      expect(refused[0]?.message).toContain('HorizontalPodAutoscaler web: annotation evenkeel.io/original is from an earlier change');
    });
  });

  test('is not followed in place of the present one: the Recommendation has the original', async () => {
    const record = earlier({ percent: 20, request: 500, set: 90 });
    putBack(record);
    await world.run(2 * HOUR_MS);
    expect(world.targetsOf('web')).toEqual([90]);
    putBack(record);
    world.start();
    await world.run(2 * HOUR_MS);
    world.setPods((pod) => ({ ...pod, containers: [aContainer()] }));
    world.setPolicy('all', { mode: 'Recommend' });
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
  });

  test('of a change that has just ended is not followed once the original target is restored', async () => {
    await world.run(2 * HOUR_MS);
    const { 'evenkeel.io/original': record = '' } = world.cluster.hpaList[0]!.annotations;
    world.requestByUser({ rollback: { at: new Date(world.clock.now()).toISOString(), by: 'ada' } });
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
    // 90 % is now the owner's choice.
    world.setHpa('web', (hpa) => ({ ...hpa, resourceMetrics: [{ ...hpa.resourceMetrics[0]!, targetUtilizationRatio: 0.9 }] }));
    putBack(record);
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([90]);
  });
});

describe('in a mode that publishes nothing', () => {
  test('the Recommendation stays until the target is restored, so that a restart loses no original', async () => {
    await world.run(2 * HOUR_MS);
    world.setPolicy('all', { mode: 'Observe' });
    await world.run(HOUR_MS);
    expect(world.recommendation()).toBeDefined();
    // The pods are replaced while no process runs.
    world.setPods((pod) => ({ ...pod, containers: [aContainer()] }));
    world.start();
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
    expect([world.cluster.hpaList[0]!.annotations, world.recommendation()]).toEqual([{}, undefined]);
  });

  test('a record without a Recommendation is followed where it matches the HPA', async () => {
    await world.run(2 * HOUR_MS);
    world.cluster.recommendationList = [];
    world.setPolicy('all', { mode: 'Recommend' });
    world.start();
    await world.run(HOUR_MS);
    expect(original()).toMatchObject([{ percent: 60, request: 500 }]);
    world.setPods((pod) => ({ ...pod, containers: [aContainer()] }));
    await world.run(HOUR_MS);
    expect(world.targetsOf('web')).toEqual([60]);
  });

  test.each(Array.from({ length: 12 }, (_, writes) => writes))(
    'no original is lost when the process ends after %i writes',
    async (writes) => {
      await world.run(2 * HOUR_MS);
      world.setPolicy('all', { mode: 'Observe' });
      world.setPods((pod) => ({ ...pod, containers: [aContainer()] }));
      world.diesAfterWrites = writes;
      await world.run(HOUR_MS);
      world.start();
      await world.run(HOUR_MS);
      expect(world.targetsOf('web')).toEqual([60]);
      expect([world.cluster.hpaList[0]!.annotations, world.recommendation()]).toEqual([{}, undefined]);
    },
  );
});

describe('an autoscaler that has been at minReplicas for a week', () => {
  const leaveMin = () => world.setHpa('web', (hpa) => ({ ...hpa, currentReplicas: 4, desiredReplicas: 4, lastScaleAt: world.clock.now() }));
  const needs = (peak: number) => world.advice.set(WEB, [anAdvice({ cpu: '100m', cpuAdvice: { peak } })]);

  beforeEach(() => {
    world.cluster.hpaList = [anHpaRecord({ minReplicas: 3 })];
    needs(96);
  });

  test('frees what the highest usage leaves under its target, which stays', async () => {
    const targets = new Set<number>();
    for (let minutes = 0; minutes < 120; minutes++) {
      await world.run(MINUTE_MS);
      targets.add(world.targetsOf('web')[0]!);
    }
    // (96m × 1.25) ÷ 60 %.
    expect(world.cpus()).toEqual([200, 200, 200]);
    expect(targets).toEqual(new Set([60]));
    expect(world.status().message).toContain('has been at minReplicas for 7 days: its target of 60 % is kept');
  });

  test('keeps the scale point that its owner chose as soon as it scales', async () => {
    await world.run(2 * HOUR_MS);
    leaveMin();
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([334, 334, 334]);
    expect(world.targetsOf('web')).toEqual([90]);
    expect(original()).toMatchObject([{ percent: 60, request: 500 }]);
  });

  test('has its target restored only where that starts no pod', async () => {
    world.setHpa('web', (hpa) => ({ ...hpa, lastScaleAt: world.clock.now() - DAY_MS }));
    await world.run(2 * HOUR_MS);
    expect(world.targetsOf('web')).toEqual([90]);
    world.setHpa('web', (hpa) => ({ ...hpa, lastScaleAt: null }));
    needs(170);
    await world.run(2 * HOUR_MS);
    expect([world.targetsOf('web'), world.cpus()]).toEqual([[90], [334, 334, 334]]);
    needs(96);
    await world.run(DAY_MS);
    expect([world.targetsOf('web'), world.cpus()]).toEqual([[60], [200, 200, 200]]);
  });

  test('frees everything above the minimum where nothing is used', async () => {
    needs(0);
    world.setHpa('web', (hpa) => ({
      ...hpa,
      controller: { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'load', uid: 'u' },
    }));
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([100, 100, 100]);
  });

  test('grows with the usage without a change of its target', async () => {
    await world.run(2 * HOUR_MS);
    needs(120);
    await world.run(2 * HOUR_MS);
    expect([world.targetsOf('web'), world.cpus()]).toEqual([[60], [250, 250, 250]]);
  });

  test('frees as much where another manager owns the target, and has its requests restored as soon as it scales', async () => {
    const controller = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'load', uid: 'u' };
    world.setHpa('web', (hpa) => ({ ...hpa, controller }));
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([200, 200, 200]);
    leaveMin();
    await world.run(2 * HOUR_MS);
    expect(world.cpus()).toEqual([500, 500, 500]);
    expect(world.targetsOf('web')).toEqual([60]);
    expect(world.cluster.hpaList[0]!.annotations).toEqual({});
  });

  test.each<[string, () => void]>([
    ['it scaled within the week', () => world.setHpa('web', (hpa) => ({ ...hpa, lastScaleAt: world.clock.now() - 6 * DAY_MS }))],
    ['it was created within the week', () => world.setHpa('web', (hpa) => ({ ...hpa, createdAt: world.clock.now() - 6 * DAY_MS }))],
    ['it needs more replicas', () => world.setHpa('web', (hpa) => ({ ...hpa, minReplicas: 2 }))],
    [
      'its usage is known for less than a week',
      () => world.advice.set(WEB, [anAdvice({ cpu: '100m', cpuAdvice: { peak: 96 }, firstSampleAt: world.clock.now() - 6 * DAY_MS })]),
    ],
  ])('follows the requests as usual where %s', async (_, arrange) => {
    arrange();
    await world.run(2 * HOUR_MS);
    expect([world.targetsOf('web'), world.cpus()]).toEqual([[90], [334, 334, 334]]);
  });
});
