// What the process keeps of the usage of running pods: counters of kubelet pages, the newest samples, evidence, network and recent demand.

import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { NodeCounters } from '../../../src/adapters/kubelet/pages/node-counters.ts';
import { SILENT_LOGGER } from '../../../src/runtime/logging.ts';
import { NO_METRICS } from '../../../src/runtime/metrics.ts';
import type { ClusterState } from '../../../src/state/cluster-state.ts';
import { DemandWatch } from '../../../src/state/usage/demand-watch.ts';
import { UsageModel } from '../../../src/state/usage/usage-model.ts';
import type { ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import type { ContainerRef } from '#kube/records/usage';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { MONDAY } from '../../builders/usage.ts';
import { liveBytes } from './live-bytes.ts';

const INTERVAL_MS: DurationMs = 30 * SECOND_MS;
/** Recent demand covers 12 minutes. */
const READINGS = 30;
const READINGS_PER_SUMMARY = 10;
const CPU_SECONDS_A_READING = 3;
const MEMORY_BYTES = 200 * 2 ** 20;

/** Bytes a pod takes after a quarter of an hour of readings of its node. */
export async function podUsageBytes(cluster: ClusterState): Promise<number> {
  const pods = [...cluster.pods()].filter(({ node }) => node !== null).length;
  const before = await liveBytes();
  const clock = new ManualClock(MONDAY);
  const usage = new UsageModel({ clock, reader: cluster, logger: SILENT_LOGGER, metrics: NO_METRICS, intervalMs: INTERVAL_MS });
  const demand = new DemandWatch({ cluster, usage, onPressure: () => undefined });
  const counters = new Map<string, NodeCounters>();
  for (let reading = 1; reading <= READINGS; reading += 1) {
    clock.advance(INTERVAL_MS);
    for (const { name } of cluster.nodes()) {
      let ofNode = counters.get(name);
      if (ofNode === undefined) counters.set(name, (ofNode = new NodeCounters(name, 3 * MINUTE_MS, (names) => namesIn(cluster, names))));
      readNode(cluster, usage, ofNode, { node: name, reading, at: clock.now() });
    }
  }
  const bytes = ((await liveBytes()) - before) / pods;
  demand.close();
  usage.close();
  return Math.round(bytes);
}

interface Reading {
  readonly node: string;
  readonly reading: number;
  readonly at: Instant;
}

function readNode(cluster: ClusterState, usage: UsageModel, counters: NodeCounters, { node, reading, at }: Reading): void {
  const containers = containersOn(cluster, node);
  usage.onUsage(counters.read({ visit: (visitor) => visitAll(visitor, containers, reading, at) }, at));
  if (reading % READINGS_PER_SUMMARY !== 0) return;
  counters.recordRss(
    containers.map((each) => ({ ...each, bytes: MEMORY_BYTES / 2 })),
    at,
  );
  const pressure = containers.map((each) => ({ ...each, at, cpuRatio: 0.01, memoryRatio: 0 }));
  usage.onSummary({ node, volumes: [], network: containers.map((each) => ({ ...each, at, receiveBytes: reading * 1_000 })), pressure });
  usage.onEvidence({
    node,
    source: 'kubelet',
    at,
    containers: containers.map((each) => ({ ...each, at, spanMs: 5 * MINUTE_MS, throttledRatio: 0.01, oomEvents: 0 })),
  });
}

function visitAll(visitor: ResourceMetricsVisitor, containers: readonly ContainerRef[], reading: number, at: Instant): void {
  for (const { namespace, pod, container } of containers) {
    const labels = copyOf(`container="${container}",namespace="${namespace}",pod="${pod}"`);
    visitor.containerCpuSeconds(labels, reading * CPU_SECONDS_A_READING, at);
    visitor.containerMemoryBytes(labels, MEMORY_BYTES, at);
  }
}

/** Containers of the pods on a node, with names of their own, as from a page. */
function containersOn(cluster: ClusterState, node: string): readonly ContainerRef[] {
  return [...cluster.podsOnNode(node)].flatMap(({ namespace, name, containers }) =>
    containers.map((container) => ({ namespace: copyOf(namespace), pod: copyOf(name), container: copyOf(container.name) })),
  );
}

function namesIn(cluster: ClusterState, names: ContainerRef): ContainerRef {
  const pod = cluster.findPod(names.namespace, names.pod);
  const container = pod?.containers.find(({ name }) => name === names.container);
  return pod === undefined || container === undefined ? names : { namespace: pod.namespace, pod: pod.name, container: container.name };
}

function copyOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
