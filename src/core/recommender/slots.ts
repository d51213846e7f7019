// The 5-minute grid on which usage is learned.

import { HOUR_MS, type DurationMs, type Instant } from '#kube/units';

/** Length of one slot. */
export const SLOT_MS: DurationMs = 300_000;
export const SLOTS_PER_HOUR = HOUR_MS / SLOT_MS;

/** Slot that a sample belongs to: slots hold what ended in (start, end], so a sample at 12:05:00 covers 12:00–12:05. */
export function slotOf(at: Instant): number {
  return Math.ceil(at / SLOT_MS) - 1;
}

/** Hour since the epoch that a slot lies in. */
export function hourOf(slot: number): number {
  return Math.floor(slot / SLOTS_PER_HOUR);
}
