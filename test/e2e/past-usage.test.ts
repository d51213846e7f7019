// A controller that starts with the past usage in Prometheus, and one whose Prometheus refuses it.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HealthCheck, RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import { MiB } from '../../src/core/model/units.ts';
import { FakePrometheus, labelsOf, rangeOf } from '../fakes/fake-prometheus.ts';
import { type ClusterClient, PATHS } from './cluster-client.ts';
import { aQuickPolicy, NAMESPACE, startConstantCluster } from './constant-cluster.ts';
import { type Controller, startController } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

const DAY_MS = 86_400_000;

let fixture: TestFixture;
let prometheus: FakePrometheus;
let cluster: ClusterClient;
let kubeconfig: string;

beforeAll(async () => {
  fixture = new TestFixture();
  prometheus = await FakePrometheus.start();
  const resources = { requests: { cpu: '500m', memory: '512Mi' } };
  const web = {
    kind: 'Deployment' as const,
    name: 'web',
    replicas: 2,
    containers: [{ name: 'app', resources, uses: { cpuMillicores: 50, memoryMib: 64 } }],
  };
  const started = await startConstantCluster(fixture, 'cluster', [web], 60);
  cluster = started.cluster;
  kubeconfig = started.demo.kubeconfig;
}, HANG_TEST_MS);

afterAll(async () => {
  await fixture.tearDown();
  await prometheus.stop();
});

async function aController(url: string): Promise<Controller> {
  return startController(fixture, { 'kubernetes.kubeconfig': kubeconfig, 'controller.leaderElect': 'false', 'prometheus.url': url });
}

async function checkOf(controller: Controller): Promise<HealthCheck | undefined> {
  const checks = await read<readonly HealthCheck[]>(controller.dashboard, 'health');
  return checks.find(({ name }) => name === 'prometheus');
}

describe('the past from Prometheus', () => {
  test(
    'is known soon after a start: replicas that are gone count for their workload',
    async () => {
      prometheus.on(labelsOf(/^container_/, 'namespace', 'pod', 'container'));
      const gone = { pod: 'web-7d4f9c5b8d-x2k4v', container: 'app' };
      prometheus.on(rangeOf(/cpu_usage/, [[gone, () => 0.07]]));
      prometheus.on(rangeOf(/working_set/, [[gone, () => 96 * MiB]]));
      const controller = await aController(prometheus.url);
      await cluster.create(PATHS.policies, aQuickPolicy('all', { mode: 'Recommend' }));
      const inputs = await eventually('two weeks of history: Prometheus answers with them', HANG_MS, async () => {
        const detail = await read<RecommendationDetail>(controller.dashboard, `recommendations/${NAMESPACE}/web`);
        const { firstSampleAt, lastSampleAt, samples } = detail.audit.containers[0]?.inputs ?? {};
        const span = Date.parse(lastSampleAt ?? '') - Date.parse(firstSampleAt ?? '');
        return span > 13.9 * DAY_MS && { samples };
      });
      expect(inputs.samples).toBeGreaterThanOrEqual(14 * 288);
      expect(await checkOf(controller)).toMatchObject({
        status: 'ok',
        message: expect.stringMatching(/the past of \d+ namespaces? read$/),
      });
      expect(prometheus.mostInFlight).toBeLessThanOrEqual(2);
      await controller.process.kill();
    },
    HANG_TEST_MS,
  );

  test(
    'is missing without a source, and nothing else is: health and every answer name it',
    async () => {
      prometheus.on(() => ({ status: 401, text: 'Unauthorized' }));
      const controller = await aController(prometheus.url);
      const check = await eventually('health naming it: Prometheus refuses every request', HANG_MS, async () => {
        const found = await checkOf(controller);
        return found?.status === 'degraded' && found;
      });
      expect(check.message).toMatch(
        /^past usage from Prometheus at http:\/\/127\.0\.0\.1:\d+\/ is missing: .*answered 401; give it credentials/,
      );
      const { status, envelope } = await ask<unknown>(controller.dashboard, 'recommendations');
      const { warnings } = envelope.meta as { warnings?: readonly { readonly code: string; readonly message: string }[] };
      expect(status).toBe(200);
      expect(warnings).toContainEqual({ code: 'prometheus_unavailable', message: expect.stringContaining('past usage from Prometheus') });
      await controller.process.kill();
    },
    HANG_TEST_MS,
  );
});
