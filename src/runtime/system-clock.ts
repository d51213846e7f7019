import process from 'node:process';
import type { Activity, Clock, MachineTimer } from '../ports/clock.ts';
import type { DurationMs, Instant } from '#kube/units';

/** Node.js timers have 31 bits of milliseconds; longer delays use several timers. */
const MAX_TIMER_MS: DurationMs = 2 ** 31 - 1;

/** Timers fire up to this much before their time: delays are rounded, and measured by another clock than the wall's. */
const MAX_EARLY_MS: DurationMs = 50;

/** The wall clock and timers of the process. */
export interface WallTimers {
  now(): Instant;
  setTimeout(task: () => void, afterMs: DurationMs): NodeJS.Timeout;
}

/** Domain time of a real cluster: the wall clock. */
export class SystemClock implements Clock {
  readonly #wall: WallTimers;

  constructor(wall: WallTimers = { now: () => Date.now(), setTimeout: (task, afterMs) => setTimeout(task, afterMs) }) {
    this.#wall = wall;
  }

  now(): Instant {
    return this.#wall.now();
  }

  schedule(at: Instant, task: () => void): () => void {
    const wall = this.#wall;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remainingMs = Math.max(0, at - wall.now());
      timer = remainingMs > MAX_TIMER_MS ? wall.setTimeout(arm, MAX_TIMER_MS) : wall.setTimeout(fire, remainingMs);
    };
    const fire = (): void => {
      const remainingMs = at - wall.now();
      // More remains where the wall clock was set back: the task runs after the time for which it was scheduled.
      if (remainingMs > 0 && remainingMs <= MAX_EARLY_MS) arm();
      else task();
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
