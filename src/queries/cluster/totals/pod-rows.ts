import type { Instant } from '#kube/units';
import { AMOUNTS, WIDTH } from './exact-sums.ts';

const ROWS_PER_CHUNK = 4_096;
const COUNTS = WIDTH - AMOUNTS;

interface Chunk {
  readonly amounts: Float64Array;
  readonly counts: Uint16Array;
  readonly until: Float64Array;
  /** Number of the listing that wrote a row. */
  readonly listing: Uint32Array;
}

/** The sums that contain a row; null: none of its kind does. */
interface Groups<Node, Owner> {
  readonly node: Node | null;
  readonly owner: Owner | null;
}

/** Namespace and name of a pod. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Rows of numbers by pod, with the groups whose sums contain them. Typed arrays, and the names that the pods' records have: 210 bytes a pod, a
 * third of objects with the values by key.
 */
export class PodRows<Node, Owner> {
  readonly #places = new Map<string, Map<string, number>>();
  readonly #free: number[] = [];
  readonly #chunks: Chunk[] = [];
  readonly #nodes: (Node | null)[] = [];
  readonly #owners: (Owner | null)[] = [];
  #size = 0;
  #listing = 0;

  get size(): number {
    return this.#size;
  }

  /** Begins a listing of all pods: rows that it does not write are those of `notListed` afterwards. */
  beginListing(): void {
    this.#listing += 1;
  }

  notListed(): readonly PodName[] {
    const found: PodName[] = [];
    for (const [pod, place] of this.#entries()) {
      if (this.#chunkOf(place).listing[place % ROWS_PER_CHUNK] !== this.#listing) found.push(pod);
    }
    return found;
  }

  /** Reads the row of a pod. @returns its groups; null: it has no row */
  read({ namespace, name }: PodName, row: Float64Array): Groups<Node, Owner> | null {
    const place = this.#places.get(namespace)?.get(name);
    if (place === undefined) return null;
    const { amounts, counts } = this.#chunkOf(place);
    const at = place % ROWS_PER_CHUNK;
    for (let column = 0; column < AMOUNTS; column += 1) row[column] = amounts[at * AMOUNTS + column] ?? 0;
    for (let column = 0; column < COUNTS; column += 1) row[AMOUNTS + column] = counts[at * COUNTS + column] ?? 0;
    return { node: this.#nodes[place] ?? null, owner: this.#owners[place] ?? null };
  }

  write(pod: PodName, row: Float64Array, { node, owner }: Groups<Node, Owner>, until: Instant): void {
    const place = this.#placeAt(pod);
    const chunk = this.#chunkOf(place);
    const at = place % ROWS_PER_CHUNK;
    for (let column = 0; column < AMOUNTS; column += 1) chunk.amounts[at * AMOUNTS + column] = row[column] ?? 0;
    for (let column = 0; column < COUNTS; column += 1) chunk.counts[at * COUNTS + column] = row[AMOUNTS + column] ?? 0;
    chunk.until[at] = until;
    chunk.listing[at] = this.#listing;
    this.#nodes[place] = node;
    this.#owners[place] = owner;
  }

  delete({ namespace, name }: PodName): void {
    const places = this.#places.get(namespace);
    const place = places?.get(name);
    if (places === undefined || place === undefined) return;
    places.delete(name);
    if (places.size === 0) this.#places.delete(namespace);
    this.#size -= 1;
    this.#free.push(place);
    this.#nodes[place] = null;
    this.#owners[place] = null;
  }

  /** Adds the keys of pods whose time has passed to a set. @returns the earliest time of the others */
  expire(now: Instant, expired: Set<string>): Instant {
    let next = Number.POSITIVE_INFINITY;
    for (const [{ namespace, name }, place] of this.#entries()) {
      const until = this.#chunkOf(place).until[place % ROWS_PER_CHUNK] ?? next;
      if (until <= now) expired.add(`${namespace}/${name}`);
      else next = Math.min(next, until);
    }
    return next;
  }

  *#entries(): Iterable<readonly [PodName, number]> {
    for (const [namespace, places] of this.#places) for (const [name, place] of places) yield [{ namespace, name }, place];
  }

  #placeAt({ namespace, name }: PodName): number {
    let places = this.#places.get(namespace);
    if (places === undefined) this.#places.set(namespace, (places = new Map<string, number>()));
    const known = places.get(name);
    if (known !== undefined) return known;
    // Places are dense while none is free.
    const place = this.#free.pop() ?? this.#size;
    places.set(name, place);
    this.#size += 1;
    return place;
  }

  #chunkOf(place: number): Chunk {
    const index = Math.floor(place / ROWS_PER_CHUNK);
    return (this.#chunks[index] ??= {
      amounts: new Float64Array(ROWS_PER_CHUNK * AMOUNTS),
      counts: new Uint16Array(ROWS_PER_CHUNK * COUNTS),
      until: new Float64Array(ROWS_PER_CHUNK),
      listing: new Uint32Array(ROWS_PER_CHUNK),
    });
  }
}
