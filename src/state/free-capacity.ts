// The largest pod that fits on any node: allocatable minus the requests of DaemonSet pods, over the nodes that match the node
// selector and tolerations of the pod.

import type { NodeRecord, Taint } from '#kube/records/node';
import { podRequests } from '#kube/records/pod-requests';
import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Placement, WorkloadRecord } from '#kube/records/workload';
import { isTolerated } from '#kube/scheduling/filters/node-rules';
import type { ClusterReader } from '../ports/cluster/cluster-reader.ts';

/** Lifetime of the computed capacities. */
const VALID_FOR_MS: DurationMs = MINUTE_MS;

/** Maximum of tolerations and of selected labels of a template: more of them over thousands of nodes take too long. */
const MAX_TERMS = 256;

interface NodeCapacity {
  readonly node: NodeRecord;
  /** Taints that repel pods; equal taints of several nodes are one object. */
  readonly taints: readonly Taint[];
  readonly available: Resources;
}

/** Largest free capacity by placement, cached for a minute. */
export class FreeCapacity {
  readonly #cluster: Pick<ClusterReader, 'nodes' | 'podsOnNode'>;
  #nodes: readonly NodeCapacity[] = [];
  #countedAt: Instant = Number.NEGATIVE_INFINITY;
  /** Results by kind and placement until the next recount: most workloads have the same placement. */
  readonly #freeByPlacement = new Map<string, Resources | null>();

  constructor(cluster: Pick<ClusterReader, 'nodes' | 'podsOnNode'>) {
    this.#cluster = cluster;
  }

  /** Largest free capacity for a pod of a workload, separately by resource; null: no node matches, or the template has too many terms. */
  findForPod({ kind, placement }: Pick<WorkloadRecord, 'kind' | 'placement'>, now: Instant): Resources | null {
    if (placement !== undefined && hasTooManyTerms(placement)) return null;
    const nodes = this.#currentNodes(now);
    const isDaemonSet = kind === 'DaemonSet';
    const key = JSON.stringify([isDaemonSet, placement]);
    const known = this.#freeByPlacement.get(key);
    if (known !== undefined) return known;
    const available = largestFree(nodes, isDaemonSet, placement);
    this.#freeByPlacement.set(key, available);
    return available;
  }

  #currentNodes(now: Instant): readonly NodeCapacity[] {
    if (now - this.#countedAt < VALID_FOR_MS && now >= this.#countedAt) return this.#nodes;
    const taints = new Map<string, Taint>();
    this.#nodes = [...this.#cluster.nodes()].map((node) => ({ node, taints: sharedTaints(node, taints), available: this.#freeOn(node) }));
    this.#countedAt = now;
    this.#freeByPlacement.clear();
    return this.#nodes;
  }

  #freeOn(node: NodeRecord): Resources {
    let reserved: Resources = NO_RESOURCES;
    for (const pod of this.#cluster.podsOnNode(node.name)) {
      if (pod.owner?.kind !== 'DaemonSet') continue;
      reserved = addResources(
        reserved,
        podRequests(pod, ({ requests }) => requests),
      );
    }
    return {
      cpuMillicores: Math.max(0, node.allocatable.cpuMillicores - reserved.cpuMillicores),
      memoryBytes: Math.max(0, node.allocatable.memoryBytes - reserved.memoryBytes),
    };
  }
}

function largestFree(nodes: readonly NodeCapacity[], isDaemonSet: boolean, placement: Placement | undefined): Resources | null {
  const { nodeSelector = {}, tolerations = [] } = placement ?? {};
  const selected = Object.entries(nodeSelector);
  const tolerated = new Map<Taint, boolean>();
  const isTaintTolerated = (taint: Taint): boolean => {
    const known = tolerated.get(taint) ?? isTolerated(tolerations, taint);
    tolerated.set(taint, known);
    return known;
  };
  const taking = nodes.filter(
    ({ node, taints }) => selected.every(([key, value]) => node.labels[key] === value) && taints.every(isTaintTolerated),
  );
  if (taking.length === 0) return null;
  let [cpuMillicores, memoryBytes] = [0, 0];
  for (const { node, available } of taking) {
    // A DaemonSet gets the entire node, because its own pods are among those subtracted.
    const free = isDaemonSet ? node.allocatable : available;
    cpuMillicores = Math.max(cpuMillicores, free.cpuMillicores);
    memoryBytes = Math.max(memoryBytes, free.memoryBytes);
  }
  return { cpuMillicores, memoryBytes };
}

function hasTooManyTerms({ nodeSelector, tolerations }: Placement): boolean {
  return tolerations.length > MAX_TERMS || Object.keys(nodeSelector).length > MAX_TERMS;
}

// Cordoned nodes count: a cordon is temporary, and they represent their node pool.
function sharedTaints({ taints }: NodeRecord, shared: Map<string, Taint>): readonly Taint[] {
  return taints.flatMap((taint) => {
    const { key, value, effect } = taint;
    if (effect === 'PreferNoSchedule' || isCordon(key)) return [];
    const fingerprint = `${key}=${value}:${effect}`;
    const known = shared.get(fingerprint) ?? taint;
    shared.set(fingerprint, known);
    return [known];
  });
}

/** Whether Kubernetes sets and removes the taint by the state of the node. */
function isCordon(key: string): boolean {
  return key.startsWith('node.kubernetes.io/');
}
