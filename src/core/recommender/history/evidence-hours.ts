// Throttling and pressure of a container by hour, long enough to compare a day with the same hours a week before. Live samples
// only: recorded history is measured in another way.

import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { StoreSection } from './model-store.ts';
import { hourOf } from './slots.ts';

/** CPU throttling and pressure (PSI) of a container, as shares of time (0–1); null: not measured. */
export interface Evidence {
  readonly throttledRatio: Ratio | null;
  readonly cpuPressureRatio: Ratio | null;
  readonly memoryPressureRatio: Ratio | null;
}

export const EVIDENCE_MEASURES = ['throttledRatio', 'cpuPressureRatio', 'memoryPressureRatio'] as const satisfies (keyof Evidence)[];

/** A closed hour: mean of its 5-minute slots, each with the highest replica. */
export interface EvidenceHour extends Evidence {
  /** Start of the hour. */
  readonly at: Instant;
  readonly weekBefore: Evidence;
}

export const NO_EVIDENCE: Evidence = { throttledRatio: null, cpuPressureRatio: null, memoryPressureRatio: null };

const DAY_HOURS = 24;
const WEEK_HOURS = 168;
/** A day after a reduction with some hours around it; the ring also has the same hours a week before. */
const MAX_HOURS_READ = 32;
const RING_HOURS = WEEK_HOURS + MAX_HOURS_READ;
const NOT_MEASURED = 255;
const FULL_CODE = 250;
const UNMEASURED_RING: Readonly<Uint8Array> = new Uint8Array(RING_HOURS).fill(NOT_MEASURED);
/** Start-up is excluded; PSI is an average over 5 minutes and its reading is valid for 11. */
const START_UP_MS: DurationMs = 20 * MINUTE_MS;
/** A reading of the throttling counters is valid until the next one, which may be late. */
const COUNTERS_LATE_MS: DurationMs = 16 * MINUTE_MS;

/** Evidence of a sample; null during the start-up of the container. */
export function readEvidence(sample: UsageSample): Evidence {
  const { startedAt = null, throttledSpanMs, throttledRatio = null, cpuPressureRatio = null, memoryPressureRatio = null } = sample;
  const age = startedAt === null ? Infinity : nodeTimeOf(sample) - startedAt;
  const isRunning = age >= START_UP_MS;
  const throttlingCounts = age >= 2 * (throttledSpanMs ?? 0) + COUNTERS_LATE_MS;
  return {
    throttledRatio: throttlingCounts ? throttledRatio : null,
    cpuPressureRatio: isRunning ? cpuPressureRatio : null,
    memoryPressureRatio: isRunning ? memoryPressureRatio : null,
  };
}

/** Hourly means of the evidence for 200 hours. */
export class EvidenceHours {
  /** A ring of hours for each measure; empty before the first measured hour. */
  readonly #section: StoreSection;
  /** The open hour (since the epoch); -1 before the first. */
  #hour = -1;
  readonly #sums = [0, 0, 0];
  readonly #counts = [0, 0, 0];

  constructor(section: StoreSection) {
    this.#section = section;
  }

  /** Adds the evidence of a slot. Slots must ascend. */
  addPoint(slot: number, evidence: Evidence): void {
    this.advanceTo(slot);
    for (const [at, measure] of EVIDENCE_MEASURES.entries()) {
      const ratio = evidence[measure];
      if (ratio === null) continue;
      this.#sums[at] = (this.#sums[at] ?? 0) + ratio;
      this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    }
  }

  /** Moves to `slot` and closes the hours that end before it. */
  advanceTo(slot: number): void {
    const hour = hourOf(slot);
    if (this.#hour === -1) this.#hour = hour;
    if (hour <= this.#hour) return;
    if (this.#counts.some((count) => count > 0)) this.#ensureRings();
    for (const [at, ring] of this.#rings().entries()) {
      const count = this.#counts[at] ?? 0;
      ring[this.#hour % RING_HOURS] = count === 0 ? NOT_MEASURED : Math.round(Math.min(1, (this.#sums[at] ?? 0) / count) * FULL_CODE);
      for (let missing = Math.max(this.#hour + 1, hour - RING_HOURS); missing < hour; missing += 1)
        ring[missing % RING_HOURS] = NOT_MEASURED;
    }
    this.#hour = hour;
    this.#sums.fill(0);
    this.#counts.fill(0);
  }

  /** Closed hours that begin at `from` or later, oldest first; at most the last 32. */
  hoursSince(from: Instant): readonly EvidenceHour[] {
    const first = Math.max(Math.ceil(from / HOUR_MS), this.#hour - MAX_HOURS_READ);
    const rings = this.#rings();
    const hours = Array.from({ length: Math.max(0, this.#hour - first) }, (_, index) => first + index);
    return hours.map((hour) => ({
      at: hour * HOUR_MS,
      ...this.#evidenceAt(rings, hour),
      weekBefore: this.#evidenceAt(rings, hour - WEEK_HOURS),
    }));
  }

  /** Mean of one measure over the last 24 hours and the open hour; null: not measured in them. */
  lastDayMean(measure: (typeof EVIDENCE_MEASURES)[number]): Ratio | null {
    const place = EVIDENCE_MEASURES.indexOf(measure);
    const count = this.#counts[place] ?? 0;
    const rings = this.#rings();
    const hours = Array.from({ length: DAY_HOURS }, (_, index) => this.#evidenceAt(rings, this.#hour - 1 - index)[measure]);
    const means = [...hours, count === 0 ? null : Math.min(1, (this.#sums[place] ?? 0) / count)].filter((mean) => mean !== null);
    return means.length === 0 ? null : means.reduce((sum, mean) => sum + mean, 0) / means.length;
  }

  save(out: ByteWriter): void {
    out.f64(this.#hour);
    const rings = this.#rings();
    for (let at = 0; at < EVIDENCE_MEASURES.length; at++) {
      const ring = rings[at] ?? UNMEASURED_RING;
      out.f64(this.#sums[at] ?? 0);
      out.u8(this.#counts[at] ?? 0);
      // Run-length encoding: most hours are equal.
      for (let begin = 0; begin < RING_HOURS;) {
        let end = begin;
        while (end < RING_HOURS && ring[end] === ring[begin]) end += 1;
        out.u8(ring[begin] ?? NOT_MEASURED);
        out.u8(end - begin);
        begin = end;
      }
    }
  }

  load(from: ByteReader): void {
    this.#hour = from.f64();
    for (const [at, ring] of this.#ensureRings().entries()) {
      this.#sums[at] = from.f64();
      this.#counts[at] = from.u8();
      for (let begin = 0; begin < RING_HOURS;) {
        const code = from.u8();
        const count = Math.max(1, from.u8());
        ring.fill(code, begin, begin + count);
        begin += count;
      }
    }
  }

  /** Copies the evidence of another model. */
  copyFrom(other: EvidenceHours): void {
    this.#section.copyFrom(other.#section);
    this.#hour = other.#hour;
    for (const at of EVIDENCE_MEASURES.keys()) {
      this.#sums[at] = other.#sums[at] ?? 0;
      this.#counts[at] = other.#counts[at] ?? 0;
    }
  }

  #ensureRings(): readonly Uint8Array[] {
    if (this.#section.bytes().length === 0) {
      this.#section.resize(EVIDENCE_MEASURES.length * RING_HOURS);
      this.#section.bytes().fill(NOT_MEASURED);
    }
    return this.#rings();
  }

  #rings(): readonly Uint8Array[] {
    const bytes = this.#section.bytes();
    return bytes.length === 0 ? [] : EVIDENCE_MEASURES.map((_, at) => bytes.subarray(at * RING_HOURS, (at + 1) * RING_HOURS));
  }

  #evidenceAt(rings: readonly Uint8Array[], hour: number): Evidence {
    const [throttledRatio = null, cpuPressureRatio = null, memoryPressureRatio = null] = rings.map((ring) => {
      const code = hour < 0 || hour <= this.#hour - RING_HOURS ? NOT_MEASURED : (ring[hour % RING_HOURS] ?? NOT_MEASURED);
      return code === NOT_MEASURED ? null : code / FULL_CODE;
    });
    return { throttledRatio, cpuPressureRatio, memoryPressureRatio };
  }
}
