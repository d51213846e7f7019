// Everything that a decision about one workload is made from. Plain data: a decision can be replayed from it alone.

import type { ResizeMode } from '../../../apis/conditions.ts';
import type { HpaRecord, LimitRangeRecord, ResourceQuotaRecord } from '../../model/cluster-records.ts';
import type { PodRecord } from '../../model/pod.ts';
import type { DurationMs, Instant, Ratio } from '../../model/units.ts';
import type { WorkloadRecord } from '../../model/workload.ts';
import type { ContainerAdvice } from '../advice.ts';
import type { PolicyRules } from '../policy/policy-rules.ts';
import type { WorkloadOverrides } from '../policy/workload-overrides.ts';
import type { Values } from './container-values.ts';

export interface WorkloadSituation {
  readonly now: Instant;
  readonly workload: WorkloadRecord;
  /** Its pods that have not ended and are not being deleted, sorted by name. */
  readonly pods: readonly PodRecord[];
  readonly policy: PolicyRules;
  /** The governing policy exists but cannot be acted on: why. */
  readonly policyProblem: string | null;
  readonly overrides: WorkloadOverrides;
  readonly advice: readonly ContainerAdvice[];
  readonly hpas: readonly HpaRecord[];
  readonly limitRanges: readonly LimitRangeRecord[];
  readonly quotas: readonly ResourceQuotaRecord[];
  /** Version of each node's kubelet, by node name. */
  readonly kubeletVersions: ReadonlyMap<string, string>;
  /** Nodes of its pods whose kubelet has told no usage for two periods: what their pods use now is not known. */
  readonly unreadNodes: ReadonlySet<string>;
  readonly wishes: PersonalWishes;
  readonly memory: ResizeMemory;
  readonly standing: Standing;
  /** Other workloads of the same policy that are being resized now. */
  readonly otherWorkloadsUnderWay: number;
}

/** What people have asked for on the Recommendation. */
export interface PersonalWishes {
  readonly paused: boolean;
  readonly approved: { readonly at: Instant; readonly by: string; readonly values: Values } | null;
  readonly rejected: { readonly at: Instant; readonly by: string; readonly values: Values } | null;
  readonly rollback: { readonly at: Instant; readonly by: string } | null;
}

export const NO_WISHES: PersonalWishes = { paused: false, approved: null, rejected: null, rollback: null };

/** What Evenkeel as a whole may do at this moment. */
export interface Standing {
  /** The API server has `pods/resize`. */
  readonly inPlace: boolean;
  readonly dryRun: boolean;
  /** The kill switch. */
  readonly paused: { readonly reason: string; readonly until: Instant | null } | null;
  /** Usage or informers are too old to act on: which. */
  readonly stale: string | null;
  /** Observing after a start or an outage: no reduction before; null: not. */
  readonly calmUntil: Instant | null;
}

export type ApplyStage = 'Canary' | 'Tenth' | 'Half' | 'All';

/** A change under way. Written down before the first pod is touched, so that a crash leaves nothing unexplained. */
export interface ChangeUnderWay {
  readonly startedAt: Instant;
  readonly stage: ApplyStage;
  readonly stageStartedAt: Instant;
  readonly throttledRatioBefore: Ratio | null;
  readonly reason: string;
  readonly by: string;
  readonly values: Values;
}

/** A pod whose resize did not go through, so that it is not tried again in vain. */
export interface FailedResize {
  readonly pod: string;
  readonly uid: string;
  readonly state: 'deferred' | 'infeasible' | 'error';
  readonly since: Instant;
  readonly message: string;
  readonly values: Values;
}

/** What the Recommendation's status remembers between decisions. */
export interface ResizeMemory {
  readonly apply: ChangeUnderWay | null;
  readonly lastApplied: {
    readonly at: Instant;
    readonly by: string;
    readonly reason: string;
    readonly pods: number;
    readonly values: Values;
  } | null;
  readonly previous: { readonly at: Instant; readonly values: Values } | null;
  readonly rolledBack: {
    readonly at: Instant;
    readonly reason: string;
    readonly message: string;
    readonly heldUntil: Instant;
    /** Automatic roll-backs in a row. */
    readonly count: number;
    /** `at` of the request that it carried out; null: it was automatic. */
    readonly requestedAt: Instant | null;
    readonly values: Values;
  } | null;
  readonly failures: readonly FailedResize[];
  /** When each container's memory limit last fell. */
  readonly memoryLimitLoweredAt: ReadonlyMap<string, Instant>;
}

export const NO_MEMORY: ResizeMemory = {
  apply: null,
  lastApplied: null,
  previous: null,
  rolledBack: null,
  failures: [],
  memoryLimitLoweredAt: new Map(),
};

/** The mode in force: the workload's own annotation, else the policy's. */
export function modeInForce(policy: PolicyRules, overrides: WorkloadOverrides): ResizeMode {
  return overrides.mode ?? policy.mode;
}

/** Decisions of people hold this long. */
export const WISH_LASTS_MS: DurationMs = 7 * 24 * 60 * 60_000;
