// Compares usage before and after roll-outs. A daily deployment of the same program must not halve confidence every day, or
// raised requests would never be reduced.

import { HOUR_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { MIN_CPU_MILLICORES, MIN_MEMORY_BYTES } from '../advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';

/** `open`: not compared yet; `unknown`: too little usage to compare. */
export type RolloutVerdict = 'open' | 'similar' | 'different' | 'unknown';

/** The last roll-out, relative to now. */
export interface RolloutState {
  readonly sinceMs: DurationMs;
  readonly verdict: RolloutVerdict;
  /** Number of last roll-outs in a row with similar usage; those without a verdict are skipped. */
  readonly similarInARow: number;
}

/** Highest usage of an hour (since the epoch) by resource; NaN: not measured. */
export interface HourlyPeaks {
  readonly cpu: (hour: number) => number;
  readonly memory: (hour: number) => number;
}

/** Compared hours after a roll-out. The first two are skipped: old pods terminate, caches fill. */
const COMPARE_FROM_MS: DurationMs = 2 * HOUR_MS;
const COMPARE_UNTIL_MS: DurationMs = 6 * HOUR_MS;
/** Minimum of compared hours. */
const MIN_HOURS = 2;
/** Usage is similar if the means of the hourly peaks differ by no more than this share. */
const SIMILAR_RATIO: Ratio = 0.2;
/** Compared with the same hours of the day before or of the same weekday, since a Monday differs from a Sunday. */
const HOURS_BACK = [24, 168];
const VERDICTS: readonly RolloutVerdict[] = ['open', 'similar', 'different', 'unknown'];

/** The last roll-out of a container, and how many before it did not change usage. */
export class RolloutLog {
  #at: Instant = NaN;
  #verdict: RolloutVerdict = 'open';
  #similarInARow = 0;

  /** Start of the last roll-out; NaN: none. */
  get at(): Instant {
    return this.#at;
  }

  /** Records a roll-out. The one before it, if still open, is compared by its hours so far. */
  begin(at: Instant, peaks: HourlyPeaks): void {
    if (this.#verdict === 'open' && !Number.isNaN(this.#at)) this.#judge(peaks, Math.min(at, this.#at + COMPARE_UNTIL_MS));
    this.#at = at;
    this.#verdict = 'open';
  }

  /** Compares the last roll-out once its hours are over. @param hour the open hour */
  judgeAtEnd(hour: number, peaks: HourlyPeaks): void {
    if (this.#verdict === 'open' && hour >= hourAt(this.#at + COMPARE_UNTIL_MS)) this.#judge(peaks, this.#at + COMPARE_UNTIL_MS);
  }

  /** Copies the state of another log of the same container. */
  copyState({
    at,
    verdict,
    similarInARow,
  }: {
    readonly at: Instant;
    readonly verdict: RolloutVerdict;
    readonly similarInARow: number;
  }): void {
    this.#at = at;
    this.#verdict = verdict;
    this.#similarInARow = similarInARow;
  }

  get state(): { readonly at: Instant; readonly verdict: RolloutVerdict; readonly similarInARow: number } {
    return { at: this.#at, verdict: this.#verdict, similarInARow: this.#similarInARow };
  }

  /** null: there was no roll-out. */
  stateAt(now: Instant): RolloutState | null {
    if (Number.isNaN(this.#at)) return null;
    return { sinceMs: now - this.#at, verdict: this.#verdict, similarInARow: this.#similarInARow };
  }

  save(out: ByteWriter): void {
    out.f64(this.#at);
    out.u8(VERDICTS.indexOf(this.#verdict));
    out.u8(this.#similarInARow);
  }

  load(from: ByteReader): void {
    this.#at = from.f64();
    this.#verdict = VERDICTS[from.u8()] ?? 'unknown';
    this.#similarInARow = from.u8();
  }

  #judge(peaks: HourlyPeaks, until: Instant): void {
    this.#verdict = compareUsage(peaks, Math.ceil((this.#at + COMPARE_FROM_MS) / HOUR_MS), hourAt(until));
    if (this.#verdict === 'similar') this.#similarInARow = Math.min(this.#similarInARow + 1, 255);
    else if (this.#verdict === 'different') this.#similarInARow = 0;
  }
}

/** Compares the hours from `first` to before `end`. */
function compareUsage(peaks: HourlyPeaks, first: number, end: number): RolloutVerdict {
  let verdict: RolloutVerdict = 'unknown';
  for (const offset of HOURS_BACK) {
    const cpu = isSimilar(peaks.cpu, first, end, offset, MIN_CPU_MILLICORES);
    const memory = isSimilar(peaks.memory, first, end, offset, MIN_MEMORY_BYTES);
    if (cpu === null && memory === null) continue;
    if (cpu !== false && memory !== false) return 'similar';
    verdict = 'different';
  }
  return verdict;
}

/** null: too few hours are measured in both. @param tolerance absolute difference per hour that counts as similar */
function isSimilar(peakOf: (hour: number) => number, first: number, end: number, offset: number, tolerance: number): boolean | null {
  let [after, before, hours] = [0, 0, 0];
  for (let hour = first; hour < end; hour += 1) {
    const [peak, peakBefore] = [peakOf(hour), peakOf(hour - offset)];
    if (Number.isNaN(peak) || Number.isNaN(peakBefore)) continue;
    after += peak;
    before += peakBefore;
    hours += 1;
  }
  if (hours < MIN_HOURS) return null;
  return Math.abs(after - before) <= Math.max(before * SIMILAR_RATIO, tolerance * hours);
}

/** The hour (since the epoch) of a time. */
function hourAt(at: Instant): number {
  return Math.floor(at / HOUR_MS);
}
