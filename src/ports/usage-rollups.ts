import type { Instant } from '#kube/units';

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

/** Queues 5-minute points for the store. */
export interface UsageRollupWriter {
  appendUsage(points: readonly UsagePoint[]): void;
  appendCluster(point: ClusterPoint): void;
}

/** Stored 5-minute points, ascending in time. Reads reject while the store is away. */
export interface UsageRollupReader {
  /** By key, then by time; both ends included. */
  readUsage(filter: { readonly keyPrefix: string; readonly from: Instant; readonly to: Instant }): Promise<readonly UsagePoint[]>;
  /** Both ends included. */
  readCluster(from: Instant, to: Instant): Promise<readonly ClusterPoint[]>;
}
