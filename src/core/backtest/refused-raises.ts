// Simulates full nodes: no raise takes effect in the first 90 minutes of a workload's busiest six hours of the day. Requests that
// follow the hour are too low then, requests that cover the day are not.

import { SLOTS_PER_DAY, SLOTS_PER_HOUR } from './time-grid.ts';

/** Minutes a day in which raises are refused. */
export const REFUSED_MINUTES = 90;
const REFUSED_SLOTS = (REFUSED_MINUTES / 60) * SLOTS_PER_HOUR;
const HOURS_PER_DAY = 24;
const QUARTER_HOURS = 6;

/**
 * Returns whether a raise is refused in a slot. The busiest hours have the highest mean usage of the days before, without
 * look-ahead; on the first day nothing is refused.
 */
export function findRefusedSlots(values: Float64Array, firstSlot: number): (slot: number) => boolean {
  const starts = busiestQuarters(values, firstSlot);
  const firstDay = Math.floor(firstSlot / SLOTS_PER_DAY);
  return (slot) => {
    const start = starts[Math.floor(slot / SLOTS_PER_DAY) - firstDay] ?? null;
    if (start === null) return false;
    const into = ((slot % SLOTS_PER_DAY) - start * SLOTS_PER_HOUR + SLOTS_PER_DAY) % SLOTS_PER_DAY;
    return into < REFUSED_SLOTS;
  };
}

/** Effective requests with refused raises: a raise takes effect in the first slot that does not refuse it. */
export function applyRefusals(wanted: Float64Array, firstSlot: number, isRefused: (slot: number) => boolean): Float64Array {
  let request = NaN;
  return wanted.map((value, index) => {
    if (!(value > request && isRefused(firstSlot + index))) request = value;
    return request;
  });
}

/** By day, the first of the busiest six hours; null on the first day. */
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
  let highest = -1;
  for (let first = 0; first < HOURS_PER_DAY; first++) {
    let [sum, count] = [0, 0];
    for (let hour = first; hour < first + QUARTER_HOURS; hour++) {
      sum += sums[hour % HOURS_PER_DAY] ?? 0;
      count += counts[hour % HOURS_PER_DAY] ?? 0;
    }
    if (count === 0 || sum / count <= highest) continue;
    highest = sum / count;
    start = first;
  }
  return start;
}
