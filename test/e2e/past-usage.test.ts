// A controller that starts with past usage from a Prometheus, also from one that several clusters share, and one whose Prometheus refuses
// it.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HealthCheck, RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import { MiB } from '#kube/units';
import { FakePrometheus } from '../fakes/fake-prometheus.ts';
import { serveSeries, type LabelledSeries } from '../fakes/labelled-prometheus.ts';
import { type ClusterClient, PATHS } from './cluster-client.ts';
import { aQuickPolicy, NAMESPACE, startConstantCluster } from './constant-cluster.ts';
import { type Controller, logged, startController } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

const DAY_MS = 86_400_000;
const GONE = 'web-7d4f9c5b8d-x2k4v';

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

async function aController(url: string, matchers = ''): Promise<Controller> {
  const ofPrometheus = { 'prometheus.url': url, 'prometheus.matchers': matchers };
  return startController(fixture, { 'kubernetes.kubeconfig': kubeconfig, 'controller.leaderElect': 'false', ...ofPrometheus });
}

/** Series of a cluster's cAdvisor over a fortnight. */
function usageOf(cluster: string, pods: readonly string[], memoryMib: number): LabelledSeries[] {
  const values = { container_cpu_usage_seconds_total: 0.07, container_memory_working_set_bytes: memoryMib * MiB };
  return pods.flatMap((pod) =>
    Object.entries(values).map(([name, value]) => {
      const labels = {
        __name__: name,
        cluster,
        job: 'kubelet',
        instance: `${cluster}/${pod}`,
        namespace: NAMESPACE,
        pod,
        container: 'app',
      };
      return { labels, value, isPast: pod === GONE };
    }),
  );
}

/** Pods of this cluster: those that exist, and a deleted one. */
async function ownPods(): Promise<readonly string[]> {
  const pods = await cluster.pods(NAMESPACE);
  return [GONE, ...pods.map(({ metadata }) => metadata.name)];
}

async function recommendationOf(controller: Controller): Promise<{ spanDays: number; samples: number; memoryBytes: number }> {
  const detail = await read<RecommendationDetail>(controller.dashboard, `recommendations/${NAMESPACE}/web`);
  const { firstSampleAt, lastSampleAt, samples } = detail.audit.containers[0]?.inputs ?? {};
  const spanDays = (Date.parse(lastSampleAt ?? '') - Date.parse(firstSampleAt ?? '')) / DAY_MS;
  return { spanDays, samples: samples ?? 0, memoryBytes: detail.containers[0]?.usage.max.memoryBytes ?? 0 };
}

/** Waits until the Recommendation has two weeks of history. */
async function afterTwoWeeks(controller: Controller): ReturnType<typeof recommendationOf> {
  return eventually('two weeks of history: Prometheus answers with them', HANG_MS, async () => {
    const recommendation = await recommendationOf(controller);
    return recommendation.spanDays > 13.9 && recommendation;
  });
}

async function checkOf(controller: Controller): Promise<HealthCheck | undefined> {
  const checks = await read<readonly HealthCheck[]>(controller.dashboard, 'health');
  return checks.find(({ name }) => name === 'prometheus');
}

describe('the past from Prometheus', () => {
  test(
    'is available soon after a start: deleted replicas count for their workload',
    async () => {
      const series = usageOf('here', await ownPods(), 96);
      prometheus.on(serveSeries(() => series));
      const controller = await aController(prometheus.url);
      await cluster.create(PATHS.policies, aQuickPolicy('all', { mode: 'Recommend' }));
      expect((await afterTwoWeeks(controller)).samples).toBeGreaterThanOrEqual(14 * 288);
      expect(await checkOf(controller)).toMatchObject({
        status: 'ok',
        message: expect.stringMatching(/past usage of \d+ namespaces? read$/),
      });
      expect(prometheus.maxInFlight).toBeLessThanOrEqual(2);
      await controller.process.kill();
    },
    HANG_TEST_MS,
  );

  test(
    'of several clusters: only this cluster’s usage is read with a matcher, and none without one',
    async () => {
      const series = [...usageOf('here', await ownPods(), 96), ...usageOf('elsewhere', [GONE, 'web-7d4f9c5b8d-zzzzz', 'web-0'], 900)];
      prometheus.on(serveSeries(() => series));
      const narrowed = await aController(prometheus.url, 'cluster="here"');
      expect((await afterTwoWeeks(narrowed)).memoryBytes).toBeLessThan(128 * MiB);
      await narrowed.process.kill();

      const refused = await aController(prometheus.url);
      const check = await eventually('health naming it: Prometheus holds several clusters', HANG_MS, async () => {
        const found = await checkOf(refused);
        return found?.status === 'degraded' && found;
      });
      expect(check.message).toMatch(/label cluster is "elsewhere", "here"; set prometheus\.matchers to this cluster's value of cluster/);
      expect(logged(refused.process, 'Prometheus is not used')).toHaveLength(1);
      const samples = await eventually('samples: the kubelets are read', HANG_MS, async () => {
        const recommendation = await recommendationOf(refused);
        return recommendation.samples > 0 && recommendation;
      });
      expect(samples.spanDays).toBeLessThan(1);
      expect(samples.memoryBytes).toBeLessThan(128 * MiB);
      await refused.process.kill();
    },
    HANG_TEST_MS,
  );

  test(
    'is missing without a source, and nothing else is: health and every response report it',
    async () => {
      prometheus.on(() => ({ status: 401, text: 'Unauthorized' }));
      const controller = await aController(prometheus.url);
      const check = await eventually('health naming it: Prometheus refuses every request', HANG_MS, async () => {
        const found = await checkOf(controller);
        return found?.status === 'degraded' && found;
      });
      expect(check.message).toMatch(/^Prometheus is not used, .*: http:\/\/127\.0\.0\.1:\d+\/ answered 401; set credentials/);
      const { status, envelope } = await ask<unknown>(controller.dashboard, 'recommendations');
      const { warnings } = envelope.meta as { warnings?: readonly { readonly code: string; readonly message: string }[] };
      expect(status).toBe(200);
      expect(warnings).toContainEqual({ code: 'prometheus_unavailable', message: check.message });
      await controller.process.kill();
    },
    HANG_TEST_MS,
  );
});
