// The largest node of the cluster, which every decision asks for. Nodes report their status all the time, and rarely another size.

import type { Resources } from '#kube/records/resources';
import type { ClusterReader } from '../ports/cluster/cluster-reader.ts';

type Nodes = Pick<ClusterReader, 'nodes' | 'findNode' | 'subscribe'>;

/** Maximum allocatable over all nodes, by resource. */
export class LargestNode {
  readonly #cluster: Nodes;
  /** Allocatable by node name, as counted in `#largest`. */
  readonly #counted = new Map<string, Resources>();
  /** undefined: a node of this size may be gone. */
  #largest: Resources | null | undefined;

  constructor(cluster: Nodes) {
    this.#cluster = cluster;
    cluster.subscribe((change) => {
      if (change.kind === 'node' && this.#largest !== undefined) this.#update(change.key);
    });
  }

  /** null: no nodes. */
  current(): Resources | null {
    if (this.#largest === undefined) this.#count();
    return this.#largest ?? null;
  }

  #count(): void {
    this.#counted.clear();
    this.#largest = null;
    for (const { name, allocatable } of this.#cluster.nodes()) this.#add(name, allocatable);
  }

  #update(name: string): void {
    const before = this.#counted.get(name);
    const allocatable = this.#cluster.findNode(name)?.allocatable;
    if (before !== undefined && (allocatable === undefined || isSmaller(allocatable, before))) this.#largest = undefined;
    else if (allocatable !== undefined) this.#add(name, allocatable);
  }

  #add(name: string, allocatable: Resources): void {
    this.#counted.set(name, allocatable);
    const { cpuMillicores, memoryBytes } = this.#largest ?? allocatable;
    this.#largest = {
      cpuMillicores: Math.max(cpuMillicores, allocatable.cpuMillicores),
      memoryBytes: Math.max(memoryBytes, allocatable.memoryBytes),
    };
  }
}

function isSmaller(one: Resources, other: Resources): boolean {
  return one.cpuMillicores < other.cpuMillicores || one.memoryBytes < other.memoryBytes;
}
