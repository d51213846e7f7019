import { SECOND_MS, type DurationMs, type Ratio } from '#kube/units';

/** Averages of PSI weigh the past exponentially over 10, 60 and 300 s (kernel/sched/psi.c). */
const WINDOWS_MS = [10 * SECOND_MS, 60 * SECOND_MS, 300 * SECOND_MS] as const;
/** Averages below this are shown as 0.00. */
const SHOWN_AS_ZERO: Ratio = 0.00005;

/** Pressure stall information of one cgroup and resource (`some`): how long a task waited since the start, and the averages. */
export class Pressure {
  totalMs: DurationMs = 0;
  avg10: Ratio = 0;
  avg60: Ratio = 0;
  avg300: Ratio = 0;

  /** @param waited share of the span in which a task waited */
  advance(waited: Ratio, spanMs: DurationMs): void {
    // Most containers never wait, so nothing is computed for them.
    if (waited === 0 && this.avg300 === 0) return;
    this.totalMs += waited * spanMs;
    this.avg10 = decayed(this.avg10, waited, spanMs, WINDOWS_MS[0]);
    this.avg60 = decayed(this.avg60, waited, spanMs, WINDOWS_MS[1]);
    this.avg300 = decayed(this.avg300, waited, spanMs, WINDOWS_MS[2]);
  }

  reset(): void {
    this.totalMs = this.avg10 = this.avg60 = this.avg300 = 0;
  }
}

function decayed(average: Ratio, waited: Ratio, spanMs: DurationMs, windowMs: DurationMs): Ratio {
  const next = waited + (average - waited) / Math.exp(spanMs / windowMs);
  return waited === 0 && next < SHOWN_AS_ZERO ? 0 : next;
}
