import type { Instant } from '#kube/units';

/** Usage of one container in 5 minutes, over all replicas, for graphs. Null: not measured. */
export interface UsagePoint {
  /** `namespace/kind/name/container`. */
  readonly key: string;
  readonly at: Instant;
  readonly cpuMillicores: number | null;
  readonly memoryBytes: number | null;
  readonly replicas: number;
}

/** Totals of the cluster in 5 minutes, for graphs. Null: not measured. */
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

/** Queues 5-minute points for the store. */
export interface UsageRollupWriter {
  appendUsage(points: readonly UsagePoint[]): void;
  appendCluster(point: ClusterPoint): void;
}

/** Stored 5-minute points, ascending in time. Reads reject while the store is unavailable. */
export interface UsageRollupReader {
  /** Points of the keys with the prefix, by key, then by time; both ends included. */
  readUsage(filter: { readonly keyPrefix: string; readonly from: Instant; readonly to: Instant }): Promise<readonly UsagePoint[]>;
  /** Both ends included. */
  readCluster(from: Instant, to: Instant): Promise<readonly ClusterPoint[]>;
}
