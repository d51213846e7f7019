import type { Instant } from '#kube/units';

/** Tells the error rate of a workload by a person's query. */
export interface ErrorRates {
  /** The sum of what the query answers for a moment; null where it answers nothing, or not in time. Never throws but when aborted. */
  ask(query: string, at: Instant, signal: AbortSignal): Promise<number | null>;
}
