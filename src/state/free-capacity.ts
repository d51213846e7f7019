// The most that one pod can have on a node: what is allocatable, less what DaemonSets ask for on each. Only nodes that take
// it count: those with the labels that it selects, whose taints it tolerates.

import type { NodeRecord, Taint } from '#kube/records/node';
import { podRequests } from '#kube/records/pod-requests';
import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Placement, WorkloadRecord } from '#kube/records/workload';
import { tolerates } from '#kube/scheduling/node-rules';
import type { ClusterReader } from '../ports/cluster-reader.ts';

/** Pods come and go all the time; what they leave for others matters to the minute at most. */
const COUNTED_FOR_MS: DurationMs = MINUTE_MS;

/** Tolerations, and labels selected, of a pod template that is looked at: hundreds of them times thousands of nodes are millions of steps. */
const MAX_TERMS = 256;

interface Counted {
  readonly node: NodeRecord;
  /** Those that keep pods off; equal ones of several nodes are one object. */
  readonly taints: readonly Taint[];
  readonly room: Resources;
}

export class FreeCapacity {
  readonly #cluster: Pick<ClusterReader, 'nodes' | 'podsOnNode'>;
  #counted: readonly Counted[] = [];
  #countedAt: Instant = Number.NEGATIVE_INFINITY;
  /** Of thousands of workloads few say where they go, and all are asked for in one pass: what was found holds until the recount. */
  readonly #found = new Map<string, Resources | null>();

  constructor(cluster: Pick<ClusterReader, 'nodes' | 'podsOnNode'>) {
    this.#cluster = cluster;
  }

  /** Each resource by itself; null where no node takes it, or its template has too many terms, which says nothing of how large it may be. */
  forPodOf({ kind, placement }: Pick<WorkloadRecord, 'kind' | 'placement'>, now: Instant): Resources | null {
    if (placement !== undefined && hasTooManyTerms(placement)) return null;
    const counted = this.#countedNow(now);
    const wholeNode = kind === 'DaemonSet';
    const key = JSON.stringify([wholeNode, placement]);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const room = largestFree(counted, wholeNode, placement);
    this.#found.set(key, room);
    return room;
  }

  #countedNow(now: Instant): readonly Counted[] {
    if (now - this.#countedAt < COUNTED_FOR_MS && now >= this.#countedAt) return this.#counted;
    const taints = new Map<string, Taint>();
    this.#counted = [...this.#cluster.nodes()].map((node) => ({ node, taints: sharedTaints(node, taints), room: this.#freeOn(node) }));
    this.#countedAt = now;
    this.#found.clear();
    return this.#counted;
  }

  #freeOn(node: NodeRecord): Resources {
    let taken: Resources = NO_RESOURCES;
    for (const pod of this.#cluster.podsOnNode(node.name)) {
      if (pod.owner?.kind !== 'DaemonSet') continue;
      taken = addResources(
        taken,
        podRequests(pod, ({ requests }) => requests),
      );
    }
    return {
      cpuMillicores: Math.max(0, node.allocatable.cpuMillicores - taken.cpuMillicores),
      memoryBytes: Math.max(0, node.allocatable.memoryBytes - taken.memoryBytes),
    };
  }
}

function largestFree(counted: readonly Counted[], wholeNode: boolean, placement: Placement | undefined): Resources | null {
  const { nodeSelector = {}, tolerations = [] } = placement ?? {};
  const selected = Object.entries(nodeSelector);
  const tolerated = new Map<Taint, boolean>();
  const isTolerated = (taint: Taint): boolean => {
    const known = tolerated.get(taint) ?? tolerates(tolerations, taint);
    tolerated.set(taint, known);
    return known;
  };
  const taking = counted.filter(
    ({ node, taints }) => selected.every(([key, value]) => node.labels[key] === value) && taints.every(isTolerated),
  );
  if (taking.length === 0) return null;
  let [cpuMillicores, memoryBytes] = [0, 0];
  for (const { node, room } of taking) {
    // A DaemonSet's own pods are among those counted: to it belongs the whole node.
    const free = wholeNode ? node.allocatable : room;
    cpuMillicores = Math.max(cpuMillicores, free.cpuMillicores);
    memoryBytes = Math.max(memoryBytes, free.memoryBytes);
  }
  return { cpuMillicores, memoryBytes };
}

function hasTooManyTerms({ nodeSelector, tolerations }: Placement): boolean {
  return tolerations.length > MAX_TERMS || Object.keys(nodeSelector).length > MAX_TERMS;
}

// A cordon ends again, and a pool is known by its labels and taints; so a cordoned node counts.
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

/** Taints of a moment, which Kubernetes sets and takes away. */
function isCordon(key: string): boolean {
  return key.startsWith('node.kubernetes.io/');
}
