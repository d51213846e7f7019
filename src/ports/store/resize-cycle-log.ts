import type { Instant } from '#kube/units';

/** One evaluation of every workload by one policy run. */
export interface ResizeCycle {
  readonly id: string;
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** Workloads evaluated; the counts below are of their outcomes. */
  readonly evaluated: number;
  readonly changed: number;
  readonly deferred: number;
  readonly blocked: number;
  readonly failed: number;
  readonly byReason: Readonly<Record<string, number>>;
  /** Null: no prices. */
  readonly savings: {
    readonly potentialPerMonthUsd: number | null;
    readonly reclaimedPerMonthUsd: number | null;
    readonly realisedPerMonthUsd: number | null;
  };
}

/** Queues finished cycles for the store. */
export interface ResizeCycleWriter {
  appendCycle(cycle: ResizeCycle): void;
}

/** Past cycles. Reads reject while the store is unavailable. */
export interface ResizeCycleReader {
  /** The newest first. */
  readCycles(limit: number): Promise<readonly ResizeCycle[]>;
}
