// Throttling and pressure on a real control plane: read from the kubelets' endpoints with the controller's token, and shown by the
// dashboard API.

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { HealthCheck, Recommendation } from '../../src/apis/http/types.generated.ts';
import { DAY_MS, MiB } from '#kube/units';
import type { Controller } from '../e2e/controller-process.ts';
import { read } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';
import { startInstalledCluster, startControllerWithHistory } from './installed-controller.ts';
import { runningForAnHour } from './simulated-pods.ts';
import type { RealCluster } from './real-cluster.ts';

const APPS = ['limited', 'unlimited'] as const;

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'evidence', 1);
  for (const app of APPS) await createDeployment(app);
  const uses = { cpuMillicores: 100, memoryBytes: 100 * MiB };
  const workloads = APPS.map((name) => ({ namespace: 'default', name, container: 'app', uses }));
  controller = await startControllerWithHistory(fixture, cluster, { workloads, spanMs: 2 * DAY_MS });
  await cluster.api.expect({
    method: 'POST',
    path: '/apis/evenkeel.io/v1alpha1/podresizepolicies',
    body: {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'PodResizePolicy',
      metadata: { name: 'all' },
      spec: { mode: 'Recommend', interval: '5s', minConfidence: 0 },
    },
  });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

async function createDeployment(name: string): Promise<void> {
  const labels = { app: name };
  const annotations = {
    'kwok.x-k8s.io/usage-cpu': '100m',
    'kwok.x-k8s.io/usage-memory': '100Mi',
    'evenkeel.dev/throttled-ratio': '0.4',
    'evenkeel.dev/cpu-pressure-ratio': '0.3',
    ...runningForAnHour(),
  };
  const requests = { cpu: '100m', memory: '128Mi' };
  const limits = name === 'limited' ? { limits: { cpu: '120m' } } : {};
  const containers = [{ name: 'app', image: 'registry.example/app:1', resources: { requests, ...limits } }];
  await cluster.api.expect({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: {
      metadata: { name, labels },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec: { containers } } },
    },
  });
  await eventually(`${name} runs: kwok starts what is scheduled`, HANG_MS, async () =>
    (await cluster.kubectl('get', 'pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[*].status.phase}')).includes('Running'),
  );
}

async function containerOf(name: string): Promise<Recommendation['containers'][number] | undefined> {
  const { containers } = await read<Recommendation>(controller.dashboard, `recommendations/default/${name}`);
  return containers[0];
}

test(
  'the API shows the throttled share of CPU periods, null without a CPU limit, and CPU pressure',
  async () => {
    const limited = await eventuallyReads(
      'the throttled share is known: the node is read twice at first, and five minutes of samples are taken in as one',
      HANG_MS,
      () => containerOf('limited'),
      (known) => typeof known?.throttledRatio === 'number' && typeof known.cpuPressureRatio === 'number',
    );
    expect(limited?.throttledRatio).toBeCloseTo(0.4, 1);
    expect(limited?.cpuPressureRatio).toBeCloseTo(0.3, 1);
    expect((await containerOf('unlimited'))?.throttledRatio).toBeNull();
    const status = await cluster.kubectl('get', 'recommendation', 'deployment-limited', '-o', 'jsonpath={.status.containers[0]}');
    expect(JSON.parse(status)).toMatchObject({ throttledRatio: expect.closeTo(0.4, 1), cpuPressureRatio: expect.closeTo(0.3, 1) });
  },
  HANG_TEST_MS,
);

test('health reports that throttling and pressure are measured', async () => {
  const checks = await read<readonly HealthCheck[]>(controller.dashboard, 'health');
  expect(checks.filter(({ name }) => name === 'throttling' || name === 'pressure')).toEqual([
    expect.objectContaining({ name: 'pressure', status: 'ok', message: 'known for 1 nodes' }),
    expect.objectContaining({ name: 'throttling', status: 'ok', message: 'known for 1 nodes with CPU-limited containers' }),
  ]);
});
