// Replay without look-ahead: at every full hour the request for the hour is decided from earlier samples. Inside the hour a policy
// may react to a slot, from the next slot on.

import { SLOTS_PER_HOUR } from './time-grid.ts';

/** A method that sets requests. Slots count from the epoch, so that hours are full hours. */
export interface RequestPolicy {
  /** Receives the usage of a closed slot. */
  observe(slot: number, value: number): void;
  /** Request for the hour that begins with `slot`; null: unchanged. */
  decide(slot: number): number | null;
  /**
   * Request for the rest of the hour after `slot`; null: unchanged.
   * @param isOver whether usage exceeded the request in `slot`
   */
  react(slot: number, isOver: boolean): number | null;
}

/**
 * Request in force in each slot; NaN before the first decision. The request at index i depends on values before i.
 * @param isRefused whether the node has no capacity for a raise in a slot; the raise takes effect when it has
 */
export function replay(
  values: Float64Array,
  firstSlot: number,
  policy: RequestPolicy,
  isRefused: (slot: number) => boolean = () => false,
): Float64Array {
  const requests = new Float64Array(values.length).fill(NaN);
  let decided = NaN;
  let request = NaN;
  for (const [index, value] of values.entries()) {
    const slot = firstSlot + index;
    if (slot % SLOTS_PER_HOUR === 0) decided = policy.decide(slot) ?? decided;
    if (!(decided > request && isRefused(slot))) request = decided;
    requests[index] = request;
    if (Number.isNaN(value)) continue;
    policy.observe(slot, value);
    if ((slot + 1) % SLOTS_PER_HOUR !== 0) decided = policy.react(slot, value > request) ?? decided;
  }
  return requests;
}
