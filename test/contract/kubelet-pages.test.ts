// Pages of the embedded kubelets, read in process and as text by the controller's readers.

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import type { ResourceMetrics } from '#kube/kubelet/kubelet-pages';
import { HOUR_MS } from '#kube/units';
import { readStatsSummary } from '../../src/adapters/kubelet/pages/stats-summary.ts';
import { InlinePageReader, TextPages } from '../../src/adapters/kubelet/pages/text-pages.ts';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { aNodeRecord } from '../builders/records.ts';
import { aDeployment } from '#embedded-cluster/testing/workloads';
import { seededRandom } from '../fakes/seeded-random.ts';
import { textFetcher } from '../fakes/clients/text-fetcher.ts';

const BOUNDS = { maxBytes: 64_000_000, maxContainers: 1_000 };
const { signal } = new AbortController();

let cluster: EmbeddedCluster;

beforeEach(async () => {
  cluster = new EmbeddedCluster({
    startAt: Date.UTC(2026, 10, 2),
    seed: 4,
    random: seededRandom,
    speed: 'max',
    nodes: { count: 3, machineTypes: ['e2-standard-4', 'n2-standard-2'] },
    timer: new SystemTimer(),
    logger: SILENT_LOGGER,
  });
  const transport = cluster.transport('test/1');
  const created = [
    await transport.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    }),
    await transport.request({
      method: 'POST',
      path: '/apis/apps/v1/namespaces/shop/deployments',
      body: aDeployment({ replicas: 4, cpu: '200m', memory: '256Mi' }),
    }),
  ];
  expect(created.map(({ status }) => status)).toEqual([201, 201]);
  await cluster.live(2 * HOUR_MS);
});

afterEach(() => cluster.close());

test('the in-process pages equal the parsed texts', async () => {
  const { direct, kubelets } = cluster.nodes;
  const asText = new TextPages(new InlinePageReader(textFetcher(async (node, path) => direct.get(node.name, path))));
  for (const { name } of kubelets.all()) {
    const node = aNodeRecord({ name });
    const [values, text] = [visited(await direct.resourceMetrics(node)), visited(await asText.resourceMetrics(node, signal, BOUNDS))];
    expect(values.length).toBeGreaterThan(2);
    expect(values.toSorted()).toEqual(text.toSorted());
    const read = (json: unknown) => readStatsSummary(name, json, 0);
    expect(read(await direct.statsSummary(node))).toEqual(read(await asText.statsSummary(node, signal, BOUNDS)));
    expect(await direct.containerCounters(node)).toEqual(await asText.containerCounters(node, signal, BOUNDS));
  }
});

function visited(metrics: ResourceMetrics): readonly string[] {
  const series: string[] = [];
  const record =
    (name: string) =>
    (...values: readonly unknown[]): number =>
      series.push(JSON.stringify([name, ...values]));
  metrics.visit({
    containerCpuSeconds: record('container cpu'),
    containerMemoryBytes: record('container memory'),
    containerStart: record('container start'),
    nodeCpuSeconds: record('node cpu'),
    nodeMemoryBytes: record('node memory'),
  });
  return series;
}
