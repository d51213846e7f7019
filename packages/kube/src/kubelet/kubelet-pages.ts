import type { NodeRecord } from '../records/node.ts';
import type { DurationMs, Instant } from '../units.ts';
import type { ContainerRef } from '../records/usage.ts';

/** Receives the usage series of `/metrics/resource`. `at`: timestamp of the sample; null: none. */
export interface ResourceMetricsVisitor {
  /** @param labels text between the braces, equal for all series of a container; no slice of the page, which it would keep alive */
  containerCpuSeconds(labels: string, value: number, at: Instant | null): void;
  containerMemoryBytes(labels: string, value: number, at: Instant | null): void;
  /** @param startedAt milliseconds since the epoch */
  containerStart(labels: string, startedAt: Instant): void;
  nodeCpuSeconds(value: number, at: Instant | null): void;
  nodeMemoryBytes(value: number, at: Instant | null): void;
}

/** One reading of `/metrics/resource`. */
export interface ResourceMetrics {
  /** Age of the page, because another thread may have parsed it. Absent: 0. */
  readonly ageMs?: DurationMs;
  /** Visits each series once, those of one container in any order. */
  visit(visitor: ResourceMetricsVisitor): void;
}

/** Counters of one container's cgroup, cumulative since its start. null: the source does not have the series. */
export interface ContainerCounters extends ContainerRef {
  /** Identity of the cgroup: a restarted container has a new one, whose counters begin at 0. */
  readonly instance: string;
  /** Timestamp of the counters; null: none. */
  readonly at: Instant | null;
  /** CFS periods of 100 ms with demand for CPU; only counted with a CPU limit. */
  readonly cpuPeriods: number | null;
  /** Periods in which the container was throttled. */
  readonly throttledPeriods: number | null;
  /** Processes that were OOM-killed, also if the container continued. */
  readonly oomEvents: number | null;
}

/** Source of container counters. Rejects with a message that includes the remedy. */
export interface ContainerCounterSource {
  readonly name: string;
  /** Counters of all containers of a node; after a restart both instances of a container may be listed. */
  containerCounters(node: NodeRecord, signal: AbortSignal): Promise<readonly ContainerCounters[]>;
}

/** Bounds of a kubelet's page. */
export interface PageBounds {
  readonly maxBytes: number;
  /** Containers in the page, including those of pods that are not on the node. */
  readonly maxContainers: number;
}

/**
 * Pages of a node's kubelet with usage. All methods reject with a message that includes the remedy: an `UntrustedKubelet` if the
 * certificate is not trusted, a `PageTooLarge` if the page exceeds its bounds.
 */
export interface KubeletPages {
  resourceMetrics(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<ResourceMetrics>;
  /** `/stats/summary` as JSON without validation. Fields that `readStatsSummary` does not read may be missing. */
  statsSummary(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<unknown>;
  /** The counters on `/metrics/cadvisor`. */
  containerCounters(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<readonly ContainerCounters[]>;
}
