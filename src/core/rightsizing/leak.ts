import type { HourRing } from './hour-ring.ts';

/** Hours in a row that a leak is watched before it is named. */
const LEAK_HOURS = 12;
/** Least growth per hour, of the value at its beginning: slower growth is caches and data. */
const LEAK_RATIO_PER_HOUR = 0.01;
/** Steps that may fail to rise among the twelve. */
const STEPS_NOT_RISING = 1;
const DAY_HOURS = 24;
const WEEK_HOURS = 168;

/**
 * Whether memory grows without end: the hourly peaks of the last twelve hours rise without a fall, by at least 1 % an
 * hour, past everything of the week before. A morning's rise does not pass the week's peak, and a restart ends the row.
 */
export function leakSuspected(ring: HourRing, hour: number): boolean {
  const before = ring.maxPeak(hour - LEAK_HOURS, WEEK_HOURS);
  if (Number.isNaN(ring.maxPeak(hour - DAY_HOURS, DAY_HOURS))) return false;
  const first = ring.peakAt(hour - LEAK_HOURS);
  const last = ring.peakAt(hour - 1);
  if (!(last > before) || !(last - first >= first * LEAK_RATIO_PER_HOUR * LEAK_HOURS)) return false;
  let notRising = 0;
  for (let at = hour - LEAK_HOURS + 1; at < hour; at++) {
    if (!(ring.peakAt(at) > ring.peakAt(at - 1))) notRising += 1;
  }
  return notRising <= STEPS_NOT_RISING;
}
