import type { Activity, Clock, MachineTimer } from '../ports/clock.ts';
import type { DurationMs, Instant } from '#kube/units';

/** Node's timers hold 31 bits of milliseconds; longer waits are taken in legs. */
const MAX_TIMER_MS: DurationMs = 2 ** 31 - 1;

/** Domain time as it is outside: the wall clock. */
export class SystemClock implements Clock {
  now(): Instant {
    return Date.now();
  }

  schedule(at: Instant, task: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = at - Date.now();
      timer = left > MAX_TIMER_MS ? setTimeout(arm, MAX_TIMER_MS) : setTimeout(task, Math.max(0, left));
    };
    arm();
    return () => clearTimeout(timer);
  }
}

/** Machine time: monotonic. */
export class SystemTimer implements MachineTimer {
  nowMs(): number {
    return performance.now();
  }

  setTimer(afterMs: DurationMs, task: () => void): () => void {
    const timer = setTimeout(task, Math.min(MAX_TIMER_MS, Math.max(0, afterMs)));
    return () => clearTimeout(timer);
  }
}

/** In production nobody waits for idleness. */
export const NO_ACTIVITY: Activity = { begin: () => () => undefined };
