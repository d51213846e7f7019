import type { Instant } from '../core/model/units.ts';
import type { WorkloadRef } from '../core/model/workload.ts';
import type { SharedState } from './shared-state.ts';

/** Compact state of one container's recommender, kept so that a restart does not begin again. */
export interface UsageCheckpoint {
  /** `namespace/kind/name/container`. */
  readonly key: string;
  readonly savedAt: Instant;
  /** Version of the encoding; a reader that does not know it ignores the checkpoint. */
  readonly version: number;
  readonly data: Uint8Array;
}

/** One evaluation of every workload by one policy run. */
export interface ResizeCycle {
  readonly id: string;
  readonly startedAt: Instant;
  readonly durationMs: number;
  readonly evaluated: number;
  readonly changed: number;
  readonly deferred: number;
  readonly blocked: number;
  readonly failed: number;
  readonly byReason: Readonly<Record<string, number>>;
  readonly savings: {
    readonly potentialPerMonthUsd: number | null;
    readonly reclaimedPerMonthUsd: number | null;
    readonly realisedPerMonthUsd: number | null;
  };
}

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

/** One 5-minute point of one container's (all replicas) usage, for graphs. */
export interface UsagePoint {
  readonly key: string;
  readonly at: Instant;
  readonly cpuMillicores: number | null;
  readonly memoryBytes: number | null;
  readonly replicas: number;
}

/** One 5-minute point of the cluster's totals. Any may be null: not known then. */
export interface ClusterPoint {
  readonly at: Instant;
  readonly provisionedCpuMillicores: number | null;
  readonly provisionedMemoryBytes: number | null;
  readonly requestedCpuMillicores: number | null;
  readonly requestedMemoryBytes: number | null;
  readonly recommendedCpuMillicores: number | null;
  readonly recommendedMemoryBytes: number | null;
  readonly usedCpuMillicores: number | null;
  readonly usedMemoryBytes: number | null;
  readonly costPerHourUsd: number | null;
}

/**
 * What Evenkeel remembers: samples, past cycles, applied values. Losing it loses history and nothing else. Writes are
 * queued (bounded) and batched; a store that is away drops the oldest and counts it. Reads reject when it is away.
 */
export interface History {
  /** What replicas tell each other through it; null where the store is of one process alone. */
  readonly shared: SharedState | null;
  /**
   * Replaces what is stored under the same keys, but for what a later term has saved: a leader that was deposed may save late.
   * Answers the greatest of those later terms; null: everything was written.
   */
  saveCheckpoints(checkpoints: readonly UsageCheckpoint[], term: number): Promise<number | null>;
  loadCheckpoints(): AsyncIterable<UsageCheckpoint>;
  /** What a later term has saved stays. */
  deleteCheckpoints(keys: readonly string[], term: number): Promise<void>;
  appendCycle(cycle: ResizeCycle): void;
  cycles(limit: number): Promise<readonly ResizeCycle[]>;
  appendApplied(value: AppliedValue): void;
  applied(filter: { readonly workload?: WorkloadRef; readonly since?: Instant; readonly limit: number }): Promise<readonly AppliedValue[]>;
  appendUsage(points: readonly UsagePoint[]): void;
  usage(filter: { readonly keyPrefix: string; readonly from: Instant; readonly to: Instant }): Promise<readonly UsagePoint[]>;
  appendCluster(point: ClusterPoint): void;
  cluster(from: Instant, to: Instant): Promise<readonly ClusterPoint[]>;
  /** Everything queued is on disk when it resolves. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** For `/api/v1/health`. */
  status(): { readonly ok: boolean; readonly message: string; readonly since: Instant };
}
