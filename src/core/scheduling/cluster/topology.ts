import type { Labels } from '#kube/label-selector';
import { labelOf } from '#kube/scheduling/scheduling-model';
import { grownInts, ints } from '../columns/shared-arrays.ts';
import { CLUSTER_KEY, NODE_KEY, NONE, type TopologyColumns } from '../columns/snapshot-columns.ts';

/** Topology keys, and their values as domains. */
export class Topology {
  readonly #columns: TopologyColumns;
  readonly #labels: () => readonly (Labels | null)[];
  readonly #keys = new Map<string, number>();
  /** Domain by value, by key. */
  readonly #domains: Map<string, number>[] = [new Map<string, number>(), new Map<string, number>()];

  /** @param labels those of each node; null: the index is free */
  constructor(columns: TopologyColumns, labels: () => readonly (Labels | null)[]) {
    this.#columns = columns;
    this.#labels = labels;
  }

  /** Number of a topology key. */
  keyOf(name: string): number {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = this.#domains.length;
    this.#keys.set(name, key);
    this.#domains.push(new Map());
    this.#columns.domain.push(ints(16, NONE));
    this.#columns.emptyDomain = grownInts(this.#columns.emptyDomain, key + 1, NONE);
    this.#columns.emptyDomain[key] = NONE;
    for (const [index, labels] of this.#labels().entries()) if (labels !== null) this.#setDomain(name, key, index, labels);
    return key;
  }

  /** Count of the domains of a key, those without nodes included. */
  domainsOf(key: number): number {
    return this.#domains[key]?.size ?? 0;
  }

  setNode(index: number, labels: Labels): void {
    this.#columns.domain[NODE_KEY] = put(this.#columns.domain[NODE_KEY], index, index);
    this.#columns.domain[CLUSTER_KEY] = put(this.#columns.domain[CLUSTER_KEY], index, 0);
    for (const [name, key] of this.#keys) this.#setDomain(name, key, index, labels);
  }

  #setDomain(name: string, key: number, index: number, labels: Labels): void {
    const value = labelOf(labels, name);
    const domains = this.#domains[key];
    let domain = NONE;
    if (value !== undefined && domains !== undefined) {
      domain = domains.get(value) ?? domains.size;
      domains.set(value, domain);
      if (value === '') this.#columns.emptyDomain[key] = domain;
    }
    this.#columns.domain[key] = put(this.#columns.domain[key], index, domain);
  }
}

function put(array: ReturnType<typeof ints> | undefined, index: number, value: number): ReturnType<typeof ints> {
  const column = grownInts(array ?? ints(16, NONE), index + 1, NONE);
  column[index] = value;
  return column;
}
