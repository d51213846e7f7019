import type { NodeRecord } from '../records/node.ts';
import type { DurationMs, Instant } from '../units.ts';
import type { ContainerRef } from '../records/usage.ts';

/** Receives the series of `/metrics/resource` that usage is made from. `at` is the sample's own time; null: it has none. */
export interface ResourceMetricsVisitor {
  /** @param labels the text between the braces, the same for all series of a container */
  containerCpuSeconds(labels: string, value: number, at: Instant | null): void;
  containerMemoryBytes(labels: string, value: number, at: Instant | null): void;
  /** @param startedAt milliseconds since the epoch */
  containerStart(labels: string, startedAt: Instant): void;
  nodeCpuSeconds(value: number, at: Instant | null): void;
  nodeMemoryBytes(value: number, at: Instant | null): void;
}

/** One reading of `/metrics/resource`. */
export interface ResourceMetrics {
  /** Time since the page was received, which another thread may have parsed since. Absent: none. */
  readonly ageMs?: DurationMs;
  /** Each series once, those of one container in any order. */
  visit(visitor: ResourceMetricsVisitor): void;
}

/** Counters of one container's cgroup, cumulative since the container started. null: the source has no such series. */
export interface ContainerCounters extends ContainerRef {
  /** Identity of the cgroup: a restarted container has another one, whose counters begin at 0. */
  readonly instance: string;
  /** When the counters were taken; null: the series carry no time. */
  readonly at: Instant | null;
  /** CFS periods of 100 ms in which the container wanted CPU; only counted under a CPU limit. */
  readonly cpuPeriods: number | null;
  /** Periods in which the container was throttled. */
  readonly throttledPeriods: number | null;
  /** Processes that the kernel killed for want of memory, also where the container went on. */
  readonly oomEvents: number | null;
}

/** Where the counters of a node's containers come from. Rejects with what is wrong and what to do about it. */
export interface ContainerCounterSource {
  readonly name: string;
  /** Every container of the node that has a counter; two instances of one container may both be listed after a restart. */
  containerCounters(node: NodeRecord, signal: AbortSignal): Promise<readonly ContainerCounters[]>;
}

/** What a page of a kubelet may hold. */
export interface PageBounds {
  readonly maxBytes: number;
  /** Containers that the page names, those of pods that are not on the node included. */
  readonly maxContainers: number;
}

/**
 * The pages of a node's kubelet that usage is read from. All reject with what is wrong and what to do about it; with an
 * `UntrustedKubelet` where its certificate is not trusted, with a `PageTooLarge` where the page exceeds its bounds.
 */
export interface KubeletPages {
  resourceMetrics(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<ResourceMetrics>;
  /** `/stats/summary` as JSON that is not validated. Fields that `readStatsSummary` does not read may be left out. */
  statsSummary(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<unknown>;
  /** The counters on `/metrics/cadvisor`. */
  containerCounters(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<readonly ContainerCounters[]>;
}
