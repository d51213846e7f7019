import type { ContainerUsage, NetworkUsage, NodeUsage, UsageSeries, VolumeUsage } from '../core/model/usage.ts';
import type { DurationMs, Instant } from '../core/model/units.ts';

/** What one look at a node told. */
export interface UsageReading {
  readonly node: string;
  readonly containers: readonly ContainerUsage[];
  readonly nodeUsage: NodeUsage | null;
  /** When the node was read, where another replica did that; left out: now. */
  readonly readAt?: Instant;
}

/** `/stats/summary`: volumes and network. */
export interface SummaryReading {
  readonly node: string;
  readonly volumes: readonly VolumeUsage[];
  readonly network: readonly NetworkUsage[];
}

export interface UsageSink {
  onUsage(reading: UsageReading): void;
  onSummary(reading: SummaryReading): void;
  /** A node (or the whole source, node null) could not be read this time. */
  onFailure(failure: { readonly node: string | null; readonly at: Instant; readonly message: string }): void;
  /** Samples that were thrown away, by why: `nan`, `negative`, `future`, `gap`, `out-of-order`. */
  onDropped(reason: string, count: number): void;
}

export interface UsageRange {
  readonly from: Instant;
  readonly to: Instant;
  readonly stepSeconds: number;
  readonly namespaces?: readonly string[];
}

/** Where usage comes from: kubelets, metrics.k8s.io, Prometheus, a recording. */
export interface UsageSource {
  readonly name: string;
  /** Reads again and again, each `intervalMs` of domain time, until the signal aborts. Never throws for one bad node. */
  run(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void>;
}

/** Sources that know the past. A series comes whole; series come in no particular order. */
export interface UsageHistorySource {
  readonly name: string;
  range(range: UsageRange, signal: AbortSignal): AsyncIterable<UsageSeries>;
}
