import type { DurationMs, Instant } from '#kube/units';

/**
 * Domain time: intervals, cool-downs, windows, ages. Real in production, virtual in the embedded cluster. Machine time
 * (leases, request deadlines, retries, watch time-outs) never goes through it: see `MachineTimer`.
 */
export interface Clock {
  now(): Instant;
  /** Runs `task` once when the clock reaches `at` (at once, but never synchronously, if that has passed). Returns the cancel. */
  schedule(at: Instant, task: () => void): () => void;
}

/** Machine time: monotonic enough for deadlines, real even when domain time is virtual. */
export interface MachineTimer {
  nowMs(): number;
  setTimer(afterMs: DurationMs, task: () => void): () => void;
}

/**
 * Who works says so here; the virtual clock at full speed advances only while nobody does. In production it counts for
 * nothing. Every `begin()` is ended exactly once by calling what it returned (further calls do nothing).
 */
export interface Activity {
  begin(): () => void;
}
