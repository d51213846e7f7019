/** Values by key inside groups: `podsByNode` and the like. Adding and removing are O(1); order is that of arrival. */
export class MultiIndex<V> {
  readonly #groups = new Map<string, Map<string, V>>();

  set(group: string, key: string, value: V): void {
    let members = this.#groups.get(group);
    if (members === undefined) {
      members = new Map();
      this.#groups.set(group, members);
    }
    members.set(key, value);
  }

  delete(group: string, key: string): void {
    const members = this.#groups.get(group);
    if (members === undefined) return;
    members.delete(key);
    // An empty group is not kept: nodes and ReplicaSets come and go for as long as a cluster lives.
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
