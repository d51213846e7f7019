import type { Instant } from '#kube/units';
import { AMOUNTS, WIDTH } from './exact-sums.ts';

const ROWS_PER_CHUNK = 4_096;
const COUNTS = WIDTH - AMOUNTS;

interface Chunk {
  readonly amounts: Float64Array;
  readonly counts: Uint16Array;
  readonly until: Float64Array;
}

/** The sums that contain a row; null: none of its kind does. */
interface Groups<Node, Owner> {
  readonly node: Node | null;
  readonly owner: Owner | null;
}

/** Rows of numbers by pod, with the groups whose sums contain them. Typed arrays: 200 bytes a pod, a third of an object with the values. */
export class PodRows<Node, Owner> {
  readonly #places = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #chunks: Chunk[] = [];
  readonly #nodes: (Node | null)[] = [];
  readonly #owners: (Owner | null)[] = [];

  get size(): number {
    return this.#places.size;
  }

  keys(): Iterable<string> {
    return this.#places.keys();
  }

  /** Reads the row of a pod. @returns its groups; null: it has no row */
  read(key: string, row: Float64Array): Groups<Node, Owner> | null {
    const place = this.#places.get(key);
    if (place === undefined) return null;
    const { amounts, counts } = this.#chunkOf(place);
    const at = place % ROWS_PER_CHUNK;
    for (let column = 0; column < AMOUNTS; column += 1) row[column] = amounts[at * AMOUNTS + column] ?? 0;
    for (let column = 0; column < COUNTS; column += 1) row[AMOUNTS + column] = counts[at * COUNTS + column] ?? 0;
    return { node: this.#nodes[place] ?? null, owner: this.#owners[place] ?? null };
  }

  write(key: string, row: Float64Array, { node, owner }: Groups<Node, Owner>, until: Instant): void {
    let place = this.#places.get(key);
    // Places are dense while none is free.
    if (place === undefined) this.#places.set(key, (place = this.#free.pop() ?? this.size));
    const chunk = this.#chunkOf(place);
    const at = place % ROWS_PER_CHUNK;
    for (let column = 0; column < AMOUNTS; column += 1) chunk.amounts[at * AMOUNTS + column] = row[column] ?? 0;
    for (let column = 0; column < COUNTS; column += 1) chunk.counts[at * COUNTS + column] = row[AMOUNTS + column] ?? 0;
    chunk.until[at] = until;
    this.#nodes[place] = node;
    this.#owners[place] = owner;
  }

  delete(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    this.#free.push(place);
    this.#nodes[place] = null;
    this.#owners[place] = null;
  }

  /** Adds the pods whose time has passed to a set. @returns the earliest time of the others */
  expire(now: Instant, expired: Set<string>): Instant {
    let next = Number.POSITIVE_INFINITY;
    for (const [key, place] of this.#places) {
      const until = this.#chunkOf(place).until[place % ROWS_PER_CHUNK] ?? next;
      if (until <= now) expired.add(key);
      else next = Math.min(next, until);
    }
    return next;
  }

  #chunkOf(place: number): Chunk {
    const index = Math.floor(place / ROWS_PER_CHUNK);
    return (this.#chunks[index] ??= {
      amounts: new Float64Array(ROWS_PER_CHUNK * AMOUNTS),
      counts: new Uint16Array(ROWS_PER_CHUNK * COUNTS),
      until: new Float64Array(ROWS_PER_CHUNK),
    });
  }
}
