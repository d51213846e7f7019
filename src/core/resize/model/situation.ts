// The input of a decision about one workload. Plain data, so that a decision can be replayed from it.

import type { IdleMemory, LastIdle } from './evidence/idle-memory.ts';
import type { Activity } from './evidence/idle-tracker.ts';
import type { AutoscalerMemory } from '../../hpa/recorded-target.ts';
import type { HpaRecord, LimitRangeRecord, ResourceQuotaRecord, ScaledObjectRecord, VpaRecord } from '../../model/cluster-records.ts';
import type { ResourceName, Resources } from '#kube/records/resources';
import type { StaleSource } from '../../model/stale-source.ts';
import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';
import type { ContainerReadings } from '#kube/records/usage';
import type { WorkloadRecord } from '#kube/records/workload';
import type { CountedKill } from './evidence/counted-kill.ts';
import type { PlannedPod } from './planned-pod.ts';
import type { ContainerDemand } from './evidence/demand.ts';
import type { ExceptionDecision, LimitException } from './limit-exception.ts';
import type { ContainerAdvice, Pace } from '../../recommender/advice.ts';
import type { RefusalCode } from '#kube/records/refusal-code';
import type { PolicyRules } from '../policy/policy-rules.ts';
import type { WorkloadOverrides } from '../policy/workload-overrides.ts';
import type { Values } from './container-values.ts';

/** Cluster state, usage, policy, user requests and memory that a decision about one workload depends on. */
export interface WorkloadSituation {
  readonly now: Instant;
  readonly workload: WorkloadRecord;
  /** Pods of the workload that have not ended and are not being deleted, sorted by name. */
  readonly pods: readonly PlannedPod[];
  readonly policy: PolicyRules;
  /** The pace in force; absent: Daily. */
  readonly pace?: Pace;
  /** Why the governing policy is invalid; null: it is valid. */
  readonly policyProblem: string | null;
  /** The readable rules of an invalid governing policy: only roll-backs follow them. */
  readonly readableRules?: PolicyRules | null;
  readonly overrides: WorkloadOverrides;
  readonly advice: readonly ContainerAdvice[];
  readonly hpas: readonly HpaRecord[];
  /** KEDA's ScaledObjects that scale the workload. */
  readonly scaledObjects: readonly ScaledObjectRecord[];
  /** VerticalPodAutoscalers that target the workload, in any mode. */
  readonly vpas: readonly VpaRecord[];
  readonly limitRanges: readonly LimitRangeRecord[];
  readonly quotas: readonly ResourceQuotaRecord[];
  /** Size class of the pods' nodes, by node name; absent where the pods get the same size on all nodes. */
  readonly nodeClasses?: ReadonlyMap<string, string>;
  /** Version of each node's kubelet, by node name. */
  readonly kubeletVersions: ReadonlyMap<string, string>;
  /** UIDs of pods without a usage sample for two sampling periods: their present usage is unknown. */
  readonly unreadPods: ReadonlySet<string>;
  /** CPU usage of the pods' nodes that measure no pressure (PSI), as a share of allocatable, by node name; null: unknown. */
  readonly cpuOfNodesWithoutPressure?: ReadonlyMap<string, Ratio | null>;
  /** Nodes of the pods that are cordoned, also while they are drained. */
  readonly cordonedNodes?: ReadonlySet<string>;
  /** Nodes of the pods that run Windows. */
  readonly windowsNodes?: ReadonlySet<string>;
  /** Refusals by kubelets of node pools for pods of other workloads that hold for any amount. */
  readonly poolRefusals?: readonly FailedResize[];
  /** Node pools of the pods' nodes, by node name. */
  readonly nodePools?: ReadonlyMap<string, NodePoolOfNode>;
  /** Free capacity, which no pod requests, of the pods' nodes by name; a node that is missing here bounds no raise. */
  readonly freeOnNodes: ReadonlyMap<string, Resources>;
  /** Recent use of the workload; null where idle mode does not track it. */
  readonly activity?: Activity | null;
  /** Usage of the containers in the last minutes; empty without samples. */
  readonly demand: readonly ContainerDemand[];
  /** Latest throttling and pressure of the pods by uid; absent unless a change is under way or watched. */
  readonly readings?: ReadonlyMap<string, readonly ContainerReadings[]>;
  /** OOM kills of the last day that pod statuses do not show, by pod uid; absent: none. */
  readonly countedKills?: ReadonlyMap<string, readonly CountedKill[]>;
  /**
   * Failure times of the pods' containers in the last days, by pod uid; absent: none is known. A pod's status has only a count and the
   * last termination, so restarts that Evenkeel did not observe are missing.
   */
  readonly failures?: ReadonlyMap<string, readonly Instant[]>;
  /** Result of the policy's error-rate query: null without a result, undefined where it was not queried. */
  readonly errorRate?: number | null;
  /** Allocatable of the pods' nodes, by name. */
  readonly nodesOfPods?: ReadonlyMap<string, Resources>;
  /** Largest allocatable of any node, for each resource separately; null without nodes. */
  readonly largestNode: Resources | null;
  /** Largest request that a pod of the workload could have on a node that accepts it; null: unknown. */
  readonly freeForPod: Resources | null;
  readonly userRequests: UserRequests;
  readonly memory: ResizeMemory;
  /** The Recommendation has no status, so `memory.idle` comes from the workload's annotation. */
  readonly isIdleRecorded?: boolean;
  readonly gateState: GateState;
  /** Other workloads of the same policy whose pods are being resized now; workloads that are only raised do not count. */
  readonly otherWorkloadsUnderWay: number;
  /** Workloads of the same policy that have pods. */
  readonly governedWorkloads: number;
}

/** Pool of a node. A refusal by one kubelet holds for the whole pool, whose kubelets have the same configuration. */
export interface NodePoolOfNode {
  /** Name of the pool; the node's name where it is in none. */
  readonly pool: string;
  /** Key of the pool's nodes with the same capacity. */
  readonly size: string;
  /** A new version may come with another kubelet configuration, so refusals end with it. */
  readonly kubeletVersion: string;
  /** Creation of the oldest present node of the pool. */
  readonly oldestNodeAt: Instant;
}

/** User requests in the Recommendation's spec. */
export interface UserRequests {
  readonly paused: boolean;
  readonly approved: { readonly at: Instant; readonly by: string; readonly values: Values } | null;
  readonly rejected: { readonly at: Instant; readonly by: string; readonly values: Values } | null;
  readonly rollback: { readonly at: Instant; readonly by: string } | null;
  readonly exceptionDecisions: readonly ExceptionDecision[];
  /** Requests that an idled workload be restored to its natural size. */
  readonly wake: { readonly at: Instant; readonly by: string } | null;
}

export const NO_USER_REQUESTS: UserRequests = {
  paused: false,
  approved: null,
  rejected: null,
  rollback: null,
  wake: null,
  exceptionDecisions: [],
};

/** What the installation may do at this moment, for all workloads. */
export interface GateState {
  /** The API server has the subresource `pods/resize`. */
  readonly inPlace: boolean;
  readonly dryRun: boolean;
  /** The pause in force. */
  readonly paused: { readonly reason: string; readonly until: Instant | null } | null;
  /** Stale source: stale informers block every change, stale usage every change that pod statuses do not require. null: none. */
  readonly stale: StaleSource | null;
  /** New pods are created with the values in force (controller.admission.enabled). */
  readonly admission?: boolean;
  /** End of the warm-up after a start or an outage, in which nothing is reduced; null: no warm-up. */
  readonly warmUpUntil: Instant | null;
  /** Idle mode is enabled (features.idleWorkloads). */
  readonly idleWorkloads?: boolean;
}

export const APPLY_STAGES = ['Canary', 'Tenth', 'Half', 'All'] as const;
export type ApplyStage = (typeof APPLY_STAGES)[number];

/** A change under way. It is stored before the first pod is resized, so that a new leader continues it after a crash. */
export interface ChangeUnderWay {
  readonly startedAt: Instant;
  readonly stage: ApplyStage;
  readonly stageStartedAt: Instant;
  readonly throttledRatioBefore: Ratio | null;
  /** Result of the policy's error-rate query at the start of the change. */
  readonly errorRateBefore?: number | null;
  readonly reason: string;
  readonly by: string;
  /** The change only ends temporary increases, so it needs no canary. */
  readonly endsIncrease?: boolean;
  readonly values: Values;
}

/** A reduction that is in force on all pods and watched for regressions through its next daily peak. */
export interface ObservedReduction {
  readonly since: Instant;
  readonly until: Instant;
  /** Hours that could be compared with the time before the reduction so far. */
  readonly comparedHours: number;
  /** Previous values of the containers that it reduced. */
  readonly before: Values;
}

/** A resize that was refused or deferred, recorded so that it is not retried before something changes. */
export interface FailedResize {
  readonly pod: string;
  readonly uid: string;
  /** Node pool in which it is infeasible for every pod; null: it is infeasible for this pod only. */
  readonly pool: string | null;
  /** Resource for which it is infeasible; null: both. */
  readonly resource: ResourceName | null;
  readonly state: 'deferred' | 'infeasible' | 'error';
  readonly since: Instant;
  readonly code: RefusalCode;
  /** Of a node pool: number of attempts, each one after the previous refusal had expired; absent: 1. */
  readonly attempts?: number;
  readonly message: string;
  readonly values: Values;
}

/** Evictions for one size, counted to prevent an eviction loop. */
export interface EvictionTries {
  /** Total requests that the evicted pod was to get. */
  readonly requests: Resources;
  readonly count: number;
  readonly lastAt: Instant;
  /** Refusal by a PodDisruptionBudget; null: none. */
  readonly refused: { readonly at: Instant; readonly message: string } | null;
}

/** A pod with more CPU while it starts. It is stored before the boost, so that the boost ends also after a crash. */
export interface StartUpBoost {
  readonly pod: string;
  readonly uid: string;
  readonly since: Instant;
  /** Values of its boosted containers without the boost. */
  readonly values: Values;
}

/** A memory limit that was raised after OOM kills at the limit. */
export interface OomBump {
  readonly container: string;
  /** The killed pod, where only that pod has the raised limit; null: every pod of the workload has it. */
  readonly pod: string | null;
  readonly uid: string | null;
  readonly at: Instant;
  readonly limit: Bytes;
  /** Raised request; null: the recommended one. */
  readonly request: Bytes | null;
}

/** The largest node that a workload's pods ran on, for each resource separately. */
export interface LargestNode extends Resources {
  readonly cpuSeenAt: Instant;
  readonly memorySeenAt: Instant;
}

/** A replica with a greater CPU request than the others, because it used more than 3 × their median. */
export interface HotReplica {
  readonly container: string;
  readonly pod: string;
  readonly uid: string;
  /** Last time at which it was hot, rounded to a quarter of an hour. */
  readonly at: Instant;
  /** Its CPU request; null: the pod has the common request again, or was deleted. */
  readonly cpu: Millicores | null;
}

/** Times of the last reduction of a container's requests and memory limit by a new decision; null: never. */
export interface Reductions {
  readonly cpu: Instant | null;
  readonly memory: Instant | null;
  readonly memoryLimit: Instant | null;
}

/** The pace of CPU requests, and since when it applies. */
export interface EffectivePace {
  readonly effective: Pace;
  readonly since: Instant;
}

/** Resizes of the workload's pods by another field manager. */
export interface ExternalResizes {
  /** The other field manager. */
  readonly by: string;
  /** Name of one of the resized pods. */
  readonly pod: string;
  /** Time of the last counted resize. */
  readonly at: Instant;
  /** Number of times that the manager resized pods again after Evenkeel had corrected them. */
  readonly count: number;
  /** Evenkeel changes nothing before this time. */
  readonly until: Instant;
}

/** State of resizing that the Recommendation's status stores between decisions. */
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
  /** Values of the workload's template at the last decision; empty while no values are in force or approved. */
  readonly template: Values;
  /** `at` of the last approval that ended because greater values were deployed since; null: none. */
  readonly endedApprovalAt: Instant | null;
  readonly rolledBack: {
    readonly at: Instant;
    readonly reason: string;
    readonly message: string;
    readonly heldUntil: Instant;
    /** End of the hold by annotation that was in force meanwhile, which does not end this one; null or absent: none. */
    readonly userHeldUntil?: Instant | null;
    /** Consecutive automatic roll-backs. */
    readonly count: number;
    /** `at` of the user request for the roll-back; null: it was automatic. */
    readonly requestedAt: Instant | null;
    readonly values: Values;
  } | null;
  /** `at` of the last user request for a roll-back that was executed, so that no request is executed twice; null: none. */
  readonly lastRollbackRequestAt: Instant | null;
  /** Watched reductions, the oldest first. */
  readonly observedReductions: readonly ObservedReduction[];
  readonly failures: readonly FailedResize[];
  readonly boosts: readonly StartUpBoost[];
  readonly evictions: EvictionTries | null;
  /** Bumps of the last 7 days, and those of existing pods. */
  readonly oomBumps: readonly OomBump[];
  /** Largest node of the last 30 days; null: no pod was scheduled yet. */
  readonly largestNode: LargestNode | null;
  /** Hot replicas of the policy's history window, which the forecast covers. */
  readonly hotReplicas: readonly HotReplica[];
  /** By container: the last OOM kill by a node for which an Event was published. */
  readonly nodeOoms: ReadonlyMap<string, Instant>;
  /** State of an idled workload; null: it is not idled. */
  readonly idle: IdleMemory | null;
  readonly lastIdle: LastIdle | null;
  /** Autoscalers whose targets follow the requests, and those that another writer reverts. */
  readonly autoscalers: readonly AutoscalerMemory[];
  readonly limitExceptions: readonly LimitException[];
  /** Resizes of the pods by another field manager; null: none. */
  readonly externalResizes: ExternalResizes | null;
  /** By container with a temporary increase: the CPU request in force on all pods before it. */
  readonly cpuBeforeIncrease: ReadonlyMap<string, Millicores>;
  /** null: pace Daily for a day or more. */
  readonly pace: EffectivePace | null;
  /** By container. */
  readonly reductions: ReadonlyMap<string, Reductions>;
  /** By container: times within the last 7 days at which its CPU limit was raised after throttling, the newest last. */
  readonly cpuLimitRaises: ReadonlyMap<string, readonly Instant[]>;
  /** Memory of each node size class, where classes differ; the other fields are then those of the class with the most pods. */
  readonly classes?: ReadonlyMap<string, ResizeMemory>;
}

export const NO_MEMORY: ResizeMemory = {
  apply: null,
  lastApplied: null,
  previous: null,
  template: new Map(),
  endedApprovalAt: null,
  rolledBack: null,
  lastRollbackRequestAt: null,
  observedReductions: [],
  failures: [],
  boosts: [],
  evictions: null,
  oomBumps: [],
  hotReplicas: [],
  largestNode: null,
  nodeOoms: new Map(),
  autoscalers: [],
  externalResizes: null,
  limitExceptions: [],
  idle: null,
  lastIdle: null,
  cpuBeforeIncrease: new Map(),
  pace: null,
  reductions: new Map(),
  cpuLimitRaises: new Map(),
};

/** Validity of approvals and rejections. */
export const USER_REQUEST_EXPIRES_AFTER_MS: DurationMs = 7 * 24 * 60 * 60_000;
