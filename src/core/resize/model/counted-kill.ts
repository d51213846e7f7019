import { DAY_MS, type DurationMs, type Instant } from '#kube/units';

/** So long after an OOM kill it speaks for more memory: what happens once a day has not happened again before. */
export const KILL_COUNTS_FOR_MS: DurationMs = DAY_MS;

/** A process that the kernel killed for want of memory while its container went on: a counter shows it, no status does. */
export interface CountedKill {
  readonly container: string;
  /** When the counter was read. */
  readonly at: Instant;
}
