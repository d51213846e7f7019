/** A reference that does not keep its object alive, as `WeakRef`. */
export interface WeakReference<V> {
  deref(): V | undefined;
}

/** How a table refers to its objects, and learns that one was collected. */
export interface WeakReferences<V> {
  refer(value: V): WeakReference<V>;
  /** Calls back with the key, at any time after the value was collected. */
  watch(value: V, key: string): void;
}

/** As the garbage collector of this process reports it. */
function collectorReferences<V extends object>(onCollected: (key: string) => void): WeakReferences<V> {
  const registry = new FinalizationRegistry<string>(onCollected);
  return { refer: (value) => new WeakRef(value), watch: (value, key) => registry.register(value, key) };
}

/** One object for equal ones, for as long as it is referenced elsewhere. The entry goes with its object. */
export class WeakTable<V extends object> {
  readonly #entries = new Map<string, WeakReference<V>>();
  readonly #references: WeakReferences<V>;

  constructor(referencesOf: (onCollected: (key: string) => void) => WeakReferences<V> = collectorReferences) {
    this.#references = referencesOf((key) => {
      // Another object may have taken the key before the collector reported the former.
      if (this.#entries.get(key)?.deref() === undefined) this.#entries.delete(key);
    });
  }

  /** Entries, those included whose object was collected and not reported yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** The object that is in use under the key, else the given one. */
  share(key: string, given: V): V {
    const known = this.#entries.get(key)?.deref();
    if (known !== undefined) return known;
    this.#entries.set(key, this.#references.refer(given));
    this.#references.watch(given, key);
    return given;
  }
}
