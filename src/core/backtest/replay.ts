// A replay without look-ahead: at every full hour a request is decided from earlier samples alone and holds for that
// hour; where a policy reacts, a slot whose usage passed the request may lift it from the next slot on.

import { SLOTS_PER_HOUR } from './time-grid.ts';

/** A way to set requests, fed slot by slot. Slots count from the zero of the time base, so that hours are full hours. */
export interface RequestPolicy {
  /** One slot is over. */
  observe(slot: number, value: number): void;
  /** The request for the hour that begins with `slot`; null while nothing can be said. */
  decide(slot: number): number | null;
  /** Usage passed the request in `slot`: the request for the rest of the hour, or null to leave it. */
  react(slot: number): number | null;
}

/**
 * The request in force in each slot; NaN before the first decision. What stands at index i was decided from values
 * before i.
 */
export function replay(values: Float64Array, firstSlot: number, policy: RequestPolicy): Float64Array {
  const requests = new Float64Array(values.length).fill(NaN);
  let request = NaN;
  for (const [index, value] of values.entries()) {
    const slot = firstSlot + index;
    if (slot % SLOTS_PER_HOUR === 0) request = policy.decide(slot) ?? request;
    requests[index] = request;
    if (Number.isNaN(value)) continue;
    policy.observe(slot, value);
    if (!(value > request) || (slot + 1) % SLOTS_PER_HOUR === 0) continue;
    const lifted = policy.react(slot);
    if (lifted !== null && lifted > request) request = lifted;
  }
  return requests;
}
