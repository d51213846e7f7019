// Cheap forecasts that each say, from what is known before an hour begins, how much CPU will be needed. None is good for
// every workload; the panels find out which are good for this one. Their order: those of pace Hourly alone, those of both
// paces, those of pace Daily alone, so that each pace has one span of them.

import type { HistogramBank } from './histogram-bank.ts';
import type { HourRing } from './hour-ring.ts';
import { CPU_HALF_LIVES_HOURS } from './recommender-rules.ts';

const HOURS_PER_DAY = 24;
const HOURS_PER_WEEK = 168;
const DAYS_BACK = 7;
const WEEKS_BACK = 4;
const PERCENTILES = [0.5, 0.8, 0.9, 0.95, 0.98, 0.995];
/** Trailing windows whose highest value is taken, hours, ascending; pace Daily begins with a day. */
const WINDOWS_HOURS = [1, 3, 6, 12, 24, 48, 72, 168, 336];
const SHORT_WINDOWS = WINDOWS_HOURS.indexOf(HOURS_PER_DAY);

/** Look at the same hour of earlier days and weeks, and at the last hour. */
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

/** Look at whole days. */
const DAILY = [
  'the median of the last 7 daily peaks',
  'the upper quartile of the last 7 daily peaks',
  'the mean of the last 7 daily peaks',
  'the highest of the next 24 hours a week ago',
] as const;

const histogramNames = (halfLife: number) => PERCENTILES.map((p) => `p${Number((p * 100).toFixed(1))} with a half-life of ${halfLife} h`);
const windowName = (hours: number) => `the highest of the last ${hours} h`;
const [MIN_HALF_LIFE = 0, ...LONGER_HALF_LIVES] = CPU_HALF_LIVES_HOURS;

/** Each forecast in words, in order. */
const NAMES: readonly string[] = [
  ...histogramNames(MIN_HALF_LIFE),
  ...WINDOWS_HOURS.slice(0, SHORT_WINDOWS).map(windowName),
  ...SEASONAL,
  ...LONGER_HALF_LIVES.flatMap(histogramNames),
  ...WINDOWS_HOURS.slice(SHORT_WINDOWS).map(windowName),
  ...DAILY,
];
const HOURLY_ONLY = PERCENTILES.length + SHORT_WINDOWS + SEASONAL.length;

/** Places of each pace's forecasts: from, to before. */
export const PREDICTOR_SPANS = { Hourly: [0, NAMES.length - DAILY.length], Daily: [HOURLY_ONLY, NAMES.length] } as const;

/** How an hour ended: the highest value of its last quarter and half. NaN where not known. */
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

/** The hour under way, as far as it is over. */
export interface OpenHour {
  readonly peak: number;
  readonly upper: number;
}

/** Room for every forecast, none known. */
export function noForecasts(): Float64Array {
  return new Float64Array(NAMES.length).fill(NaN);
}

/**
 * Writes every forecast for `hour` from what came before it. One that knows nothing yet writes NaN.
 * @param open the hour before it where that is not over, and so not in the ring; null: it is over
 */
export function forecastHour(
  bank: HistogramBank,
  ring: HourRing,
  hour: number,
  tail: HourTail,
  into: Float64Array,
  open: OpenHour | null = null,
): void {
  bank.percentiles(0, PERCENTILES, into, 0);
  let at = HOURLY_ONLY;
  for (let index = 1; index <= LONGER_HALF_LIVES.length; index++, at += PERCENTILES.length) bank.percentiles(index, PERCENTILES, into, at);
  ring.maxPeaks(hour, WINDOWS_HOURS, (index, peak) => {
    into[index < SHORT_WINDOWS ? PERCENTILES.length + index : at + index - SHORT_WINDOWS] = greater(peak, open?.peak ?? NaN);
  });
  forecastSeason(ring, hour, into, PERCENTILES.length + SHORT_WINDOWS, open);
  into[HOURLY_ONLY - 2] = tail.quarter;
  into[HOURLY_ONLY - 1] = tail.half;
  forecastDay(ring, hour, into, NAMES.length - DAILY.length);
}

function forecastSeason(ring: HourRing, hour: number, into: Float64Array, offset: number, open: OpenHour | null): void {
  const upperAt = (at: number) => (open !== null && at === hour - 1 ? open.upper : ring.upperAt(at));
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
  for (let back = 1; back <= 3; back++) recent.add(upperAt(hour - back));
  into[offset] = highest3;
  into[offset + 1] = highest7;
  into[offset + 2] = around7;
  into[offset + 3] = peaks.value;
  into[offset + 4] = uppers.value;
  into[offset + 5] = weekHighest;
  into[offset + 6] = weekPeaks.value;
  into[offset + 7] = upperAt(hour - 1);
  into[offset + 8] = recent.value;
}

function forecastDay(ring: HourRing, hour: number, into: Float64Array, offset: number): void {
  const days = Array.from({ length: DAYS_BACK }, (_, day) => ring.maxPeak(hour - day * HOURS_PER_DAY, HOURS_PER_DAY))
    .filter((peak) => !Number.isNaN(peak))
    .sort((a, b) => a - b);
  const last = days.length - 1;
  into[offset] = days[Math.floor(last / 2)] ?? NaN;
  into[offset + 1] = days[Math.ceil(last * 0.75)] ?? NaN;
  into[offset + 2] = last < 0 ? NaN : days.reduce((sum, peak) => sum + peak, 0) / days.length;
  into[offset + 3] = ring.maxPeak(hour - HOURS_PER_WEEK + HOURS_PER_DAY, HOURS_PER_DAY);
}

/** A forecast in words: `p98 with a half-life of 24 h`. */
export function describePredictor(index: number): string {
  return NAMES[index] ?? '';
}

/** The greater of two; NaN counts as less. */
export function greater(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return b > a ? b : a;
}

/** 0 for NaN: what was not measured requests nothing. */
export function knownOrZero(value: number): number {
  return Number.isNaN(value) ? 0 : value;
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
