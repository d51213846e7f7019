// Highest CPU samples of the last 14 days: bursts that the 5-minute means of the model do not show. They bound reductions of a
// Guaranteed pod's CPU, whose limit falls with its request.

import type { DurationMs, Millicores } from '#kube/units';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { SLOT_MS, SLOTS_PER_HOUR } from './slots.ts';

/** Today and the 14 days before. */
const DAYS = 15;
const SLOTS_PER_DAY = 24 * SLOTS_PER_HOUR;

/** Highest CPU sample, and for how long samples were frequent enough to show bursts. */
export interface CpuHigh {
  /** Highest sample of any replica in the last 14 days; the highest mean where the history has only means. */
  readonly millicores: Millicores;
  /** Time of these days with a sample each minute. */
  readonly measuredMs: DurationMs;
}

/** Highest CPU sample and measured time of each of the last 15 days. */
export class CpuHighs {
  /** Whole millicores, rounded up, by day. */
  readonly #highs = new Uint32Array(DAYS);
  /** Slots with a sample each minute, by day. */
  readonly #measured = new Uint16Array(DAYS);
  #day = -1;

  /** Adds a slot. @param high highest sample of any replica; NaN: none */
  add(slot: number, high: Millicores, isMeasured: boolean): void {
    const day = Math.floor(slot / SLOTS_PER_DAY);
    // Backfilled history may be older than the ring.
    if (Number.isNaN(high) || day <= this.#day - DAYS) return;
    for (let next = Math.max(this.#day + 1, day - DAYS + 1); next <= day; next++)
      this.#highs[next % DAYS] = this.#measured[next % DAYS] = 0;
    this.#day = Math.max(this.#day, day);
    const at = day % DAYS;
    this.#highs[at] = Math.max(this.#highs[at] ?? 0, Math.ceil(high));
    if (isMeasured) this.#measured[at] = Math.min(SLOTS_PER_DAY, (this.#measured[at] ?? 0) + 1);
  }

  /** Highest sample of all days and of the open slot; null: there are none. @param open highest of the open slot; NaN: none */
  summarize(open: Millicores): CpuHigh | null {
    if (this.#day === -1 && Number.isNaN(open)) return null;
    const millicores = Math.max(Number.isNaN(open) ? 0 : Math.ceil(open), ...this.#highs);
    return { millicores, measuredMs: this.#measured.reduce((sum, slots) => sum + slots, 0) * SLOT_MS };
  }

  save(out: ByteWriter): void {
    out.f64(this.#day);
    for (const high of this.#highs) out.u32(high);
    for (const slots of this.#measured) out.u16(slots);
  }

  load(from: ByteReader): void {
    this.#day = from.f64();
    for (let at = 0; at < DAYS; at++) this.#highs[at] = from.u32();
    for (let at = 0; at < DAYS; at++) this.#measured[at] = from.u16();
  }
}
