/** A weak reference, like `WeakRef`. */
export interface WeakReference<V> {
  deref(): V | undefined;
}

/** Creates weak references and watches for collection. */
export interface WeakReferences<V> {
  refer(value: V): WeakReference<V>;
  /** Registers a callback with the key for the time after the value was collected. */
  watch(value: V, key: string): void;
}

/** References of this process's garbage collector. */
function collectorReferences<V extends object>(onCollected: (key: string) => void): WeakReferences<V> {
  const registry = new FinalizationRegistry<string>(onCollected);
  return { refer: (value) => new WeakRef(value), watch: (value, key) => registry.register(value, key) };
}

/** Shares one object among equal ones while it is referenced elsewhere. The entry is removed with its object. */
export class WeakTable<V extends object> {
  readonly #entries = new Map<string, WeakReference<V>>();
  readonly #references: WeakReferences<V>;

  constructor(referencesOf: (onCollected: (key: string) => void) => WeakReferences<V> = collectorReferences) {
    this.#references = referencesOf((key) => {
      // Another object may have taken the key before the collection of the former was reported.
      if (this.#entries.get(key)?.deref() === undefined) this.#entries.delete(key);
    });
  }

  /** Number of entries, including collected objects that are not reported yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the object in use under the key, else stores and returns `given`. */
  share(key: string, given: V): V {
    const known = this.#entries.get(key)?.deref();
    if (known !== undefined) return known;
    this.#entries.set(key, this.#references.refer(given));
    this.#references.watch(given, key);
    return given;
  }
}
