// Whether usage has moved to another level for good (a new version, another customer, a moved load): what was learnt
// before then says nothing more about the hours to come.

import type { HourRing } from './hour-ring.ts';

const DAY_HOURS = 24;
const WEEK_HOURS = 168;
/** Earlier days that an hour of the last day is compared with, at most and at least. */
const DAYS_BEFORE = 6;
const LEAST_DAYS_BEFORE = 2;
/** Hours of the last day that must be comparable, and the share of them that must have moved the same way. */
const LEAST_HOURS = 18;
const MOVED_SHARE = 0.9;
/** With more comparable hours than these that did not move, the share is out of reach: most days end the search early. */
const MAX_UNMOVED_HOURS = DAY_HOURS * (1 - MOVED_SHARE);
/** An hour has moved when it stands this far beyond the same hour of all earlier days. */
const DOWN_RATIO = 0.8;
const UP_RATIO = 1.2;
/** Peaks this near to those of the same day a week ago: the week's own course. */
const SAME_RATIO = 1.25;

/**
 * The hour at which usage moved to another level, as seen by the end of the hour before `hour`; null where it did not.
 * A whole day must stand beyond the same hours of the days before: a night is no shift, nor a lone spike (upper
 * quartiles are compared), nor a day like the same day of the week before (a weekend).
 */
export function shiftedSince(ring: HourRing, hour: number): number | null {
  const since = hour - DAY_HOURS;
  let known = 0;
  let down = 0;
  let up = 0;
  for (let at = since; at < hour; at++) {
    const upper = ring.upperAt(at);
    const before = sameHourBefore(ring, at);
    if (Number.isNaN(upper) || before === null) continue;
    known += 1;
    if (upper < before.least * DOWN_RATIO) down += 1;
    if (upper > before.most * UP_RATIO) up += 1;
    if (known - Math.max(down, up) > MAX_UNMOVED_HOURS) return null;
  }
  if (known < LEAST_HOURS || Math.max(down, up) < known * MOVED_SHARE) return null;
  return isLikeLastWeek(ring, hour) ? null : since;
}

function sameHourBefore(ring: HourRing, hour: number): { readonly least: number; readonly most: number } | null {
  let days = 0;
  let least = Infinity;
  let most = -Infinity;
  for (let day = 1; day <= DAYS_BEFORE; day++) {
    const upper = ring.upperAt(hour - day * DAY_HOURS);
    if (Number.isNaN(upper)) continue;
    days += 1;
    least = Math.min(least, upper);
    most = Math.max(most, upper);
  }
  return days < LEAST_DAYS_BEFORE ? null : { least, most };
}

function isLikeLastWeek(ring: HourRing, hour: number): boolean {
  const now = ring.maxPeak(hour, DAY_HOURS);
  const then = ring.maxPeak(hour - WEEK_HOURS, DAY_HOURS);
  return now < then * SAME_RATIO && then < now * SAME_RATIO;
}
