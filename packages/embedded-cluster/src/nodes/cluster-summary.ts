import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import { HOURS_PER_MONTH, type Bytes, type Millicores, type Usd } from '#kube/units';
import type { Pod } from '../controllers/wire/pod.ts';
import { isTerminal } from '../controllers/pods/pod-state.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Kubelets } from './kubelet/kubelets.ts';
import { findMachineType } from './machine-types.ts';
import { podRequests, requestsAndLimits, type RequestingContainer } from './kubelet/pods/pod-spec.ts';
import type { ClusterCounters } from './simulator-counters.ts';

/** Totals of the cluster at one time, in the demo's terms. */
export interface ClusterSummary {
  /** Requests in force of every pod that has not ended; those of the spec for one that has not started. */
  readonly requestedCpuMillicores: Millicores;
  readonly requestedMemoryBytes: Bytes;
  /** Usage of containers, without the nodes' system daemons. */
  readonly usedCpuMillicores: Millicores;
  readonly usedMemoryBytes: Bytes;
  /** List price of the nodes. */
  readonly costPerMonthUsd: Usd;
  readonly nodes: number;
}

/** Differences between two readings of the counters, in the demo's terms. */
export interface CounterDifferences {
  readonly oomKills: number;
  /** Share of the running time of CPU-limited containers in which they wanted more than the limit. */
  readonly throttledRatio: number;
  readonly resizes: number;
  readonly evictions: number;
  /** Share of the wanted CPU that containers did not get. */
  readonly unmetCpuRatio: number;
}

export function summarizeCluster(cluster: Pick<ClusterAccess, 'list'>, kubelets: Kubelets): ClusterSummary {
  const requested = [...requestsByNode(cluster).values()].reduce(addResources, NO_RESOURCES);
  let usedCpuMillicores = 0;
  let usedMemoryBytes = 0;
  for (const kubelet of kubelets.all()) {
    for (const { container } of kubelet.running) {
      usedCpuMillicores += container.grantedMillicores;
      usedMemoryBytes += container.workingSetBytes;
    }
  }
  const nodes = cluster.list('nodes');
  const perHourUsd = nodes.reduce((sum, node) => sum + nodePricePerHour(node), 0);
  return {
    requestedCpuMillicores: requested.cpuMillicores,
    requestedMemoryBytes: requested.memoryBytes,
    usedCpuMillicores: Math.round(usedCpuMillicores),
    usedMemoryBytes: Math.round(usedMemoryBytes),
    costPerMonthUsd: Math.round(perHourUsd * HOURS_PER_MONTH * 100) / 100,
    nodes: nodes.length,
  };
}

/** Requests in force of all pods that have not ended, by node; the empty name: not scheduled. */
export function requestsByNode(cluster: Pick<ClusterAccess, 'list'>): ReadonlyMap<string, Resources> {
  const byNode = new Map<string, Resources>();
  for (const object of cluster.list('pods')) {
    const pod = object as unknown as Pod;
    if (isTerminal(pod)) continue;
    const node = pod.spec.nodeName ?? '';
    const requests = podRequests(inForce(pod), requestsAndLimits(pod.spec.resources));
    byNode.set(node, addResources(byNode.get(node) ?? NO_RESOURCES, requests));
  }
  return byNode;
}

/** List price of a node by its labels; 0 for an unknown machine type. */
export function nodePricePerHour(node: KubeObject): Usd {
  const labels = node.metadata.labels ?? {};
  const type = findMachineType(labels['node.kubernetes.io/instance-type'] ?? '');
  if (type === undefined) return 0;
  return labels['cloud.google.com/gke-spot'] === 'true' ? (type.spotPerHourUsd ?? type.onDemandPerHourUsd) : type.onDemandPerHourUsd;
}

export function subtractCounters(from: ClusterCounters, to: ClusterCounters): CounterDifferences {
  return {
    oomKills: to.oomKills - from.oomKills,
    throttledRatio: ratio(to.throttledMs - from.throttledMs, to.limitedMs - from.limitedMs),
    resizes: to.resizes - from.resizes,
    evictions: to.evictions - from.evictions,
    unmetCpuRatio: ratio(to.unmetCoreSeconds - from.unmetCoreSeconds, to.demandedCoreSeconds - from.demandedCoreSeconds),
  };
}

/** Rounded to six decimals: precise enough, and equal on every machine. */
function ratio(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((part / whole) * 1e6) / 1e6;
}

function inForce({ spec, status }: Pod): RequestingContainer[] {
  const statuses = new Map((status.containerStatuses ?? []).map((each) => [each.name, each]));
  const initStatuses = (status['initContainerStatuses'] ?? []) as NonNullable<Pod['status']['containerStatuses']>;
  for (const each of initStatuses) statuses.set(each.name, each);
  const role = (restartPolicy: string | undefined): 'sidecar' | 'init' => (restartPolicy === 'Always' ? 'sidecar' : 'init');
  const requestsOf = (container: { readonly name: string; readonly resources?: Pod['spec']['containers'][number]['resources'] }) =>
    requestsAndLimits(statuses.get(container.name)?.resources ?? container.resources).requests;
  // A completed init container no longer counts: only requests of current and future containers are in force.
  const isTerminated = (name: string): boolean => statuses.get(name)?.state?.['terminated'] !== undefined;
  return [
    ...(spec.initContainers ?? [])
      .filter((container) => container.restartPolicy === 'Always' || !isTerminated(container.name))
      .map((container) => ({ role: role(container.restartPolicy), requests: requestsOf(container) })),
    ...spec.containers.map((container) => ({ role: 'main' as const, requests: requestsOf(container) })),
  ];
}
