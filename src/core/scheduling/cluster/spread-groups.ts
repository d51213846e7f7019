import type { SpreadConstraint } from '#kube/pod-spec/spread-constraint';
import { isEligible } from '#kube/scheduling/filters/topology-spread';
import { labelOf, type SchedulingNode, type SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { Interner } from './interner.ts';
import { bytes, grownBytes, grownInts, ints } from '../columns/shared-arrays.ts';
import { NONE, type SnapshotColumns } from '../columns/snapshot-columns.ts';
import type { Topology } from './topology.ts';

type SpreadColumns = Pick<SnapshotColumns, 'groups' | 'topology' | 'nodes'>;

interface Group {
  readonly pod: SchedulingPod;
  readonly constraint: SpreadConstraint;
  /** Topology keys that a node must have. */
  readonly keys: readonly string[];
}

/** The nodes that count as domains of spread constraints; constraints with the same nodes share a group. */
export class SpreadGroups {
  readonly #columns: SpreadColumns;
  readonly #topology: Topology;
  readonly #interner: Interner;
  readonly #nodes: () => readonly (SchedulingNode | null)[];
  readonly #groups: Group[] = [];
  readonly #byText = new Map<string, number>();

  constructor(columns: SpreadColumns, topology: Topology, interner: Interner, nodes: () => readonly (SchedulingNode | null)[]) {
    this.#columns = columns;
    this.#topology = topology;
    this.#interner = interner;
    this.#nodes = nodes;
  }

  /** The group of a pod's constraint. Nodes need the keys of all hard constraints; a soft one ignores nodes without its own. */
  idOf(pod: SchedulingPod, constraint: SpreadConstraint): number {
    const { hard, topologyKey, honorAffinity, honorTaints } = constraint;
    const keys = hard ? pod.spread.filter((other) => other.hard).map((other) => other.topologyKey) : [topologyKey];
    const affinity = honorAffinity ? [this.#interner.idOf(pod.nodeSelector), this.#interner.idOf(pod.nodeTerms ?? [null])] : null;
    const text = JSON.stringify([topologyKey, keys, affinity, honorTaints ? this.#interner.idOf(pod.tolerations) : null]);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const id = this.#groups.length;
    const { groups } = this.#columns;
    this.#byText.set(text, id);
    this.#groups.push({ pod, constraint, keys });
    groups.key = grownInts(groups.key, id + 1);
    groups.key[id] = this.#topology.keyOf(topologyKey);
    groups.domains = grownInts(groups.domains, id + 1);
    groups.domains[id] = 0;
    groups.eligible.push(bytes(16));
    groups.nodesByDomain.push(ints(4));
    for (const [index, node] of this.#nodes().entries())
      if (node !== null && this.#setEligible(id, index, node)) this.#addPresent(id, index);
    return id;
  }

  /** Sets for which groups a node counts that is not present yet. */
  setNode(index: number, node: SchedulingNode): void {
    for (const id of this.#groups.keys()) this.#setEligible(id, index, node);
  }

  #setEligible(id: number, index: number, node: SchedulingNode): boolean {
    const group = this.#groups[id];
    if (group === undefined) return false;
    const { groups } = this.#columns;
    const eligible = (groups.eligible[id] = grownBytes(groups.eligible[id] ?? bytes(16), index + 1));
    groups.nodesByDomain[id] = grownInts(groups.nodesByDomain[id] ?? ints(4), this.#topology.domainsOf(groups.key[id] ?? 0));
    const counts = group.keys.every((key) => labelOf(node.labels, key) !== undefined) && isEligible(group.constraint, group.pod, node);
    eligible[index] = Number(counts);
    return counts;
  }

  #addPresent(id: number, index: number): void {
    const { groups, topology, nodes } = this.#columns;
    const domain = topology.domain[groups.key[id] ?? 0]?.[index] ?? NONE;
    const byDomain = groups.nodesByDomain[id];
    if (nodes.present[index] !== 1 || domain === NONE || byDomain === undefined) return;
    byDomain[domain] = (byDomain[domain] ?? 0) + 1;
    if (byDomain[domain] === 1) groups.domains[id] = (groups.domains[id] ?? 0) + 1;
  }
}
