// Simple forecasts of the CPU of an hour from usage before it. None fits every workload; the panel chooses. Order: forecasts of
// pace Hourly alone, of both paces, of pace Daily alone, so that each pace has one contiguous span.

import { maxKnown } from '../history/max-known.ts';
import type { HistogramBank } from '../history/histogram-bank.ts';
import type { HourRing } from '../history/hour-ring.ts';
import { CPU_HALF_LIVES_HOURS } from '../recommender-rules.ts';

const HOURS_PER_DAY = 24;
const HOURS_PER_WEEK = 168;
const DAYS_BACK = 7;
const WEEKS_BACK = 4;
const PERCENTILES = [0.5, 0.8, 0.9, 0.95, 0.98, 0.995];
/** Trailing windows for the highest value, in hours, ascending; pace Daily uses those from one day on. */
const WINDOWS_HOURS = [1, 3, 6, 12, 24, 48, 72, 168, 336];
const SHORT_WINDOWS = WINDOWS_HOURS.indexOf(HOURS_PER_DAY);

/** Forecasts by the same hour of earlier days and weeks, and by the last hour. */
const SEASONAL = [
  'the highest of this hour of the day on the last 3 days',
  'the highest of this hour of the day on the last 7 days',
  'the highest within an hour of this hour on the last 7 days',
  'the mean peak of this hour of the day on the last 7 days',
  'the mean 75th percentile of this hour of the day on the last 7 days',
  'the highest of this hour of the week in the last 4 weeks',
  'the mean peak of this hour of the week in the last 4 weeks',
  'the 75th percentile of the last hour',
  'the mean 75th percentile of the last 3 hours',
  'the highest of the last 15 minutes',
  'the highest of the last 30 minutes',
] as const;

/** Forecasts by daily peaks. */
const DAILY = [
  'the median of the last 7 daily peaks',
  'the 75th percentile of the last 7 daily peaks',
  'the mean of the last 7 daily peaks',
  'the highest of the next 24 hours a week ago',
] as const;

const histogramNames = (halfLife: number) =>
  PERCENTILES.map((p) => `p${Number((p * 100).toFixed(1))} of usage, whose weight halves every ${halfLife} h`);
const windowName = (hours: number) => `the highest of the last ${hours} h`;
const [MIN_HALF_LIFE = 0, ...LONGER_HALF_LIVES] = CPU_HALF_LIVES_HOURS;

/** Descriptions of the forecasts, in order. */
const NAMES: readonly string[] = [
  ...histogramNames(MIN_HALF_LIFE),
  ...WINDOWS_HOURS.slice(0, SHORT_WINDOWS).map(windowName),
  ...SEASONAL,
  ...LONGER_HALF_LIVES.flatMap(histogramNames),
  ...WINDOWS_HOURS.slice(SHORT_WINDOWS).map(windowName),
  ...DAILY,
];
const HOURLY_ONLY = PERCENTILES.length + SHORT_WINDOWS + SEASONAL.length;

/** Index span of the forecasts of each pace: first, end (exclusive). */
export const PREDICTOR_SPANS = { Hourly: [0, NAMES.length - DAILY.length], Daily: [HOURLY_ONLY, NAMES.length] } as const;

/** Highest values of the last quarter and the last half of an hour; NaN: not measured. */
export interface HourEndPeaks {
  readonly quarter: number;
  readonly half: number;
}

export const NO_HOUR_END_PEAKS: HourEndPeaks = { quarter: NaN, half: NaN };

/** Peaks at the end of an hour. @param points in order of time, one each 5 minutes */
export function findHourEndPeaks(points: readonly number[]): HourEndPeaks {
  const highest = (count: number) => points.slice(-count).reduce((max, point) => maxKnown(max, point), NaN);
  return { quarter: highest(3), half: highest(6) };
}

/** Peak and upper quartile of the open hour so far. */
export interface OpenHour {
  readonly peak: number;
  readonly upper: number;
}

/** An array for all forecasts, filled with NaN. */
export function createForecasts(): Float64Array {
  return new Float64Array(NAMES.length).fill(NaN);
}

/**
 * Writes every forecast for `hour` from usage before it; NaN: its history is missing.
 * @param open the hour before it while that is open and not yet in the ring; null: it is closed
 */
export function forecastHour(
  bank: HistogramBank,
  ring: HourRing,
  hour: number,
  hourEndPeaks: HourEndPeaks,
  into: Float64Array,
  open: OpenHour | null = null,
): void {
  bank.percentiles(0, PERCENTILES, into, 0);
  let at = HOURLY_ONLY;
  for (let index = 1; index <= LONGER_HALF_LIVES.length; index++, at += PERCENTILES.length) bank.percentiles(index, PERCENTILES, into, at);
  ring.maxPeaks(hour, WINDOWS_HOURS, (index, peak) => {
    into[index < SHORT_WINDOWS ? PERCENTILES.length + index : at + index - SHORT_WINDOWS] = maxKnown(peak, open?.peak ?? NaN);
  });
  forecastSeasonal(ring, hour, into, PERCENTILES.length + SHORT_WINDOWS, open);
  into[HOURLY_ONLY - 2] = hourEndPeaks.quarter;
  into[HOURLY_ONLY - 1] = hourEndPeaks.half;
  forecastDay(ring, hour, into, NAMES.length - DAILY.length);
}

function forecastSeasonal(ring: HourRing, hour: number, into: Float64Array, offset: number, open: OpenHour | null): void {
  const upperAt = (at: number) => (open !== null && at === hour - 1 ? open.upper : ring.upperAt(at));
  let highest3 = NaN;
  let highest7 = NaN;
  let around7 = NaN;
  const peaks = new Mean();
  const uppers = new Mean();
  for (let day = 1; day <= DAYS_BACK; day++) {
    const sameHour = hour - day * HOURS_PER_DAY;
    const peak = ring.peakAt(sameHour);
    highest7 = maxKnown(highest7, peak);
    if (day <= 3) highest3 = maxKnown(highest3, peak);
    around7 = maxKnown(around7, maxKnown(peak, maxKnown(ring.peakAt(sameHour - 1), ring.peakAt(sameHour + 1))));
    peaks.add(peak);
    uppers.add(ring.upperAt(sameHour));
  }
  let weekHighest = NaN;
  const weekPeaks = new Mean();
  for (let week = 1; week <= WEEKS_BACK; week++) {
    const peak = ring.peakAt(hour - week * HOURS_PER_WEEK);
    weekHighest = maxKnown(weekHighest, peak);
    weekPeaks.add(peak);
  }
  const recent = new Mean();
  for (let offset = 1; offset <= 3; offset++) recent.add(upperAt(hour - offset));
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

/** Description of a forecast, such as `p98 of usage, whose weight halves every 24 h`. */
export function describePredictor(index: number): string {
  return NAMES[index] ?? '';
}

/** The value, or 0 for NaN (not measured). */
export function zeroIfNaN(value: number): number {
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
