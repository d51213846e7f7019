import { CompactMap } from '#kube/compact-map';

/** Values by group and key, such as pods by node. Adding and removing are O(1); iteration is in order of insertion. */
export class MultiIndex<V> {
  readonly #groups = new Map<string, CompactMap<V>>();

  set(group: string, key: string, value: V): void {
    let members = this.#groups.get(group);
    if (members === undefined) this.#groups.set(group, (members = new CompactMap<V>()));
    members.set(key, value);
  }

  delete(group: string, key: string): void {
    const members = this.#groups.get(group);
    if (members === undefined) return;
    members.delete(key);
    // Empty groups are removed: nodes and ReplicaSets come and go for ever.
    if (members.size === 0) this.#groups.delete(group);
  }

  of(group: string): Iterable<V> {
    return this.#groups.get(group)?.values() ?? [];
  }

  count(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  groups(): Iterable<string> {
    return this.#groups.keys();
  }
}
