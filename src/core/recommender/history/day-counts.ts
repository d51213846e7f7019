// Measured 5-minute points of each day: the input of coverage.

import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { StoreSection } from './model-store.ts';

const DAYS = 28;
const SLOTS_PER_DAY = 288;

/** Count of measured slots of each of the last 28 days. */
export class DayCounts {
  /** By day; empty before the first slot. */
  readonly #section: StoreSection;
  #day = -1;

  constructor(section: StoreSection) {
    this.#section = section;
  }

  /** Counts a measured slot. */
  add(slot: number): void {
    const day = Math.floor(slot / SLOTS_PER_DAY);
    this.#section.resize(DAYS * Uint16Array.BYTES_PER_ELEMENT);
    const { codes, firstCode } = this.#section;
    if (this.#day === -1) this.#day = day;
    for (let next = Math.max(this.#day + 1, day - DAYS + 1); next <= day; next++) codes[firstCode + (next % DAYS)] = 0;
    this.#day = Math.max(this.#day, day);
    const at = firstCode + (day % DAYS);
    codes[at] = (codes[at] ?? 0) + 1;
  }

  /** Share of measured slots from `first` to before `end`, over at most `days` full days and today. */
  coverage(first: number, end: number, days: number): number {
    const today = Math.floor((end - 1) / SLOTS_PER_DAY);
    const from = Math.max(Math.floor(first / SLOTS_PER_DAY), today - Math.min(days, DAYS - 1));
    const { codes, firstCode } = this.#section;
    let measured = 0;
    for (let day = from; day <= Math.min(today, this.#day); day++)
      measured += day > this.#day - DAYS ? (codes[firstCode + (day % DAYS)] ?? 0) : 0;
    const expected = end - Math.max(first, from * SLOTS_PER_DAY);
    return expected <= 0 ? 0 : Math.min(1, measured / expected);
  }

  save(out: ByteWriter): void {
    out.f64(this.#day);
    const { codes, firstCode, codeCount } = this.#section;
    for (let at = 0; at < DAYS; at++) out.u16(codeCount === 0 ? 0 : (codes[firstCode + at] ?? 0));
  }

  load(from: ByteReader): void {
    this.#day = from.f64();
    this.#section.resize(DAYS * Uint16Array.BYTES_PER_ELEMENT);
    const { codes, firstCode } = this.#section;
    for (let at = 0; at < DAYS; at++) codes[firstCode + at] = from.u16();
  }
}
