// 5-minute slots, the time resolution of the recommender.

import { HOUR_MS, type DurationMs, type Instant } from '#kube/units';

/** Length of one slot. */
export const SLOT_MS: DurationMs = 300_000;
export const SLOTS_PER_HOUR = HOUR_MS / SLOT_MS;

/** Slot (since the epoch) of a sample: slots are (start, end], so a sample at 12:05:00 belongs to 12:00–12:05. */
export function slotOf(at: Instant): number {
  return Math.ceil(at / SLOT_MS) - 1;
}

/** Hour (since the epoch) of a slot. */
export function hourOf(slot: number): number {
  return Math.floor(slot / SLOTS_PER_HOUR);
}
