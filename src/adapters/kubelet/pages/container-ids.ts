// Small numbers for the containers of a node, agreed between the thread that reads pages and the main thread: the labels of a container are
// posted once and not with each page.

import { HOUR_MS, type DurationMs } from '#kube/units';

/** The ids that a receiver of pages knows. */
export interface KnownIds {
  readonly table: number;
  /** Containers of the table, with the ids from 0. */
  readonly count: number;
}

/** Ids beyond those of the last page that a table may have, as a share of them and in absolute numbers: pods come and go. */
const SPARE_RATIO = 0.5;
const SPARE_IDS = 16;
/** Far above the longest interval at which a kubelet is read. */
const FORGET_AFTER_MS: DurationMs = HOUR_MS;

/** Values by node. One of a node that is not read for an hour is deleted. */
export class ByNode<T> {
  readonly #entries = new Map<string, { readonly value: T; usedAtMs: number }>();
  #sweptAtMs = 0;

  find(node: string, nowMs: number): T | undefined {
    const entry = this.#entries.get(node);
    if (entry === undefined) return undefined;
    entry.usedAtMs = nowMs;
    return entry.value;
  }

  set(node: string, value: T, nowMs: number): void {
    this.#entries.set(node, { value, usedAtMs: nowMs });
    if (nowMs - this.#sweptAtMs < FORGET_AFTER_MS) return;
    this.#sweptAtMs = nowMs;
    for (const [key, { usedAtMs }] of this.#entries) if (nowMs - usedAtMs >= FORGET_AFTER_MS) this.#entries.delete(key);
  }
}

/**
 * Ids of a node's containers by the labels of their series. It has a 53-bit hash of the labels, not their text: containers of one node whose
 * hashes collide would share their usage, which a kubelet that chooses them can report without it.
 */
export class ContainerIds {
  readonly table: number;
  readonly #ids = new Map<number, number>();
  /** Number of the last page with each container. */
  readonly #seenIn: number[] = [];
  #page = 0;
  #seen = 0;
  #added: string[] = [];

  constructor(table: number) {
    this.table = table;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Whether most of it is of containers that have gone. */
  get isOutdated(): boolean {
    return this.count > this.#seen * (1 + SPARE_RATIO) + SPARE_IDS;
  }

  beginPage(): void {
    this.#page += 1;
    this.#seen = 0;
    this.#added = [];
  }

  /** Labels of the containers that this page is the first to have, in the order of their ids. */
  get added(): readonly string[] {
    return this.#added;
  }

  /** The id of the labels at these bytes of the page. null: they are new, and there are `max` containers. */
  idOf(page: Buffer, from: number, to: number, max: number): number | null {
    const key = hashOf(page, from, to);
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.count;
      if (id >= max) return null;
      this.#ids.set(key, id);
      // A string of its own: a slice would keep the text of the page alive.
      this.#added.push(page.toString('utf8', from, to));
    }
    if (this.#seenIn[id] !== this.#page) {
      this.#seenIn[id] = this.#page;
      this.#seen += 1;
    }
    return id;
  }
}

/** FNV-1a in two lanes. */
function hashOf(page: Buffer, from: number, to: number): number {
  let [low, high] = [0x811c9dc5, 0x01234567];
  for (let at = from; at < to; at += 1) {
    const byte = page[at] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x01000193) + low;
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
