// Problems that users of VPA report about sizes: too small, too large, excessive limits, reduced by weekends.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { daytime, LoopScene, resources, type LoopWorkload } from './scene.ts';
import { HANG_TEST_MS } from '../../eventually.ts';

/** Evenkeel starts on a Sunday at midnight. */
const MONDAY_NOON = 36;
const OFFICE = { cpuMillicores: 400, memoryMib: 600 };

/** Busy on weekdays between 6 and 18, almost idle otherwise. */
function office(hour: number): { cpuMillicores: number; memoryMib: number } {
  const day = Math.floor(hour / 24);
  const isWeekend = (day + 8) % 7 <= 1;
  const load = isWeekend ? 0.05 : 0.05 + 0.95 * daytime(hour);
  return { cpuMillicores: OFFICE.cpuMillicores * load, memoryMib: OFFICE.memoryMib * (0.5 + 0.5 * load) };
}

const workloads: readonly LoopWorkload[] = [
  {
    kind: 'Deployment',
    name: 'tiny',
    resources: resources(['100m', '128Mi'], [null, '256Mi']),
    uses: () => ({ cpuMillicores: 2, memoryMib: 9 }),
  },
  // A limit of 100 times the request.
  {
    kind: 'Deployment',
    name: 'absurd',
    resources: resources(['20m', '40Mi'], ['2', '4000Mi']),
    uses: () => ({ cpuMillicores: 150, memoryMib: 300 }),
  },
  // Limit close to the request, and usage above the CPU limit.
  {
    kind: 'Deployment',
    name: 'tight',
    resources: resources(['100m', '200Mi'], ['110m', '220Mi']),
    uses: () => ({ cpuMillicores: 105, memoryMib: 205 }),
  },
  { kind: 'Deployment', name: 'office', resources: resources(['1', '1Gi'], [null, '1536Mi']), uses: office },
  // Reads files of three times its limit; its own memory is a fifth of the limit.
  {
    kind: 'Deployment',
    name: 'files',
    replicas: 1,
    resources: resources(['100m', '512Mi'], [null, '1Gi']),
    uses: () => ({ cpuMillicores: 60, memoryMib: 3000 }),
    usage: { cacheShare: 0.93 },
  },
  // More than the allocatable of any node.
  {
    kind: 'Deployment',
    name: 'huge',
    replicas: 1,
    resources: resources(['1', '1Gi']),
    uses: (hour) => ({ cpuMillicores: hour < 4 ? 800 : 9000, memoryMib: 800 }),
  },
];

describe('sizes', () => {
  let scene: LoopScene | undefined;
  let sundayLimit = 0;

  beforeAll(async () => {
    scene = await LoopScene.start({ workloads, nodes: 3, maxDays: 3 });
    await scene.hours(MONDAY_NOON - 16);
    sundayLimit = Math.min(...scene.sizes('office').map(({ memoryLimit }) => memoryLimit ?? Infinity));
    await scene.hours(16);
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  // kubernetes/autoscaler#2004, #7280; FairwindsOps/goldilocks#210: a floor of 250 MB for each pod.
  test('a small pod gets what it needs, not a floor that is many times as much', () => {
    for (const { cpu, memory, memoryLimit } of scene!.inForce('tiny')) {
      expect(cpu).toBeLessThanOrEqual(10);
      expect(memory).toBeLessThanOrEqual(32);
      expect(memory).toBeGreaterThanOrEqual(9);
      expect(memoryLimit).toBeGreaterThanOrEqual(12);
    }
  });

  // kubernetes/autoscaler#2444, #5217, #8401: limits keep their ratio to the request.
  test('a limit of a hundred times the request does not become a hundred times the new one', () => {
    for (const { cpu, cpuLimit, memory, memoryLimit } of scene!.inForce('absurd')) {
      expect(cpu).toBeGreaterThanOrEqual(150);
      expect(cpuLimit).toBe(2000);
      expect(memory).toBeGreaterThanOrEqual(300);
      expect(memoryLimit).toBeLessThanOrEqual(4000);
    }
  });

  // kubernetes/autoscaler#4205, #6348: a request above its limit.
  test('no request passes its limit', () => {
    for (const name of ['tiny', 'absurd', 'tight', 'office', 'huge']) {
      for (const { cpu, cpuLimit, memory, memoryLimit } of scene!.sizes(name)) {
        expect(cpu).toBeLessThanOrEqual(cpuLimit ?? Infinity);
        expect(memory).toBeLessThanOrEqual(memoryLimit ?? Infinity);
      }
    }
  });

  // kubernetes/autoscaler#3684, #5579: weekends reduce the recommendation.
  test('after a quiet weekend Monday has enough capacity: no OOM kill, and higher requests by noon', () => {
    expect(sundayLimit).toBeGreaterThan(OFFICE.memoryMib);
    expect(scene!.tally('office')).toMatchObject({ oomKills: 0, restarts: 0 });
    for (const { cpu, memory } of scene!.inForce('office')) {
      expect(cpu).toBeGreaterThanOrEqual(OFFICE.cpuMillicores * 0.9);
      expect(memory).toBeGreaterThanOrEqual(OFFICE.memoryMib * 0.95);
    }
  });

  // kubernetes/autoscaler#4150; kubernetes-sigs/metrics-server#187: page cache counts as usage, so the recommendation keeps growing.
  test('page cache that fills any limit does not raise the limit', () => {
    const [size] = scene!.inForce('files');
    expect(size?.memoryLimit).toBeLessThanOrEqual(1024);
    expect(size?.memory).toBeLessThanOrEqual(1024);
    expect(scene!.tally('files')).toMatchObject({ oomKills: 0, restarts: 0 });
  });

  // kubernetes/autoscaler#4515, #7147, #6487: recommendations above the size of any node leave pods pending.
  test('no request exceeds the size of every node', () => {
    const [pod] = scene!.pods('huge');
    expect(pod?.status.phase).toBe('Running');
    expect(scene!.sizes('huge')[0]?.cpu).toBeLessThanOrEqual(3920);
    expect(pod?.status.conditions?.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible')).toBe(false);
    expect(scene!.evictions()).toBe(0);
  });
});
