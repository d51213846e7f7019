import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Millicores, type Ratio } from '../units.ts';

/** Reference to a pod by name. */
export interface PodRef {
  readonly namespace: string;
  readonly pod: string;
}

/** Reference to a container of a pod. */
export interface ContainerRef extends PodRef {
  readonly container: string;
}

/** Usage of a container: mean CPU since the previous sample, and the working set at `at`. */
export interface UsageSample {
  readonly at: Instant;
  /** Correction of the node's timestamp for clock skew; null or absent: none. */
  readonly clockOffsetMs?: DurationMs | null;
  /** null: unknown, as at the first reading of a counter or after its reset. */
  readonly cpuMillicores: Millicores | null;
  readonly memoryBytes: Bytes | null;
  /** Highest CPU in the span (Prometheus, recorded ranges); null: unknown. */
  readonly cpuPeakMillicores?: Millicores | null;
  /** Highest working set in the span; null: unknown. */
  readonly memoryPeakBytes?: Bytes | null;
  /** The working set without page cache; null: unknown. */
  readonly memoryRssBytes?: Bytes | null;
  /** Share of CPU periods throttled, 0–1; null: unknown, or no CPU limit. */
  readonly throttledRatio?: Ratio | null;
  /** Time that `throttledRatio` and `oomEvents` cover, up to this sample; null or absent: since the sample before. */
  readonly throttledSpanMs?: DurationMs | null;
  /** OOM-killed processes of the container in the same time; null: unknown. */
  readonly oomEvents?: number | null;
  /** Start of the container; null: unknown. */
  readonly startedAt?: Instant | null;
  /** Share of the last 5 minutes in which a task waited for CPU (PSI `some`); null: not measured. */
  readonly cpuPressureRatio?: Ratio | null;
  /** Share of the last 5 minutes in which a task waited for memory (PSI `some`); null: not measured. */
  readonly memoryPressureRatio?: Ratio | null;
}

/** Time of a sample by the clock of its node, which is also that of times in pod statuses. */
export function nodeTimeOf({ at, clockOffsetMs }: Pick<UsageSample, 'at' | 'clockOffsetMs'>): Instant {
  return at - (clockOffsetMs ?? 0);
}

/** Maximum age of a live sample relative to the newest of its workload, because of clock skew between nodes. */
export const MAX_LATE_MS: DurationMs = 15 * MINUTE_MS;

/** A live sample of a container from a UsageSource. */
export interface ContainerUsage extends ContainerRef, UsageSample {}

/** Throttling and OOM events of one container between two readings of its counters. */
export interface ContainerEvidence extends ContainerRef {
  /** End of the interval. */
  readonly at: Instant;
  readonly spanMs: DurationMs;
  /** null: no CPU limit. */
  readonly throttledRatio: Ratio | null;
  /** null: not counted by the source. */
  readonly oomEvents: number | null;
}

/** Pressure stall information of one container: shares of the last 5 minutes in which some task waited. */
export interface ContainerPressure extends ContainerRef {
  readonly at: Instant;
  readonly cpuRatio: Ratio | null;
  readonly memoryRatio: Ratio | null;
}

/** A share of time (0–1) over an interval. */
export interface RatioReading {
  readonly from: Instant;
  readonly at: Instant;
  readonly ratio: Ratio;
}

/** The last two readings of each measure of one container, newest last. */
export interface ContainerReadings {
  readonly container: string;
  readonly throttledRatio: readonly RatioReading[];
  readonly cpuPressureRatio: readonly RatioReading[];
  readonly memoryPressureRatio: readonly RatioReading[];
}

/** Usage of a node, including all pods and system daemons. */
export interface NodeUsage extends UsageSample {
  readonly node: string;
}

/** Recorded usage of one container, ascending in time. */
export interface UsageSeries extends ContainerRef {
  /** Owner of the pod; null: unknown. */
  readonly workload: { readonly namespace: string; readonly kind: string; readonly name: string } | null;
  readonly stepSeconds: number;
  readonly samples: readonly UsageSample[];
  /** OOM kills in the range, with the limit in force; null: unknown. */
  readonly oomKills: readonly { readonly at: Instant; readonly memoryLimitBytes: Bytes | null }[];
}

/** Usage of a PersistentVolumeClaim. */
export interface VolumeUsage extends PodRef {
  readonly claim: string;
  readonly at: Instant;
  readonly usedBytes: Bytes;
  readonly capacityBytes: Bytes;
}

/** Network usage of a pod. */
export interface NetworkUsage extends PodRef {
  readonly at: Instant;
  /** Cumulative since the pod's start. */
  readonly receiveBytes: number;
}
