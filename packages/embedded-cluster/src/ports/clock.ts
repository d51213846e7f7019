import type { DurationMs, Instant } from '#kube/units';

/**
 * Domain time: intervals, cool-downs, windows, ages. Real in production, virtual in the embedded cluster. Machine time (leases, request
 * deadlines, retries, watch timeouts) uses `MachineTimer`.
 */
export interface Clock {
  now(): Instant;
  /** Runs `task` once when the clock reaches `at` (at once, but never synchronously, if that has passed). Returns the cancel function. */
  schedule(at: Instant, task: () => void): () => void;
}

/** Machine time: monotonic enough for deadlines, real even when domain time is virtual. */
export interface MachineTimer {
  nowMs(): number;
  setTimer(afterMs: DurationMs, task: () => void): () => void;
}

/**
 * Registers work in progress; the virtual clock at full speed advances only without any. In production it has no effect. Every `begin()` is
 * ended once by calling the returned function (further calls do nothing).
 */
export interface Activity {
  begin(): () => void;
}
