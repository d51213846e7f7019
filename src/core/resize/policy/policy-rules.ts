// What a PodResizePolicy comes to once it is read: every value parsed, every default filled in.

import { RESIZE_MODES, type ResizeMode } from '../../../apis/conditions.ts';
import type { AutoscalerLease } from './autoscaler-lease.ts';
import { DEFAULT_IDLE_RULES, type IdleRules } from './idle-rules.ts';
import type { CountOrPercent } from '../../model/count-or-percent.ts';
import type { Glob } from '../../model/glob.ts';
import { matchesGlob } from '../../model/glob.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type Bytes, type DurationMs, type Ratio } from '#kube/units';
import type { Window } from '../../model/window.ts';
import type { Goal, Pace } from '../../recommender/advice.ts';

/** Rules for one resource of a container. Amounts in millicores or bytes. */
export interface ResourcePolicy {
  readonly goal: Goal;
  readonly percentile: Ratio | null;
  readonly margin: Ratio | null;
  /** null: no bound but the recommender's own. */
  readonly min: number | null;
  readonly max: number | null;
  /** Smallest change worth making, as a share of the present request. */
  readonly minChangeRatio: Ratio;
  readonly limit: LimitPolicy;
}

export interface LimitPolicy {
  readonly rule: 'Keep' | 'Ratio' | 'None';
  /** Of rule Ratio alone; null: the ratio of the container as deployed. */
  readonly ratio: number | null;
}

export interface ContainerPolicy {
  /** Can only be more careful than the mode of the workload; null: the same. */
  readonly mode: ResizeMode | null;
  readonly controlled: 'requests' | 'requestsAndLimits';
  readonly cpu: ResourcePolicy;
  readonly memory: ResourcePolicy;
}

export interface PolicyRules {
  /** null: no policy governs, all defaults hold. */
  readonly name: string | null;
  readonly mode: ResizeMode;
  readonly apply: 'InPlace' | 'InPlaceOrEvict' | 'OnRestart';
  readonly hpa: 'Preserve' | 'Tune' | 'Off';
  /** As the policy says; `paceInForce` returns the one in force. */
  readonly pace: Pace;
  /** For containers that no exception names. */
  readonly container: ContainerPolicy;
  /** In the policy's order; the first that matches counts. */
  readonly exceptions: readonly { readonly name: Glob; readonly policy: ContainerPolicy }[];
  readonly historyWindowMs: DurationMs;
  /** By how much an OOM kill raises a limit, and how often within 7 days. */
  readonly oom: { readonly bumpRatio: number; readonly minBumpBytes: Bytes; readonly maxBumps: number };
  /** Whether a workload's annotations may widen the policy, or only narrow it. */
  readonly workloadOverrides: 'All' | 'Stricter';
  /** Whether limits may be passed for a while when demand does: by how much, and for how long. */
  readonly limitOverage: { readonly mode: 'Never' | 'Temporary'; readonly maxRatio: number; readonly forMs: DurationMs };
  /** More CPU while a container starts, until it has been ready for so long; null: none. */
  readonly startup: { readonly boostRatio: number; readonly durationMs: DurationMs } | null;
  readonly windows: readonly Window[];
  readonly cooldownMs: DurationMs;
  /** Least confidence before a reduction, by resource. */
  readonly minConfidence: { readonly cpu: Ratio; readonly memory: Ratio };
  /** Workloads whose pods are being resized at the same time; a share is of the governed workloads that have pods. */
  readonly maxConcurrent: CountOrPercent;
  readonly intervalMs: DurationMs;
  readonly rollback: {
    /** Crash loops, OOM kills, restarts and readiness of changed pods take a change back. */
    readonly onRestarts: boolean;
    /** Rise of the throttled share of CPU periods that takes a change back; 1: none does. */
    readonly onThrottleRatio: Ratio;
    /** The same of the share of time in which tasks waited for CPU or memory. */
    readonly onPressureRatio: Ratio;
    /** PromQL with $namespace, $kind and $name; null: errors are not looked at. */
    readonly errorRateQuery: string | null;
    /** A reduction is watched for so long once it is in force on all pods; where that is shorter than a stage, each stage lasts so long. */
    readonly withinMs: DurationMs;
  };
  readonly idle: IdleRules;
  readonly paused: boolean;
  readonly dryRun: boolean;
}

/** Smallest change worth making, by goal: who saves wants the small ones too, who is careful wants calm. */
export const MIN_CHANGE_RATIO: Readonly<Record<Goal, Ratio>> = { Savings: 0.05, Balanced: 0.1, Safe: 0.15 };

const DEFAULT_MIN_CONFIDENCE = { cpu: 0.6, memory: 0.8 } as const;
const DEFAULT_MEMORY_LIMIT_RATIO = 1.25;

/** Rules of a resource of which a policy says nothing. */
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

/** What holds for a workload that no policy governs: the same as a policy without any field. */
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
  return rules.exceptions.find((exception) => matchesGlob(exception.name, container))?.policy ?? rules.container;
}

/** The mode in force: of the workload's own annotation, else of the policy. */
export function modeInForce(
  policy: Pick<PolicyRules, 'mode' | 'workloadOverrides'>,
  overrides: { readonly mode: ResizeMode | null },
): ResizeMode {
  if (overrides.mode === null) return policy.mode;
  return policy.workloadOverrides === 'All' ? overrides.mode : moreCareful(overrides.mode, policy.mode);
}

/**
 * The pace that is followed. Hourly needs nodes that follow the hour, so a node autoscaler that knows the forecast, and
 * changes that reach running pods by themselves: what a person copies or approves, or what waits for a restart, must hold
 * for weeks.
 * @param nodesFollow evenkeel-autoscaler holds its lease
 */
export function paceInForce({ pace, apply }: Pick<PolicyRules, 'pace' | 'apply'>, mode: ResizeMode, nodesFollow: boolean): Pace {
  return nodesFollow && mode === 'Auto' && apply === 'InPlace' ? pace : 'Daily';
}

/** Why a policy with pace Hourly acts as Daily; null: it acts as it says. */
export function whyDaily({ pace, mode, apply }: Pick<PolicyRules, 'pace' | 'mode' | 'apply'>, lease: AutoscalerLease): string | null {
  if (pace === 'Daily') return null;
  if (mode !== 'Auto') return `in mode ${mode} nothing is changed hour by hour`;
  if (apply !== 'InPlace') return `with apply ${apply} pods would be re-created hour by hour`;
  return lease.isHeld ? null : lease.reason;
}

/** The mode of one container: its own where that is more careful, else the workload's. */
export function containerMode(policy: ContainerPolicy, workloadMode: ResizeMode): ResizeMode {
  return policy.mode === null ? workloadMode : moreCareful(policy.mode, workloadMode);
}

function moreCareful(a: ResizeMode, b: ResizeMode): ResizeMode {
  return RESIZE_MODES.indexOf(a) <= RESIZE_MODES.indexOf(b) ? a : b;
}
