// Whether what a roll-out brought uses as much as what it replaced: a daily deploy of the same program must not halve confidence
// every day, or what was raised once is never reduced.

import { HOUR_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { MIN_CPU_MILLICORES, MIN_MEMORY_BYTES } from './advice.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';

/** `open`: too early to say; `unknown`: there was not enough usage to compare. */
export type RolloutVerdict = 'open' | 'alike' | 'unlike' | 'unknown';

/** What is known of the last roll-out. */
export interface RolloutState {
  readonly sinceMs: DurationMs;
  readonly verdict: RolloutVerdict;
  /** Roll-outs in a row whose usage was alike, up to the last one with a verdict. */
  readonly alikeInARow: number;
}

/** Highest usage of an hour (since the epoch) by resource; NaN where it is not known. */
export interface HourlyPeaks {
  readonly cpu: (hour: number) => number;
  readonly memory: (hour: number) => number;
}

/** The first two hours are the roll-out itself: old pods end, caches fill. */
const FROM_MS: DurationMs = 2 * HOUR_MS;
const TO_MS: DurationMs = 6 * HOUR_MS;
/** Fewer whole hours say too little. */
const MIN_HOURS = 2;
/** Usage is alike where the means of the hourly peaks differ by no more than this share. */
const ALIKE_RATIO: Ratio = 0.2;
/** The same hours of the day before, or of the same weekday: a Monday is not like a Sunday. */
const HOURS_BACK = [24, 168];
const VERDICTS: readonly RolloutVerdict[] = ['open', 'alike', 'unlike', 'unknown'];

/** The last roll-out of a container, and how many before it changed nothing. */
export class RolloutLog {
  #at: Instant = NaN;
  #verdict: RolloutVerdict = 'open';
  #alikeInARow = 0;

  /** When the last one began; NaN: there was none in sight. */
  get at(): Instant {
    return this.#at;
  }

  /** A roll-out begins. One that is still open is judged by what is known of it. */
  begin(at: Instant, peaks: HourlyPeaks): void {
    if (this.#verdict === 'open' && !Number.isNaN(this.#at)) this.#judge(peaks, Math.min(at, this.#at + TO_MS));
    this.#at = at;
    this.#verdict = 'open';
  }

  /** Judges the last one once its hours are over. @param hour that is under way */
  settle(hour: number, peaks: HourlyPeaks): void {
    if (this.#verdict === 'open' && hour >= hourBefore(this.#at + TO_MS)) this.#judge(peaks, this.#at + TO_MS);
  }

  /** What another log of the same container knows. */
  takeOver({ at, verdict, alikeInARow }: { readonly at: Instant; readonly verdict: RolloutVerdict; readonly alikeInARow: number }): void {
    this.#at = at;
    this.#verdict = verdict;
    this.#alikeInARow = alikeInARow;
  }

  get state(): { readonly at: Instant; readonly verdict: RolloutVerdict; readonly alikeInARow: number } {
    return { at: this.#at, verdict: this.#verdict, alikeInARow: this.#alikeInARow };
  }

  /** null: none is in sight. */
  stateAt(now: Instant): RolloutState | null {
    if (Number.isNaN(this.#at)) return null;
    return { sinceMs: now - this.#at, verdict: this.#verdict, alikeInARow: this.#alikeInARow };
  }

  save(out: ByteWriter): void {
    out.f64(this.#at);
    out.u8(VERDICTS.indexOf(this.#verdict));
    out.u8(this.#alikeInARow);
  }

  load(from: ByteReader): void {
    this.#at = from.f64();
    this.#verdict = VERDICTS[from.u8()] ?? 'unknown';
    this.#alikeInARow = from.u8();
  }

  #judge(peaks: HourlyPeaks, until: Instant): void {
    this.#verdict = verdictOf(peaks, Math.ceil((this.#at + FROM_MS) / HOUR_MS), hourBefore(until));
    if (this.#verdict === 'alike') this.#alikeInARow = Math.min(this.#alikeInARow + 1, 255);
    else if (this.#verdict === 'unlike') this.#alikeInARow = 0;
  }
}

/** Hours from `first` until before `end`. */
function verdictOf(peaks: HourlyPeaks, first: number, end: number): RolloutVerdict {
  let verdict: RolloutVerdict = 'unknown';
  for (const back of HOURS_BACK) {
    const cpu = isAlike(peaks.cpu, first, end, back, MIN_CPU_MILLICORES);
    const memory = isAlike(peaks.memory, first, end, back, MIN_MEMORY_BYTES);
    if (cpu === null && memory === null) continue;
    if (cpu !== false && memory !== false) return 'alike';
    verdict = 'unlike';
  }
  return verdict;
}

/** null: too few hours are known of both. @param least a smaller difference is none, whatever its share */
function isAlike(peakOf: (hour: number) => number, first: number, end: number, back: number, least: number): boolean | null {
  let [after, before, hours] = [0, 0, 0];
  for (let hour = first; hour < end; hour += 1) {
    const [peak, peakBefore] = [peakOf(hour), peakOf(hour - back)];
    if (Number.isNaN(peak) || Number.isNaN(peakBefore)) continue;
    after += peak;
    before += peakBefore;
    hours += 1;
  }
  if (hours < MIN_HOURS) return null;
  return Math.abs(after - before) <= Math.max(before * ALIKE_RATIO, least * hours);
}

/** The hour that a moment lies in: all before it are over. */
function hourBefore(at: Instant): number {
  return Math.floor(at / HOUR_MS);
}
