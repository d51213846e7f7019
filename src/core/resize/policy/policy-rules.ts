// The rules of a PodResizePolicy: every value parsed, every default filled in.

import { RESIZE_MODES, type ResizeMode } from '../../../apis/conditions.ts';
import type { AutoscalerLease } from './autoscaler-lease.ts';
import { DEFAULT_IDLE_RULES, type IdleRules } from './idle-rules.ts';
import type { CountOrPercent } from '../../model/count-or-percent.ts';
import type { Glob } from '../../model/names/glob.ts';
import { isGlobMatch } from '../../model/names/glob.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type Bytes, type DurationMs, type Ratio } from '#kube/units';
import type { Window } from '../../model/window.ts';
import type { Goal, Pace } from '../../recommender/advice.ts';

/** Rules for one resource of a container. Amounts in millicores or bytes. */
export interface ResourcePolicy {
  readonly goal: Goal;
  readonly percentile: Ratio | null;
  readonly margin: Ratio | null;
  /** null: only the recommender's bound applies. */
  readonly min: number | null;
  readonly max: number | null;
  /** Dead band: a smaller change, as a share of the present request, is not made. */
  readonly minChangeRatio: Ratio;
  readonly limit: LimitPolicy;
}

export interface LimitPolicy {
  readonly rule: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio only; null: the ratio of the container as deployed. */
  readonly ratio: number | null;
}

export interface ContainerPolicy {
  /** Can only be more restrictive than the workload's mode; null: the workload's. */
  readonly mode: ResizeMode | null;
  readonly controlled: 'requests' | 'requestsAndLimits';
  readonly cpu: ResourcePolicy;
  readonly memory: ResourcePolicy;
}

/** All rules of a policy. Durations in milliseconds. */
export interface PolicyRules {
  /** null: no policy governs, so the defaults apply. */
  readonly name: string | null;
  readonly mode: ResizeMode;
  readonly apply: 'InPlace' | 'InPlaceOrEvict' | 'OnRestart';
  readonly hpa: 'Preserve' | 'Tune' | 'Off';
  /** Configured pace; `paceInForce` returns the one in force. */
  readonly pace: Pace;
  /** Rules of containers without an override. */
  readonly container: ContainerPolicy;
  /** Container overrides in the policy's order; the first match applies. */
  readonly exceptions: readonly { readonly name: Glob; readonly policy: ContainerPolicy }[];
  readonly historyWindowMs: DurationMs;
  /** By how much an OOM kill raises a memory limit, and how often within 7 days. */
  readonly oom: { readonly bumpRatio: number; readonly minBumpBytes: Bytes; readonly maxBumps: number };
  /** Whether a workload's annotations may widen the policy, or only narrow it. */
  readonly workloadOverrides: 'All' | 'Stricter';
  /** Whether demand above a limit raises it temporarily: up to which multiple, and for how long. */
  readonly limitOverage: { readonly mode: 'Never' | 'Temporary'; readonly maxRatio: number; readonly forMs: DurationMs };
  /** CPU boost of a starting container, which ends once it has been ready for `durationMs`; null: none. */
  readonly startup: { readonly boostRatio: number; readonly durationMs: DurationMs } | null;
  readonly windows: readonly Window[];
  readonly cooldownMs: DurationMs;
  /** Minimum confidence for a reduction, by resource. */
  readonly minConfidence: { readonly cpu: Ratio; readonly memory: Ratio };
  /** Maximum number of workloads that are reduced at the same time; a percentage is of the governed workloads with pods. */
  readonly maxConcurrent: CountOrPercent;
  readonly intervalMs: DurationMs;
  readonly rollback: {
    /** Crash loops, OOM kills, restarts and unreadiness of changed pods roll a change back. */
    readonly onRestarts: boolean;
    /** Rise of the throttled share of CPU periods that rolls a change back; 1: never. */
    readonly onThrottleRatio: Ratio;
    /** Rise of the share of time in which tasks waited for CPU or memory (PSI) that rolls a change back; 1: never. */
    readonly onPressureRatio: Ratio;
    /** PromQL query with $namespace, $kind and $name; null: the error rate is not checked. */
    readonly errorRateQuery: string | null;
    /** How long a reduction is watched once it is in force on all pods; also the duration of a stage where that is shorter. */
    readonly withinMs: DurationMs;
  };
  readonly idle: IdleRules;
  readonly paused: boolean;
  readonly dryRun: boolean;
}

/** Default dead band by goal: Savings also makes small changes, Safe changes pods less often. */
export const MIN_CHANGE_RATIO: Readonly<Record<Goal, Ratio>> = { Savings: 0.05, Balanced: 0.1, Safe: 0.15 };

const DEFAULT_MIN_CONFIDENCE = { cpu: 0.6, memory: 0.8 } as const;
const DEFAULT_MEMORY_LIMIT_RATIO = 1.25;

/** Rules of a resource that a policy does not configure. */
export function defaultResourcePolicy(resource: 'cpu' | 'memory', goal: Goal): ResourcePolicy {
  return {
    goal,
    percentile: null,
    margin: null,
    min: null,
    max: null,
    minChangeRatio: MIN_CHANGE_RATIO[goal],
    limit: { rule: 'Keep', ratio: resource === 'cpu' ? null : DEFAULT_MEMORY_LIMIT_RATIO },
  };
}

/** Rules of a workload without a governing policy: those of a policy with an empty spec. */
export const DEFAULT_POLICY_RULES: PolicyRules = {
  name: null,
  mode: 'Recommend',
  apply: 'InPlace',
  hpa: 'Preserve',
  pace: 'Daily',
  container: {
    mode: null,
    controlled: 'requestsAndLimits',
    cpu: defaultResourcePolicy('cpu', 'Balanced'),
    memory: defaultResourcePolicy('memory', 'Balanced'),
  },
  exceptions: [],
  historyWindowMs: 14 * DAY_MS,
  oom: { bumpRatio: 1.2, minBumpBytes: 100 * MiB, maxBumps: 3 },
  workloadOverrides: 'All',
  limitOverage: { mode: 'Never', maxRatio: 2, forMs: 24 * HOUR_MS },
  startup: null,
  windows: [],
  cooldownMs: HOUR_MS,
  minConfidence: DEFAULT_MIN_CONFIDENCE,
  maxConcurrent: { kind: 'percent', ratio: 0.1 },
  intervalMs: 5 * MINUTE_MS,
  rollback: { onRestarts: true, onThrottleRatio: 0.25, onPressureRatio: 0.25, errorRateQuery: null, withinMs: 24 * HOUR_MS },
  idle: DEFAULT_IDLE_RULES,
  paused: false,
  dryRun: false,
};

/** Rules for one container by name. */
export function containerPolicyOf(rules: PolicyRules, container: string): ContainerPolicy {
  return rules.exceptions.find((exception) => isGlobMatch(exception.name, container))?.policy ?? rules.container;
}

/** The mode in force: that of the workload's annotation, else that of the policy. */
export function modeInForce(
  policy: Pick<PolicyRules, 'mode' | 'workloadOverrides'>,
  overrides: { readonly mode: ResizeMode | null },
): ResizeMode {
  if (overrides.mode === null) return policy.mode;
  return policy.workloadOverrides === 'All' ? overrides.mode : stricterMode(overrides.mode, policy.mode);
}

/**
 * The pace in force. Hourly requires node capacity that follows the hour, so a node autoscaler that knows the forecast, and
 * automatic in-place changes: values that a user copies or approves, or that wait for a restart, must be right for weeks.
 * @param nodesFollow evenkeel-autoscaler holds its lease
 */
export function paceInForce({ pace, apply }: Pick<PolicyRules, 'pace' | 'apply'>, mode: ResizeMode, nodesFollow: boolean): Pace {
  return nodesFollow && mode === 'Auto' && apply === 'InPlace' ? pace : 'Daily';
}

/** Whether values must hold without temporary increases: only automatic in-place changes can follow a burst of usage. */
export function isLasting({ apply }: Pick<PolicyRules, 'apply'>, mode: ResizeMode): boolean {
  return mode !== 'Auto' || apply === 'OnRestart';
}

/** Why a policy with pace Hourly acts as Daily; null: its configured pace is in force. */
export function findDailyReason(
  { pace, mode, apply }: Pick<PolicyRules, 'pace' | 'mode' | 'apply'>,
  lease: AutoscalerLease,
): string | null {
  if (pace === 'Daily') return null;
  if (mode !== 'Auto') return `mode ${mode} makes no hourly changes`;
  if (apply !== 'InPlace') return `apply ${apply} would re-create pods every hour`;
  return lease.isHeld ? null : lease.reason;
}

/**
 * The mode of one container: that of its override where that is more restrictive, else the workload's. Mode Approve of a container acts as
 * Recommend while its workload is in mode Auto: approvals are given for workloads, so nothing waits for one.
 */
export function containerMode(policy: ContainerPolicy, workloadMode: ResizeMode): ResizeMode {
  if (policy.mode === null) return workloadMode;
  const mode = stricterMode(policy.mode, workloadMode);
  return mode === 'Approve' && workloadMode === 'Auto' ? 'Recommend' : mode;
}

function stricterMode(a: ResizeMode, b: ResizeMode): ResizeMode {
  return RESIZE_MODES.indexOf(a) <= RESIZE_MODES.indexOf(b) ? a : b;
}
