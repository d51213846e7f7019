import process from 'node:process';
import type { Activity, Clock, MachineTimer } from '../ports/clock.ts';
import type { DurationMs, Instant } from '#kube/units';

/** Node.js timers have 31 bits of milliseconds; longer delays use several timers. */
const MAX_TIMER_MS: DurationMs = 2 ** 31 - 1;

/** Domain time of a real cluster: the wall clock. */
export class SystemClock implements Clock {
  now(): Instant {
    return Date.now();
  }

  schedule(at: Instant, task: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remainingMs = at - Date.now();
      timer = remainingMs > MAX_TIMER_MS ? setTimeout(arm, MAX_TIMER_MS) : setTimeout(task, Math.max(0, remainingMs));
    };
    arm();
    return () => clearTimeout(timer);
  }
}

/** Monotonic machine time. It is the same in every thread, unlike `performance.now()`, which begins with the thread. */
export class SystemTimer implements MachineTimer {
  nowMs(): number {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + nanoseconds / 1_000_000;
  }

  setTimer(afterMs: DurationMs, task: () => void): () => void {
    const timer = setTimeout(task, Math.min(MAX_TIMER_MS, Math.max(0, afterMs)));
    return () => clearTimeout(timer);
  }
}

/** Records no activity: only the embedded cluster's virtual clock waits until a process is idle. */
export const NO_ACTIVITY: Activity = { begin: () => () => undefined };
