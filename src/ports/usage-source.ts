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

/** What one look at a node told. */
export interface UsageReading {
  readonly node: string;
  readonly containers: readonly ContainerUsage[];
  readonly nodeUsage: NodeUsage | null;
  /** When the node was read, where another replica did that; left out: now. */
  readonly readAt?: Instant;
}

/** `/stats/summary`: volumes, network and pressure. */
export interface SummaryReading {
  readonly node: string;
  readonly volumes: readonly VolumeUsage[];
  readonly network: readonly NetworkUsage[];
  /** By container; null: the node does not measure pressure (kubelet before 1.34, cgroup v1, or a kernel without PSI). */
  readonly pressure: readonly ContainerPressure[] | null;
}

/** What the counters of a node's containers said since they were read before. */
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
  /** Left out: any other reason. */
  readonly code?: 'untrusted-certificate';
}

export interface UsageSink {
  onUsage(reading: UsageReading): void;
  onSummary(reading: SummaryReading): void;
  /** A node (or the whole source) could not be read this time. */
  onFailure(failure: UsageFailure): void;
  /** Samples that were thrown away, by why: `nan`, `negative`, `future`, `gap`, `out-of-order`, `unknown-pod`, `foreign-pod`. */
  onDropped(reason: string, count: number): void;
}

export interface EvidenceSink {
  onEvidence(reading: EvidenceReading): void;
  /** The counters of a node's containers could not be read this time. */
  onEvidenceFailure(failure: { readonly node: string; readonly at: Instant; readonly message: string }): void;
  /** Counters that were thrown away, by why: `unknown-pod`, `foreign-pod`. */
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

/** What usage is read from, and what is wrong with that: in words for people, each with its remedy. A JSON value. */
export interface UsageSourceStatus {
  /** Of the usage source in use now. */
  readonly name: string;
  /** Why usage is not what it could be; null: it is. */
  readonly problem: string | null;
  /** Why no kubelet is read now; null: kubelets are read. */
  readonly kubeletProblem: string | null;
  /** Why nothing reports throttling now; null: something does. */
  readonly throttlingProblem: string | null;
}

/** Sources that know the past. A series comes whole; series come in no particular order. */
export interface UsageHistorySource {
  readonly name: string;
  range(range: UsageRange, signal: AbortSignal): AsyncIterable<UsageSeries>;
}
