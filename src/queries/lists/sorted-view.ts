// The matching items of a list in one order. After a change, only the changed items are evaluated again.

import type { Instant } from '#kube/units';
import type { Position } from '../listing.ts';
import { isIdentical } from '../record-cache.ts';
import { ALL, type ChangedKeys } from './changed-keys.ts';
import { sortInSteps, type Steps } from './slices.ts';

/** An item at its place. */
export interface Entry<Item> extends Position {
  item: Item;
  /** When the value or the match changes without a change of the item. */
  until: Instant;
}

/** The items that a view selects and sorts. */
export interface ViewSource<Item> {
  all(): Iterable<Item>;
  find(id: string): Item | undefined;
  /** null: the item does not match. */
  entryOf(item: Item): Entry<Item> | null;
  /** Inputs that change the entries of all items; compared by identity. */
  shared(): readonly unknown[];
  readonly changed: ChangedKeys;
  now(): Instant;
}

/** Items evaluated in a step: at most a few milliseconds of work, where records are compared. */
const EVALUATED_PER_STEP = 200;
/** Rebuilds in a row, where the inputs of all items change during each. The last one is served. */
const MAX_REBUILDS = 3;

/** Changed entries that are moved one by one. More are moved in one copy of the order. */
const MOVED_ONE_BY_ONE = 16;

/** An index of the order at which an entry is inserted, or one is removed (null). */
interface Cut<Item> {
  readonly at: number;
  readonly entry: Entry<Item> | null;
}

export class SortedView<Item> {
  readonly #source: ViewSource<Item>;
  readonly #compare: (a: Position, b: Position) => number;
  #byId = new Map<string, Entry<Item>>();
  #sorted: Entry<Item>[] = [];
  #shared: readonly unknown[] | null = null;
  /** Earliest `until` of the entries. */
  #nextExpiry: Instant = Number.POSITIVE_INFINITY;
  #readAt: Instant = Number.NEGATIVE_INFINITY;
  #version = 0;

  constructor(source: ViewSource<Item>, compare: (a: Position, b: Position) => number) {
    this.#source = source;
    this.#compare = compare;
  }

  /** Changes with the view's entries. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#sorted.length;
  }

  /** All entries in order. */
  get entries(): readonly Entry<Item>[] {
    return this.#sorted;
  }

  /** At most `limit` entries after a position; null: from the start. */
  after(position: Position | null, limit: number): readonly Entry<Item>[] {
    const start = position === null ? 0 : this.#placeOf(position, 1);
    return this.#sorted.slice(start, start + limit);
  }

  close(): void {
    this.#source.changed.close();
  }

  /** Applies all changes until its end. */
  *refresh(): Steps {
    for (let rebuilds = 0; ; rebuilds += 1) {
      const keys = this.#source.changed.take();
      const now = this.#source.now();
      const shared = this.#source.shared();
      // Expired values may apply again after the clock was set back.
      const isOutdated = keys === ALL || this.#shared === null || !isIdentical(shared, this.#shared) || now < this.#readAt;
      this.#readAt = now;
      // Until it has ended: what it has taken would be lost if it failed.
      this.#shared = null;
      const hasYielded = isOutdated ? yield* this.#rebuild() : yield* this.#applyTaken(now, keys);
      this.#shared = shared;
      if (!hasYielded || rebuilds + 1 >= MAX_REBUILDS) return;
    }
  }

  /** @returns whether other changes may have come meanwhile */
  *#applyTaken(now: Instant, keys: Set<string>): Steps<boolean> {
    this.#expire(now, keys);
    yield* this.#apply(keys);
    return keys.size >= EVALUATED_PER_STEP;
  }

  *#rebuild(): Steps<boolean> {
    const byId = new Map<string, Entry<Item>>();
    let nextExpiry = Number.POSITIVE_INFINITY;
    let count = 0;
    for (const item of this.#source.all()) {
      if (++count % EVALUATED_PER_STEP === 0) yield;
      const entry = this.#source.entryOf(item);
      if (entry === null) continue;
      byId.set(entry.id, entry);
      nextExpiry = Math.min(nextExpiry, entry.until);
    }
    this.#sorted = yield* sortInSteps([...byId.values()], this.#compare);
    this.#byId = byId;
    this.#nextExpiry = nextExpiry;
    this.#version += 1;
    return count >= EVALUATED_PER_STEP;
  }

  /** Adds the entries whose time has passed to the changed ones. */
  #expire(now: Instant, keys: Set<string>): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const { id, until } of this.#sorted) {
      if (until <= now) keys.add(id);
      else this.#nextExpiry = Math.min(this.#nextExpiry, until);
    }
  }

  *#apply(keys: ReadonlySet<string>): Steps {
    const removed: Entry<Item>[] = [];
    const added: Entry<Item>[] = [];
    for (const [id, after] of yield* this.#evaluate(keys)) {
      const before = this.#byId.get(id);
      if (before === undefined && after === null) continue;
      this.#version += 1;
      if (after !== null) this.#nextExpiry = Math.min(this.#nextExpiry, after.until);
      if (before !== undefined && after !== null && before.value === after.value) {
        before.item = after.item;
        before.until = after.until;
        continue;
      }
      if (before !== undefined) removed.push(before);
      if (after === null) this.#byId.delete(id);
      else {
        this.#byId.set(id, after);
        added.push(after);
      }
    }
    this.#move(removed, added);
  }

  *#evaluate(keys: ReadonlySet<string>): Steps<readonly (readonly [string, Entry<Item> | null])[]> {
    const evaluated: [string, Entry<Item> | null][] = [];
    for (const id of keys) {
      const item = this.#source.find(id);
      evaluated.push([id, item === undefined ? null : this.#source.entryOf(item)]);
      if (evaluated.length % EVALUATED_PER_STEP === 0) yield;
    }
    return evaluated;
  }

  /** Copies the ranges between the moved entries, which takes less than a comparison of each entry. */
  #move(removed: readonly Entry<Item>[], added: readonly Entry<Item>[]): void {
    if (removed.length + added.length === 0) return;
    const sorted = this.#sorted;
    if (removed.length + added.length <= MOVED_ONE_BY_ONE) {
      for (const entry of removed) sorted.splice(this.#placeOf(entry, 0), 1);
      for (const entry of added) sorted.splice(this.#placeOf(entry, 0), 0, entry);
      return;
    }
    const cuts = removed.map((entry): Cut<Item> => ({ at: this.#placeOf(entry, 0), entry: null }));
    const inserts = added.toSorted(this.#compare).map((entry): Cut<Item> => ({ at: this.#placeOf(entry, 0), entry }));
    const moved: Entry<Item>[] = [];
    let from = 0;
    // The sort is stable: entries that are inserted before the same one stay in order, and a removed one there is left out after them.
    for (const { at, entry } of [...inserts, ...cuts].sort((a, b) => a.at - b.at)) {
      copyRange(sorted, from, at, moved);
      if (entry !== null) moved.push(entry);
      from = entry === null ? at + 1 : Math.max(from, at);
    }
    copyRange(sorted, from, sorted.length, moved);
    this.#sorted = moved;
  }

  /** Index of the first entry at (`beyond` 0) or after (1) a position. */
  #placeOf(position: Position, beyond: 0 | 1): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#sorted[middle];
      if (entry !== undefined && this.#compare(entry, position) < beyond) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function copyRange<Item>(source: readonly Item[], from: number, to: number, target: Item[]): void {
  for (let index = from; index < to; index += 1) target.push(source[index] as Item);
}
