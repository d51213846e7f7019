import type {
  ContainerEvidence,
  ContainerPressure,
  ContainerUsage,
  NetworkUsage,
  NodeUsage,
  UsageSeries,
  VolumeUsage,
} from '#kube/records/usage';
import type { DurationMs, Instant } from '#kube/units';

/** Usage of a node and its containers at one reading. */
export interface UsageReading {
  readonly node: string;
  readonly containers: readonly ContainerUsage[];
  readonly nodeUsage: NodeUsage | null;
  /** When another replica read the node; absent: this process read it now. */
  readonly readAt?: Instant;
}

/** A pod (`namespace/name`) or node with a new sample. */
export interface UsageChange {
  readonly kind: 'pod' | 'node';
  readonly key: string;
}

/** `/stats/summary`: volumes, network and pressure. */
export interface SummaryReading {
  readonly node: string;
  readonly volumes: readonly VolumeUsage[];
  readonly network: readonly NetworkUsage[];
  /** By container; null: the node does not measure pressure (kubelet before 1.34, cgroup v1, or a kernel without PSI). */
  readonly pressure: readonly ContainerPressure[] | null;
}

/** What the counters of a node's containers gained since the reading before. */
export interface EvidenceReading {
  readonly node: string;
  /** Name of the source: `kubelet`, `prometheus`. */
  readonly source: string;
  readonly at: Instant;
  readonly containers: readonly ContainerEvidence[];
}

/** A reading that failed. */
export interface UsageFailure {
  /** null: the whole source failed. */
  readonly node: string | null;
  readonly at: Instant;
  readonly message: string;
  /** Absent: any other reason. */
  readonly code?: 'untrusted-certificate';
}

/** Receives what a `UsageSource` reads. */
export interface UsageSink {
  onUsage(reading: UsageReading): void;
  onSummary(reading: SummaryReading): void;
  /** A node (or the whole source) could not be read this time. */
  onFailure(failure: UsageFailure): void;
  /** Counts discarded samples by reason: `nan`, `negative`, `future`, `gap`, `out-of-order`, `unknown-pod`, `foreign-pod`. */
  onDropped(reason: string, count: number): void;
}

/** Receives readings of throttling, restarts and the other counters of containers. */
export interface EvidenceSink {
  onEvidence(reading: EvidenceReading): void;
  /** The counters of a node's containers could not be read this time. */
  onEvidenceFailure(failure: { readonly node: string; readonly at: Instant; readonly message: string }): void;
  /** Counts discarded counters by reason: `unknown-pod`, `foreign-pod`. */
  onDropped(reason: string, count: number): void;
}

/** A range of past usage; both ends are included. Without namespaces: all of them. */
export interface UsageRange {
  readonly from: Instant;
  readonly to: Instant;
  readonly stepSeconds: number;
  readonly namespaces?: readonly string[];
}

/** A source of usage: kubelets, metrics.k8s.io, Prometheus or a recording. */
export interface UsageSource {
  readonly name: string;
  /** Reads every `intervalMs` of domain time until the signal aborts. A node that cannot be read is reported to the sink and does not reject. */
  run(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void>;
}

/** The usage source in use and its problems, each a message with its remedy. A JSON value. */
export interface UsageSourceStatus {
  /** Name of the usage source in use. */
  readonly name: string;
  /** Why usage is incomplete or missing; null: it is complete. */
  readonly problem: string | null;
  /** Why no kubelet is read; null: kubelets are read. */
  readonly kubeletProblem: string | null;
  /** Why throttling is not measured; null: it is. */
  readonly throttlingProblem: string | null;
}

/** A source of past usage. Each series is complete; the order of series is undefined. */
export interface UsageHistorySource {
  readonly name: string;
  range(range: UsageRange, signal: AbortSignal): AsyncIterable<UsageSeries>;
}
