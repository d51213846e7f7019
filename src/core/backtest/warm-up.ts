// How much of a recording is fed before scoring begins: every recommender here needs days before it knows a workload.

import { SLOTS_PER_DAY } from './time-grid.ts';

const MIN_DAYS = 3;
const MAX_DAYS = 14;

/** A quarter of the recording, 3 to 14 days; never more than half of it. In days, a fraction where the recording is short. */
export function defaultWarmUpDays(slots: number): number {
  const days = slots / SLOTS_PER_DAY;
  return Math.min(Math.max(Math.round(days / 4), MIN_DAYS), MAX_DAYS, days / 2);
}
