import type { Instant } from '#kube/units';

/** Error rate of a workload by the query of its policy. */
export interface ErrorRates {
  /** Sum of the query's result at `at`; null: it is empty, fails or times out. Rejects only when aborted. */
  query(query: string, at: Instant, signal: AbortSignal): Promise<number | null>;
}
