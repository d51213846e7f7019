// Nodes whose kubelets refuse a part of every resize: the refused resource is not retried in the node pool, and the other is in force
// everywhere.

import { afterEach, expect, test } from '@jest/globals';
import { HANG_TEST_MS } from '../eventually.ts';
import { LoopScene, type LoopWorkload } from './vpa-loops/scene.ts';

let scene: LoopScene | undefined;

afterEach(async () => {
  await scene?.end();
  scene = undefined;
});

const SIZE = { cpu: '1', memory: '1Gi' };
const aWorkload = (name: string, limits?: Readonly<Record<string, string>>): LoopWorkload => ({
  kind: 'Deployment',
  name,
  replicas: 2,
  resources: { requests: SIZE, ...(limits === undefined ? {} : { limits }) },
  uses: () => ({ cpuMillicores: 100, memoryMib: 200 }),
});

test(
  'a memory resize of containers that may swap is tried once per workload, and their CPU is reduced',
  async () => {
    scene = await LoopScene.start({
      workloads: [aWorkload('api'), aWorkload('web')],
      nodes: 1,
      kubelet: { swapBehavior: 'LimitedSwap' },
      maxDays: 2,
    });
    await scene.hours(12);
    for (const name of ['api', 'web']) {
      const sizes = scene.inForce(name);
      expect(sizes.map(({ memory }) => memory)).toEqual([1024, 1024]);
      for (const { cpu } of sizes) expect(cpu).toBeLessThan(300);
      expect(scene.recommendation(name)).toMatchObject({ state: 'awaiting', reason: 'node-unsupported' });
    }
    // Both started in the same minute; each was refused once, and tries no other pod.
    for (const name of ['api', 'web']) {
      const { resizes = [] } = scene.recommendation(name);
      expect(resizes.map(({ code, resource }) => [code, resource])).toEqual([['swap', 'memory']]);
    }
  },
  HANG_TEST_MS,
);
