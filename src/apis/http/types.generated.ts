// Made by hack/generate/generate-http-types.ts from src/server/openapi/. Not to be edited.

/** CPU and memory. */
export interface Resources {
  /** CPU in millicores. */
  readonly cpuMillicores: number;
  /** Memory in bytes. */
  readonly memoryBytes: number;
}

/** CPU and memory; null where unset or unknown, never 0. */
export interface OptionalResources {
  /** CPU in millicores. */
  readonly cpuMillicores: number | null;
  /** Memory in bytes. */
  readonly memoryBytes: number | null;
}

/** Fractions of CPU and of memory. */
export interface Ratios {
  /** Of CPU; above 1 where usage or requests exceed the capacity. */
  readonly cpuRatio: number | null;
  /** Of memory. */
  readonly memoryRatio: number | null;
}

/** Identity of a workload. */
export interface WorkloadRef {
  readonly namespace: string;
  /** Kind of the top-level owner. */
  readonly kind: string;
  readonly name: string;
}

export interface RequestsAndLimits {
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
}

/** Data that is missing or outdated. */
export interface Warning {
  /** Stable code in snake case. */
  readonly code: string;
  readonly message: string;
}

/** One invalid field. */
export interface ErrorDetail {
  /** JSON Pointer into the body, or `query.x`, `path.x`, `header.x`. */
  readonly path: string;
  readonly message: string;
}

/** One time series. */
export interface Series {
  readonly name: string;
  /** millicores, bytes, count or ratio. */
  readonly unit: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Ascending in time. */
  readonly points: readonly (readonly [number, number | null])[];
}

/** Points of complete steps: each is the mean over the step that starts at its time. `end` is the time of the last point, so an answer changes once per step. */
export interface SeriesSet {
  readonly start: string;
  readonly end: string;
  readonly stepSeconds: number;
  readonly series: readonly Series[];
}

export interface HealthPart {
  readonly name: string;
  /** 0–100; null where unknown, then without weight. */
  readonly score: number | null;
  /** Weight in the mean. */
  readonly weight: number;
  /** Reason for the score. */
  readonly reason: string;
}

export interface Cluster {
  readonly name: string;
  /** gke, eks, aks, …, from the nodes’ provider ids. */
  readonly provider: string | null;
  readonly kubernetesVersion: string | null;
  readonly mode: 'active' | 'dry-run' | 'paused';
  readonly nodes: {
    readonly total: number;
    readonly ready: number;
    readonly spot: number;
    readonly onDemand: number;
    readonly bootstrapping: number;
    readonly draining: number;
  };
  readonly pods: {
    /** All pods, including completed ones. */
    readonly total: number;
    readonly running: number;
    /** Pods in phase Pending, including unschedulable ones. */
    readonly pending: number;
    readonly unschedulable: number;
    readonly failed: number;
  };
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly used: OptionalResources;
  readonly recommended: OptionalResources;
  readonly utilization: Ratios;
  readonly requestedRatio: Ratios;
  readonly waitingForNodeCapacity: WaitingRaiseCounts | null;
  readonly cost: {
    /** All nodes at current prices. US dollars; null where the price is unknown. */
    readonly perHourUsd: number | null;
    /** perHourUsd × 730 hours. US dollars; null where the price is unknown. */
    readonly perMonthUsd: number | null;
    /** Allocatable capacity that no pod requests. US dollars; null where the price is unknown. */
    readonly idlePerMonthUsd: number | null;
    /** Difference between on-demand and spot prices of the spot nodes. US dollars; null where the price is unknown. */
    readonly spotSavingsPerMonthUsd: number | null;
    /** Sum of the savings of open recommendations (recommended, awaiting, applying, exception). US dollars; null where the price is unknown. */
    readonly projectedSavingsPerMonthUsd: number | null;
    /** Savings from removed nodes. US dollars; null where the price is unknown. */
    readonly realizedSavingsPerMonthUsd: number | null;
  };
  readonly health: {
    /** Weighted mean of the parts. */
    readonly score: number | null;
    /** A from 90, B from 80, C from 70, D from 60. */
    readonly grade: 'A' | 'B' | 'C' | 'D' | 'F' | null;
    readonly parts: readonly HealthPart[];
  };
}

/** Breakdown of the run rate: used + requested but unused + idle. `deployedRequests` are those of the pods’ templates. */
export interface ClusterArithmetic {
  /** Used part of the run rate. US dollars; null where the price is unknown. */
  readonly usedPerMonthUsd: number | null;
  /** Requested and not used. US dollars; null where the price is unknown. */
  readonly requestedUnusedPerMonthUsd: number | null;
  /** Not requested by any pod. US dollars; null where the price is unknown. */
  readonly idlePerMonthUsd: number | null;
  /** Requests freed by resizes; still paid until a node is removed. US dollars; null where the price is unknown. */
  readonly reclaimedPerMonthUsd: number | null;
  readonly deployedRequests: Resources;
  /** One line per machine type and price; their sum is the run rate, to the cent. */
  readonly lines: readonly {
    readonly label: string;
    readonly quantity: number;
    /** Price of one node per hour. */
    readonly perHourUsd: number;
    /** quantity × perHourUsd × 730 h. */
    readonly perMonthUsd: number;
    /** Source of the price, with its date. */
    readonly source: string;
    readonly estimate: boolean;
  }[];
}

export interface Node {
  readonly name: string;
  /** Node pool from the provider’s label. */
  readonly pool: string | null;
  readonly machineType: string | null;
  readonly zone: string | null;
  readonly region: string | null;
  readonly capacityType: 'spot' | 'on-demand';
  /** True where a NodeScalingPolicy governs the node’s pool; false: provider defaults. */
  readonly managed: boolean;
  readonly ready: boolean;
  /** Lifecycle phase. `bootstrapping`: not yet ready, for the first 15 minutes. A node that became not ready keeps phase `ready` with `ready: false`. */
  readonly phase: 'bootstrapping' | 'ready' | 'cordoned' | 'draining' | 'interrupted' | 'deleting';
  readonly kubeletVersion: string;
  readonly createdAt: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly used: OptionalResources;
  readonly utilization: Ratios;
  /** Scheduled pods, and the maximum number of pods. */
  readonly pods: { readonly count: number; readonly capacity: number };
  /** At the current price. US dollars; null where the price is unknown. */
  readonly costPerHourUsd: number | null;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionAt: string | null;
  }[];
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  }[];
  /** Whether the node could be removed; null until the autoscaler reports it. */
  readonly consolidatable: { readonly ok: boolean; readonly reason: string } | null;
}

export interface NodePod {
  readonly namespace: string;
  readonly name: string;
  readonly workload: WorkloadRef | null;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly requests: Resources;
  readonly used: OptionalResources;
}

export interface NodeEvent {
  readonly time: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

export interface NodeDetail {
  readonly name: string;
  /** Node pool from the provider’s label. */
  readonly pool: string | null;
  readonly machineType: string | null;
  readonly zone: string | null;
  readonly region: string | null;
  readonly capacityType: 'spot' | 'on-demand';
  /** True where a NodeScalingPolicy governs the node’s pool; false: provider defaults. */
  readonly managed: boolean;
  readonly ready: boolean;
  /** Lifecycle phase. `bootstrapping`: not yet ready, for the first 15 minutes. A node that became not ready keeps phase `ready` with `ready: false`. */
  readonly phase: 'bootstrapping' | 'ready' | 'cordoned' | 'draining' | 'interrupted' | 'deleting';
  readonly kubeletVersion: string;
  readonly createdAt: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly used: OptionalResources;
  readonly utilization: Ratios;
  /** As in the list, with the pods. */
  readonly pods: { readonly count: number; readonly capacity: number; readonly items: readonly NodePod[] };
  /** At the current price. US dollars; null where the price is unknown. */
  readonly costPerHourUsd: number | null;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionAt: string | null;
  }[];
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  }[];
  /** Whether the node could be removed; null until the autoscaler reports it. */
  readonly consolidatable: { readonly ok: boolean; readonly reason: string } | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Latest first; null where events are not read. */
  readonly events: readonly NodeEvent[] | null;
  readonly usage: SeriesSet | null;
  /** Pods that block its removal; null until the autoscaler reports them. */
  readonly blockedBy: readonly { readonly pod: string; readonly reason: string }[] | null;
}

export interface PodContainer {
  readonly name: string;
  /** A restartable init container. */
  readonly sidecar: boolean;
  readonly state: 'waiting' | 'running' | 'terminated';
  readonly waitingReason: string | null;
  readonly ready: boolean;
  readonly restarts: number;
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
  readonly actual: RequestsAndLimits | null;
  readonly used: OptionalResources;
  readonly lastTermination: { readonly reason: string; readonly exitCode: number; readonly finishedAt: string | null } | null;
}

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly workload: WorkloadRef | null;
  readonly node: string | null;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready: boolean;
  readonly restarts: number;
  readonly qosClass: 'Guaranteed' | 'Burstable' | 'BestEffort';
  readonly createdAt: string;
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
  readonly used: OptionalResources;
  readonly resize: { readonly state: 'none' | 'deferred' | 'infeasible' | 'in-progress' | 'error'; readonly message: string };
  readonly ip: string | null;
  /** Main containers, then sidecars. */
  readonly containers: readonly PodContainer[];
}

export interface NamespaceQuota {
  readonly name: string;
  readonly hard: { readonly requests: OptionalResources; readonly limits: OptionalResources };
  readonly used: { readonly requests: OptionalResources; readonly limits: OptionalResources };
  /** Highest ratio of used to hard. */
  readonly usedRatio: number | null;
}

export interface Namespace {
  readonly name: string;
  readonly workloads: number;
  readonly pods: number;
  readonly requested: Resources;
  readonly limits: OptionalResources;
  readonly used: OptionalResources;
  readonly recommended: OptionalResources;
  /** Requested and not used, at the nodes’ prices. US dollars; null where the price is unknown. */
  readonly wastePerMonthUsd: number | null;
  /** Requests of its pods, at the nodes’ prices. US dollars; null where the price is unknown. */
  readonly costPerMonthUsd: number | null;
  /** null where there is none. */
  readonly quota: readonly NamespaceQuota[] | null;
  /** Number of notes by operators; null: notes are not stored yet. */
  readonly notes: number | null;
  readonly health: 'healthy' | 'attention' | 'critical';
}

export interface RecommendationHpa {
  readonly name: string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly cpuTargetRatio: number | null;
  readonly memoryTargetRatio: number | null;
}

/** Increases that wait for capacity of their nodes; `requests`: the missing requests of all pods. */
export interface WaitingRaises {
  /** Pods whose increase waits. */
  readonly pods: number;
  /** When the first of them started to wait. */
  readonly since: string;
  readonly requests: OptionalResources;
}

/** Increases that wait for capacity of their nodes. */
export interface WaitingRaiseCounts {
  /** Workloads with such an increase. */
  readonly workloads: number;
  /** Pods whose increase waits. */
  readonly pods: number;
}

/** Bounds by container, `*` for all. */
export type OverrideBounds = Readonly<
  Record<
    string,
    {
      /** Quantity. */
      readonly cpu?: string;
      /** Quantity. */
      readonly memory?: string;
    }
  >
>;

/** Usage of one replica over the history window. */
export interface UsageFigures {
  readonly p50: OptionalResources;
  readonly p95: OptionalResources;
  readonly p99: OptionalResources;
  readonly max: OptionalResources;
}

export interface RecommendedContainer {
  readonly name: string;
  readonly current: RequestsAndLimits;
  readonly recommended: RequestsAndLimits;
  readonly lowerBound: OptionalResources;
  readonly upperBound: OptionalResources;
  readonly usage: UsageFigures;
  /** Within the history window. */
  readonly oomKills: number | null;
  /** Fraction of throttled CPU periods in the last 24 hours; null: not measured. */
  readonly throttledRatio: number | null;
  /** Fraction of time in which a task waited for CPU (pressure stall information) in the last 24 hours; null: not measured. */
  readonly cpuPressureRatio: number | null;
}

/** Current and recommended values of the pods on nodes of one size class. */
export interface RecommendationClass {
  /** Cores and memory of its nodes, each rounded, such as `8cpu-32Gi`. */
  readonly name: string;
  /** Pods of the workload on such nodes. */
  readonly pods: number;
  /** null: no pods now. */
  readonly state:
    'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded' | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly containers: readonly { readonly name: string; readonly current: RequestsAndLimits; readonly recommended: RequestsAndLimits }[];
}

export interface Recommendation {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** The PodResizePolicy that governs it; null: none, so defaults apply. */
  readonly policy: string | null;
  /** The effective mode: the workload’s own (annotation `evenkeel.io/mode`), else the policy’s. */
  readonly mode: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /** False where it has no Recommendation object: in mode Observe, and until the object of a new workload is written. */
  readonly published: boolean;
  readonly state:
    'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** Reason of `awaiting` and `blocked`: window, cooldown, approval, confidence, node-capacity, … */
  readonly reason: string | null;
  /** Earliest next attempt; null where it does not depend on time. */
  readonly until: string | null;
  readonly waitingForNodeCapacity: WaitingRaises | null;
  /** Package that installed it: Helm release, Argo CD application, Flux Kustomization or part-of label. */
  readonly package: string | null;
  readonly hpa: RecommendationHpa | null;
  /** Annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`. */
  readonly overrides: { readonly floor: OverrideBounds | null; readonly ceiling: OverrideBounds | null };
  /** Current requests of its pods, at their nodes’ prices. */
  readonly costPerMonthUsd: number | null;
  readonly containers: readonly RecommendedContainer[];
  /** Desired replicas. */
  readonly replicas: number;
  /** 0–1; null while usage is insufficient. */
  readonly confidence: number | null;
  /** Savings of the change; negative for an increase. */
  readonly savingsPerMonthUsd: number | null;
  readonly risk: 'none' | 'low' | 'medium' | 'high';
  /** When the values were last decided. */
  readonly updatedAt: string | null;
  /** When values were last applied. */
  readonly appliedAt: string | null;
  /** Source of the usage. */
  readonly source: string | null;
}

/** Totals of all matching items, not only this page. */
export interface RecommendationTotals {
  /** Sum over all matching items, to the cent; unknown values count as 0. */
  readonly savingsPerMonthUsd: number;
  readonly costPerMonthUsd: number;
  /** Number of recommendations by state. */
  readonly byState: Readonly<Record<string, number>>;
  readonly waitingForNodeCapacity: WaitingRaiseCounts;
}

export interface ExplanationStep {
  /** usage, margin, calibration, hold, reaction, oom, leak, floor, ceiling, rounding or published. */
  readonly step: string;
  /** Description with the numbers used. */
  readonly detail: string;
  /** Change by this step. */
  readonly value: number;
  /** Running total; the last is the recommended value. */
  readonly total: number;
}

/** Derivation of one recommended value. */
export interface ExplainedResource {
  readonly unit: 'millicores' | 'bytes';
  /** Current request. */
  readonly current: number | null;
  /** Sum of the steps. */
  readonly recommended: number | null;
  readonly lowerBound: number | null;
  readonly upperBound: number | null;
  /** Highest usage within the history window. */
  readonly peak: number | null;
  /** Highest usage of the last hour. */
  readonly recentPeak: number | null;
  /** Latest usage. */
  readonly latest: number | null;
  readonly confidence: number | null;
  /** Their sum is exactly `recommended`. */
  readonly steps: readonly ExplanationStep[];
}

export interface ContainerAudit {
  readonly name: string;
  readonly inputs: {
    readonly samples: number | null;
    /** Samples that are implausible, in the future or out of order. */
    readonly droppedSamples: number | null;
    readonly firstSampleAt: string | null;
    readonly lastSampleAt: string | null;
    /** Fraction of its lifetime within the window with samples. */
    readonly coverageRatio: number | null;
    readonly enoughHistory: boolean | null;
    readonly oomKills: number | null;
    readonly lastOomAt: string | null;
    readonly throttledRatio: number | null;
    readonly cpuPressureRatio: number | null;
    readonly leakSuspected: boolean | null;
    readonly confidenceText: string | null;
  };
  readonly cpu: ExplainedResource | null;
  readonly memory: ExplainedResource | null;
}

export interface RuleInForce {
  readonly name: string;
  /** Number, text or null. */
  readonly value: unknown;
  /** Source: policy, override (temporary, of the policy), setting or default, as in `/policies`; annotation, floor or ceiling (of the workload); node (no node has more). */
  readonly source: string;
}

export interface AppliedValue {
  readonly id: string;
  readonly at: string;
  readonly pod: string;
  readonly container: string;
  /** Requests and limits before. */
  readonly from: unknown;
  /** Requests and limits after. */
  readonly to: unknown;
  readonly reason: string;
  readonly actor: string;
  readonly outcome: 'applied' | 'deferred' | 'infeasible' | 'rejected' | 'rolled-back' | 'dry-run' | 'failed';
  readonly message: string;
}

export interface RecommendationDetail {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** The PodResizePolicy that governs it; null: none, so defaults apply. */
  readonly policy: string | null;
  /** The effective mode: the workload’s own (annotation `evenkeel.io/mode`), else the policy’s. */
  readonly mode: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /** False where it has no Recommendation object: in mode Observe, and until the object of a new workload is written. */
  readonly published: boolean;
  readonly state:
    'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** Reason of `awaiting` and `blocked`: window, cooldown, approval, confidence, node-capacity, … */
  readonly reason: string | null;
  /** Earliest next attempt; null where it does not depend on time. */
  readonly until: string | null;
  readonly waitingForNodeCapacity: WaitingRaises | null;
  /** Package that installed it: Helm release, Argo CD application, Flux Kustomization or part-of label. */
  readonly package: string | null;
  readonly hpa: RecommendationHpa | null;
  /** Annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`. */
  readonly overrides: { readonly floor: OverrideBounds | null; readonly ceiling: OverrideBounds | null };
  /** Current requests of its pods, at their nodes’ prices. */
  readonly costPerMonthUsd: number | null;
  readonly containers: readonly RecommendedContainer[];
  /** Desired replicas. */
  readonly replicas: number;
  /** 0–1; null while usage is insufficient. */
  readonly confidence: number | null;
  /** Savings of the change; negative for an increase. */
  readonly savingsPerMonthUsd: number | null;
  readonly risk: 'none' | 'low' | 'medium' | 'high';
  /** When the values were last decided. */
  readonly updatedAt: string | null;
  /** When values were last applied. */
  readonly appliedAt: string | null;
  /** Source of the usage. */
  readonly source: string | null;
  /** For a DaemonSet on nodes of several size classes: values by class; `containers` shows the class with the most pods. Empty otherwise. */
  readonly classes: readonly RecommendationClass[];
  readonly audit: {
    readonly containers: readonly ContainerAudit[];
    /** Goal, percentile, margins, floors, ceilings and window, each with its source. */
    readonly rules: readonly RuleInForce[];
    readonly money: {
      /** Savings by container and resource; their sum is the total, to the cent. */
      readonly lines: readonly { readonly label: string; readonly perMonthUsd: number }[];
      readonly totalPerMonthUsd: number | null;
      readonly priceSource: string | null;
    };
    /** Latest first; null where history is unavailable. */
    readonly history: readonly AppliedValue[] | null;
    /** Changes that would lead to another recommendation. */
    readonly wouldChangeIt: readonly string[];
  };
}

/** Displayed values that the user decides on: `requests` and `limits`, or `recommended` with both. */
export interface SeenContainer {
  readonly name: string;
  /** The values shown by the record; null or omitted where the record has null. */
  readonly requests?: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null };
  /** The values shown by the record; null or omitted where the record has null. */
  readonly limits?: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null };
  readonly recommended?: RequestsAndLimits;
  /** Ignored, like the fields below, so that a container of the record can be sent back unchanged. */
  readonly current?: unknown;
  readonly lowerBound?: unknown;
  readonly upperBound?: unknown;
  readonly usage?: unknown;
  readonly oomKills?: unknown;
  readonly throttledRatio?: unknown;
  readonly cpuPressureRatio?: unknown;
}

export interface ApproveBody {
  /** Every container of the record, as displayed. */
  readonly containers: readonly SeenContainer[];
  /** Recorded in the audit and shown with the change. */
  readonly reason?: string;
}

export interface RejectBody {
  /** Omitted: the current values. */
  readonly containers?: readonly SeenContainer[];
  /** Recorded in the audit and shown with the change. */
  readonly reason?: string;
}

export interface RollbackBody {
  /** Recorded in the audit and shown with the change. */
  readonly reason?: string;
}

export interface ModeBody {
  /** null: the policy’s mode. */
  readonly mode: 'Auto' | 'Approve' | 'Recommend' | 'Off' | null;
  /** Recorded in the audit and shown with the change. */
  readonly reason?: string;
}

export interface HoldBody {
  /** Time without automatic changes: a duration from 1m to 90d. */
  readonly for?: string;
  /** Recorded in the audit and shown with the change. */
  readonly reason?: string;
}

export interface BulkItem {
  readonly namespace: string;
  readonly kind?: string;
  readonly name: string;
  readonly action: 'approve' | 'reject' | 'rollback' | 'mode';
  /** For approve: required. */
  readonly containers?: readonly SeenContainer[];
  /** For mode: required. */
  readonly mode?: 'Auto' | 'Approve' | 'Recommend' | 'Off' | null;
  /** Recorded in the audit and shown with the change. */
  readonly reason?: string;
}

export interface BulkBody {
  readonly items: readonly BulkItem[];
}

/** Outcome of one item; a failing item does not stop the others. */
export interface BulkResult {
  readonly index: number;
  readonly ok: boolean;
  /** true: validated and not carried out, because the request or the workload’s policy is in dry run. */
  readonly dryRun?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface ResizeCycle {
  readonly id: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly evaluated: number;
  readonly changed: number;
  readonly deferred: number;
  readonly blocked: number;
  readonly failed: number;
  readonly byReason: Readonly<Record<string, number>>;
  readonly savings: {
    readonly potentialPerMonthUsd: number | null;
    readonly reclaimedPerMonthUsd: number | null;
    readonly realisedPerMonthUsd: number | null;
  };
}

export interface TriggeredCycle {
  readonly cycleId: string;
  /** True where this request joined an earlier pending cycle. */
  readonly joined: boolean;
  readonly policies: readonly string[];
}

/** User overrides of one workload, from its annotations. */
export interface Override {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** The PodResizePolicy that governs it; null: none. */
  readonly policy: string | null;
  readonly floor: OverrideBounds | null;
  readonly ceiling: OverrideBounds | null;
  /** Overrides the policy’s mode; null: the policy’s mode applies. */
  readonly mode: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto' | null;
  /** Excluded from right-sizing and idle mode. */
  readonly excluded: boolean;
  /** Automatic changes are blocked until then. */
  readonly heldUntil: string | null;
  /** User of the latest change through this API; null where it was written by other means. */
  readonly setBy: string | null;
  readonly setAt: string | null;
  readonly reason: string | null;
  /** User of each change made through this API. A value changed by other means has no entry. */
  readonly changes: readonly {
    /** Without the prefix: floor, ceiling, mode, exclude, held-until. */
    readonly annotation: string;
    readonly by: string;
    readonly at: string;
    readonly reason: string | null;
  }[];
  /** Problems of invalid annotations. While there is one, the workload is not changed. */
  readonly problems: readonly string[];
}

/** By container, `*` for all. Omitted values are unchanged, null removes a value. */
export type BoundsPatch = Readonly<
  Record<
    string,
    {
      /** Kubernetes quantity; null removes it. */
      readonly cpu?: string | null;
      /** Kubernetes quantity; null removes it. */
      readonly memory?: string | null;
    } | null
  >
>;

/** At least one of `floor` and `ceiling`. */
export interface SetBoundsBody {
  /** Minimum requests. null removes them for every container. */
  readonly floor?: BoundsPatch | null;
  /** Maximum requests. null removes them for every container. */
  readonly ceiling?: BoundsPatch | null;
  /** Recorded with the change, in its Event and the audit. */
  readonly reason?: string;
}

export interface ExclusionBody {
  /** false ends the exclusion. */
  readonly excluded: boolean;
  /** Recorded with the change, in its Event and the audit. */
  readonly reason?: string;
}

export interface OverrideBulkItem {
  readonly namespace: string;
  readonly kind?: string;
  readonly name: string;
  /** `set` merges like PATCH; `remove` removes floor and ceiling. */
  readonly action: 'set' | 'remove';
  /** Minimum requests. null removes them for every container. */
  readonly floor?: BoundsPatch | null;
  /** Maximum requests. null removes them for every container. */
  readonly ceiling?: BoundsPatch | null;
  /** Recorded with the change, in its Event and the audit. */
  readonly reason?: string;
}

export interface OverrideBulkBody {
  readonly items: readonly OverrideBulkItem[];
}

/** Demand above a container’s limit or ceiling. */
export interface LimitException {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly container: string;
  readonly resource: 'cpu' | 'memory';
  /** Types in order of severity, which only increases while open. */
  readonly type: 'recommendation-over-ceiling' | 'cpu-throttled' | 'usage-over-limit' | 'oom-killed' | 'leak';
  /** The exceeded bound, which an approval raises: the limit of the pods, or the ceiling of the request. */
  readonly bound: 'limit' | 'ceiling';
  readonly unit: 'millicores' | 'bytes';
  /** Value of the exceeded bound. In `unit`. */
  readonly limit: number;
  /** Maximum observed, or requested by the recommendation. In `unit`. */
  readonly observed: number;
  /** Proposed value; null where LimitRange or node size allow no greater one. In `unit`. */
  readonly proposed: number | null;
  /** A decision applies as soon as it is stored; `settled` is true once it is carried out. */
  readonly state: 'open' | 'approved' | 'rejected' | 'resolved';
  /** A temporary limit is in effect, or is still to be reverted. */
  readonly applied: boolean;
  /** The temporary limit. In `unit`. */
  readonly appliedValue: number | null;
  /** When the temporary limit is reverted. */
  readonly appliedUntil: string | null;
  readonly openedAt: string;
  /** Time of the last occurrence. */
  readonly lastSeenAt: string;
  /** When it was approved, rejected or resolved. */
  readonly closedAt: string | null;
  /** Number of occurrences while open. */
  readonly occurrences: number;
  /** Description of the evidence. */
  readonly evidence: string;
  /** The approved value. In `unit`. */
  readonly approvedValue: number | null;
  /** User who approved or rejected it. */
  readonly decidedBy: string | null;
  /** The decision is carried out: the approved value is in effect, or the former one again. */
  readonly settled: boolean;
}

/** Counts of all matching items, not only this page. */
export interface LimitExceptionCounts {
  readonly open: number;
  readonly approved: number;
  readonly rejected: number;
  readonly resolved: number;
  /** With a temporary limit in effect. */
  readonly applied: number;
  readonly byType: Readonly<Record<string, number>>;
}

/** Without container and resource: all open exceptions of the workload. */
export interface LimitExceptionBody {
  /** Omitted: every container. */
  readonly container?: string;
  /** Omitted: both. */
  readonly resource?: 'cpu' | 'memory';
  /** For approval of a single exception: a value that replaces the proposed one, as a quantity (`512Mi`, `750m`) or a whole number in `unit`. */
  readonly value?: string | number;
  /** Recorded with the decision, in its Event and the audit. */
  readonly reason?: string;
}

/** `idle` and `natural` are requests of one replica, all containers together; `projectedSavings` is natural less idle over the replicas of each, `realizedSavings` natural less the current requests of its pods. Limits are unchanged. */
export interface IdleWorkload {
  readonly workload: WorkloadRef;
  /** waking: it is being restored to its natural size. */
  readonly state: 'idled' | 'waking';
  /** When it was reduced to its idle size. */
  readonly idleSince: string;
  readonly idle: Resources;
  readonly natural: Resources;
  /** Replicas while idled. */
  readonly replicas: number;
  /** Replicas at its natural size. */
  readonly naturalReplicas: number;
  readonly projectedSavings: Resources;
  /** The same at the prices of its nodes; null where none of its pods is on a node. */
  readonly projectedSavingsPerMonthUsd: number | null;
  readonly realizedSavings: Resources;
  /** The same at the prices of its nodes; null where none of its pods is on a node. */
  readonly realizedSavingsPerMonthUsd: number | null;
  /** Description of the wake triggers. */
  readonly wakesOn: string;
}

export interface IdleTotals {
  readonly projectedSavings: Resources;
  /** Sum of the known values. */
  readonly projectedSavingsPerMonthUsd: number;
  readonly realizedSavings: Resources;
  /** Sum of the known values. */
  readonly realizedSavingsPerMonthUsd: number;
}

export interface WakeBody {
  /** Recorded in the Event and the audit. */
  readonly reason?: string;
}

export interface Policy {
  readonly kind: 'NodeScalingPolicy' | 'PodResizePolicy' | 'RebalancePolicy' | 'ScheduledScalePolicy';
  /** null for a cluster-scoped kind. */
  readonly namespace: string | null;
  readonly name: string;
  readonly createdAt: string | null;
  readonly generation: number | null;
  /** The object’s spec. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The object’s status; in a PodResizePolicy `waitingForNodeCapacity` counts increases that wait for node capacity. */
  readonly status: Readonly<Record<string, unknown>> | null;
  /** Effective value and its source by dotted field. */
  readonly effective: Readonly<Record<string, { readonly value: unknown; readonly source: 'policy' | 'override' | 'setting' | 'default' }>>;
}

/** A policy field that a user has temporarily overridden. */
export interface PolicyOverride {
  readonly kind: 'NodeScalingPolicy' | 'PodResizePolicy' | 'RebalancePolicy';
  readonly name: string;
  /** Dotted path inside `spec`. */
  readonly field: string;
  /** Effective value. */
  readonly value: unknown;
  /** Value of the spec; null where the field is unset. */
  readonly specValue: unknown;
  /** null where it was written without this API and without a user. */
  readonly setBy: string | null;
  readonly setAt: string | null;
  /** When the override ends; null: when it is removed. */
  readonly expiresAt: string | null;
  readonly reason: string | null;
}

export interface PolicyOverrideBody {
  /** Dotted path inside the kind’s `spec`, such as `cooldown` or `cpu.min`. */
  readonly field: string;
  /** Value by the field’s schema; an object or list replaces the whole field. null removes the override. */
  readonly value: unknown;
  /** Duration such as 2h or 7d, at most 3650d; omitted: until it is removed. */
  readonly expiresIn?: string;
  /** Reason, shown with the override. */
  readonly reason: string;
}

/** Requests and limits in one pod’s spec. */
export interface PodSizes {
  readonly pod: string;
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
}

export interface AuditedContainer {
  readonly name: string;
  readonly template: RequestsAndLimits | null;
  readonly recommendation: RequestsAndLimits | null;
  readonly pods: readonly PodSizes[];
  /** `none`: every pod has the template’s values. `resized`: every pod has the same values set by Evenkeel, and they are still recommended. `stale`: every pod has the same values set by Evenkeel, and others are recommended now. `partial`: pods differ (a change or rollout is in progress or has stopped). `manual`: a pod has a value that neither the template nor Evenkeel set. A missing request beside a limit counts as that limit, and LimitRange defaults count as the template’s values. */
  readonly drift: 'none' | 'resized' | 'stale' | 'partial' | 'manual';
}

/** Comparison of template, recommendation and running pods. */
export interface ResourceAudit {
  readonly workload: WorkloadRef;
  /** The most severe drift of its containers. */
  readonly drift: 'none' | 'resized' | 'stale' | 'partial' | 'manual';
  /** Containers of the template, then those added by admission (`template` null). */
  readonly containers: readonly AuditedContainer[];
  /** Annotations under `evenkeel.io/`. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The pending change cannot be made in place: it needs new pods. */
  readonly restartRequired: boolean;
  /** A requested reset is not carried out yet. */
  readonly resetPending: boolean;
}

export interface ResetBody {
  /** Time without automatic changes: a duration from 1m to 90d. */
  readonly for?: string;
  /** Recorded with the change, in its Event and the audit. */
  readonly reason?: string;
}

export interface ResourceAuditBulkBody {
  readonly action: 'reset-to-deploy' | 'delete-recommendation' | 'strip-annotations';
  readonly items: readonly { readonly namespace: string; readonly kind?: string; readonly name: string }[];
  /** For reset-to-deploy: time without automatic changes, a duration from 1m to 90d. */
  readonly for?: string;
  /** Recorded with the change, in its Event and the audit. */
  readonly reason?: string;
}

/** One applied or attempted change. */
export interface ScalingActivity {
  readonly time: string;
  /** `evenkeel`, or the user who requested it. */
  readonly actor: string;
  /** `resize`: requests, replicas of an idle workload, evictions and restarts for a size. `hpa`: a changed target. */
  readonly kind: 'scale-up' | 'scale-down' | 'consolidate' | 'resize' | 'rebalance' | 'hpa' | 'scheduled' | 'interruption';
  readonly object: {
    /** null: cluster-scoped, visible only to administrators. */
    readonly namespace: string | null;
    readonly kind: string;
    readonly name: string;
    /** The pod, where only one pod of a workload was changed. */
    readonly pod: string | null;
  };
  /** Requests and limits by container, or `{ replicas }`; null where not applicable. */
  readonly from: unknown;
  /** The same after the change, or a description of it. */
  readonly to: unknown;
  readonly reason: string;
  /** Validated and not carried out. */
  readonly dryRun: boolean;
  readonly outcome: 'applied' | 'deferred' | 'infeasible' | 'rejected' | 'rolled-back' | 'dry-run' | 'failed';
  /** Time from the request to the API server’s answer; null where not measured. */
  readonly durationSeconds: number | null;
  /** Change of the cost of requests, at the node’s price; null where unknown. */
  readonly costDeltaPerHourUsd: number | null;
}

export interface Session {
  /** Whether the request has a valid credential. */
  readonly authenticated: boolean;
  readonly email: string | null;
  /** null where the sign-in gives none. */
  readonly name: string | null;
  /** null: no grant in effect. */
  readonly role: 'admin' | 'operator' | 'viewer' | null;
  /** Granted namespaces, as names or globs; `*` is all. */
  readonly namespaces: readonly string[];
  /** What the caller may do, for clients that hide the rest. */
  readonly capabilities: readonly ('view' | 'operate' | 'administer' | 'manage-keys')[];
  /** End of the session; null for an API key. */
  readonly expiresAt: string | null;
  /** False: no credential is required, and every caller is an admin without a session. */
  readonly authEnabled: boolean;
}

export interface SignInBody {
  readonly email: string;
  readonly password: string;
}

export interface AccessGrant {
  /** In lower case; once in the policy. */
  readonly email: string;
  readonly role: 'admin' | 'operator' | 'viewer';
  /** Names or globs; `*` is all, and an admin needs none. */
  readonly namespaces?: readonly string[];
  /** End of the grant; null: never. */
  readonly expiresAt?: string | null;
  /** Reason of the grant. */
  readonly note?: string | null;
}

export interface DomainGrant {
  /** Domain in lower case, without its subdomains. */
  readonly domain: string;
  readonly role: 'operator' | 'viewer';
  /** Names or globs; `*` is all, and an admin needs none. */
  readonly namespaces?: readonly string[];
}

export interface AccessPolicy {
  readonly grants: readonly AccessGrant[];
  /** What signed-in addresses of a domain may do that have no grant of their own. */
  readonly autoApprove: readonly DomainGrant[];
  /** Version of the AccessPolicy, for a change of it; null: it does not exist. */
  readonly resourceVersion: string | null;
}

export interface AccessPolicyBody {
  /** All grants: an omitted one is removed. */
  readonly grants: readonly AccessGrant[];
  /** All domains: an omitted one is removed. */
  readonly autoApprove?: readonly DomainGrant[];
  /** The one that was read with the grants. 409 without it, and where the policy has changed since. */
  readonly resourceVersion?: string | null;
}

export interface AccessRequest {
  /** Id of the request. */
  readonly id: string;
  /** Address of the requester. */
  readonly email: string;
  /** null where the sign-in gives none. */
  readonly name: string | null;
  readonly reason: string;
  readonly requestedRole: 'admin' | 'operator' | 'viewer';
  readonly requestedNamespaces: readonly string[];
  readonly requestedAt: string;
  readonly state: 'pending' | 'approved' | 'denied';
  /** The admin who decided; null for a pending request, and for the requester. */
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
}

export interface AccessRequestBody {
  readonly role: 'admin' | 'operator' | 'viewer';
  /** Names or globs; an admin needs none. */
  readonly namespaces?: readonly string[];
  /** For the admin who decides. */
  readonly reason?: string;
}

export interface AccessApprovalBody {
  /** Id of the request. */
  readonly id: string;
  /** At most the requested role; omitted: that one. */
  readonly role?: 'admin' | 'operator' | 'viewer';
  /** Within the requested namespaces; omitted: all of them. */
  readonly namespaces?: readonly string[];
  /** End of the grant; null: never. */
  readonly expiresAt?: string | null;
}

export interface AccessDenialBody {
  /** Id of the request. */
  readonly id: string;
}

export interface ApiKey {
  /** Public part of the key. */
  readonly id: string;
  /** The address whose grant decides what the key may read. */
  readonly email: string;
  /** What the key is for. */
  readonly label: string;
  readonly createdAt: string;
  /** Address of the admin who created it. */
  readonly createdBy: string;
  /** To the minute; null: never used. */
  readonly lastUsedAt: string | null;
  /** Current role of the address; null: it has no grant, so that the key reads nothing. */
  readonly role: 'admin' | 'operator' | 'viewer' | null;
  /** Namespaces currently granted to the address. */
  readonly namespaces: readonly string[];
}

export interface ApiKeyBody {
  /** An address with a grant. */
  readonly email: string;
  /** What the key is for. */
  readonly label: string;
}

export interface CreatedApiKey {
  /** Public part of the key. */
  readonly id: string;
  /** The address whose grant decides what the key may read. */
  readonly email: string;
  /** What the key is for. */
  readonly label: string;
  readonly createdAt: string;
  /** The key, shown only in this answer. In a dry run it is not valid. */
  readonly key: string;
}

export interface RevokedApiKey {
  /** Public part of the key. */
  readonly id: string;
  /** The address whose grant decides what the key may read. */
  readonly email: string;
  /** What the key is for. */
  readonly label: string;
  readonly createdAt: string;
}

/** A change, a sign-in or a denied request. */
export interface AccessEvent {
  /** Unique; names the event in the results of a verification. */
  readonly id: string;
  readonly time: string;
  readonly actor: {
    /** null: no verified address. */
    readonly email: string | null;
    /** `anonymous`: without a valid credential, or while `auth.enabled` is false. */
    readonly via: 'session' | 'api-key' | 'proxy' | 'anonymous';
    /** Id of the API key. */
    readonly keyId: string | null;
  };
  /** Operation of this API, such as `setBounds`. `dropAccessEvents` and `countDeniedRequests` are Evenkeel’s own. */
  readonly action: string;
  /** `Kind/namespace/name`, or method and path of a request that names no object. */
  readonly target: string;
  readonly outcome: 'allowed' | 'denied' | 'error';
  /** What was changed, before. Secrets are removed, and long values cut. */
  readonly before: unknown;
  /** What was changed, afterwards. Of a request that was not allowed `{ code }`: the error code of its answer, or why a sign-in was refused. */
  readonly after: unknown;
  readonly requestId: string;
  /** Address of the client. */
  readonly address: string;
  /** SHA-256 of the event and `previousHash`. */
  readonly hash: string;
  /** Hash of the event before in the chain of the writer. */
  readonly previousHash: string;
  /** The process that wrote it. */
  readonly writer: string;
}

export interface AccessEventSummary {
  /** null without `verify`. */
  readonly verification: {
    /** `unsigned`: no fault was found, but the end of a chain is not signed, so that a rewritten chain would not be found. */
    readonly state: 'intact' | 'unsigned' | 'broken';
    /** Verified events, of all chains and the whole retention. */
    readonly events: number;
    /** One for each process that wrote events. */
    readonly chains: number;
    /** At most 20 of each chain. The first of a chain shows from where on it is wrong. */
    readonly faults: readonly {
      /** `head`: the record of the end of a chain. */
      readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered' | 'head';
      readonly writer: string;
      /** null: the event is missing. */
      readonly id: string | null;
      readonly message: string;
    }[];
  } | null;
}

export interface HealthCheck {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'failed';
  /** The problem and its effect; without object names for callers who are not admins. */
  readonly message: string;
  /** Start of the current status. */
  readonly since: string | null;
  readonly latencyMs: number | null;
}

export interface Mode {
  readonly mode: 'active' | 'dry-run' | 'paused';
  /** The pause by the ConfigMap evenkeel-pause; null: none. */
  readonly pause: {
    readonly reason: string;
    /** End of the pause; null: until the ConfigMap is deleted. */
    readonly until: string | null;
  } | null;
  readonly dryRun: { readonly controller: boolean; readonly autoscaler: boolean };
  /** Holder of the leader lease; null: none. */
  readonly leader: string | null;
  readonly version: string;
  /** Enabled features of the dashboard. */
  readonly features: Readonly<Record<string, boolean>>;
  readonly auth: { readonly enabled: boolean; readonly providers: readonly string[] };
  readonly clusterName: string;
}

export interface Error {
  /** Stable code in snake case. */
  readonly code: string;
  /** The problem and the remedy. */
  readonly message: string;
  readonly details?: readonly ErrorDetail[];
}

/** What each operation takes and answers, by its id. */

export interface Operations {
  /** Cluster summary. */
  getCluster: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: Cluster;
    readonly summary: ClusterArithmetic;
  };
  /** CPU and memory of the cluster over time. */
  getClusterUsage: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly duration: string; readonly step?: string };
    readonly body: undefined;
    readonly data: SeriesSet;
    readonly summary: undefined;
  };
  /** Nodes with requests and usage. */
  listNodes: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'name'
        | '-name'
        | 'pool'
        | '-pool'
        | 'machineType'
        | '-machineType'
        | 'zone'
        | '-zone'
        | 'region'
        | '-region'
        | 'capacityType'
        | '-capacityType'
        | 'managed'
        | '-managed'
        | 'ready'
        | '-ready'
        | 'phase'
        | '-phase'
        | 'kubeletVersion'
        | '-kubeletVersion'
        | 'createdAt'
        | '-createdAt'
        | 'capacity.cpuMillicores'
        | '-capacity.cpuMillicores'
        | 'capacity.memoryBytes'
        | '-capacity.memoryBytes'
        | 'allocatable.cpuMillicores'
        | '-allocatable.cpuMillicores'
        | 'allocatable.memoryBytes'
        | '-allocatable.memoryBytes'
        | 'requested.cpuMillicores'
        | '-requested.cpuMillicores'
        | 'requested.memoryBytes'
        | '-requested.memoryBytes'
        | 'used.cpuMillicores'
        | '-used.cpuMillicores'
        | 'used.memoryBytes'
        | '-used.memoryBytes'
        | 'utilization.cpuRatio'
        | '-utilization.cpuRatio'
        | 'utilization.memoryRatio'
        | '-utilization.memoryRatio'
        | 'pods.count'
        | '-pods.count'
        | 'pods.capacity'
        | '-pods.capacity'
        | 'costPerHourUsd'
        | '-costPerHourUsd'
        | 'consolidatable.ok'
        | '-consolidatable.ok'
        | 'consolidatable.reason'
        | '-consolidatable.reason';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly phase?: readonly ('bootstrapping' | 'ready' | 'cordoned' | 'draining' | 'interrupted' | 'deleting')[];
      readonly capacityType?: readonly ('spot' | 'on-demand')[];
      readonly pool?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly Node[];
    readonly summary: undefined;
  };
  /** One node with its pods, labels, events and usage of the last hour. */
  getNode: {
    readonly path: { readonly name: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: NodeDetail;
    readonly summary: undefined;
  };
  /** Pods with requests and usage. */
  listPods: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'namespace'
        | '-namespace'
        | 'name'
        | '-name'
        | 'workload.namespace'
        | '-workload.namespace'
        | 'workload.kind'
        | '-workload.kind'
        | 'workload.name'
        | '-workload.name'
        | 'node'
        | '-node'
        | 'phase'
        | '-phase'
        | 'ready'
        | '-ready'
        | 'restarts'
        | '-restarts'
        | 'qosClass'
        | '-qosClass'
        | 'createdAt'
        | '-createdAt'
        | 'requests.cpuMillicores'
        | '-requests.cpuMillicores'
        | 'requests.memoryBytes'
        | '-requests.memoryBytes'
        | 'limits.cpuMillicores'
        | '-limits.cpuMillicores'
        | 'limits.memoryBytes'
        | '-limits.memoryBytes'
        | 'used.cpuMillicores'
        | '-used.cpuMillicores'
        | 'used.memoryBytes'
        | '-used.memoryBytes'
        | 'resize.state'
        | '-resize.state'
        | 'resize.message'
        | '-resize.message'
        | 'ip'
        | '-ip';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly phase?: readonly ('Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown')[];
      readonly qosClass?: readonly ('Guaranteed' | 'Burstable' | 'BestEffort')[];
      readonly node?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly Pod[];
    readonly summary: undefined;
  };
  /** Namespaces with their share of resources and cost. */
  listNamespaces: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'name'
        | '-name'
        | 'workloads'
        | '-workloads'
        | 'pods'
        | '-pods'
        | 'requested.cpuMillicores'
        | '-requested.cpuMillicores'
        | 'requested.memoryBytes'
        | '-requested.memoryBytes'
        | 'limits.cpuMillicores'
        | '-limits.cpuMillicores'
        | 'limits.memoryBytes'
        | '-limits.memoryBytes'
        | 'used.cpuMillicores'
        | '-used.cpuMillicores'
        | 'used.memoryBytes'
        | '-used.memoryBytes'
        | 'recommended.cpuMillicores'
        | '-recommended.cpuMillicores'
        | 'recommended.memoryBytes'
        | '-recommended.memoryBytes'
        | 'wastePerMonthUsd'
        | '-wastePerMonthUsd'
        | 'costPerMonthUsd'
        | '-costPerMonthUsd'
        | 'notes'
        | '-notes'
        | 'health'
        | '-health';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly health?: readonly ('healthy' | 'attention' | 'critical')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly Namespace[];
    readonly summary: undefined;
  };
  /** Current and recommended requests of every workload. */
  listRecommendations: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'namespace'
        | '-namespace'
        | 'kind'
        | '-kind'
        | 'name'
        | '-name'
        | 'policy'
        | '-policy'
        | 'mode'
        | '-mode'
        | 'published'
        | '-published'
        | 'state'
        | '-state'
        | 'reason'
        | '-reason'
        | 'until'
        | '-until'
        | 'waitingForNodeCapacity.pods'
        | '-waitingForNodeCapacity.pods'
        | 'waitingForNodeCapacity.since'
        | '-waitingForNodeCapacity.since'
        | 'waitingForNodeCapacity.requests.cpuMillicores'
        | '-waitingForNodeCapacity.requests.cpuMillicores'
        | 'waitingForNodeCapacity.requests.memoryBytes'
        | '-waitingForNodeCapacity.requests.memoryBytes'
        | 'package'
        | '-package'
        | 'hpa.name'
        | '-hpa.name'
        | 'hpa.minReplicas'
        | '-hpa.minReplicas'
        | 'hpa.maxReplicas'
        | '-hpa.maxReplicas'
        | 'hpa.currentReplicas'
        | '-hpa.currentReplicas'
        | 'hpa.desiredReplicas'
        | '-hpa.desiredReplicas'
        | 'hpa.cpuTargetRatio'
        | '-hpa.cpuTargetRatio'
        | 'hpa.memoryTargetRatio'
        | '-hpa.memoryTargetRatio'
        | 'costPerMonthUsd'
        | '-costPerMonthUsd'
        | 'replicas'
        | '-replicas'
        | 'confidence'
        | '-confidence'
        | 'savingsPerMonthUsd'
        | '-savingsPerMonthUsd'
        | 'risk'
        | '-risk'
        | 'updatedAt'
        | '-updatedAt'
        | 'appliedAt'
        | '-appliedAt'
        | 'source'
        | '-source';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly state?: readonly (
        'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded'
      )[];
      readonly reason?: readonly string[];
      readonly mode?: readonly ('Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto')[];
      readonly risk?: readonly ('none' | 'low' | 'medium' | 'high')[];
      readonly kind?: readonly string[];
      readonly policy?: readonly string[];
      readonly package?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly Recommendation[];
    readonly summary: RecommendationTotals;
  };
  /** Approve, reject, roll back or set the mode of up to 500 workloads. */
  bulkRecommendations: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: BulkBody;
    readonly data: readonly BulkResult[];
    readonly summary: { readonly succeeded: number; readonly failed: number };
  };
  /** One recommendation with its audit. */
  getRecommendation: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string };
    readonly body: undefined;
    readonly data: RecommendationDetail;
    readonly summary: undefined;
  };
  /** Approve the displayed values. */
  approveRecommendation: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: ApproveBody;
    readonly data: Recommendation;
    readonly summary: undefined;
  };
  /** Reject the values. */
  rejectRecommendation: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: RejectBody | undefined;
    readonly data: Recommendation;
    readonly summary: undefined;
  };
  /** Roll back to the values before the last change. */
  rollbackRecommendation: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: RollbackBody | undefined;
    readonly data: Recommendation;
    readonly summary: undefined;
  };
  /** Set the mode of one workload. */
  setRecommendationMode: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: ModeBody;
    readonly data: Recommendation;
    readonly summary: undefined;
  };
  /** Hold one workload for a time. */
  holdWorkload: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: HoldBody | undefined;
    readonly data: Recommendation;
    readonly summary: undefined;
  };
  /** End the hold of one workload. */
  endHold: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: Recommendation;
    readonly summary: undefined;
  };
  /** The last 100 resize cycles. */
  listResizeStats: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'id'
        | '-id'
        | 'startedAt'
        | '-startedAt'
        | 'durationMs'
        | '-durationMs'
        | 'evaluated'
        | '-evaluated'
        | 'changed'
        | '-changed'
        | 'deferred'
        | '-deferred'
        | 'blocked'
        | '-blocked'
        | 'failed'
        | '-failed'
        | 'savings.potentialPerMonthUsd'
        | '-savings.potentialPerMonthUsd'
        | 'savings.reclaimedPerMonthUsd'
        | '-savings.reclaimedPerMonthUsd'
        | 'savings.realisedPerMonthUsd'
        | '-savings.realisedPerMonthUsd';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly ResizeCycle[];
    readonly summary: undefined;
  };
  /** Request a resize cycle now. */
  triggerResizeCycle: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: TriggeredCycle;
    readonly summary: undefined;
  };
  /** CPU and memory of one workload over time. */
  getWorkloadUsage: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly duration: string; readonly step?: string };
    readonly body: undefined;
    readonly data: SeriesSet;
    readonly summary: undefined;
  };
  /** Workloads with override annotations. */
  listOverrides: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'namespace'
        | '-namespace'
        | 'kind'
        | '-kind'
        | 'name'
        | '-name'
        | 'policy'
        | '-policy'
        | 'mode'
        | '-mode'
        | 'excluded'
        | '-excluded'
        | 'heldUntil'
        | '-heldUntil'
        | 'setBy'
        | '-setBy'
        | 'setAt'
        | '-setAt'
        | 'reason'
        | '-reason';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly kind?: readonly string[];
      readonly mode?: readonly ('Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto')[];
      readonly policy?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly Override[];
    readonly summary: undefined;
  };
  /** Set or remove the bounds of up to 500 workloads. */
  bulkOverrides: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: OverrideBulkBody;
    readonly data: readonly BulkResult[];
    readonly summary: { readonly succeeded: number; readonly failed: number };
  };
  /** The overrides of one workload. */
  getOverride: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string };
    readonly body: undefined;
    readonly data: Override;
    readonly summary: undefined;
  };
  /** Set floor and ceiling of one workload. */
  setBounds: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: SetBoundsBody;
    readonly data: Override;
    readonly summary: undefined;
  };
  /** Remove floor and ceiling of one workload. */
  removeBounds: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: Override;
    readonly summary: undefined;
  };
  /** Exclude one workload, or end its exclusion. */
  setExclusion: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: ExclusionBody;
    readonly data: Override;
    readonly summary: undefined;
  };
  /** Demand above the limits or ceilings of workloads. */
  listLimitExceptions: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'namespace'
        | '-namespace'
        | 'name'
        | '-name'
        | 'kind'
        | '-kind'
        | 'container'
        | '-container'
        | 'resource'
        | '-resource'
        | 'type'
        | '-type'
        | 'bound'
        | '-bound'
        | 'unit'
        | '-unit'
        | 'limit'
        | '-limit'
        | 'observed'
        | '-observed'
        | 'proposed'
        | '-proposed'
        | 'state'
        | '-state'
        | 'applied'
        | '-applied'
        | 'appliedValue'
        | '-appliedValue'
        | 'appliedUntil'
        | '-appliedUntil'
        | 'openedAt'
        | '-openedAt'
        | 'lastSeenAt'
        | '-lastSeenAt'
        | 'closedAt'
        | '-closedAt'
        | 'occurrences'
        | '-occurrences'
        | 'evidence'
        | '-evidence'
        | 'approvedValue'
        | '-approvedValue'
        | 'decidedBy'
        | '-decidedBy'
        | 'settled'
        | '-settled';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly state?: readonly ('open' | 'approved' | 'rejected' | 'resolved')[];
      readonly type?: readonly ('recommendation-over-ceiling' | 'cpu-throttled' | 'usage-over-limit' | 'oom-killed' | 'leak')[];
      readonly resource?: readonly ('cpu' | 'memory')[];
      readonly bound?: readonly ('limit' | 'ceiling')[];
      readonly container?: readonly string[];
      readonly kind?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly LimitException[];
    readonly summary: LimitExceptionCounts;
  };
  /** Approve as the new baseline. */
  approveLimitException: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: LimitExceptionBody | undefined;
    readonly data: readonly LimitException[];
    readonly summary: undefined;
  };
  /** Reject and revert. */
  rejectLimitException: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: LimitExceptionBody | undefined;
    readonly data: readonly LimitException[];
    readonly summary: undefined;
  };
  /** Idled workloads: reduced to their idle size while unused. */
  listIdleWorkloads: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'workload.namespace'
        | '-workload.namespace'
        | 'workload.kind'
        | '-workload.kind'
        | 'workload.name'
        | '-workload.name'
        | 'state'
        | '-state'
        | 'idleSince'
        | '-idleSince'
        | 'idle.cpuMillicores'
        | '-idle.cpuMillicores'
        | 'idle.memoryBytes'
        | '-idle.memoryBytes'
        | 'natural.cpuMillicores'
        | '-natural.cpuMillicores'
        | 'natural.memoryBytes'
        | '-natural.memoryBytes'
        | 'replicas'
        | '-replicas'
        | 'naturalReplicas'
        | '-naturalReplicas'
        | 'projectedSavings.cpuMillicores'
        | '-projectedSavings.cpuMillicores'
        | 'projectedSavings.memoryBytes'
        | '-projectedSavings.memoryBytes'
        | 'projectedSavingsPerMonthUsd'
        | '-projectedSavingsPerMonthUsd'
        | 'realizedSavings.cpuMillicores'
        | '-realizedSavings.cpuMillicores'
        | 'realizedSavings.memoryBytes'
        | '-realizedSavings.memoryBytes'
        | 'realizedSavingsPerMonthUsd'
        | '-realizedSavingsPerMonthUsd'
        | 'wakesOn'
        | '-wakesOn';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly state?: readonly ('idled' | 'waking')[];
      readonly kind?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly IdleWorkload[];
    readonly summary: IdleTotals;
  };
  /** Restore an idled workload to its natural size now. */
  wakeWorkload: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: WakeBody | undefined;
    readonly data: IdleWorkload;
    readonly summary: undefined;
  };
  /** Policies with their effective values. */
  listPolicies: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        'kind' | '-kind' | 'namespace' | '-namespace' | 'name' | '-name' | 'createdAt' | '-createdAt' | 'generation' | '-generation';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly kind?: readonly ('NodeScalingPolicy' | 'PodResizePolicy' | 'RebalancePolicy' | 'ScheduledScalePolicy')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly Policy[];
    readonly summary: undefined;
  };
  /** One policy with its effective values. */
  getPolicy: {
    readonly path: { readonly kind: string; readonly name: string };
    readonly query: { readonly namespace?: string };
    readonly body: undefined;
    readonly data: Policy;
    readonly summary: undefined;
  };
  /** Overrides of policies in effect. */
  listPolicyOverrides: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'kind'
        | '-kind'
        | 'name'
        | '-name'
        | 'field'
        | '-field'
        | 'setBy'
        | '-setBy'
        | 'setAt'
        | '-setAt'
        | 'expiresAt'
        | '-expiresAt'
        | 'reason'
        | '-reason';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly kind?: readonly ('NodeScalingPolicy' | 'PodResizePolicy' | 'RebalancePolicy')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly PolicyOverride[];
    readonly summary: undefined;
  };
  /** Temporarily override a field of a policy. */
  setPolicyOverride: {
    readonly path: { readonly kind: string; readonly name: string };
    readonly query: { readonly dryRun?: boolean };
    readonly body: PolicyOverrideBody;
    readonly data: Policy;
    readonly summary: undefined;
  };
  /** Template, recommendation and live pods of every workload. */
  listResourceAudit: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'workload.namespace'
        | '-workload.namespace'
        | 'workload.kind'
        | '-workload.kind'
        | 'workload.name'
        | '-workload.name'
        | 'drift'
        | '-drift'
        | 'restartRequired'
        | '-restartRequired'
        | 'resetPending'
        | '-resetPending';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly drift?: readonly ('none' | 'resized' | 'stale' | 'partial' | 'manual')[];
      readonly kind?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly ResourceAudit[];
    readonly summary: undefined;
  };
  /** One action on up to 500 workloads. */
  bulkResourceAudit: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: ResourceAuditBulkBody;
    readonly data: readonly BulkResult[];
    readonly summary: { readonly succeeded: number; readonly failed: number };
  };
  /** Template, recommendation and live pods of one workload. */
  getResourceAudit: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string };
    readonly body: undefined;
    readonly data: ResourceAudit;
    readonly summary: undefined;
  };
  /** Reset to the deployed values. */
  resetToDeploy: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: ResetBody | undefined;
    readonly data: ResourceAudit;
    readonly summary: undefined;
  };
  /** Delete the Recommendation of one workload. */
  deleteRecommendation: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: ResourceAudit;
    readonly summary: undefined;
  };
  /** Remove the annotations about sizes from one workload. */
  stripAnnotations: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: ResourceAudit;
    readonly summary: undefined;
  };
  /** Timeline of changes with object, actor and reason. */
  listScaling: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly duration: string;
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'time'
        | '-time'
        | 'actor'
        | '-actor'
        | 'kind'
        | '-kind'
        | 'object.namespace'
        | '-object.namespace'
        | 'object.kind'
        | '-object.kind'
        | 'object.name'
        | '-object.name'
        | 'object.pod'
        | '-object.pod'
        | 'reason'
        | '-reason'
        | 'dryRun'
        | '-dryRun'
        | 'outcome'
        | '-outcome'
        | 'durationSeconds'
        | '-durationSeconds'
        | 'costDeltaPerHourUsd'
        | '-costDeltaPerHourUsd';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly kind?: readonly (
        'scale-up' | 'scale-down' | 'consolidate' | 'resize' | 'rebalance' | 'hpa' | 'scheduled' | 'interruption'
      )[];
      readonly outcome?: readonly ('applied' | 'deferred' | 'infeasible' | 'rejected' | 'rolled-back' | 'dry-run' | 'failed')[];
      readonly actor?: readonly string[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly ScalingActivity[];
    readonly summary: undefined;
  };
  /** Who the caller is. */
  getSession: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: Session;
    readonly summary: undefined;
  };
  /** Sign in with the password of the local admin. */
  signIn: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: SignInBody;
    readonly data: Session;
    readonly summary: undefined;
  };
  /** End the session. */
  signOut: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: Session;
    readonly summary: undefined;
  };
  /** Grants of the AccessPolicy in effect. */
  getAccessPolicy: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: AccessPolicy;
    readonly summary: undefined;
  };
  /** Replace the grants of the AccessPolicy. */
  replaceAccessPolicy: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: AccessPolicyBody;
    readonly data: AccessPolicy;
    readonly summary: undefined;
  };
  /** Access requests, pending ones by default. */
  listAccessRequests: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'id'
        | '-id'
        | 'email'
        | '-email'
        | 'name'
        | '-name'
        | 'reason'
        | '-reason'
        | 'requestedRole'
        | '-requestedRole'
        | 'requestedAt'
        | '-requestedAt'
        | 'state'
        | '-state'
        | 'decidedBy'
        | '-decidedBy'
        | 'decidedAt'
        | '-decidedAt';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly state: readonly ('pending' | 'approved' | 'denied')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly AccessRequest[];
    readonly summary: undefined;
  };
  /** Access requests of the caller. */
  listOwnAccessRequests: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'id'
        | '-id'
        | 'email'
        | '-email'
        | 'name'
        | '-name'
        | 'reason'
        | '-reason'
        | 'requestedRole'
        | '-requestedRole'
        | 'requestedAt'
        | '-requestedAt'
        | 'state'
        | '-state'
        | 'decidedBy'
        | '-decidedBy'
        | 'decidedAt'
        | '-decidedAt';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly state?: readonly ('pending' | 'approved' | 'denied')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly AccessRequest[];
    readonly summary: undefined;
  };
  /** Request access. */
  requestAccess: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: AccessRequestBody;
    readonly data: AccessRequest;
    readonly summary: undefined;
  };
  /** Approve an access request. */
  approveAccessRequest: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: AccessApprovalBody;
    readonly data: AccessRequest;
    readonly summary: undefined;
  };
  /** Deny an access request. */
  denyAccessRequest: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: AccessDenialBody;
    readonly data: AccessRequest;
    readonly summary: undefined;
  };
  /** API keys, without the keys themselves. */
  listApiKeys: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'id'
        | '-id'
        | 'email'
        | '-email'
        | 'label'
        | '-label'
        | 'createdAt'
        | '-createdAt'
        | 'createdBy'
        | '-createdBy'
        | 'lastUsedAt'
        | '-lastUsedAt'
        | 'role'
        | '-role';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly ApiKey[];
    readonly summary: undefined;
  };
  /** Create a read-only API key. */
  createApiKey: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly dryRun?: boolean };
    readonly body: ApiKeyBody;
    readonly data: CreatedApiKey;
    readonly summary: undefined;
  };
  /** Revoke an API key. */
  deleteApiKey: {
    readonly path: { readonly id: string };
    readonly query: { readonly dryRun?: boolean };
    readonly body: undefined;
    readonly data: RevokedApiKey;
    readonly summary: undefined;
  };
  /** Trail of changes, sign-ins and denied requests. */
  listAccessEvents: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly duration: string;
      readonly verify?: boolean;
      readonly limit: number;
      readonly cursor?: string;
      readonly sort:
        | 'id'
        | '-id'
        | 'time'
        | '-time'
        | 'actor.email'
        | '-actor.email'
        | 'actor.via'
        | '-actor.via'
        | 'actor.keyId'
        | '-actor.keyId'
        | 'action'
        | '-action'
        | 'target'
        | '-target'
        | 'outcome'
        | '-outcome'
        | 'requestId'
        | '-requestId'
        | 'address'
        | '-address'
        | 'hash'
        | '-hash'
        | 'previousHash'
        | '-previousHash'
        | 'writer'
        | '-writer';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly actor?: readonly string[];
      readonly action?: readonly string[];
      readonly outcome?: readonly ('allowed' | 'denied' | 'error')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly AccessEvent[];
    readonly summary: AccessEventSummary;
  };
  /** Health checks of Evenkeel. */
  listHealth: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: {
      readonly limit: number;
      readonly cursor?: string;
      readonly sort: 'name' | '-name' | 'status' | '-status' | 'message' | '-message' | 'since' | '-since' | 'latencyMs' | '-latencyMs';
      readonly namespace?: readonly string[];
      readonly q?: string;
      readonly status?: readonly ('ok' | 'degraded' | 'failed')[];
      readonly format: 'json' | 'csv';
    };
    readonly body: undefined;
    readonly data: readonly HealthCheck[];
    readonly summary: undefined;
  };
  /** Mode of the controller and enabled features. */
  getMode: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: Mode;
    readonly summary: undefined;
  };
  /** This description. */
  getOpenApi: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: Readonly<Record<string, unknown>>;
    readonly summary: undefined;
  };
  /** This description as a web page. */
  getDocs: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: string;
    readonly summary: undefined;
  };
  /** Live changes (Server-Sent Events). */
  stream: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly topic?: readonly ('cluster' | 'recommendations' | 'scaling')[]; readonly lastEventId?: string };
    readonly body: undefined;
    readonly data: string;
    readonly summary: undefined;
  };
}
