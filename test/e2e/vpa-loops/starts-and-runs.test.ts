// Problems that users of VPA report about pods that start and that end, played on the embedded cluster: no advice for short Jobs,
// starvation during the start, runtimes that use more memory than they show.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WireResources } from '#embedded-cluster/controllers/wire/pod';
import { aPolicyFor, LoopScene, resources, sizeOf, type LoopWorkload } from './scene.ts';
import { HANG_TEST_MS } from '../../eventually.ts';

const HOURS = 30;

const shortRun: LoopWorkload = {
  kind: 'CronJob',
  name: 'short-run',
  schedule: '*/15 * * * *',
  resources: resources(['1', '1Gi'], [null, '2Gi']),
  uses: () => ({ cpuMillicores: 200, memoryMib: 150 }),
  usage: { runSeconds: 45 },
};
const longRun: LoopWorkload = { ...shortRun, name: 'long-run', schedule: '7 */4 * * *', usage: { runSeconds: 1200 } };
const slowStart: LoopWorkload = {
  kind: 'Deployment',
  name: 'slow-start',
  replicas: 2,
  resources: resources(['800m', '512Mi']),
  uses: () => ({ cpuMillicores: 100, memoryMib: 200 }),
  usage: { startupCpu: '900m', startupSeconds: 120 },
};
const jvm: LoopWorkload = {
  kind: 'Deployment',
  name: 'jvm',
  replicas: 2,
  resources: resources(['500m', '1200Mi'], [null, '1200Mi']),
  uses: () => ({ cpuMillicores: 100, memoryMib: 260 }),
  container: { env: [{ name: 'JAVA_TOOL_OPTIONS', value: '-Xms256m -Xmx768m' }] },
};

describe('starts and runs', () => {
  let scene: LoopScene | undefined;
  let beforeStart = 0;
  const boosted: number[] = [];

  beforeAll(async () => {
    scene = await LoopScene.start({
      workloads: [shortRun, longRun, slowStart, jvm],
      policies: [aPolicyFor('slow-start', { startup: { boostRatio: 4, duration: '3m' } })],
      nodes: 3,
      maxDays: 3,
    });
    await scene.hours(HOURS - 2);
    beforeStart = Math.max(...scene.inForce('slow-start').map(({ cpu }) => cpu ?? Infinity));
    scene.rollOut('slow-start');
    for (let half = 0; half < 20; half++) {
      await scene.hours(1 / 120);
      boosted.push(Math.max(...scene.inForce('slow-start').map(({ cpu }) => cpu ?? 0)));
    }
    await scene.hours(2);
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  // kubernetes/autoscaler#1790, #3975, #3766; FairwindsOps/goldilocks#100: runs of a minute or less have no advice, or a wrong one.
  test.each(['short-run', 'long-run'])('%s: a CronJob has advice that fits the usage of its runs, and reports how to apply it', (name) => {
    const { state, message, containers } = scene!.recommendation(name);
    const { cpu, memory } = sizeOf(containers?.[0]?.recommended as WireResources | undefined);
    expect(cpu).toBeGreaterThanOrEqual(200);
    expect(cpu).toBeLessThanOrEqual(400);
    expect(memory).toBeGreaterThanOrEqual(100);
    expect(memory).toBeLessThanOrEqual(300);
    expect({ state, message }).toEqual({ state: 'awaiting', message: expect.stringContaining('only at creation') });
    expect(scene!.tally(name).oomKills).toBe(0);
  });

  // kubernetes/autoscaler#7862; google/kube-startup-cpu-boost#142: a pod sized for its steady state is starved during its start.
  test('a pod that needs more CPU to start has it during its start, in place, and its startup usage does not raise the recommendation', () => {
    expect(beforeStart).toBeLessThan(150);
    expect(boosted.slice(0, 3).every((cpu) => cpu >= 4 * beforeStart)).toBe(true);
    expect(boosted.at(-1)).toBeLessThan(150);
    for (const { cpu } of scene!.inForce('slow-start')) expect(cpu).toBeLessThan(150);
    expect(scene!.evictions()).toBe(0);
  });

  // kubernetes/autoscaler#5029, #6007: sized by the working set of a heap below its maximum.
  test('a JVM keeps memory for its maximum heap, plus a margin', () => {
    for (const { memory, memoryLimit } of scene!.inForce('jvm')) {
      expect(memory).toBeGreaterThanOrEqual(768 * 1.25);
      expect(memoryLimit).toBeGreaterThanOrEqual(768 * 1.25);
      expect(memory).toBeLessThan(1200);
    }
    for (const { cpu } of scene!.inForce('jvm')) expect(cpu).toBeLessThan(150);
  });
});
