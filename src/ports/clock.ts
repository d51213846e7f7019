import type { DurationMs, Instant } from '#kube/units';

/**
 * Domain time: intervals, cool-downs, windows, ages. Real in production, virtual in the embedded cluster. Leases, request
 * deadlines, retries and watch time-outs use machine time instead: see `MachineTimer`.
 */
export interface Clock {
  now(): Instant;
  /** Runs `task` once when the clock reaches `at`; never synchronously, even if that has passed. Returns the cancel function. */
  schedule(at: Instant, task: () => void): () => void;
}

/** Machine time for deadlines: real even when domain time is virtual. */
export interface MachineTimer {
  nowMs(): number;
  setTimer(afterMs: DurationMs, task: () => void): () => void;
}

/**
 * Marks work in progress: the virtual clock at full speed advances only while there is none. The real clock ignores it.
 * `begin()` returns the function that ends the work; further calls of it do nothing.
 */
export interface Activity {
  begin(): () => void;
}
