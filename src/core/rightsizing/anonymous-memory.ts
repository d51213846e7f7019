// How much of a container's memory is its own. The rest of its working set is page cache, which the kernel takes back
// when somebody needs it: a container that reads many files fills any limit with it, and needs little of it.

import { DAY_MS } from '../model/units.ts';
import type { Bytes } from '../model/units.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { decodeValue, encodeValue, UNKNOWN_CODE } from './log-scale.ts';

/** Daily peaks kept. */
const DAYS = 7;
const SLOTS_PER_DAY = DAY_MS / 300_000;
/** Fewer days say too little. */
const LEAST_DAYS = 3;
/** Most of the working set must be cache before it is told apart: below this the difference is noise and shared pages. */
const CACHE_HEAVY_RATIO = 1.5;
/** On top of its own memory; and of the cache so much of it as is likely to be read again. */
const MARGIN_RATIO = 1.2;
const KEPT_CACHE_RATIO = 0.25;

export class AnonymousMemory {
  /** By day modulo the days kept, as codes. */
  readonly #peaks = new Uint16Array(DAYS).fill(UNKNOWN_CODE);
  #day = -1;

  addPoint(slot: number, bytes: Bytes): void {
    const day = Math.floor(slot / SLOTS_PER_DAY);
    if (this.#day === -1) this.#day = day;
    for (let next = Math.max(this.#day + 1, day - DAYS + 1); next <= day; next++) this.#peaks[next % DAYS] = UNKNOWN_CODE;
    this.#day = Math.max(this.#day, day);
    this.#peaks[day % DAYS] = Math.max(this.#peaks[day % DAYS] ?? UNKNOWN_CODE, encodeValue(bytes));
  }

  /**
   * What a cache-heavy container needs; null where most of its memory is its own, or too little is known.
   * @param workingSetPeak highest working set of the same days
   * @param slot now: days that ended without a word count as unknown
   */
  need(workingSetPeak: Bytes, slot: number): Bytes | null {
    const today = Math.floor(slot / SLOTS_PER_DAY);
    const known = Array.from(this.#peaks).filter((code, at) => code !== UNKNOWN_CODE && this.#dayOf(at) > today - DAYS);
    if (known.length < LEAST_DAYS) return null;
    const own = decodeValue(Math.max(...known));
    if (!(workingSetPeak > own * CACHE_HEAVY_RATIO)) return null;
    return own * MARGIN_RATIO + Math.min(workingSetPeak - own, own * KEPT_CACHE_RATIO);
  }

  save(out: ByteWriter): void {
    out.f64(this.#day);
    for (const code of this.#peaks) out.u16(code);
  }

  load(from: ByteReader): void {
    this.#day = from.f64();
    for (let at = 0; at < DAYS; at++) this.#peaks[at] = from.u16();
  }

  // The newest day with this place.
  #dayOf(at: number): number {
    return this.#day - ((((this.#day - at) % DAYS) + DAYS) % DAYS);
  }
}
