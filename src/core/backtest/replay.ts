// A replay without look-ahead: at every full hour a request is decided from earlier samples alone and holds for that
// hour; where a policy reacts, a slot whose usage passed the request may raise it from the next slot on.

import { SLOTS_PER_HOUR } from './time-grid.ts';

/** A way to set requests, fed slot by slot. Slots count from the zero of the time base, so that hours are full hours. */
export interface RequestPolicy {
  /** One slot is over. */
  observe(slot: number, value: number): void;
  /** The request for the hour that begins with `slot`; null while nothing can be said. */
  decide(slot: number): number | null;
  /**
   * A slot of the hour is over: the request for the rest of the hour, or null to leave it.
   * @param isOver usage passed the request in `slot`
   */
  react(slot: number, isOver: boolean): number | null;
}

/**
 * The request in force in each slot; NaN before the first decision. The request at index i was decided from values
 * before i.
 * @param refuses whether the node has no room for a raise in a slot: it takes effect when it has again
 */
export function replay(
  values: Float64Array,
  firstSlot: number,
  policy: RequestPolicy,
  refuses: (slot: number) => boolean = () => false,
): Float64Array {
  const requests = new Float64Array(values.length).fill(NaN);
  let wanted = NaN;
  let request = NaN;
  for (const [index, value] of values.entries()) {
    const slot = firstSlot + index;
    if (slot % SLOTS_PER_HOUR === 0) wanted = policy.decide(slot) ?? wanted;
    if (!(wanted > request && refuses(slot))) request = wanted;
    requests[index] = request;
    if (Number.isNaN(value)) continue;
    policy.observe(slot, value);
    if ((slot + 1) % SLOTS_PER_HOUR !== 0) wanted = policy.react(slot, value > request) ?? wanted;
  }
  return requests;
}
