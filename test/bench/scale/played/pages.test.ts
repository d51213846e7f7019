import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { CadvisorPage } from '../../../../src/adapters/kubelet/pages/cadvisor-page.ts';
import { pageBounds } from '../../../../src/adapters/kubelet/pages/page-bounds.ts';
import { textMetrics } from '../../../builders/text-metrics.ts';
import { readLabels } from '../../../../src/adapters/kubelet/pages/resource-metrics.ts';
import { readStatsSummary } from '../../../../src/adapters/kubelet/pages/stats-summary.ts';
import { planCluster } from './cluster-plan.ts';
import { counterFamilies, OTHER_COUNTERS, resourcePage, summaryPage } from './pages.ts';
import { KubeletPods, type RunningPod } from './kubelet-pods.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const NODE = 3;
const pods: readonly RunningPod[] = [...new KubeletPods(planCluster(100)).on(NODE)];
const containers = pods.flatMap(({ name, workload }) => workload.containers.map((container) => `${name}/${container.name}`)).sort();
const bounds = {
  metrics: pageBounds('metrics', pods).maxBytes,
  summary: pageBounds('summary', pods).maxBytes,
  counters: pageBounds('counters', pods).maxBytes,
};

interface Read {
  readonly cpuSeconds: Map<string, number>;
  readonly memoryBytes: Map<string, number>;
  nodeSeconds: number;
}

function readResourcePage(nowMs: number): Read {
  const read: Read = { cpuSeconds: new Map(), memoryBytes: new Map(), nodeSeconds: NaN };
  const keyOf = (labels: string): string => {
    const { pod = '', container = '' } = readLabels(labels) ?? {};
    return `${pod}/${container}`;
  };
  textMetrics(resourcePage(pods, nowMs)).visit({
    containerCpuSeconds: (labels, value) => void read.cpuSeconds.set(keyOf(labels), value),
    containerMemoryBytes: (labels, value) => void read.memoryBytes.set(keyOf(labels), value),
    containerStart: () => undefined,
    nodeCpuSeconds: (value) => void (read.nodeSeconds = value),
    nodeMemoryBytes: () => undefined,
  });
  return read;
}

test('the controller reads every container from /metrics/resource, and its counter grows by its cores', () => {
  const [before, after] = [readResourcePage(NOW), readResourcePage(NOW + 60_000)];
  expect([...before.cpuSeconds.keys()].sort()).toEqual(containers);
  expect([...before.memoryBytes.keys()].sort()).toEqual(containers);
  for (const [container, seconds] of after.cpuSeconds) {
    const cores = (seconds - (before.cpuSeconds.get(container) ?? NaN)) / 60;
    expect(cores).toBeGreaterThan(0);
    expect(cores).toBeLessThan(1);
  }
  expect(before.nodeSeconds).toBeCloseTo(
    [...before.cpuSeconds.values()].reduce((total, seconds) => total + seconds, 0),
    2,
  );
  expect(resourcePage(pods, NOW).length).toBeLessThan(bounds.metrics);
});

test('the controller reads pressure, network and memory without page cache from /stats/summary', () => {
  const page = summaryPage(NODE, pods, NOW);
  const read = readStatsSummary('node-00003', JSON.parse(page), NOW);
  expect(read.pressure?.map(({ pod, container }) => `${pod}/${container}`).sort()).toEqual(containers);
  expect(read.rss).toHaveLength(containers.length);
  expect(read.network).toHaveLength(pods.length);
  expect(page.length).toBeLessThan(bounds.summary);
});

test('the controller reads the counters from /metrics/cadvisor, and skips its other families', () => {
  const page = new CadvisorPage(pageBounds('counters', pods).maxContainers);
  page.push(Buffer.from(counterFamilies(pods, NOW)));
  page.push(gunzipSync(OTHER_COUNTERS.gzip));
  const counters = page.end();
  expect(counters.map(({ pod, container }) => `${pod}/${container}`).sort()).toEqual(containers);
  const limited = pods.flatMap(({ workload }) => workload.containers.filter(({ limits }) => limits.cpu !== undefined));
  expect(limited.length).toBeGreaterThan(0);
  expect(counters.filter(({ cpuPeriods }) => cpuPeriods !== null)).toHaveLength(limited.length);
  expect(OTHER_COUNTERS.text.length).toBeGreaterThan(2 ** 20);
  expect(OTHER_COUNTERS.text.length).toBeLessThan(bounds.counters);
});

test('a kubelet reports pods that were started, and no longer those that have ended', () => {
  const running = new KubeletPods(planCluster(100));
  const [first] = running.on(NODE);
  if (first === undefined) throw new Error('the node runs no pods');
  const change = { node: NODE, workload: first.workload.index, startedAtMs: NOW };
  running.take({ ...change, name: first.name, uid: first.uid, runs: false });
  running.take({ ...change, name: 'new', uid: 'uid-new', runs: true });
  const names = [...running.on(NODE)].map(({ name }) => name);
  expect(names).not.toContain(first.name);
  expect(names).toContain('new');
});
