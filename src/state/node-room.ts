// The most that one pod can have on a node: what is allocatable, less what DaemonSets ask for on each. Only nodes that take
// it count: those with the labels that it selects, whose taints it tolerates.

import type { NodeRecord } from '../core/model/node.ts';
import { addResources, NO_RESOURCES, type Resources } from '../core/model/resources.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '../core/model/units.ts';
import type { Placement, WorkloadRecord } from '../core/model/workload.ts';
import { tolerates } from '../core/scheduling/node-rules.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';

/** Pods come and go all the time; what they leave for others matters to the minute at most. */
const COUNTED_FOR_MS: DurationMs = MINUTE_MS;

interface Counted {
  readonly node: NodeRecord;
  readonly room: Resources;
}

export class NodeRoom {
  readonly #cluster: Pick<ClusterReader, 'nodes' | 'podsOnNode'>;
  #counted: readonly Counted[] = [];
  #countedAt: Instant = Number.NEGATIVE_INFINITY;

  constructor(cluster: Pick<ClusterReader, 'nodes' | 'podsOnNode'>) {
    this.#cluster = cluster;
  }

  /** Each resource by itself; null where no node takes it, which says nothing of how large it may be. */
  forPodOf({ kind, placement }: Pick<WorkloadRecord, 'kind' | 'placement'>, now: Instant): Resources | null {
    const rooms = this.#countedNow(now)
      .filter(({ node }) => takes(node, placement))
      // A DaemonSet's own pods are among those counted: to it belongs the whole node.
      .map(({ node, room }) => (kind === 'DaemonSet' ? node.allocatable : room));
    if (rooms.length === 0) return null;
    return {
      cpuMillicores: Math.max(...rooms.map(({ cpuMillicores }) => cpuMillicores)),
      memoryBytes: Math.max(...rooms.map(({ memoryBytes }) => memoryBytes)),
    };
  }

  #countedNow(now: Instant): readonly Counted[] {
    if (now - this.#countedAt < COUNTED_FOR_MS && now >= this.#countedAt) return this.#counted;
    this.#counted = [...this.#cluster.nodes()].map((node) => ({ node, room: this.#roomOn(node) }));
    this.#countedAt = now;
    return this.#counted;
  }

  #roomOn(node: NodeRecord): Resources {
    let taken: Resources = NO_RESOURCES;
    for (const pod of this.#cluster.podsOnNode(node.name)) {
      if (pod.owner?.kind !== 'DaemonSet') continue;
      for (const { requests } of pod.containers) taken = addResources(taken, requests);
    }
    return {
      cpuMillicores: Math.max(0, node.allocatable.cpuMillicores - taken.cpuMillicores),
      memoryBytes: Math.max(0, node.allocatable.memoryBytes - taken.memoryBytes),
    };
  }
}

// A cordon ends again, and a pool is known by its labels and taints; so a cordoned node counts.
function takes(node: NodeRecord, placement: Placement | undefined): boolean {
  const { nodeSelector = {}, tolerations = [] } = placement ?? {};
  if (Object.entries(nodeSelector).some(([key, value]) => node.labels[key] !== value)) return false;
  return node.taints.every((taint) => taint.effect === 'PreferNoSchedule' || isCordon(taint.key) || tolerates(tolerations, taint));
}

/** Taints of a moment, which Kubernetes sets and takes away. */
function isCordon(key: string): boolean {
  return key.startsWith('node.kubernetes.io/');
}
