import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Millicores, type Ratio } from '../units.ts';

/** One container of one pod. */
export interface PodRef {
  readonly namespace: string;
  readonly pod: string;
}

export interface ContainerRef extends PodRef {
  readonly container: string;
}

/** What a container used: CPU as the mean since its previous sample, memory as the working set at `at`. */
export interface UsageSample {
  readonly at: Instant;
  /** What was added to the time that the node reported, as its clock differs from the controller's; null or left out: nothing. */
  readonly clockOffsetMs?: DurationMs | null;
  /** null where it is unknown (first scrape of a counter, a counter that went back). */
  readonly cpuMillicores: Millicores | null;
  readonly memoryBytes: Bytes | null;
  /** Highest CPU inside the span where the source knows it (Prometheus, recorded ranges); else null. */
  readonly cpuPeakMillicores?: Millicores | null;
  /** Highest working set inside the span where the source knows it; else null. */
  readonly memoryPeakBytes?: Bytes | null;
  /** The part of the working set that is not page cache, where the source knows it; else null. */
  readonly memoryRssBytes?: Bytes | null;
  /** Share of CPU periods throttled, 0–1, where the source knows it (it has a CPU limit); else null. */
  readonly throttledRatio?: Ratio | null;
  /** Time that `throttledRatio` and `oomEvents` cover, up to this sample; null or left out: since the sample before. */
  readonly throttledSpanMs?: DurationMs | null;
  /** Processes of the container that the kernel killed for want of memory in the same time, where the source knows it; else null. */
  readonly oomEvents?: number | null;
  /** When the container started, where it is known; else null. */
  readonly startedAt?: Instant | null;
  /** Share of the last 5 minutes in which a task waited for CPU (PSI `some`), where the node measures it; else null. */
  readonly cpuPressureRatio?: Ratio | null;
  /** Share of the last 5 minutes in which a task waited for memory (PSI `some`), where the node measures it; else null. */
  readonly memoryPressureRatio?: Ratio | null;
}

/** The time of a sample by the clock of its node. Times in the status of a pod are of that clock. */
export function nodeTimeOf({ at, clockOffsetMs }: Pick<UsageSample, 'at' | 'clockOffsetMs'>): Instant {
  return at - (clockOffsetMs ?? 0);
}

/** A live sample may be so much older than the newest of its workload, as clocks of nodes differ, and still counts like one of now. */
export const MAX_LATE_MS: DurationMs = 15 * MINUTE_MS;

/** A live sample as a UsageSource hands it on. */
export interface ContainerUsage extends ContainerRef, UsageSample {}

/** What the kernel held back of one container between two readings of its counters. */
export interface ContainerEvidence extends ContainerRef {
  /** End of the time that is covered. */
  readonly at: Instant;
  readonly spanMs: DurationMs;
  /** null: no CPU limit, so nothing throttles it. */
  readonly throttledRatio: Ratio | null;
  /** null: the source does not count them. */
  readonly oomEvents: number | null;
}

/** Pressure stall information of one container: shares of the last 5 minutes in which some task waited. */
export interface ContainerPressure extends ContainerRef {
  readonly at: Instant;
  readonly cpuRatio: Ratio | null;
  readonly memoryRatio: Ratio | null;
}

/** A share of time (0–1) that was measured from one moment to another. */
export interface RatioReading {
  readonly from: Instant;
  readonly at: Instant;
  readonly ratio: Ratio;
}

/** The latest readings of one container, at most two of each measure, the newest last. */
export interface ContainerReadings {
  readonly container: string;
  readonly throttledRatio: readonly RatioReading[];
  readonly cpuPressureRatio: readonly RatioReading[];
  readonly memoryPressureRatio: readonly RatioReading[];
}

/** A node's own usage at one moment, all of its pods and daemons together. */
export interface NodeUsage extends UsageSample {
  readonly node: string;
}

/** One container's recorded past; samples ascend in time. */
export interface UsageSeries extends ContainerRef {
  /** Owner as the source knows it; null where the pod is gone and the source does not know. */
  readonly workload: { readonly namespace: string; readonly kind: string; readonly name: string } | null;
  readonly stepSeconds: number;
  readonly samples: readonly UsageSample[];
  /** OOM kills inside the range, with the limit that was hit where known. */
  readonly oomKills: readonly { readonly at: Instant; readonly memoryLimitBytes: Bytes | null }[];
}

export interface VolumeUsage extends PodRef {
  readonly claim: string;
  readonly at: Instant;
  readonly usedBytes: Bytes;
  readonly capacityBytes: Bytes;
}

export interface NetworkUsage extends PodRef {
  readonly at: Instant;
  /** Counted since the pod's start. */
  readonly receiveBytes: number;
}
