import { DAY_MS, type DurationMs, type Instant } from '#kube/units';

/** An OOM kill counts as evidence for more memory for a day, because a daily peak recurs within it. */
export const KILL_COUNTS_FOR_MS: DurationMs = DAY_MS;

/** An OOM kill of a process whose container kept running: only the kernel's counter of OOM events shows it, not the pod's status. */
export interface CountedKill {
  readonly container: string;
  /** When the counter was read. */
  readonly at: Instant;
}
