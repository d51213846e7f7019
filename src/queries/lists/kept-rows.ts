import type { Instant } from '#kube/units';
import { isIdentical } from '../record-cache.ts';
import { ALL, type ChangedKeys } from './changed-keys.ts';
import { runAtOnce, type Slices, type Steps } from './slices.ts';

/** The objects of rows. */
export interface RowSource<Item, Row> {
  all(): Iterable<Item>;
  find(key: string): Item | undefined;
  keyOf(item: Item): string;
  /** The values of an object that its sums contain; null: it counts in none. */
  rowOf(item: Item): Row | null;
  /** When a row changes without a change of its sources. */
  until?(row: Row): Instant;
  /** Replaces a row in sums; null: there was, or is, none. */
  replace?(before: Row | null, after: Row | null): void;
  /** Inputs that change all rows at once; compared by identity. */
  shared?(): readonly unknown[];
  now(): Instant;
  readonly changed: ChangedKeys;
}

const READ_PER_STEP = 500;

/** Values of all objects of a kind for sums: a read computes those of the objects that have changed since the read before. */
export class KeptRows<Item, Row> {
  readonly #source: RowSource<Item, Row>;
  readonly #rows = new Map<string, Row>();
  #nextExpiry: Instant = Number.POSITIVE_INFINITY;
  #readAt: Instant = Number.NEGATIVE_INFINITY;
  #isRefreshing = false;
  #shared: readonly unknown[] = [];
  #updating: Promise<void> | null = null;

  constructor(source: RowSource<Item, Row>) {
    this.#source = source;
  }

  /** The current rows. */
  rows(): Iterable<Row> {
    this.update();
    return this.#rows.values();
  }

  /** Applies the changes at once. */
  update(): void {
    runAtOnce(this.refresh());
  }

  /** Applies the changes before the call, in slices where they are many. */
  async updateInSlices(slices: Slices): Promise<void> {
    while (this.#updating !== null) await this.#updating;
    this.#updating = slices.run(this.refresh());
    try {
      await this.#updating;
    } finally {
      this.#updating = null;
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Applies the changes since the last call. */
  *refresh(): Steps {
    const now = this.#source.now();
    const taken = this.#source.changed.take();
    // A refresh that has not ended has taken changes, and may not have applied them.
    const shared = this.#source.shared?.() ?? [];
    const isOutdated = now < this.#readAt || this.#isRefreshing || !isIdentical(shared, this.#shared);
    this.#shared = shared;
    this.#isRefreshing = true;
    this.#readAt = now;
    if (isOutdated || taken === ALL) yield* this.#readAll();
    else {
      this.#expire(now, taken);
      for (const key of taken) this.#set(key, this.#source.find(key));
    }
    this.#isRefreshing = false;
  }

  *#readAll(): Steps {
    const listed = new Set<string>();
    for (const item of this.#source.all()) {
      if (listed.size % READ_PER_STEP === READ_PER_STEP - 1) yield;
      const key = this.#source.keyOf(item);
      listed.add(key);
      this.#set(key, item);
    }
    for (const key of this.#rows.keys()) if (!listed.has(key)) this.#set(key, this.#source.find(key));
  }

  #set(key: string, item: Item | undefined): void {
    const after = item === undefined ? null : this.#source.rowOf(item);
    const before = this.#rows.get(key) ?? null;
    if (after === null) this.#rows.delete(key);
    else {
      this.#rows.set(key, after);
      this.#nextExpiry = Math.min(this.#nextExpiry, this.#source.until?.(after) ?? Number.POSITIVE_INFINITY);
    }
    if (before !== after) this.#source.replace?.(before, after);
  }

  #expire(now: Instant, keys: Set<string>): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const [key, row] of this.#rows) {
      const until = this.#source.until?.(row) ?? Number.POSITIVE_INFINITY;
      if (until <= now) keys.add(key);
      else this.#nextExpiry = Math.min(this.#nextExpiry, until);
    }
  }
}
