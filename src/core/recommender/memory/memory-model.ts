// Model of a container's memory: the highest working set of the last 7 days and of the same weekday a week ago, which rises at
// once and falls at most once a day. An hourly request would save a few percent more, and overcommit the node in the next peak.

import type { Bytes, Ratio } from '#kube/units';
import type { Goal } from '../advice.ts';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { CoverageShare } from '../history/coverage-share.ts';
import { HistogramBank } from '../history/histogram-bank.ts';
import { HourRing } from '../history/hour-ring.ts';
import type { ModelStore } from '../history/model-store.ts';
import {
  GOALS,
  MEMORY_LOWER_INTERVAL_HOURS,
  MEMORY_LOWER_RATIO,
  MEMORY_MARGINS,
  MEMORY_PEAK_HOURS,
  COLD_START_HOURS,
  COLD_START_RATIO,
} from '../recommender-rules.ts';
import { hourOf } from '../history/slots.ts';

/** Two weeks: the default window of history. */
const RING_HOURS = 336;
const HALF_LIVES_HOURS = [336];

/** Memory level of one container, its percentiles, and the coverage of each goal. */
export class MemoryModel {
  readonly ring: HourRing;
  readonly #bank: HistogramBank;
  /** State of the coverage of each goal, in the order of `GOALS`. */
  readonly #coverages = GOALS.flatMap(() => Array.from({ length: CoverageShare.SIZE }, () => 0));
  #hour = -1;
  /** Open hour: its highest point, the count of points, and how many of them each goal's request covered. */
  #hourPeak: Bytes = NaN;
  #points = 0;
  #covered = GOALS.map(() => 0);
  #latest: Bytes = NaN;
  #hoursKnown = 0;
  /** The peak that requests are based on, with hysteresis. */
  #level: Bytes = NaN;
  /** Hour in which the level last fell; NaN: never. */
  #loweredAtHour = NaN;

  constructor(store: ModelStore) {
    this.ring = new HourRing(RING_HOURS, 0, store.addSection(), store.addSection());
    this.#bank = new HistogramBank(HALF_LIVES_HOURS, store.addSection());
  }

  /** Last point; NaN before the first. */
  get latest(): Bytes {
    return this.#latest;
  }

  /** Whether there is a point. */
  get isKnown(): boolean {
    return !Number.isNaN(this.#latest);
  }

  /** The open hour (since the epoch); -1 before the first. */
  get hour(): number {
    return this.#hour;
  }

  /** The peak that requests are based on; NaN before the first point. */
  get level(): Bytes {
    return this.#level;
  }

  /** Adds the point of a slot. Slots must ascend. */
  addPoint(slot: number, bytes: Bytes): void {
    this.advanceTo(slot);
    this.#points += 1;
    for (const [at, goal] of GOALS.entries())
      if (bytes <= this.#level * this.marginRatio(goal)) this.#covered[at] = (this.#covered[at] ?? 0) + 1;
    this.#latest = bytes;
    this.#bank.add(bytes);
    if (!(this.#hourPeak >= bytes)) this.#hourPeak = bytes;
    if (!(this.#level >= bytes)) this.#level = bytes;
  }

  /** Moves to `slot` and closes the hours that end before it. */
  advanceTo(slot: number): void {
    const hour = hourOf(slot);
    if (this.#hour === -1) this.#hour = hour;
    if (hour > this.#hour) this.#closeHour(hour);
  }

  /** Factor on the level; higher while the history is short. */
  marginRatio(goal: Goal): Ratio {
    return this.#hoursKnown < COLD_START_HOURS ? Math.max(COLD_START_RATIO, MEMORY_MARGINS[goal]) : MEMORY_MARGINS[goal];
  }

  /** Highest working set of the last `hours` hours and of the open hour; NaN: none. */
  peak(hours: number): Bytes {
    const closed = this.ring.maxPeak(this.#hour, hours);
    return Number.isNaN(closed) || this.#hourPeak > closed ? this.#hourPeak : closed;
  }

  /** Weighted percentile (0–1) of the whole history, half-life 14 days. */
  percentile(percentile: Ratio): Bytes {
    return this.#bank.percentile(0, percentile);
  }

  /** Share of the points of the last week that the requests of a goal covered. */
  coverage(goal: Goal): CoverageShare['value'] {
    return this.#coverageOf(GOALS.indexOf(goal)).value;
  }

  save(out: ByteWriter): void {
    for (const value of [this.#hour, this.#hourPeak, this.#latest, this.#level, this.#loweredAtHour]) out.f64(value);
    out.u32(this.#hoursKnown);
    out.u8(this.#points);
    for (const covered of this.#covered) out.u8(covered);
    for (const at of GOALS.keys()) this.#coverageOf(at).save(out);
    this.ring.save(out);
    this.#bank.save(out);
  }

  load(from: ByteReader): void {
    this.#hour = from.f64();
    this.#hourPeak = from.f64();
    this.#latest = from.f64();
    this.#level = from.f64();
    this.#loweredAtHour = from.f64();
    this.#hoursKnown = from.u32();
    this.#points = from.u8();
    this.#covered = this.#covered.map(() => from.u8());
    for (const at of GOALS.keys()) this.#coverageOf(at).load(from);
    this.ring.load(from);
    this.#bank.load(from);
  }

  #coverageOf(at: number): CoverageShare {
    return new CoverageShare(this.#coverages, at * CoverageShare.SIZE);
  }

  #closeHour(hour: number): void {
    const wasMeasured = this.#points > 0;
    if (wasMeasured) {
      for (const at of GOALS.keys()) this.#coverageOf(at).add((this.#covered[at] ?? 0) / this.#points);
      this.ring.push(this.#hour, this.#hourPeak, NaN);
      this.#hoursKnown += 1;
    }
    this.#bank.decay(hour - this.#hour);
    this.#hour = hour;
    this.#hourPeak = NaN;
    this.#points = 0;
    this.#covered.fill(0);
    if (wasMeasured) this.#lower();
  }

  #lower(): void {
    const peak = this.ring.maxPeak(this.#hour, MEMORY_PEAK_HOURS);
    if (!(peak < this.#level * (1 - MEMORY_LOWER_RATIO)) || this.#hour - this.#loweredAtHour < MEMORY_LOWER_INTERVAL_HOURS) return;
    this.#level = peak;
    this.#loweredAtHour = this.#hour;
  }
}
