// The highest CPU samples of the last 14 days, of any replica and as they were read: bursts that are gone in the means of five
// minutes which everything else is learnt from. The CPU of a Guaranteed pod, whose limit falls along, is lowered by them.

import type { DurationMs, Millicores } from '#kube/units';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { SLOT_MS, SLOTS_PER_HOUR } from './slots.ts';

/** The day under way and the 14 before it. */
const DAYS = 15;
const SLOTS_PER_DAY = 24 * SLOTS_PER_HOUR;

/** CPU as it was read, and for how long it was read closely enough for bursts to show. */
export interface CpuHigh {
  /** Highest sample of any replica in the last 14 days; of a history with means alone, the highest mean. */
  readonly millicores: Millicores;
  /** How much of these days was read minute by minute. */
  readonly measuredMs: DurationMs;
}

export class CpuHighs {
  /** Whole millicores, rounded up, by day. */
  readonly #highs = new Uint32Array(DAYS);
  /** Slots that were read minute by minute, by day. */
  readonly #measured = new Uint16Array(DAYS);
  #day = -1;

  /** @param high of any replica; NaN: none is known */
  add(slot: number, high: Millicores, isMeasured: boolean): void {
    const day = Math.floor(slot / SLOTS_PER_DAY);
    // What comes late of a past may be older than all that is known.
    if (Number.isNaN(high) || day <= this.#day - DAYS) return;
    for (let next = Math.max(this.#day + 1, day - DAYS + 1); next <= day; next++)
      this.#highs[next % DAYS] = this.#measured[next % DAYS] = 0;
    this.#day = Math.max(this.#day, day);
    const at = day % DAYS;
    this.#highs[at] = Math.max(this.#highs[at] ?? 0, Math.ceil(high));
    if (isMeasured) this.#measured[at] = Math.min(SLOTS_PER_DAY, (this.#measured[at] ?? 0) + 1);
  }

  /** @param open highest sample that is not added yet; NaN: none. null: nothing is known */
  with(open: Millicores): CpuHigh | null {
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
