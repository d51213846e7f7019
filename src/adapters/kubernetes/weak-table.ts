/** A reference that does not keep its object alive, as `WeakRef`. */
export interface WeakReference<V> {
  deref(): V | undefined;
}

/** Fewer entries than these are not worth a sweep. */
const MIN_SWEEP = 1_024;

/**
 * One object for equal ones, for as long as it is referenced elsewhere. An entry whose object is gone is dropped by a sweep, which
 * comes when the table is twice as large as the last one left it: however many objects come by, the table stays within twice of
 * those in use (or the least that is swept), at a constant cost for each.
 */
export class WeakTable<V extends object> {
  readonly #entries = new Map<string, WeakReference<V>>();
  readonly #refer: (value: V) => WeakReference<V>;
  #sweepAt = MIN_SWEEP;

  constructor(refer: (value: V) => WeakReference<V> = (value) => new WeakRef(value)) {
    this.#refer = refer;
  }

  /** Entries, those included whose object is gone since the last sweep. */
  get size(): number {
    return this.#entries.size;
  }

  /** The object that is in use under the key, else the given one. */
  share(key: string, given: V): V {
    const known = this.#entries.get(key)?.deref();
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#sweepAt) this.#sweep();
    this.#entries.set(key, this.#refer(given));
    return given;
  }

  #sweep(): void {
    for (const [key, reference] of this.#entries) if (reference.deref() === undefined) this.#entries.delete(key);
    this.#sweepAt = Math.max(MIN_SWEEP, 2 * this.#entries.size);
  }
}
