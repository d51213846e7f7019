// Problems that users of VPA report about DaemonSets: one size for all nodes starves pods on large nodes, or wastes capacity on small ones.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LoopScene, resources, sizeOf, type LoopWorkload, type Size } from './scene.ts';
import { HANG_TEST_MS } from '../../eventually.ts';

const SMALL = { cores: 2, pods: 3, cpuMillicores: 50, memoryMib: 60, className: '2cpu-8Gi' };
const LARGE = { cores: 16, pods: 2, cpuMillicores: 400, memoryMib: 480, className: '16cpu-64Gi' };

interface WireNode {
  readonly metadata: { readonly name: string };
  readonly status: { readonly capacity: { readonly cpu: string } };
}

/** An agent whose usage grows with the size of its node. */
const agent: LoopWorkload = {
  kind: 'DaemonSet',
  name: 'agent',
  resources: resources(['500m', '600Mi'], ['1', '1Gi']),
  uses: () => ({ cpuMillicores: SMALL.cpuMillicores, memoryMib: SMALL.memoryMib }),
  usage: { perNodeCores: SMALL.cores },
};

describe('a DaemonSet on nodes of two sizes', () => {
  let scene: LoopScene | undefined;
  let resizesAtNoon = 0;

  beforeAll(async () => {
    scene = await LoopScene.start({ workloads: [agent], nodes: 5, machineTypes: ['e2-standard-2', 'e2-standard-16'], maxDays: 4 });
    await scene.hours(36);
    resizesAtNoon = scene.resizes();
    await scene.restartEvenkeel();
    await scene.hours(6);
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  function on(cores: number): readonly Size[] {
    const nodes = [...scene!.cluster.server.accessAs('test').list('nodes')] as unknown as readonly WireNode[];
    const those = new Set(nodes.filter(({ status }) => status.capacity.cpu === `${cores}`).map(({ metadata }) => metadata.name));
    const pods = scene!.pods('agent').filter(({ spec }) => those.has(spec.nodeName ?? ''));
    return pods.map(({ status }) => sizeOf(status.containerStatuses?.[0]?.resources));
  }

  // kubernetes/autoscaler#5928, #6608, #6420: pods of one DaemonSet differ by a factor of six.
  test.each([SMALL, LARGE])(
    'pods on nodes of $cores cores have the size that they need there',
    ({ cores, pods, cpuMillicores, memoryMib }) => {
      const sizes = on(cores);
      expect(sizes).toHaveLength(pods);
      for (const { cpu, memory, memoryLimit } of sizes) {
        expect(cpu).toBeGreaterThanOrEqual(cpuMillicores);
        expect(cpu).toBeLessThanOrEqual(cpuMillicores * 1.3);
        expect(memory).toBeGreaterThanOrEqual(memoryMib);
        expect(memory).toBeLessThanOrEqual(memoryMib * 1.5);
        expect(memoryLimit).toBeGreaterThan(memoryMib);
      }
    },
  );

  test('none was killed, restarted, evicted or throttled', () => {
    expect(scene!.tally('agent')).toMatchObject({ oomKills: 0, restarts: 0, throttledMs: 0 });
    expect(scene!.evictions()).toBe(0);
  });

  test('the status has both sizes, and a new controller continues from it', () => {
    const { classes = [] } = scene!.recommendation('agent');
    expect(classes.map(({ name, pods }) => [name, pods])).toEqual([
      [SMALL.className, 3],
      [LARGE.className, 2],
    ]);
    for (const { lastApplied } of classes) expect(lastApplied?.containers).toHaveLength(1);
    expect(scene!.resizes() - resizesAtNoon).toBeLessThanOrEqual(5);
  });
});
