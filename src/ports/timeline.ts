import type { Instant } from '../core/model/units.ts';
import type { WorkloadRef } from '../core/model/workload.ts';

/** One value put into force (or tried) on one container, or another act on a workload. */
export interface AppliedValue {
  /** Left out: a value of a container or of replicas. Else what was done, and `to` tells it in words. */
  readonly act?: 'evict' | 'restart' | 'hpa' | 'scale';
  /** From asking to the API server's answer. */
  readonly durationMs?: number;
  /** What it adds to the cost of what is requested, at the node's price; null: not known. */
  readonly costDeltaPerHourUsd?: number | null;
  readonly id: string;
  readonly at: Instant;
  readonly workload: WorkloadRef;
  readonly pod: string;
  readonly container: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly reason: string;
  readonly actor: string;
  readonly outcome: 'applied' | 'deferred' | 'infeasible' | 'rejected' | 'rolled-back' | 'dry-run' | 'failed';
  readonly message: string;
}

/** Queues what was done for the store. */
export interface TimelineWriter {
  appendApplied(value: AppliedValue): void;
}

/** Which entries of the timeline are read; each field that is left out excludes none. */
export interface TimelineFilter {
  readonly workload?: WorkloadRef;
  readonly since?: Instant;
  readonly limit: number;
}

/** What was done, to which workload and why. Reads reject while the store is away. */
export interface TimelineReader {
  /** The newest first. */
  readApplied(filter: TimelineFilter): Promise<readonly AppliedValue[]>;
}
