// Nodes that are full when they are needed: no raise takes effect in the first 90 minutes of a workload's busiest quarter of
// the day. A request that follows the hour is too small then; one that covers the day is not.

import { SLOTS_PER_DAY, SLOTS_PER_HOUR } from './time-grid.ts';

export const REFUSED_MINUTES = 90;
const REFUSED_SLOTS = (REFUSED_MINUTES / 60) * SLOTS_PER_HOUR;
const HOURS_PER_DAY = 24;
const QUARTER_HOURS = 6;

/**
 * Whether a raise is refused in a slot. The quarter is the six hours of the day with the highest mean usage of the days
 * before the slot's own, so that it does not look ahead; on the first day nothing is refused.
 */
export function refusesRaises(values: Float64Array, firstSlot: number): (slot: number) => boolean {
  const starts = busiestQuarters(values, firstSlot);
  const firstDay = Math.floor(firstSlot / SLOTS_PER_DAY);
  return (slot) => {
    const start = starts[Math.floor(slot / SLOTS_PER_DAY) - firstDay] ?? null;
    if (start === null) return false;
    const into = ((slot % SLOTS_PER_DAY) - start * SLOTS_PER_HOUR + SLOTS_PER_DAY) % SLOTS_PER_DAY;
    return into < REFUSED_SLOTS;
  };
}

/** Requests as they come to be where raises are refused, of those that were wanted: a raise takes effect when it may. */
export function withRefusedRaises(wanted: Float64Array, firstSlot: number, refuses: (slot: number) => boolean): Float64Array {
  let request = NaN;
  return wanted.map((value, index) => {
    if (!(value > request && refuses(firstSlot + index))) request = value;
    return request;
  });
}

/** By day, the hour at which the busiest quarter begins; null while no day is known. */
function busiestQuarters(values: Float64Array, firstSlot: number): (number | null)[] {
  const sums = new Float64Array(HOURS_PER_DAY);
  const counts = new Uint32Array(HOURS_PER_DAY);
  const starts: (number | null)[] = [];
  for (const [index, value] of values.entries()) {
    const slot = firstSlot + index;
    if (index === 0 || slot % SLOTS_PER_DAY === 0) starts.push(busiestStart(sums, counts));
    if (Number.isNaN(value)) continue;
    const hour = Math.floor((slot % SLOTS_PER_DAY) / SLOTS_PER_HOUR);
    sums[hour] = (sums[hour] ?? 0) + value;
    counts[hour] = (counts[hour] ?? 0) + 1;
  }
  return starts;
}

function busiestStart(sums: Float64Array, counts: Uint32Array): number | null {
  let start: number | null = null;
  let most = -1;
  for (let first = 0; first < HOURS_PER_DAY; first++) {
    let [sum, count] = [0, 0];
    for (let hour = first; hour < first + QUARTER_HOURS; hour++) {
      sum += sums[hour % HOURS_PER_DAY] ?? 0;
      count += counts[hour % HOURS_PER_DAY] ?? 0;
    }
    if (count === 0 || sum / count <= most) continue;
    most = sum / count;
    start = first;
  }
  return start;
}
