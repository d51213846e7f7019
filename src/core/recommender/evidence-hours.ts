// Throttling and pressure of a container hour by hour, for as long as it takes to compare a day with the same hours of the week
// before. Live readings alone: what a recorded past says of an hour was not measured in the same way.

import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { nodeTimeOf, type UsageSample } from '#kube/records/usage';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { hourOf } from './slots.ts';

/** What the kernel held back of a container, as shares of time (0–1); null: not measured. */
export interface Evidence {
  readonly throttledRatio: Ratio | null;
  readonly cpuPressureRatio: Ratio | null;
  readonly memoryPressureRatio: Ratio | null;
}

export const EVIDENCE_MEASURES = ['throttledRatio', 'cpuPressureRatio', 'memoryPressureRatio'] as const satisfies (keyof Evidence)[];

/** One hour that is over: mean of its 5-minute slots, of each slot the replica that suffered most. */
export interface EvidenceHour extends Evidence {
  /** When it began. */
  readonly at: Instant;
  readonly weekBefore: Evidence;
}

export const NO_EVIDENCE: Evidence = { throttledRatio: null, cpuPressureRatio: null, memoryPressureRatio: null };

const DAY_HOURS = 24;
const WEEK_HOURS = 168;
/** A watched day, the hours before and after it, and the same a week before. */
const MAX_HOURS_ASKED = 32;
const RING_HOURS = WEEK_HOURS + MAX_HOURS_ASKED;
const UNKNOWN = 255;
const WHOLE = 250;
/** A container compiles and fills caches at its start; a reading is an average over 5 minutes and valid for 11. */
const START_MS: DurationMs = 20 * MINUTE_MS;
/** A reading of the counters is valid until the next, which may be late. */
const COUNTERS_LATE_MS: DurationMs = 16 * MINUTE_MS;

/** What a sample says of its replica besides usage; nothing of the start of the container. */
export function evidenceOf(sample: UsageSample): Evidence {
  const { startedAt = null, throttledSpanMs, throttledRatio = null, cpuPressureRatio = null, memoryPressureRatio = null } = sample;
  const age = startedAt === null ? Infinity : nodeTimeOf(sample) - startedAt;
  const counted = age >= START_MS;
  const throttlingCounts = age >= 2 * (throttledSpanMs ?? 0) + COUNTERS_LATE_MS;
  return {
    throttledRatio: throttlingCounts ? throttledRatio : null,
    cpuPressureRatio: counted ? cpuPressureRatio : null,
    memoryPressureRatio: counted ? memoryPressureRatio : null,
  };
}

export class EvidenceHours {
  readonly #rings = EVIDENCE_MEASURES.map(() => new Uint8Array(RING_HOURS).fill(UNKNOWN));
  /** The hour under way (since the epoch); -1 before the first. */
  #hour = -1;
  #sums = [0, 0, 0];
  #counts = [0, 0, 0];

  /** Takes what a slot has shown. Slots ascend; the caller sees to it. */
  addPoint(slot: number, evidence: Evidence): void {
    this.advanceTo(slot);
    for (const [at, measure] of EVIDENCE_MEASURES.entries()) {
      const ratio = evidence[measure];
      if (ratio === null) continue;
      this.#sums[at] = (this.#sums[at] ?? 0) + ratio;
      this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    }
  }

  /** Everything before `slot` is over: closes the hours that ended. */
  advanceTo(slot: number): void {
    const hour = hourOf(slot);
    if (this.#hour === -1) this.#hour = hour;
    if (hour <= this.#hour) return;
    for (const [at, ring] of this.#rings.entries()) {
      const count = this.#counts[at] ?? 0;
      ring[this.#hour % RING_HOURS] = count === 0 ? UNKNOWN : Math.round(Math.min(1, (this.#sums[at] ?? 0) / count) * WHOLE);
      for (let missing = Math.max(this.#hour + 1, hour - RING_HOURS); missing < hour; missing += 1) ring[missing % RING_HOURS] = UNKNOWN;
    }
    this.#hour = hour;
    this.#sums = [0, 0, 0];
    this.#counts = [0, 0, 0];
  }

  /** The hours that are over and began at this moment or later, at most those of a day and some more; oldest first. */
  since(from: Instant): readonly EvidenceHour[] {
    const first = Math.max(Math.ceil(from / HOUR_MS), this.#hour - MAX_HOURS_ASKED);
    const hours = Array.from({ length: Math.max(0, this.#hour - first) }, (_, index) => first + index);
    return hours.map((hour) => ({ at: hour * HOUR_MS, ...this.#of(hour), weekBefore: this.#of(hour - WEEK_HOURS) }));
  }

  /** Mean of one measure over the last 24 hours and the hour under way; null: not measured in them. */
  lastDayMean(measure: (typeof EVIDENCE_MEASURES)[number]): Ratio | null {
    const index = EVIDENCE_MEASURES.indexOf(measure);
    const count = this.#counts[index] ?? 0;
    const hours = Array.from({ length: DAY_HOURS }, (_, back) => this.#of(this.#hour - 1 - back)[measure]);
    const means = [...hours, count === 0 ? null : Math.min(1, (this.#sums[index] ?? 0) / count)].filter((mean) => mean !== null);
    return means.length === 0 ? null : means.reduce((sum, mean) => sum + mean, 0) / means.length;
  }

  save(out: ByteWriter): void {
    out.f64(this.#hour);
    for (const [at, ring] of this.#rings.entries()) {
      out.f64(this.#sums[at] ?? 0);
      out.u8(this.#counts[at] ?? 0);
      // Most hours are alike: a code, and how often it comes in a row.
      for (let begin = 0; begin < RING_HOURS;) {
        let end = begin;
        while (end < RING_HOURS && ring[end] === ring[begin]) end += 1;
        out.u8(ring[begin] ?? UNKNOWN);
        out.u8(end - begin);
        begin = end;
      }
    }
  }

  load(from: ByteReader): void {
    this.#hour = from.f64();
    for (const [at, ring] of this.#rings.entries()) {
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

  #of(hour: number): Evidence {
    const [throttledRatio = null, cpuPressureRatio = null, memoryPressureRatio = null] = this.#rings.map((ring) => {
      const code = hour < 0 || hour <= this.#hour - RING_HOURS ? UNKNOWN : (ring[hour % RING_HOURS] ?? UNKNOWN);
      return code === UNKNOWN ? null : code / WHOLE;
    });
    return { throttledRatio, cpuPressureRatio, memoryPressureRatio };
  }
}
