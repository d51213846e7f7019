// Everything that a decision about one workload is made from. Plain data: a decision can be replayed from it alone.

import type { IdleMemory, LastIdle } from './idle-memory.ts';
import type { Activity } from './idle-tracker.ts';
import type { AutoscalerMemory } from '../../hpa/recorded-target.ts';
import type { HpaRecord, LimitRangeRecord, ResourceQuotaRecord, ScaledObjectRecord, VpaRecord } from '../../model/cluster-records.ts';
import type { ResourceName, Resources } from '#kube/records/resources';
import type { StaleSource } from '../../model/stale-source.ts';
import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';
import type { ContainerReadings } from '#kube/records/usage';
import type { WorkloadRecord } from '#kube/records/workload';
import type { CountedKill } from './counted-kill.ts';
import type { PlannedPod } from './planned-pod.ts';
import type { ContainerDemand } from './demand.ts';
import type { ExceptionDecision, LimitException } from './limit-exception.ts';
import type { ContainerAdvice, Pace } from '../../recommender/advice.ts';
import type { RefusalCode } from '#kube/records/refusal-code';
import type { PolicyRules } from '../policy/policy-rules.ts';
import type { WorkloadOverrides } from '../policy/workload-overrides.ts';
import type { Values } from './container-values.ts';

export interface WorkloadSituation {
  readonly now: Instant;
  readonly workload: WorkloadRecord;
  /** Its pods that have not ended and are not being deleted, sorted by name. */
  readonly pods: readonly PlannedPod[];
  readonly policy: PolicyRules;
  /** The pace in force; absent: Daily. */
  readonly pace?: Pace;
  /** The governing policy exists but cannot be acted on: why. */
  readonly policyProblem: string | null;
  /** What can be read of a governing policy that cannot be acted on: roll-backs alone follow it. */
  readonly readableRules?: PolicyRules | null;
  readonly overrides: WorkloadOverrides;
  readonly advice: readonly ContainerAdvice[];
  readonly hpas: readonly HpaRecord[];
  /** Of KEDA, that scale it. */
  readonly scaledObjects: readonly ScaledObjectRecord[];
  /** That target it, whatever their mode. */
  readonly vpas: readonly VpaRecord[];
  readonly limitRanges: readonly LimitRangeRecord[];
  readonly quotas: readonly ResourceQuotaRecord[];
  /** Class of each node that its pods are on, by node name; absent where its pods are alike on all of them. */
  readonly nodeClasses?: ReadonlyMap<string, string>;
  /** Version of each node's kubelet, by node name. */
  readonly kubeletVersions: ReadonlyMap<string, string>;
  /** Its pods (uid) of which no usage was read for two periods: what they use now is not known. */
  readonly unreadPods: ReadonlySet<string>;
  /** CPU in use of the nodes of its pods that measure no pressure (PSI), as a share of allocatable; null: not known. */
  readonly cpuOfNodesWithoutPressure?: ReadonlyMap<string, Ratio | null>;
  /** Nodes of its pods that take no new pods: they are cordoned, or being drained. */
  readonly cordonedNodes?: ReadonlySet<string>;
  /** Nodes of its pods that run Windows. */
  readonly windowsNodes?: ReadonlySet<string>;
  /** What the kubelets of node pools have refused of other workloads, whatever the amount. */
  readonly poolRefusals?: readonly FailedResize[];
  /** Node pools of the nodes that its pods are on, by node name. */
  readonly nodePools?: ReadonlyMap<string, NodePoolOfNode>;
  /** What is not requested of each node that its pods are on, by name; a node that is not in it bounds nothing here. */
  readonly freeOnNodes: ReadonlyMap<string, Resources>;
  /** How long it has been quiet; null where idle mode does not watch it. */
  readonly activity?: Activity | null;
  /** What its containers used in the last minutes; empty where nothing is known. */
  readonly demand: readonly ContainerDemand[];
  /** The latest throttling and pressure of its pods by uid, while a change is under way or watched; absent: nothing is asked. */
  readonly readings?: ReadonlyMap<string, readonly ContainerReadings[]>;
  /** OOM kills of the last day that the status of a pod does not show, by the pod's uid; absent: none. */
  readonly countedKills?: ReadonlyMap<string, readonly CountedKill[]>;
  /**
   * When containers of its pods failed in the last days, by the pod's uid; absent: none is known. The status of a pod has a count and
   * the latest end alone: restarts that Evenkeel did not see are not in it.
   */
  readonly failures?: ReadonlyMap<string, readonly Instant[]>;
  /** What the policy's query for errors answers: null without an answer, undefined where it was not queried. */
  readonly errorRate?: number | null;
  /** Allocatable of the nodes that its pods are on, by name. */
  readonly nodesOfPods?: ReadonlyMap<string, Resources>;
  /** Allocatable of the largest node, each resource by itself; null without nodes. */
  readonly largestNode: Resources | null;
  /** The most that one pod of it can have on any node that takes it; null: not known. */
  readonly freeForPod: Resources | null;
  readonly userRequests: UserRequests;
  readonly memory: ResizeMemory;
  /** There is no status: `memory.idle` is what the record on the workload says. */
  readonly isIdleRecorded?: boolean;
  readonly gateState: GateState;
  /** Other workloads of the same policy whose pods are being resized now; those that only get more are not counted. */
  readonly otherWorkloadsUnderWay: number;
  /** Workloads of the same policy that have pods. */
  readonly governedWorkloads: number;
}

/** Where a node belongs: what its kubelet refuses, those of the same pool refuse. */
export interface NodePoolOfNode {
  /** The node's name where it is in no pool. */
  readonly pool: string;
  /** Nodes of the pool with as much capacity. */
  readonly size: string;
  /** Its configuration may have changed with the version. */
  readonly kubeletVersion: string;
  /** Creation of the oldest node that is in the pool now. */
  readonly oldestNodeAt: Instant;
}

/** What users ask for in the Recommendation's spec. */
export interface UserRequests {
  readonly paused: boolean;
  readonly approved: { readonly at: Instant; readonly by: string; readonly values: Values } | null;
  readonly rejected: { readonly at: Instant; readonly by: string; readonly values: Values } | null;
  readonly rollback: { readonly at: Instant; readonly by: string } | null;
  readonly exceptionDecisions: readonly ExceptionDecision[];
  /** The natural size, while it is idle. */
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

/** What Evenkeel as a whole may do at this moment. */
export interface GateState {
  /** The API server has `pods/resize`. */
  readonly inPlace: boolean;
  readonly dryRun: boolean;
  /** The kill switch. */
  readonly paused: { readonly reason: string; readonly until: Instant | null } | null;
  /** Informers are too old for anything, or usage for anything but what the status of pods asks for; null: neither. */
  readonly stale: StaleSource | null;
  /** New pods get at creation what is in force (controller.admission.enabled). */
  readonly admission?: boolean;
  /** Observing after a start or an outage: no reduction before; null: not. */
  readonly warmUpUntil: Instant | null;
  /** Idle workloads may be made small (features.idleWorkloads). */
  readonly idleWorkloads?: boolean;
}

export const APPLY_STAGES = ['Canary', 'Tenth', 'Half', 'All'] as const;
export type ApplyStage = (typeof APPLY_STAGES)[number];

/** A change under way. Written down before the first pod is touched, so that a crash leaves nothing unexplained. */
export interface ChangeUnderWay {
  readonly startedAt: Instant;
  readonly stage: ApplyStage;
  readonly stageStartedAt: Instant;
  readonly throttledRatioBefore: Ratio | null;
  /** By the policy's query, when it began. */
  readonly errorRateBefore?: number | null;
  readonly reason: string;
  readonly by: string;
  /** It only takes temporary increases back: nothing to prove. */
  readonly endsIncrease?: boolean;
  readonly values: Values;
}

/** A reduction that is in force on all pods and watched through its next daily peak. */
export interface WatchedReduction {
  /** When it began. */
  readonly since: Instant;
  readonly until: Instant;
  /** Hours of it that could be compared so far; 0: nothing could. */
  readonly comparedHours: number;
  /** What the containers that it made smaller had before. */
  readonly before: Values;
}

/** A resize that did not go through, so that it is not tried again in vain. */
export interface FailedResize {
  readonly pod: string;
  readonly uid: string;
  /** Node pool in which it is infeasible for every pod; null: it counts for this pod alone. */
  readonly pool: string | null;
  /** The resource that it was infeasible for; null: for both. */
  readonly resource: ResourceName | null;
  readonly state: 'deferred' | 'infeasible' | 'error';
  readonly since: Instant;
  readonly code: RefusalCode;
  /** Of a node pool: how often it was asked for in vain, each time after the last refusal had ended; absent: once. */
  readonly attempts?: number;
  readonly message: string;
  readonly values: Values;
}

/** Evictions for one size, so that they never become a loop. */
export interface EvictionTries {
  /** What the evicted pod was to request in all. */
  readonly requests: Resources;
  readonly count: number;
  readonly lastAt: Instant;
  /** A disruption budget said no. */
  readonly refused: { readonly at: Instant; readonly message: string } | null;
}

/** A pod that has, or is about to have, more CPU while it starts. Written down before it is given, so that it is taken back whatever happens. */
export interface StartUpBoost {
  readonly pod: string;
  readonly uid: string;
  readonly since: Instant;
  /** What its boosted containers have otherwise. */
  readonly values: Values;
}

/** A memory limit that was raised because of OOM kills at it. */
export interface OomBump {
  readonly container: string;
  /** The killed pod, that alone has it; null: every pod of the workload. */
  readonly pod: string | null;
  readonly uid: string | null;
  readonly at: Instant;
  readonly limit: Bytes;
  /** null: as recommended. */
  readonly request: Bytes | null;
}

/** The largest node that a workload's pods ran on, each resource by itself. */
export interface LargestNode extends Resources {
  readonly cpuSeenAt: Instant;
  readonly memorySeenAt: Instant;
}

/** A replica that was given more CPU than the others, because it alone used more than 3 × the median. */
export interface HotReplica {
  readonly container: string;
  readonly pod: string;
  readonly uid: string;
  /** When it last used as much, to a quarter of an hour. */
  readonly at: Instant;
  /** What it requests; null: what the others do again, or it is gone. */
  readonly cpu: Millicores | null;
}

/** When a container's requests, and its memory limit, last fell by a new decision; null: never. */
export interface Reductions {
  readonly cpu: Instant | null;
  readonly memory: Instant | null;
  readonly memoryLimit: Instant | null;
}

/** Since when CPU requests move at a pace. */
export interface PaceInForce {
  readonly inForce: Pace;
  readonly since: Instant;
}

/** What is remembered of resizes by others. */
export interface OtherResizes {
  /** Field manager. */
  readonly by: string;
  /** One of the pods. */
  readonly pod: string;
  /** The latest that has been counted. */
  readonly at: Instant;
  /** How often it has happened again after Evenkeel had put it right. */
  readonly count: number;
  /** Nothing is changed before. */
  readonly until: Instant;
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
  /** What the workload's template had when it was last looked at; empty while nothing is in force. */
  readonly template: Values;
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
  /** `at` of the last request for a roll-back that was carried out, whatever was rolled back since; null: of none. */
  readonly lastRollbackRequestAt: Instant | null;
  /** Reductions of the last day, the oldest first. */
  readonly watched: readonly WatchedReduction[];
  readonly failures: readonly FailedResize[];
  readonly boosts: readonly StartUpBoost[];
  readonly evictions: EvictionTries | null;
  /** Of the last 7 days, and those of pods that still exist. */
  readonly oomBumps: readonly OomBump[];
  /** Of the last 30 days; null: no pod has had a node. */
  readonly largestNode: LargestNode | null;
  /** Of the policy's history: as long as the forecast remembers them. */
  readonly hotReplicas: readonly HotReplica[];
  /** By container: the last kill by a node that an Event has reported. */
  readonly nodeOoms: ReadonlyMap<string, Instant>;
  /** State of an idled workload; null: it is not idled. */
  readonly idle: IdleMemory | null;
  readonly lastIdle: LastIdle | null;
  /** Autoscalers whose targets follow the requests, and those that another writer reverts. */
  readonly autoscalers: readonly AutoscalerMemory[];
  readonly limitExceptions: readonly LimitException[];
  /** Pods that another manager has resized since; null: none. */
  readonly externalResizes: OtherResizes | null;
  /** The CPU request that was in force on all pods before each container was given a temporary increase, while it has that. */
  readonly cpuBeforeIncrease: ReadonlyMap<string, Millicores>;
  /** null: Daily for a day or more. */
  readonly pace: PaceInForce | null;
  /** By container. */
  readonly reductions: ReadonlyMap<string, Reductions>;
  /** When each container's CPU limit was raised because it throttled, within the last 7 days, the newest last. */
  readonly cpuLimitRaises: ReadonlyMap<string, readonly Instant[]>;
  /** The same of each class of nodes, where classes differ; the rest is then that of the class with the most pods. */
  readonly classes?: ReadonlyMap<string, ResizeMemory>;
}

export const NO_MEMORY: ResizeMemory = {
  apply: null,
  lastApplied: null,
  previous: null,
  template: new Map(),
  rolledBack: null,
  lastRollbackRequestAt: null,
  watched: [],
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

/** Approvals and rejections hold this long. */
export const USER_REQUEST_EXPIRES_AFTER_MS: DurationMs = 7 * 24 * 60 * 60_000;
