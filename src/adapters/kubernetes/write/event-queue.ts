/** A bounded queue that serves namespaces round-robin, so that a flood in one neither delays nor displaces events of others. */
export class EventQueue<T> {
  readonly #max: number;
  /** Namespaces in serving order; none of the lists is empty. */
  readonly #byNamespace = new Map<string, T[]>();
  #size = 0;

  /** @param max items over all namespaces */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item. Returns the displaced item: the newest of the namespace with the most items, which may be the added one. null: none. */
  add(namespace: string, item: T): T | null {
    const waiting = this.#byNamespace.get(namespace);
    if (waiting === undefined) this.#byNamespace.set(namespace, [item]);
    else waiting.push(item);
    this.#size += 1;
    return this.#size > this.#max ? this.#takeNewestOfLongest() : null;
  }

  /** Removes and returns the oldest item of the next namespace; undefined: the queue is empty. */
  take(): T | undefined {
    for (const [namespace, waiting] of this.#byNamespace) {
      const item = waiting.shift();
      this.#size -= 1;
      this.#byNamespace.delete(namespace);
      if (waiting.length > 0) this.#byNamespace.set(namespace, waiting);
      return item;
    }
    return undefined;
  }

  #takeNewestOfLongest(): T | null {
    let longest: readonly [namespace: string, waiting: T[]] | undefined;
    for (const entry of this.#byNamespace) if (longest === undefined || entry[1].length > longest[1].length) longest = entry;
    const item = longest?.[1].pop();
    if (longest === undefined || item === undefined) return null;
    this.#size -= 1;
    if (longest[1].length === 0) this.#byNamespace.delete(longest[0]);
    return item;
  }
}
