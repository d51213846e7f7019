// Cheap rules that each say, from what is known before an hour begins, how much that hour will need. None is good for
// every workload; the panel finds out which are good for this one.

import type { HistogramBank } from './histogram-bank.ts';
import type { HourRing } from './hour-ring.ts';

const HOURS_PER_DAY = 24;
const HOURS_PER_WEEK = 168;
const DAYS_BACK = 7;
const WEEKS_BACK = 4;

/** Which rules are tried for one resource. Every base forecast is tried times every multiplier. */
export interface ForecasterSet {
  /** Decaying histograms, hours; the last is the slowest and also answers questions about the whole window. */
  readonly halfLivesHours: readonly number[];
  readonly percentiles: readonly number[];
  /** Trailing windows whose maximum is taken, hours, ascending. */
  readonly windowsHours: readonly number[];
  readonly multipliers: readonly number[];
}

/** Rules that look at the same hour of earlier days and weeks, and at the last hour. */
const SEASONAL = [
  'the highest of this hour of the day on the last 3 days',
  'the highest of this hour of the day on the last 7 days',
  'the highest within an hour of this hour on the last 7 days',
  'the mean peak of this hour of the day on the last 7 days',
  'the mean upper quartile of this hour of the day on the last 7 days',
  'the highest of this hour of the week in the last 4 weeks',
  'the mean peak of this hour of the week in the last 4 weeks',
  'the upper quartile of the last hour',
  'the mean upper quartile of the last 3 hours',
  'the highest of the last 15 minutes',
  'the highest of the last 30 minutes',
] as const;

/** How the hour before ended: its highest values of the last quarter and half. NaN where not known. */
export interface HourTail {
  readonly quarter: number;
  readonly half: number;
}

export const NO_TAIL: HourTail = { quarter: NaN, half: NaN };

/** The end of an hour. @param points in order of time, one each 5 minutes */
export function tailOf(points: readonly number[]): HourTail {
  const highest = (last: number) => points.slice(-last).reduce((most, point) => greater(most, point), NaN);
  return { quarter: highest(3), half: highest(6) };
}

/** Place of the base forecast that says the highest of the shortest window: the last hour. */
export function shortestWindowOf(set: ForecasterSet): number {
  return set.halfLivesHours.length * set.percentiles.length;
}

/** Number of base forecasts of a set. */
export function forecasterCount(set: ForecasterSet): number {
  return set.halfLivesHours.length * set.percentiles.length + set.windowsHours.length + SEASONAL.length;
}

/** Writes every base forecast for `hour` from what came before it. A rule that knows nothing yet writes NaN. */
export function forecastHour(
  set: ForecasterSet,
  bank: HistogramBank,
  ring: HourRing,
  hour: number,
  tail: HourTail,
  into: Float64Array,
): void {
  let at = 0;
  for (let index = 0; index < set.halfLivesHours.length; index++) {
    bank.percentiles(index, set.percentiles, into, at);
    at += set.percentiles.length;
  }
  ring.maxPeaks(hour, set.windowsHours, into, at);
  at += set.windowsHours.length;
  seasonal(ring, hour, into, at);
  into[into.length - 2] = tail.quarter;
  into[into.length - 1] = tail.half;
}

function seasonal(ring: HourRing, hour: number, into: Float64Array, offset: number): void {
  let highest3 = NaN;
  let highest7 = NaN;
  let around7 = NaN;
  const peaks = new Mean();
  const uppers = new Mean();
  for (let day = 1; day <= DAYS_BACK; day++) {
    const then = hour - day * HOURS_PER_DAY;
    const peak = ring.peakAt(then);
    highest7 = greater(highest7, peak);
    if (day <= 3) highest3 = greater(highest3, peak);
    around7 = greater(around7, greater(peak, greater(ring.peakAt(then - 1), ring.peakAt(then + 1))));
    peaks.add(peak);
    uppers.add(ring.upperAt(then));
  }
  let weekHighest = NaN;
  const weekPeaks = new Mean();
  for (let week = 1; week <= WEEKS_BACK; week++) {
    const peak = ring.peakAt(hour - week * HOURS_PER_WEEK);
    weekHighest = greater(weekHighest, peak);
    weekPeaks.add(peak);
  }
  const recent = new Mean();
  for (let back = 1; back <= 3; back++) recent.add(ring.upperAt(hour - back));
  into[offset] = highest3;
  into[offset + 1] = highest7;
  into[offset + 2] = around7;
  into[offset + 3] = peaks.value;
  into[offset + 4] = uppers.value;
  into[offset + 5] = weekHighest;
  into[offset + 6] = weekPeaks.value;
  into[offset + 7] = ring.upperAt(hour - 1);
  into[offset + 8] = recent.value;
}

/** A base forecast in words: `24 h p98`. */
export function describeForecaster(set: ForecasterSet, index: number): string {
  const histograms = set.halfLivesHours.length * set.percentiles.length;
  if (index < histograms) {
    const halfLife = set.halfLivesHours[Math.floor(index / set.percentiles.length)] ?? 0;
    const percentile = set.percentiles[index % set.percentiles.length] ?? 0;
    return `p${Number((percentile * 100).toFixed(1))} with a half-life of ${halfLife} h`;
  }
  const window = set.windowsHours[index - histograms];
  if (window !== undefined) return `the highest of the last ${window} h`;
  return SEASONAL[index - histograms - set.windowsHours.length] ?? '';
}

function greater(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return b > a ? b : a;
}

class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    if (Number.isNaN(value)) return;
    this.#sum += value;
    this.#count += 1;
  }

  get value(): number {
    return this.#count === 0 ? NaN : this.#sum / this.#count;
  }
}
