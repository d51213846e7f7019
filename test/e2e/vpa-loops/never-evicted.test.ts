// Problems that users of VPA report about evicted pods, and about resizes that are blocked because pods may not be evicted: on a cluster
// with one full node, with default settings.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LoopScene, NAMESPACE, resources, type LoopWorkload } from './scene.ts';
import { HANG_TEST_MS } from '../../eventually.ts';

const GROWS = 3;
const ROOM = 9;
const ENDS = 16;

const filler: LoopWorkload = {
  kind: 'Deployment',
  name: 'filler',
  replicas: 1,
  resources: resources(['2', '1Gi']),
  uses: () => ({ cpuMillicores: 300, memoryMib: 300 }),
  annotations: { 'evenkeel.io/exclude': 'true' },
};
const single: LoopWorkload = {
  kind: 'StatefulSet',
  name: 'single',
  replicas: 1,
  resources: resources(['500m', '512Mi']),
  uses: (hour) => ({ cpuMillicores: hour < GROWS ? 300 : 2200, memoryMib: 300 }),
};
const guarded: LoopWorkload = {
  kind: 'Deployment',
  name: 'guarded',
  replicas: 2,
  resources: resources(['300m', '512Mi']),
  uses: () => ({ cpuMillicores: 60, memoryMib: 150 }),
  podAnnotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', 'karpenter.sh/do-not-disrupt': 'true' },
};
const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: NAMESPACE, name: 'guarded' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'guarded' } } },
};

describe('pods that may not be evicted', () => {
  let scene: LoopScene | undefined;
  let uids: readonly string[] = [];
  let withoutRoom: { readonly state?: string | undefined; readonly reason?: string | undefined; readonly cpu: number } | undefined;
  const allUids = (): readonly string[] => ['single', 'guarded'].flatMap((name) => scene!.pods(name).map(({ metadata }) => metadata.uid));

  beforeAll(async () => {
    scene = await LoopScene.start({ workloads: [filler, single, guarded], objects: [budget], nodes: 1, maxDays: 2 });
    uids = allUids();
    await scene.hours(ROOM);
    const { state, reason } = scene.recommendation('single');
    withoutRoom = { state, reason, cpu: scene.inForce('single')[0]?.cpu ?? 0 };
    scene.cluster.server.accessAs('people').modify('deployments.apps', NAMESPACE, 'filler', (draft) => {
      (draft as unknown as { spec: { replicas: number } }).spec.replicas = 0;
    });
    await scene.hours(ENDS - ROOM);
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  // kubernetes/autoscaler#8720: in-place fails, then the only replica of a StatefulSet is evicted.
  test('the only replica of a StatefulSet waits for capacity on its node, reports it, and grows there as soon as there is some', () => {
    expect(withoutRoom).toMatchObject({ state: 'awaiting', reason: 'node-capacity' });
    expect(withoutRoom?.cpu).toBeLessThan(2200);
    expect(scene!.inForce('single')[0]?.cpu).toBeGreaterThanOrEqual(2200);
  });

  // kubernetes/autoscaler#10181: rules about eviction also blocked resizes that evict no pod.
  test('pods with a disruption budget of zero are resized in place all the same', () => {
    for (const { cpu, memory } of scene!.inForce('guarded')) {
      expect(cpu).toBeLessThan(120);
      expect(memory).toBeLessThan(256);
    }
  });

  test('no pod was evicted or restarted', () => {
    expect(allUids()).toEqual(uids);
    expect(scene!.evictions()).toBe(0);
    expect(scene!.cluster.nodes.counters().restarts).toBe(0);
  });
});
