// Idle mode on the embedded cluster: workloads without usage at night are small at night, and have their natural size when the day starts.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HANG_TEST_MS } from '../eventually.ts';
import { aPolicyFor, anHpa, LoopScene, resources, type LoopWorkload, type Size } from './vpa-loops/scene.ts';

/** From eight in the morning to eight in the evening. Evenkeel starts at midnight, four hours into a night. */
const isDay = (hour: number): boolean => (hour + 24_000) % 24 >= 8 && (hour + 24_000) % 24 < 20;
const byDay = (name: string, over: Partial<LoopWorkload> = {}): LoopWorkload => ({
  kind: 'Deployment',
  name,
  resources: resources(['300m', '256Mi'], ['1', '512Mi']),
  uses: (hour) => ({ cpuMillicores: isDay(hour) ? 200 : 0.5, memoryMib: 150 }),
  ...over,
});
/** A fixed rule, because the learned one follows the hours of the day and would be small at night too. */
const cpu = { percentile: 0.95, margin: 0.2 };
const idle = { enabled: true, after: '6h', cpuThreshold: '10m', cpu: '10m' } as const;

describe('Workloads without use at night', () => {
  let scene: LoopScene;
  const sizes = new Map<string, ReadonlyMap<string, readonly Size[]>>();

  /** Records the sizes in force of every workload. */
  const look = (when: string): void => {
    const names = ['office', 'stopped', 'parked', 'scaled', 'always'];
    sizes.set(when, new Map(names.map((name) => [name, scene.inForce(name)])));
  };
  const at = (when: string, name: string): readonly Size[] => {
    const found = sizes.get(when)?.get(name);
    if (found === undefined) throw new Error(`no sizes of ${name} at: ${when}`);
    return found;
  };
  const cpusAt = (when: string, name: string): readonly (number | null)[] => at(when, name).map(({ cpu }) => cpu);
  let idled: ReturnType<LoopScene['recommendation']> = {};
  let held: ReturnType<LoopScene['recommendation']> = {};
  let woken: ReturnType<LoopScene['recommendation']> = {};

  beforeAll(async () => {
    scene = await LoopScene.start({
      workloads: [
        byDay('office'),
        byDay('stopped'),
        byDay('parked'),
        byDay('scaled'),
        byDay('always', { uses: () => ({ cpuMillicores: 200, memoryMib: 150 }) }),
      ],
      objects: [anHpa('scaled', 80, [2, 4])],
      policies: [
        ...['office', 'stopped', 'scaled', 'always'].map((name) => aPolicyFor(name, { cpu, idle })),
        aPolicyFor('parked', { cpu, idle: { ...idle, replicas: 1 } }),
      ],
      maxDays: 2,
    });
    await scene.hours(1);
    look('before');
    await scene.hours(3);
    look('night');
    idled = scene.recommendation('office');
    held = scene.recommendation('scaled');
    await scene.restartEvenkeel();
    await scene.hours(1);
    look('night, after a restart');
    await scene.apply(aPolicyFor('stopped', { cpu, idle: { ...idle, enabled: false } }));
    await scene.hours(0.2);
    look('night, one policy switched off');
    await scene.hours(2.9);
    look('eight and some minutes');
    woken = scene.recommendation('office');
  }, HANG_TEST_MS);
  afterAll(() => scene.end());

  test('are small at night, in place: only CPU requests, with unchanged limits', () => {
    for (const { cpu: had } of at('before', 'office')) expect(had).toBeGreaterThan(200);
    expect(at('night', 'office')).toEqual(at('before', 'office').map((size) => ({ ...size, cpu: 10 })));
    expect(idled).toMatchObject({ state: 'idle', idle: { replicas: 2 } });
  });

  test('stay small over a restart of the controller', () => {
    expect(cpusAt('night, after a restart', 'office')).toEqual([10, 10]);
  });

  test('have their natural size as soon as the day starts', () => {
    expect(at('eight and some minutes', 'office')).toEqual(at('before', 'office'));
    expect(woken.idle).toBeUndefined();
    expect(woken.lastIdle).toMatchObject({ wakeReason: expect.stringContaining('load') });
  });

  test('have it immediately when their policy is changed', () => {
    expect(cpusAt('night, after a restart', 'stopped')).toEqual([10, 10]);
    expect(at('night, one policy switched off', 'stopped')).toEqual(at('before', 'stopped'));
  });

  test('have fewer replicas at night where their policy sets it, and all of them by day', () => {
    expect(cpusAt('night', 'parked')).toEqual([10]);
    const [first, second, ...others] = cpusAt('eight and some minutes', 'parked');
    expect(first).toBeGreaterThan(200);
    expect(second).toBeGreaterThan(200);
    expect(others).toEqual([]);
  });

  test('are not idled where an autoscaler would add replicas, and report it', () => {
    expect(at('night', 'scaled')).toEqual(at('before', 'scaled'));
    expect(held).toMatchObject({ state: 'awaiting', reason: 'hpa', message: expect.stringContaining('HorizontalPodAutoscaler scaled') });
  });

  test('are the only idled ones: a workload with usage at night is unchanged', () => {
    for (const when of ['night', 'eight and some minutes']) expect(at(when, 'always')).toEqual(at('before', 'always'));
  });
});
