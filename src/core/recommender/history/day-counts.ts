// Measured 5-minute points of each day: the input of coverage.

import type { ByteReader, ByteWriter } from './byte-codec.ts';

const DAYS = 28;
const SLOTS_PER_DAY = 288;

/** Count of measured slots of each of the last 28 days. */
export class DayCounts {
  readonly #counts = new Uint16Array(DAYS);
  #day = -1;

  /** Counts a measured slot. */
  add(slot: number): void {
    const day = Math.floor(slot / SLOTS_PER_DAY);
    if (this.#day === -1) this.#day = day;
    for (let next = Math.max(this.#day + 1, day - DAYS + 1); next <= day; next++) this.#counts[next % DAYS] = 0;
    this.#day = Math.max(this.#day, day);
    this.#counts[day % DAYS] = (this.#counts[day % DAYS] ?? 0) + 1;
  }

  /** Share of measured slots from `first` to before `end`, over at most `days` full days and today. */
  coverage(first: number, end: number, days: number): number {
    const today = Math.floor((end - 1) / SLOTS_PER_DAY);
    const from = Math.max(Math.floor(first / SLOTS_PER_DAY), today - Math.min(days, DAYS - 1));
    let measured = 0;
    for (let day = from; day <= Math.min(today, this.#day); day++) measured += day > this.#day - DAYS ? (this.#counts[day % DAYS] ?? 0) : 0;
    const expected = end - Math.max(first, from * SLOTS_PER_DAY);
    return expected <= 0 ? 0 : Math.min(1, measured / expected);
  }

  save(out: ByteWriter): void {
    out.f64(this.#day);
    for (const count of this.#counts) out.u16(count);
  }

  load(from: ByteReader): void {
    this.#day = from.f64();
    for (let at = 0; at < DAYS; at++) this.#counts[at] = from.u16();
  }
}
