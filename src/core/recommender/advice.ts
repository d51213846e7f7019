// Input (rules) and output (advice) of the recommender. Plain data, so that it can be published, explained and replayed.

import type { ContainerRuntime } from '#kube/records/container-runtime';
import type { ExplanationStep } from '../model/explanation-step.ts';
import type { Resources } from '#kube/records/resources';
import type { CpuHigh } from './history/cpu-highs.ts';
import type { EvidenceHour } from './history/evidence-hours.ts';
import { DAY_MS, MiB } from '#kube/units';
import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';

/** Cost of a missing unit relative to an unused one: the main setting of a policy. */
export type Goal = 'Savings' | 'Balanced' | 'Safe';

/**
 * How often CPU requests may fall. Daily: the base covers the highest forecast of the next 24 hours, rises at once, and falls
 * at most once in 24 hours; a sample above it raises the request until three hours after the last such sample. Hourly: the
 * request follows the forecast of each hour, up and down, and rises 20 minutes before an hour that needs more. Memory is the
 * same at both.
 */
export type Pace = 'Daily' | 'Hourly';

/** Rules for one resource of one container: policy, container override, floor and ceiling merged. */
export interface ResourceRules {
  readonly goal: Goal;
  /**
   * Fixed percentile (0–1) of usage in the history window; null: the predictors decide. For memory it can only raise the
   * request above the peak of the last days.
   */
  readonly percentile: Ratio | null;
  /** Added as a fraction of the value (0.15 = 15 %); null: the predictors decide. */
  readonly margin: Ratio | null;
  /** Minimum target, in millicores or bytes. */
  readonly min: number;
  /** Maximum target, in millicores or bytes; null: no bound. */
  readonly max: number | null;
}

/** Rules for one container. */
export interface RecommenderRules {
  readonly cpu: ResourceRules;
  readonly memory: ResourceRules;
  readonly pace: Pace;
  /**
   * Whether the value must hold for weeks without a temporary increase: a person copies or approves it, or a restart applies it.
   */
  readonly lasting: boolean;
  /** Language runtime and maximum heap by the pod template; null: unknown. */
  readonly runtime: ContainerRuntime | null;
  /** Peaks, fixed percentiles and coverage ignore usage older than this. */
  readonly historyWindowMs: DurationMs;
  /** After an OOM kill: at least `limit × bumpRatio` and `limit + minBumpBytes`. */
  readonly oom: { readonly bumpRatio: number; readonly minBumpBytes: Bytes };
  /** Start of the hourly throttling and pressure in the advice; absent: the advice has none. */
  readonly evidenceSince?: Instant;
}

/** Minimum CPU request: below it the granularity of scheduler and kernel costs more than it saves. */
export const MIN_CPU_MILLICORES: Millicores = 10;
/** Minimum memory request: smaller containers exist, but the saving is not worth one eviction. */
export const MIN_MEMORY_BYTES: Bytes = 16 * MiB;

/** Rules of a policy that sets nothing. */
export const DEFAULT_RECOMMENDER_RULES: RecommenderRules = {
  cpu: { goal: 'Balanced', percentile: null, margin: null, min: MIN_CPU_MILLICORES, max: null },
  memory: { goal: 'Balanced', percentile: null, margin: null, min: MIN_MEMORY_BYTES, max: null },
  pace: 'Daily',
  lasting: false,
  runtime: null,
  historyWindowMs: 14 * DAY_MS,
  oom: { bumpRatio: 1.2, minBumpBytes: 100 * MiB },
};

/** Recommended request for one resource of a container. Values are whole millicores (CPU) or bytes (memory). */
export interface ResourceAdvice {
  readonly target: number;
  /** The target without a temporary increase. */
  readonly base: number;
  /** Temporary increase: the target is above the base because usage was. It ends at `until` unless usage rises again. */
  readonly increase: { readonly until: Instant } | null;
  /** A request below this is under-provisioned and should be raised at once. */
  readonly lowerBound: number;
  /** A request above this is over-provisioned. Between the bounds a change waits for its cool-down. */
  readonly upperBound: number;
  /** Highest usage inside the history window. */
  readonly peak: number;
  /** Highest usage of the last hour. */
  readonly recentPeak: number;
  /** Latest usage (5-minute mean for CPU, working set for memory). */
  readonly latest: number;
  /** coverage × span × calibration × freshness for this resource, 0–1. */
  readonly confidence: Ratio;
  /** Whether it was measured within the last 15 minutes: older usage lowers no request. */
  readonly isMeasured: boolean;
  /** Explanation of the target, in order. */
  readonly steps: readonly ExplanationStep[];
}

/** Memory peaks of a container: the evidence for lowering its limit. */
export interface MemoryEvidence {
  /** Length of the history. */
  readonly historyMs: DurationMs;
  /** Highest working set of the whole history, not only of the window. */
  readonly peakEver: Bytes;
  readonly peakEverAt: Instant;
  /** Highest working set of the last 24 hours and of the last hour; null: not measured in them. */
  readonly peak24h: Bytes | null;
  readonly peakHour: Bytes | null;
  /** Latest working set. */
  readonly latest: Bytes;
  /**
   * Highest ratio of a day's peak to all peaks before that day, after the first day of history; 1: no day exceeded them.
   * Limits allow for another such rise.
   */
  readonly worstRecordRatio: number;
  /** Weighted median working set; older points weigh less. */
  readonly typical: Bytes;
  /** Peak of the last hour minus that of the hour before; above 0: it grows. */
  readonly slopeBytesPerHour: number;
  readonly lastOomAt: Instant | null;
  /** Minimum memory by the OOM kills that have not expired; 0: none. */
  readonly minMemoryByKills: Bytes;
  /** Language runtime and maximum heap; absent: unknown. */
  readonly runtime?: ContainerRuntime;
  readonly leakSuspected: boolean;
}

/** Minimum memory by OOM kills. */
export interface OomAdvice {
  /** Minimum limit of every replica, which takes two kills; 0: none. */
  readonly limitNeed: Bytes;
  /** Minimum limit of the pod that was killed, which takes one kill; 0: none. */
  readonly killedPodNeed: Bytes;
  /** Minimum request by the highest usage; 0: none. */
  readonly requestNeed: Bytes;
  /** Kills at a limit in the last day, each with the minimum limit that follows from it. */
  readonly recentKills: readonly { readonly at: Instant; readonly need: Bytes }[];
  /** The last kill by a node that ran out of memory; null: there was none. */
  readonly lastNodeKill: { readonly at: Instant; readonly limitBytes: Bytes; readonly workingSetBytes: Bytes } | null;
}

/** Recommendation for one container with the usage and the evidence behind it. */
export interface ContainerAdvice {
  readonly container: string;
  /** null: not measured, or for less than an hour. */
  readonly cpu: ResourceAdvice | null;
  readonly memory: ResourceAdvice | null;
  readonly usage: { readonly p50: Resources; readonly p95: Resources; readonly p99: Resources; readonly max: Resources };
  /** Evidence for the memory limit; null: memory is not measured. */
  readonly memoryEvidence: MemoryEvidence | null;
  /** OOM kills inside the history window. */
  readonly oomKills: number;
  /** The last kill at a limit; kills by the node do not count. */
  readonly lastOomAt: Instant | null;
  /** Absent: the container was never OOM-killed. */
  readonly oom?: OomAdvice;
  /** The working set grows by more than 3 % a day while the container runs. */
  readonly leakSuspected: boolean;
  /** Mean share of CPU periods throttled over the last 24 hours; null: not measured. */
  readonly throttledRatio: Ratio | null;
  /** Mean share of time in which a task waited for CPU (PSI) over the last 24 hours; null: not measured. */
  readonly cpuPressureRatio: Ratio | null;
  /** Bound for lowering the CPU of a Guaranteed pod; null: single samples are not kept, as for Job runs. */
  readonly cpuHigh: CpuHigh | null;
  /** Throttling and pressure by hour, where the rules have `evidenceSince`. */
  readonly evidence?: readonly EvidenceHour[];
  /** Samples counted, and samples dropped as out of order, implausible or in the future. */
  readonly samples: number;
  readonly droppedSamples: number;
  /**
   * The newest sample of a replica was dropped because it is older than earlier ones: the clock was set back, or the node's is
   * behind. Absent: false.
   */
  readonly isUsageLeftOut?: boolean;
  readonly firstSampleAt: Instant;
  readonly lastSampleAt: Instant;
  /** Share of the 5-minute points of its life (inside the window) that were measured, 0–1. */
  readonly coverage: Ratio;
  /** At least `MIN_HISTORY_MS` of usage, and a CPU target where CPU is measured: both resources change in one resize. */
  readonly enoughHistory: boolean;
  /** The lower of the two resources' confidences, 0–1. */
  readonly confidence: Ratio;
  /** Explanation of the confidence: `would have covered 99.2 % of the last 168 hours with usage; 6.9 days of history …`. */
  readonly confidenceText: string;
}
