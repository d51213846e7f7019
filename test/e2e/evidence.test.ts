// Throttling and pressure from the kubelets' counters to the dashboard API: measured, zero, and unmeasured.

import { afterEach, expect, test } from '@jest/globals';
import type { HealthCheck, Recommendation } from '../../src/apis/http/types.generated.ts';
import { read } from './dashboard.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { aPolicyFor, LoopScene, NAMESPACE, resources, sizeOf, type LoopWorkload } from './vpa-loops/scene.ts';

let scene: LoopScene | undefined;
afterEach(() => scene?.end());

/** A workload whose load is not throttled before Evenkeel starts, so that later throttling was measured live. */
function aWorkload(name: string, cpuLimit: string | null, cpuMillicores: number): LoopWorkload {
  return {
    kind: 'Deployment',
    name,
    replicas: 2,
    resources: resources(['100m', '200Mi'], [cpuLimit, '400Mi']),
    uses: (hour) => ({ cpuMillicores: hour < 0 ? 50 : cpuMillicores, memoryMib: 100 }),
  };
}

async function throttledRatioOf(name: string): Promise<number | null | undefined> {
  const { containers } = await read<Recommendation>(scene!.dashboard, `recommendations/${NAMESPACE}/${name}`);
  return containers[0]?.throttledRatio;
}

async function healthOf(name: string): Promise<HealthCheck | undefined> {
  return (await read<readonly HealthCheck[]>(scene!.dashboard, 'health')).find((check) => check.name === name);
}

test(
  'the throttled share of a container is what its node measured, 0 without throttling, null without a CPU limit',
  async () => {
    const workloads = [aWorkload('throttled', '200m', 400), aWorkload('ample', '1', 60), aWorkload('unlimited', null, 60)];
    const policies = workloads.map(({ name }) => aPolicyFor(name, { mode: 'Recommend' }));
    scene = await LoopScene.start({ workloads, policies, maxDays: 1 });
    await scene.hours(6);
    expect(await throttledRatioOf('throttled')).toBeGreaterThan(0.1);
    expect(await throttledRatioOf('ample')).toBe(0);
    expect(await throttledRatioOf('unlimited')).toBeNull();
    expect(await healthOf('throttling')).toMatchObject({ status: 'ok', message: 'known for 2 nodes with CPU-limited containers' });
    expect(await healthOf('pressure')).toMatchObject({ status: 'ok', message: 'known for 2 nodes' });
  },
  HANG_TEST_MS,
);

test(
  'health says that kubelets before 1.34 measure no pressure; throttling is measured all the same',
  async () => {
    scene = await LoopScene.start({ workloads: [aWorkload('throttled', '200m', 400)], nodes: 1, kubeletVersion: 'v1.33.4', maxDays: 1 });
    await scene.hours(2);
    expect(await healthOf('throttling')).toMatchObject({ status: 'ok' });
    expect(await healthOf('pressure')).toMatchObject({
      status: 'degraded',
      message: expect.stringMatching(/^not measured on 1 of 1 nodes, such as gke-\S+: requires kubelet 1\.34 or newer/),
    });
  },
  HANG_TEST_MS,
);

test(
  'a pod that its kubelet leaves out of its pages is not reduced by the usage of its siblings, until it is reported again',
  async () => {
    scene = await LoopScene.start({ workloads: [aWorkload('ample', null, 30)], nodes: 1, maxDays: 1 });
    const [lost, reported] = scene.pods('ample').map(({ metadata }) => metadata.name);
    scene.annotatePod(lost!, 'simulator.evenkeel.io/unreported', 'true');
    const requests = (): Record<string, number | null> =>
      Object.fromEntries(scene!.pods('ample').map(({ metadata, spec }) => [metadata.name, sizeOf(spec.containers[0]?.resources).cpu]));
    await scene.hours(6);
    expect(requests()[lost!]).toBe(100);
    expect(requests()[reported!]).toBeLessThan(100);
    expect(scene.recommendation('ample').message).toContain('has reported no usage of the pod for two sampling periods');
    scene.annotatePod(lost!, 'simulator.evenkeel.io/unreported', 'false');
    await scene.hours(2);
    expect(requests()[lost!]).toBe(requests()[reported!]);
  },
  HANG_TEST_MS,
);

test(
  'a reduction is compared with the same hours of the week before, also after a restart',
  async () => {
    const watched = aWorkload('watched', '500m', 60);
    scene = await LoopScene.start({
      workloads: [watched],
      policies: [aPolicyFor('watched', { mode: 'Recommend' })],
      nodes: 1,
      maxDays: 9,
    });
    await scene.hours(7 * 24 + 4);
    await scene.apply(aPolicyFor('watched', { mode: 'Auto' }));
    await scene.hours(6);
    const [first] = scene.recommendation('watched').observedReductions ?? [];
    expect(first).toMatchObject({ containers: [{ name: 'app', requests: { cpu: '100m' } }] });
    expect(first?.comparedHours).toBeGreaterThanOrEqual(3);
    // The history of this cluster is in memory: only the status keeps the comparison.
    await scene.restartEvenkeel();
    await scene.hours(2);
    expect(scene.recommendation('watched').observedReductions).toEqual([first]);
    expect(scene.recommendation('watched').rolledBack).toBeUndefined();
  },
  HANG_TEST_MS,
);

test(
  'worker processes that are OOM-killed at their container’s memory limit, which keeps running, raise the limit in place',
  async () => {
    const workers: LoopWorkload = {
      ...aWorkload('workers', '1', 60),
      resources: resources(['100m', '200Mi'], ['1', '256Mi']),
      usage: { multiProcess: true },
      uses: (hour) => ({ cpuMillicores: 60, memoryMib: hour < 2 ? 100 : 290 }),
    };
    scene = await LoopScene.start({ workloads: [workers], maxDays: 1 });
    await scene.hours(5);
    expect(scene.inForce('workers').map(({ memoryLimit }) => memoryLimit)).toEqual([356, 356]);
    expect(scene.tally('workers')).toMatchObject({ restarts: 0, oomKills: 0 });
    expect(scene.recommendation('workers').containers?.[0]?.oomKills).toBeGreaterThan(0);
  },
  HANG_TEST_MS,
);

test(
  'self-signed kubelets: usage comes from metrics.k8s.io, the CPU of Guaranteed pods is not lowered, and health reports why, until they are trusted',
  async () => {
    const workloads: readonly LoopWorkload[] = [
      { ...aWorkload('guaranteed', '2', 100), resources: resources(['2', '400Mi'], ['2', '400Mi']) },
    ];
    scene = await LoopScene.start({ workloads, maxDays: 3 });
    scene.cluster.nodes.direct.selfSigned = true;
    await scene.hours(30);
    const remedy = "the certificates of 2 of 2 kubelets are not of the cluster's CA: set serverTLSBootstrap: true for the kubelets";
    expect(await healthOf('usage-source')).toMatchObject({
      status: 'degraded',
      message: expect.stringMatching(`^metrics.k8s.io: ${remedy}`),
    });
    for (const name of ['throttling', 'pressure'])
      expect(await healthOf(name)).toMatchObject({ status: 'degraded', message: expect.stringContaining(remedy) });
    expect(scene.recommendation('guaranteed')).toMatchObject({ source: 'metrics.k8s.io', state: 'awaiting', reason: 'unmeasured' });
    expect(scene.sizes('guaranteed').map(({ cpu }) => cpu)).toEqual([2000, 2000]);

    scene.cluster.nodes.direct.selfSigned = false;
    await scene.hours(12);
    expect(await healthOf('usage-source')).toMatchObject({ status: 'ok', message: 'kubelet: read' });
    expect(await healthOf('throttling')).toMatchObject({ status: 'ok' });
    for (const { cpu } of scene.sizes('guaranteed')) expect(cpu).toBeLessThan(2000);
  },
  HANG_TEST_MS,
);
