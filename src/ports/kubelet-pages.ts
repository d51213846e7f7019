import type { NodeRecord } from '../core/model/node.ts';
import type { Instant } from '../core/model/units.ts';

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
  /** Each series once, those of one container in any order. */
  visit(visitor: ResourceMetricsVisitor): void;
}

/** What usage is read from: the pages of a node's kubelet. Both reject with what is wrong and what to do about it. */
export interface KubeletPages {
  resourceMetrics(node: NodeRecord, signal: AbortSignal): Promise<ResourceMetrics>;
  /** `/stats/summary` as JSON of which nothing is checked. */
  statsSummary(node: NodeRecord, signal: AbortSignal): Promise<unknown>;
}
