// Highest CPU samples of the last 14 days: bursts that the 5-minute means of the model do not show. They bound reductions of a
// Guaranteed pod's CPU, whose limit falls with its request.

import type { DurationMs, Millicores } from '#kube/units';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { StoreSection } from './model-store.ts';
import { SLOT_MS, SLOTS_PER_HOUR } from './slots.ts';

/** Today and the 14 days before. */
const DAYS = 15;
const SLOTS_PER_DAY = 24 * SLOTS_PER_HOUR;
const COUNT_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** Highest CPU sample, and for how long samples were frequent enough to show bursts. */
export interface CpuHigh {
  /** Highest sample of any replica in the last 14 days; the highest mean where the history has only means. */
  readonly millicores: Millicores;
  /** Time of these days with a sample each minute. */
  readonly measuredMs: DurationMs;
}

/** Highest CPU sample and measured time of each of the last 15 days. */
export class CpuHighs {
  /** By day whole millicores, rounded up, then by day the slots with a sample each minute; empty before the first slot. */
  readonly #section: StoreSection;
  #day = -1;

  constructor(section: StoreSection) {
    this.#section = section;
  }

  /** Adds a slot. @param high highest sample of any replica; NaN: none */
  add(slot: number, high: Millicores, isMeasured: boolean): void {
    const day = Math.floor(slot / SLOTS_PER_DAY);
    // Backfilled history may be older than the ring.
    if (Number.isNaN(high) || day <= this.#day - DAYS) return;
    const counts = this.#ensureCounts();
    for (let next = Math.max(this.#day + 1, day - DAYS + 1); next <= day; next++) counts[next % DAYS] = counts[DAYS + (next % DAYS)] = 0;
    this.#day = Math.max(this.#day, day);
    const at = day % DAYS;
    counts[at] = Math.max(counts[at] ?? 0, Math.ceil(high));
    if (isMeasured) counts[DAYS + at] = Math.min(SLOTS_PER_DAY, (counts[DAYS + at] ?? 0) + 1);
  }

  /** Highest sample of all days and of the open slot; null: there are none. @param open highest of the open slot; NaN: none */
  summarize(open: Millicores): CpuHigh | null {
    if (this.#day === -1 && Number.isNaN(open)) return null;
    const counts = this.#section.counts();
    const millicores = Math.max(Number.isNaN(open) ? 0 : Math.ceil(open), ...counts.subarray(0, DAYS));
    return { millicores, measuredMs: counts.subarray(DAYS).reduce((sum, slots) => sum + slots, 0) * SLOT_MS };
  }

  save(out: ByteWriter): void {
    const counts = this.#section.counts();
    out.f64(this.#day);
    for (let at = 0; at < DAYS; at++) out.u32(counts[at] ?? 0);
    for (let at = DAYS; at < 2 * DAYS; at++) out.u16(counts[at] ?? 0);
  }

  load(from: ByteReader): void {
    this.#day = from.f64();
    const counts = this.#ensureCounts();
    for (let at = 0; at < DAYS; at++) counts[at] = from.u32();
    for (let at = DAYS; at < 2 * DAYS; at++) counts[at] = from.u16();
  }

  /** Copies the state of another container's days. */
  copyFrom(other: CpuHighs): void {
    this.#day = other.#day;
    this.#section.copyFrom(other.#section);
  }

  /** Adds the days of another model of the same container. */
  merge(other: CpuHighs): void {
    const counts = other.#section.counts();
    for (let day = Math.max(0, other.#day - DAYS + 1); day <= other.#day; day++) {
      const [high = 0, slots = 0] = [counts[day % DAYS], counts[DAYS + (day % DAYS)]];
      if (high === 0 || day <= this.#day - DAYS) continue;
      this.add(day * SLOTS_PER_DAY, high, false);
      const own = this.#section.counts();
      own[DAYS + (day % DAYS)] = Math.max(own[DAYS + (day % DAYS)] ?? 0, slots);
    }
  }

  #ensureCounts(): Uint32Array {
    this.#section.resize(2 * DAYS * COUNT_BYTES);
    return this.#section.counts();
  }
}
