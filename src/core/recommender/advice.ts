// The seam of right-sizing: what the recommender is asked (rules) and what it answers (advice). Plain data, so that it
// can be published, explained and replayed.

import type { ContainerRuntime } from '#kube/records/container-runtime';
import type { ExplanationStep } from '../model/explanation-step.ts';
import type { Resources } from '#kube/records/resources';
import type { CpuHigh } from './cpu-highs.ts';
import type { EvidenceHour } from './evidence-hours.ts';
import { DAY_MS, MiB } from '#kube/units';
import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';

/** What a missing unit costs against a spare one: the one knob of a policy. */
export type Goal = 'Savings' | 'Balanced' | 'Safe';

/**
 * How often CPU requests may fall. Daily: the base covers the greatest forecast of the next 24 hours, rises at once, and falls
 * at most once in 24 hours; a sample above it raises the request until three hours after the last such sample. Hourly: the
 * request follows the forecast of each hour, up and down, and rises for a ramp 20 minutes before its hour. Memory is the same at both.
 */
export type Pace = 'Daily' | 'Hourly';

/** Rules for one resource of one container, after policy, container override, floor and ceiling were joined. */
export interface ResourceRules {
  readonly goal: Goal;
  /**
   * Fixes the rule for who must have it: this percentile (0–1) of the history window; null: chosen by evidence. Of memory it can
   * only ask for more than the highest of the last days.
   */
  readonly percentile: Ratio | null;
  /** Added on top, as a fraction of the value (0.15 = 15 %); null: chosen by evidence. */
  readonly margin: Ratio | null;
  /** Least target, in millicores or bytes. */
  readonly min: number;
  /** Greatest target, in millicores or bytes; null: no bound. */
  readonly max: number | null;
}

export interface RecommenderRules {
  readonly cpu: ResourceRules;
  readonly memory: ResourceRules;
  readonly pace: Pace;
  /** How far the heap of its runtime may grow, by the template; null: unknown. */
  readonly runtime: ContainerRuntime | null;
  /** Evidence older than this is not counted (peaks, percentiles of a fixed rule, coverage). */
  readonly historyWindowMs: DurationMs;
  /** After an OOM kill: at least `limit × bumpRatio` and `limit + minBumpBytes`. */
  readonly oom: { readonly bumpRatio: number; readonly minBumpBytes: Bytes };
  /** The advice lists throttling and pressure of the hours since; absent: of none. */
  readonly evidenceSince?: Instant;
}

/** Least CPU request that is ever advised: below it the scheduler's and the kernel's granularity hurt more than it saves. */
export const MIN_CPU_MILLICORES: Millicores = 10;
/** Least memory request that is ever advised: smaller containers exist, but the saving is not worth one eviction. */
export const MIN_MEMORY_BYTES: Bytes = 16 * MiB;

/** The rules of a policy with all defaults. */
export const DEFAULT_RECOMMENDER_RULES: RecommenderRules = {
  cpu: { goal: 'Balanced', percentile: null, margin: null, min: MIN_CPU_MILLICORES, max: null },
  memory: { goal: 'Balanced', percentile: null, margin: null, min: MIN_MEMORY_BYTES, max: null },
  pace: 'Daily',
  runtime: null,
  historyWindowMs: 14 * DAY_MS,
  oom: { bumpRatio: 1.2, minBumpBytes: 100 * MiB },
};

/** What one resource of a container should request. Values in millicores (CPU) or bytes (memory), whole numbers. */
export interface ResourceAdvice {
  readonly target: number;
  /** The target without a temporary increase. */
  readonly base: number;
  /** The target is above the base for a while, because usage was; it ends at `until` unless usage rises again. */
  readonly increase: { readonly until: Instant } | null;
  /** A request below this is too small and is worth raising at once. */
  readonly lowerBound: number;
  /** A request above this is wasteful beyond doubt; between the bounds a change is a matter of taste and cool-down. */
  readonly upperBound: number;
  /** Highest usage inside the history window. */
  readonly peak: number;
  /** Highest usage of the last hour. */
  readonly recentPeak: number;
  /** Latest usage seen (5-minute mean for CPU, working set for memory). */
  readonly latest: number;
  /** coverage × span × calibration × freshness for this resource, 0–1. */
  readonly confidence: Ratio;
  /** Whether it was measured within the last 15 minutes: nothing is lowered by older usage. */
  readonly isMeasured: boolean;
  /** They lead to the target. */
  readonly steps: readonly ExplanationStep[];
}

/** What is known of a container's memory peaks: the evidence from which a limit may be lowered. */
export interface MemoryEvidence {
  /** Length of the history behind it. */
  readonly historyMs: DurationMs;
  /** Highest working set ever seen (the whole known history, not only the window). */
  readonly peakEver: Bytes;
  readonly peakEverAt: Instant;
  /** Highest of the last 24 hours, of the last hour; null: not measured in them. */
  readonly peak24h: Bytes | null;
  readonly peakHour: Bytes | null;
  /** Latest working set. */
  readonly latest: Bytes;
  /**
   * Highest ratio of a new record to the record before it, once a day of history was known: 1.4 = by 40 %.
   * 1 where no record was broken. What broke records in the past will break them again.
   */
  readonly worstRecordRatio: number;
  /** Median of all that was seen, older points weighing less. */
  readonly typical: Bytes;
  /** Change of the last hour's peaks against the hour before, per hour; above 0 it grows. */
  readonly slopeBytesPerHour: number;
  readonly lastOomAt: Instant | null;
  /** The least memory that OOM kills still in evidence ask for; 0 where there are none. */
  readonly oomNeed: Bytes;
  /** How far the heap of its runtime may grow; absent where nothing is known. */
  readonly runtime?: ContainerRuntime;
  readonly leakSuspected: boolean;
}

/** What OOM kills ask for. */
export interface OomAdvice {
  /** The least limit that two kills prove, for every replica; 0: none. */
  readonly limitNeed: Bytes;
  /** The least limit that one kill proves, for the pod that was killed; 0: none. */
  readonly killedPodNeed: Bytes;
  /** The least request, by the highest usage that is known; 0: none. */
  readonly requestNeed: Bytes;
  /** Kills at a limit of the last day, and the limit that each proves too small. */
  readonly recentKills: readonly { readonly at: Instant; readonly need: Bytes }[];
  /** The last kill by a node that ran out of memory; null: there was none. */
  readonly lastNodeKill: { readonly at: Instant; readonly limitBytes: Bytes; readonly workingSetBytes: Bytes } | null;
}

export interface ContainerAdvice {
  readonly container: string;
  /** null where the source has never reported it. */
  readonly cpu: ResourceAdvice | null;
  readonly memory: ResourceAdvice | null;
  readonly usage: { readonly p50: Resources; readonly p95: Resources; readonly p99: Resources; readonly max: Resources };
  /** Evidence for the memory limit; null where memory is unknown. */
  readonly memoryEvidence: MemoryEvidence | null;
  /** OOM kills inside the history window. */
  readonly oomKills: number;
  /** The last kill at a limit; kills by the node do not count. */
  readonly lastOomAt: Instant | null;
  /** Absent: it was never killed. */
  readonly oom?: OomAdvice;
  /** The working set grows by more than 3 % a day while the container runs. */
  readonly leakSuspected: boolean;
  /** Mean share of CPU periods throttled over the last 24 hours; null where the source does not report it. */
  readonly throttledRatio: Ratio | null;
  /** Mean share of time in which a task waited for CPU (PSI) over the last 24 hours; null where no source measures it. */
  readonly cpuPressureRatio: Ratio | null;
  /** What the CPU of a Guaranteed pod is lowered by; null: nothing is known of single samples, as of runs of Jobs. */
  readonly cpuHigh: CpuHigh | null;
  /** Throttling and pressure by hour, where the rules ask for it. */
  readonly evidence?: readonly EvidenceHour[];
  /** Samples taken in, and thrown away (gaps are no samples; out of order, absurd, in the future). */
  readonly samples: number;
  readonly droppedSamples: number;
  /**
   * The newest sample of a replica was left out, as it is older than what is known: the clock was set back, or that of its node is
   * behind. Absent: no.
   */
  readonly isUsageLeftOut?: boolean;
  readonly firstSampleAt: Instant;
  readonly lastSampleAt: Instant;
  /** Share of the 5-minute points of its life (inside the window) that were seen, 0–1. */
  readonly coverage: Ratio;
  /** At least `MIN_HISTORY_MS` of usage, and a target for CPU where CPU is measured: a change of both is one change. */
  readonly enoughHistory: boolean;
  /** The lower of the two resources' confidences, 0–1. */
  readonly confidence: Ratio;
  /** In words: `would have covered 99.2 % of the last 168 hours; 6.9 days seen`. */
  readonly confidenceText: string;
}
