// Made by hack/generate-http-types.ts from src/server/openapi/. Not to be edited.

/** CPU and memory, both known. */
export interface Resources {
  /** CPU in thousandths of a core. */
  readonly cpuMillicores: number;
  /** Memory in bytes. */
  readonly memoryBytes: number;
}

/** CPU and memory; null where not set or not known, never 0. */
export interface OptionalResources {
  /** CPU in thousandths of a core. */
  readonly cpuMillicores: number | null;
  /** Memory in bytes. */
  readonly memoryBytes: number | null;
}

/** Fractions of CPU and of memory. */
export interface Ratios {
  /** Of CPU; above 1 where more is used or asked for than there is. */
  readonly cpuRatio: number | null;
  /** Of memory. */
  readonly memoryRatio: number | null;
}

/** What a person calls a workload. */
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

/** A source that could not tell what it would have told. */
export interface Warning {
  /** Stable word, lower snake case. */
  readonly code: string;
  readonly message: string;
}

/** One failing field. */
export interface ErrorDetail {
  /** JSON Pointer into the body, or `query.x`, `path.x`, `header.x`. */
  readonly path: string;
  readonly message: string;
}

/** One line of a graph. */
export interface Series {
  readonly name: string;
  /** millicores, bytes, count or ratio. */
  readonly unit: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Ascending in time. */
  readonly points: readonly (readonly [number, number | null])[];
}

/** Points of complete steps: each is the mean over the step that begins at its time. `end` is the time of the last point, so that an answer changes once a step. */
export interface SeriesSet {
  readonly start: string;
  readonly end: string;
  readonly stepSeconds: number;
  readonly series: readonly Series[];
}

export interface HealthPart {
  readonly name: string;
  /** 0–100; null where it cannot be told, and then it does not count. */
  readonly score: number | null;
  /** Its share in the weighted mean. */
  readonly weight: number;
  /** Why this score, in words. */
  readonly reason: string;
}

export interface Cluster {
  readonly name: string;
  /** gke, eks, aks, …, by the nodes’ provider ids. */
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
    /** Every pod, those that are done included. */
    readonly total: number;
    readonly running: number;
    /** Phase Pending; those without a node that fits are counted in unschedulable too. */
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
    /** All nodes at this hour’s prices. US dollars; null where no price is known. */
    readonly perHourUsd: number | null;
    /** 730 hours of it. US dollars; null where no price is known. */
    readonly perMonthUsd: number | null;
    /** Room on the nodes that nobody asks for. US dollars; null where no price is known. */
    readonly idlePerMonthUsd: number | null;
    /** What the spot nodes cost less than the same nodes on demand. US dollars; null where no price is known. */
    readonly spotSavingsPerMonthUsd: number | null;
    /** What the open recommendations (recommended, awaiting, applying, exception) would free: the sum of theirs. US dollars; null where no price is known. */
    readonly projectedSavingsPerMonthUsd: number | null;
    /** What is no longer spent because nodes went away. US dollars; null where no price is known. */
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

/** How the run rate comes about. Used + requested, unused + idle = the run rate. */
export interface ClusterArithmetic {
  /** The part of the run rate that is used. US dollars; null where no price is known. */
  readonly usedPerMonthUsd: number | null;
  /** Asked for and not used. US dollars; null where no price is known. */
  readonly requestedUnusedPerMonthUsd: number | null;
  /** Not asked for by anyone. US dollars; null where no price is known. */
  readonly idlePerMonthUsd: number | null;
  /** Requests that resizes have given back; spent until a node goes away. US dollars; null where no price is known. */
  readonly reclaimedPerMonthUsd: number | null;
  /** One line a machine type and price; they add up to the run rate, to the cent. */
  readonly lines: readonly {
    readonly label: string;
    readonly quantity: number;
    /** Price of one an hour. */
    readonly perHourUsd: number;
    /** The line: quantity × price × 730 h. */
    readonly perMonthUsd: number;
    /** Where the price comes from, with its date. */
    readonly source: string;
    readonly estimate: boolean;
  }[];
}

export interface Node {
  readonly name: string;
  /** Node pool by the provider’s label. */
  readonly pool: string | null;
  readonly machineType: string | null;
  readonly zone: string | null;
  readonly region: string | null;
  readonly capacityType: 'spot' | 'on-demand';
  /** True where a NodeScalingPolicy governs the node’s pool; false: as the provider does by default. */
  readonly managed: boolean;
  readonly ready: boolean;
  /** Where it is in its life. `bootstrapping`: not yet ready for the first 15 minutes; a node that was ready and is not so now keeps `ready` here and says `ready: false`. */
  readonly phase: 'bootstrapping' | 'ready' | 'cordoned' | 'draining' | 'interrupted' | 'deleting';
  readonly kubeletVersion: string;
  readonly createdAt: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly used: OptionalResources;
  readonly utilization: Ratios;
  /** Pods that hold room on it, and how many it takes. */
  readonly pods: { readonly count: number; readonly capacity: number };
  /** At the price of this hour. US dollars; null where no price is known. */
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
  /** Whether it could be removed; null until the autoscaler tells. */
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
  /** Node pool by the provider’s label. */
  readonly pool: string | null;
  readonly machineType: string | null;
  readonly zone: string | null;
  readonly region: string | null;
  readonly capacityType: 'spot' | 'on-demand';
  /** True where a NodeScalingPolicy governs the node’s pool; false: as the provider does by default. */
  readonly managed: boolean;
  readonly ready: boolean;
  /** Where it is in its life. `bootstrapping`: not yet ready for the first 15 minutes; a node that was ready and is not so now keeps `ready` here and says `ready: false`. */
  readonly phase: 'bootstrapping' | 'ready' | 'cordoned' | 'draining' | 'interrupted' | 'deleting';
  readonly kubeletVersion: string;
  readonly createdAt: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly used: OptionalResources;
  readonly utilization: Ratios;
  /** As in the list, and the pods themselves. */
  readonly pods: { readonly count: number; readonly capacity: number; readonly items: readonly NodePod[] };
  /** At the price of this hour. US dollars; null where no price is known. */
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
  /** Whether it could be removed; null until the autoscaler tells. */
  readonly consolidatable: { readonly ok: boolean; readonly reason: string } | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Latest first; null where events are not read. */
  readonly events: readonly NodeEvent[] | null;
  readonly usage: SeriesSet | null;
  /** Pods that prevent its removal; null until the autoscaler tells. */
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
  /** The tightest of its bounds. */
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
  /** Asked for and not used, at the nodes’ prices. US dollars; null where no price is known. */
  readonly wastePerMonthUsd: number | null;
  /** What its pods ask for, at the nodes’ prices. US dollars; null where no price is known. */
  readonly costPerMonthUsd: number | null;
  /** null where there is none. */
  readonly quota: readonly NamespaceQuota[] | null;
  /** Notes of operators; null until they are kept. */
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

/** Raises that wait until their nodes have the capacity; `requests`: what they ask for beyond what is in force, all pods together. */
export interface WaitingRaises {
  /** Pods whose raise waits. */
  readonly pods: number;
  /** Since when the first of them waits. */
  readonly since: string;
  readonly requests: OptionalResources;
}

/** Raises that wait until their nodes have the capacity. */
export interface WaitingRaiseCounts {
  /** Workloads with such a raise. */
  readonly workloads: number;
  /** Pods whose raise waits. */
  readonly pods: number;
}

/** Bounds by container; `*` stands for all. */
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
  /** Inside the history window. */
  readonly oomKills: number | null;
  /** Share of CPU periods throttled, last 24 hours; null: not measured. */
  readonly throttledRatio: number | null;
  /** Share of time in which a task waited for CPU (pressure stall information), last 24 hours; null: not measured. */
  readonly cpuPressureRatio: number | null;
}

/** What the pods on nodes of one size have, and what they should have. */
export interface RecommendationClass {
  /** Cores and memory of its nodes, each rounded, such as `8cpu-32Gi`. */
  readonly name: string;
  /** Of the workload on such nodes. */
  readonly pods: number;
  /** null: it has no pods now. */
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
  /** The PodResizePolicy that governs it; null: none, so all defaults hold. */
  readonly policy: string | null;
  /** The mode in force: the workload’s own (annotation `evenkeel.io/mode`), else the policy’s. */
  readonly mode: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /** False in mode Observe: shown here, and there is no Recommendation object. */
  readonly published: boolean;
  readonly state:
    'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** What holds it, for `awaiting` and `blocked`: window, cooldown, approval, confidence, node-capacity, … */
  readonly reason: string | null;
  /** Earliest next try; null where no time frees it. */
  readonly until: string | null;
  readonly waitingForNodeCapacity: WaitingRaises | null;
  /** What it was installed with: Helm release, Argo CD application, Flux Kustomization or part-of label. */
  readonly package: string | null;
  readonly hpa: RecommendationHpa | null;
  /** Annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`. */
  readonly overrides: { readonly floor: OverrideBounds | null; readonly ceiling: OverrideBounds | null };
  /** What its pods ask for now, at their nodes’ prices. */
  readonly costPerMonthUsd: number | null;
  readonly containers: readonly RecommendedContainer[];
  /** Wanted replicas. */
  readonly replicas: number;
  /** 0–1; null while too little is known. */
  readonly confidence: number | null;
  /** What the change frees; negative where more is needed. */
  readonly savingsPerMonthUsd: number | null;
  readonly risk: 'none' | 'low' | 'medium' | 'high';
  /** When the values were last decided. */
  readonly updatedAt: string | null;
  /** When values were last put into force. */
  readonly appliedAt: string | null;
  /** Where its usage comes from. */
  readonly source: string | null;
}

/** Over everything that matched, not over the page. */
export interface RecommendationTotals {
  /** Sum over everything that matched, to the cent; what is not known counts as 0. */
  readonly savingsPerMonthUsd: number;
  readonly costPerMonthUsd: number;
  /** How many are in each state. */
  readonly byState: Readonly<Record<string, number>>;
  readonly waitingForNodeCapacity: WaitingRaiseCounts;
}

export interface ExplanationStep {
  /** usage, margin, calibration, hold, reaction, oom, leak, floor, ceiling, rounding or published. */
  readonly step: string;
  /** In words, with the numbers it came from. */
  readonly detail: string;
  /** What this step adds (negative: takes away). */
  readonly value: number;
  /** The sum so far; the last is the recommended value. */
  readonly total: number;
}

/** How one number came about. */
export interface ExplainedResource {
  readonly unit: 'millicores' | 'bytes';
  /** What is asked for now. */
  readonly current: number | null;
  /** What the steps add up to. */
  readonly recommended: number | null;
  readonly lowerBound: number | null;
  readonly upperBound: number | null;
  /** Highest usage inside the history window. */
  readonly peak: number | null;
  /** Highest usage of the last hour. */
  readonly recentPeak: number | null;
  /** Latest usage seen. */
  readonly latest: number | null;
  readonly confidence: number | null;
  /** They add up to `recommended` exactly. */
  readonly steps: readonly ExplanationStep[];
}

export interface ContainerAudit {
  readonly name: string;
  readonly inputs: {
    readonly samples: number | null;
    /** Absurd, future or out of order. */
    readonly droppedSamples: number | null;
    readonly firstSampleAt: string | null;
    readonly lastSampleAt: string | null;
    /** Share of its life inside the window that was seen. */
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
  /** Where it came from: policy, override (of the policy, for a while), setting or default, as `/policies` states it; annotation, floor or ceiling (the workload’s own); node (no node has more). */
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
  /** The PodResizePolicy that governs it; null: none, so all defaults hold. */
  readonly policy: string | null;
  /** The mode in force: the workload’s own (annotation `evenkeel.io/mode`), else the policy’s. */
  readonly mode: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /** False in mode Observe: shown here, and there is no Recommendation object. */
  readonly published: boolean;
  readonly state:
    'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** What holds it, for `awaiting` and `blocked`: window, cooldown, approval, confidence, node-capacity, … */
  readonly reason: string | null;
  /** Earliest next try; null where no time frees it. */
  readonly until: string | null;
  readonly waitingForNodeCapacity: WaitingRaises | null;
  /** What it was installed with: Helm release, Argo CD application, Flux Kustomization or part-of label. */
  readonly package: string | null;
  readonly hpa: RecommendationHpa | null;
  /** Annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`. */
  readonly overrides: { readonly floor: OverrideBounds | null; readonly ceiling: OverrideBounds | null };
  /** What its pods ask for now, at their nodes’ prices. */
  readonly costPerMonthUsd: number | null;
  readonly containers: readonly RecommendedContainer[];
  /** Wanted replicas. */
  readonly replicas: number;
  /** 0–1; null while too little is known. */
  readonly confidence: number | null;
  /** What the change frees; negative where more is needed. */
  readonly savingsPerMonthUsd: number | null;
  readonly risk: 'none' | 'low' | 'medium' | 'high';
  /** When the values were last decided. */
  readonly updatedAt: string | null;
  /** When values were last put into force. */
  readonly appliedAt: string | null;
  /** Where its usage comes from. */
  readonly source: string | null;
  /** Of a DaemonSet on nodes of more than one size: each class of nodes by itself; `containers` shows the one with the most pods. Empty otherwise. */
  readonly classes: readonly RecommendationClass[];
  readonly audit: {
    readonly containers: readonly ContainerAudit[];
    /** Goal, percentile, margins, floors, ceilings and window, each with where it came from. */
    readonly rules: readonly RuleInForce[];
    readonly money: {
      /** What the change frees, by container and resource; they add up to the savings, to the cent. */
      readonly lines: readonly { readonly label: string; readonly perMonthUsd: number }[];
      readonly totalPerMonthUsd: number | null;
      readonly priceSource: string | null;
    };
    /** Latest first; null where history is out of reach. */
    readonly history: readonly AppliedValue[] | null;
    /** What would lead to another answer. */
    readonly wouldChangeIt: readonly string[];
  };
}

/** Values that a person has seen and decides on: `requests` and `limits`, or `recommended` with both. */
export interface SeenContainer {
  readonly name: string;
  /** The values as the record showed them; null or left out where the record shows null. */
  readonly requests?: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null };
  /** The values as the record showed them; null or left out where the record shows null. */
  readonly limits?: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null };
  readonly recommended?: RequestsAndLimits;
  /** Not looked at, as the fields below: a container of the record may be sent back as it came. */
  readonly current?: unknown;
  readonly lowerBound?: unknown;
  readonly upperBound?: unknown;
  readonly usage?: unknown;
  readonly oomKills?: unknown;
  readonly throttledRatio?: unknown;
  readonly cpuPressureRatio?: unknown;
}

export interface ApproveBody {
  /** Every container of the record, as it was shown. */
  readonly containers: readonly SeenContainer[];
  /** Kept in the audit and shown beside the change. */
  readonly reason?: string;
}

export interface RejectBody {
  /** Left out: the values of now. */
  readonly containers?: readonly SeenContainer[];
  /** Kept in the audit and shown beside the change. */
  readonly reason?: string;
}

export interface RollbackBody {
  /** Kept in the audit and shown beside the change. */
  readonly reason?: string;
}

export interface ModeBody {
  /** null: the policy’s again. */
  readonly mode: 'Auto' | 'Approve' | 'Recommend' | 'Off' | null;
  /** Kept in the audit and shown beside the change. */
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
  /** Kept in the audit and shown beside the change. */
  readonly reason?: string;
}

export interface BulkBody {
  readonly items: readonly BulkItem[];
}

/** One item’s outcome; a failing one never stops the others. */
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
  /** True where a cycle asked for earlier had not yet run: this request joined it. */
  readonly joined: boolean;
  readonly policies: readonly string[];
}

/** What people said of one workload, read from its annotations. */
export interface Override {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** The PodResizePolicy that governs it; null: none. */
  readonly policy: string | null;
  readonly floor: OverrideBounds | null;
  readonly ceiling: OverrideBounds | null;
  /** In place of the policy’s; null: the policy’s. */
  readonly mode: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto' | null;
  /** Left alone altogether. */
  readonly excluded: boolean;
  /** No automatic change before. */
  readonly heldUntil: string | null;
  /** Who made the latest change through this API; null where it was written by other means. */
  readonly setBy: string | null;
  readonly setAt: string | null;
  readonly reason: string | null;
  /** Who set each, where this API knows: a value changed by hand since has no entry. */
  readonly changes: readonly {
    /** Without the prefix: floor, ceiling, mode, exclude, held-until. */
    readonly annotation: string;
    readonly by: string;
    readonly at: string;
    readonly reason: string | null;
  }[];
  /** What stands in an annotation and cannot be read; while there is any, nothing of the workload is changed. */
  readonly problems: readonly string[];
}

/** By container, `*` for all; what is left out stays as it is, null takes away. */
export type BoundsPatch = Readonly<
  Record<
    string,
    {
      /** Kubernetes quantity; null takes it away. */
      readonly cpu?: string | null;
      /** Kubernetes quantity; null takes it away. */
      readonly memory?: string | null;
    } | null
  >
>;

/** At least one of `floor` and `ceiling`. */
export interface SetBoundsBody {
  /** Least requests. null takes away those of every container. */
  readonly floor?: BoundsPatch | null;
  /** Greatest requests. null takes away those of every container. */
  readonly ceiling?: BoundsPatch | null;
  /** Kept beside the change: in its note, its Event and the audit. */
  readonly reason?: string;
}

export interface ExclusionBody {
  /** false: no longer. */
  readonly excluded: boolean;
  /** Kept beside the change: in its note, its Event and the audit. */
  readonly reason?: string;
}

export interface OverrideBulkItem {
  readonly namespace: string;
  readonly kind?: string;
  readonly name: string;
  /** `set` merges as PATCH does; `remove` takes away floor and ceiling. */
  readonly action: 'set' | 'remove';
  /** Least requests. null takes away those of every container. */
  readonly floor?: BoundsPatch | null;
  /** Greatest requests. null takes away those of every container. */
  readonly ceiling?: BoundsPatch | null;
  /** Kept beside the change: in its note, its Event and the audit. */
  readonly reason?: string;
}

export interface OverrideBulkBody {
  readonly items: readonly OverrideBulkItem[];
}

/** Demand beyond what a container may have. */
export interface LimitException {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly container: string;
  readonly resource: 'cpu' | 'memory';
  /** While it is open it only grows graver, in this order. */
  readonly type: 'recommendation-over-ceiling' | 'cpu-throttled' | 'usage-over-limit' | 'oom-killed' | 'leak';
  /** What is in the way, and what an approval moves: the limit of the pods, or the ceiling of the request. */
  readonly bound: 'limit' | 'ceiling';
  readonly unit: 'millicores' | 'bytes';
  /** The limit or ceiling in the way. In `unit`. */
  readonly limit: number;
  /** The most that was seen, or asked for by the recommendation. In `unit`. */
  readonly observed: number;
  /** What would be enough; null where LimitRange or node size leave nothing greater. In `unit`. */
  readonly proposed: number | null;
  /** A decision counts from when it is stated; `settled` tells when it has been carried out. */
  readonly state: 'open' | 'approved' | 'rejected' | 'resolved';
  /** Pods have more than their limit for the time being, or are still to be brought back. */
  readonly applied: boolean;
  /** What they have. In `unit`. */
  readonly appliedValue: number | null;
  /** It is taken back from then on. */
  readonly appliedUntil: string | null;
  readonly openedAt: string;
  /** The last time that counted as one more occurrence. */
  readonly lastSeenAt: string;
  /** When it was approved, rejected or resolved. */
  readonly closedAt: string | null;
  /** How often it was seen while it was open. */
  readonly occurrences: number;
  /** What it was concluded from, in words. */
  readonly evidence: string;
  /** What was approved. In `unit`. */
  readonly approvedValue: number | null;
  /** Who approved or rejected it. */
  readonly decidedBy: string | null;
  /** What was decided is in force: the approved value, or the earlier one again. */
  readonly settled: boolean;
}

/** Over everything that matched, not over the page. */
export interface LimitExceptionCounts {
  readonly open: number;
  readonly approved: number;
  readonly rejected: number;
  readonly resolved: number;
  /** With a temporary limit in force. */
  readonly applied: number;
  readonly byType: Readonly<Record<string, number>>;
}

/** Without container and resource: all open ones of the workload. */
export interface LimitExceptionBody {
  /** Left out: every container. */
  readonly container?: string;
  /** Left out: both. */
  readonly resource?: 'cpu' | 'memory';
  /** For approve, with one exception: the value in place of the proposed one, a quantity (`512Mi`, `750m`) or a whole number in `unit`. */
  readonly value?: string | number;
  /** Kept beside the decision, in its Event and the audit. */
  readonly reason?: string;
}

/** `idle` and `natural` are requests of one replica, all containers together; `projectedSavings` is natural less idle over the replicas of each, `realizedSavings` natural less what its pods request at this moment. Limits stay as they are. */
export interface IdleWorkload {
  readonly workload: WorkloadRef;
  /** waking: it is being given its natural size back. */
  readonly state: 'idled' | 'waking';
  /** When it was made small. */
  readonly idleSince: string;
  readonly idle: Resources;
  readonly natural: Resources;
  /** While it is idle. */
  readonly replicas: number;
  /** When it is not. */
  readonly naturalReplicas: number;
  readonly projectedSavings: Resources;
  /** The same at the prices of its nodes; null where no pod of it is on a node. */
  readonly projectedSavingsPerMonthUsd: number | null;
  readonly realizedSavings: Resources;
  /** The same at the prices of its nodes; null where no pod of it is on a node. */
  readonly realizedSavingsPerMonthUsd: number | null;
  /** What wakes it, in words. */
  readonly wakesOn: string;
}

export interface IdleTotals {
  readonly projectedSavings: Resources;
  /** Sum of what is known. */
  readonly projectedSavingsPerMonthUsd: number;
  readonly realizedSavings: Resources;
  /** Sum of what is known. */
  readonly realizedSavingsPerMonthUsd: number;
}

export interface WakeBody {
  /** Kept beside the request: in its Event and the audit. */
  readonly reason?: string;
}

export interface Policy {
  readonly kind: 'NodeScalingPolicy' | 'PodResizePolicy' | 'RebalancePolicy' | 'ScheduledScalePolicy';
  /** null for a cluster-scoped kind. */
  readonly namespace: string | null;
  readonly name: string;
  readonly createdAt: string | null;
  readonly generation: number | null;
  /** As it stands on the object. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** As it stands on the object; of a PodResizePolicy `waitingForNodeCapacity` counts the raises that wait for node capacity. */
  readonly status: Readonly<Record<string, unknown>> | null;
  /** Each value in force by dotted field, with where it comes from. */
  readonly effective: Readonly<Record<string, { readonly value: unknown; readonly source: 'policy' | 'override' | 'setting' | 'default' }>>;
}

/** A field of a policy that a person has overridden for a while. */
export interface PolicyOverride {
  readonly kind: 'NodeScalingPolicy' | 'PodResizePolicy' | 'RebalancePolicy';
  readonly name: string;
  /** Dotted path inside `spec`. */
  readonly field: string;
  /** In force. */
  readonly value: unknown;
  /** What the spec itself says; null where it leaves the field out. */
  readonly specValue: unknown;
  /** null where it was written by hand without saying. */
  readonly setBy: string | null;
  readonly setAt: string | null;
  /** From this moment on it has no effect; null: until it is removed. */
  readonly expiresAt: string | null;
  readonly reason: string | null;
}

export interface PolicyOverrideBody {
  /** Dotted path inside the kind’s `spec`, such as `cooldown` or `cpu.min`. */
  readonly field: string;
  /** By the field’s schema; an object or a list replaces the field as a whole. null takes the override away. */
  readonly value: unknown;
  /** Duration such as 2h or 7d, at most 3650d; left out: until it is removed. */
  readonly expiresIn?: string;
  /** Why, for whoever finds it. */
  readonly reason: string;
}

/** What one pod asks for, by its spec. */
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
  /** `none`: every pod has what the template gives it. `resized`: every pod has the same values of Evenkeel’s, and they are still what is recommended. `stale`: every pod has the same values of Evenkeel’s, and by now others are recommended. `partial`: pods differ among each other (a change or a roll-out is under way or stopped half-way). `manual`: a pod has a value that neither the template nor Evenkeel gave it. A request that is missing beside a limit counts as that limit, and what a LimitRange fills in counts as the template’s. */
  readonly drift: 'none' | 'resized' | 'stale' | 'partial' | 'manual';
}

/** The template against what is recommended against what runs. */
export interface ResourceAudit {
  readonly workload: WorkloadRef;
  /** Of its containers the one that asks for most attention. */
  readonly drift: 'none' | 'resized' | 'stale' | 'partial' | 'manual';
  /** Those of the template, then those that admission adds (`template` null). */
  readonly containers: readonly AuditedContainer[];
  /** Those under `evenkeel.io/` as they stand. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What is due cannot be done in place: only new pods bring it. */
  readonly restartRequired: boolean;
  /** A reset was asked for and is not carried out yet. */
  readonly resetPending: boolean;
}

export interface ResetBody {
  /** No automatic change for this long: a duration from 1m to 90d. */
  readonly for?: string;
  /** Kept beside the change: in its Event and the audit. */
  readonly reason?: string;
}

export interface ResourceAuditBulkBody {
  readonly action: 'reset-to-deploy' | 'delete-recommendation' | 'strip-annotations';
  readonly items: readonly { readonly namespace: string; readonly kind?: string; readonly name: string }[];
  /** For reset-to-deploy. No automatic change for this long: a duration from 1m to 90d. */
  readonly for?: string;
  /** Kept beside the change: in its Event and the audit. */
  readonly reason?: string;
}

/** One thing that was done, or tried. */
export interface ScalingActivity {
  readonly time: string;
  /** `evenkeel`, or the person who asked for it. */
  readonly actor: string;
  /** `resize`: requests, replicas of an idle workload, evictions and restarts for a size. `hpa`: a target that was moved. */
  readonly kind: 'scale-up' | 'scale-down' | 'consolidate' | 'resize' | 'rebalance' | 'hpa' | 'scheduled' | 'interruption';
  readonly object: {
    /** Null: cluster-scoped, for administrators alone. */
    readonly namespace: string | null;
    readonly kind: string;
    readonly name: string;
    /** Where it was done to one pod of a workload. */
    readonly pod: string | null;
  };
  /** Requests and limits by container, or `{ replicas }`; null where there is nothing to compare. */
  readonly from: unknown;
  /** The same afterwards, or what was done in words. */
  readonly to: unknown;
  readonly reason: string;
  /** Validated and not carried out. */
  readonly dryRun: boolean;
  readonly outcome: 'applied' | 'deferred' | 'infeasible' | 'rejected' | 'rolled-back' | 'dry-run' | 'failed';
  /** From asking to the API server’s answer; null where it was not measured. */
  readonly durationSeconds: number | null;
  /** What it adds to the cost of what is requested, at the node’s price; null where that is not known. */
  readonly costDeltaPerHourUsd: number | null;
}

export interface HealthCheck {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'failed';
  /** What is wrong and what follows from it; for callers that are not admins without names of objects. */
  readonly message: string;
  /** Since when it is so. */
  readonly since: string | null;
  readonly latencyMs: number | null;
}

export interface Mode {
  readonly mode: 'active' | 'dry-run' | 'paused';
  readonly dryRun: { readonly controller: boolean; readonly autoscaler: boolean };
  /** Who holds the lease; null where nobody does. */
  readonly leader: string | null;
  readonly version: string;
  /** Parts of the dashboard that are switched on. */
  readonly features: Readonly<Record<string, boolean>>;
  readonly auth: { readonly enabled: boolean; readonly providers: readonly string[] };
  readonly clusterName: string;
}

export interface Error {
  /** Stable word, lower snake case. */
  readonly code: string;
  /** What is wrong and what to do. */
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
  /** Nodes with what is asked of them and used. */
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
  /** One node with its pods, labels, events and last hour. */
  getNode: {
    readonly path: { readonly name: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: NodeDetail;
    readonly summary: undefined;
  };
  /** Pods with what they ask for and use. */
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
  /** What every workload asks for and what it should ask for. */
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
  /** One recommendation with the audit behind it. */
  getRecommendation: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string };
    readonly body: undefined;
    readonly data: RecommendationDetail;
    readonly summary: undefined;
  };
  /** Approve the values seen. */
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
  /** Go back to the values before the last change. */
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
  /** Ask for a resize cycle now. */
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
  /** Leave one workload alone, or no longer. */
  setExclusion: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: ExclusionBody;
    readonly data: Override;
    readonly summary: undefined;
  };
  /** Demand that passes what workloads may have. */
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
  /** Approve as the new normal. */
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
  /** Give an idle workload its natural size back now. */
  wakeWorkload: {
    readonly path: { readonly ns: string; readonly name: string };
    readonly query: { readonly kind?: string; readonly dryRun?: boolean };
    readonly body: WakeBody | undefined;
    readonly data: IdleWorkload;
    readonly summary: undefined;
  };
  /** Policies with the values in force. */
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
  /** One policy with the values in force. */
  getPolicy: {
    readonly path: { readonly kind: string; readonly name: string };
    readonly query: { readonly namespace?: string };
    readonly body: undefined;
    readonly data: Policy;
    readonly summary: undefined;
  };
  /** Overrides of policies that are in force. */
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
  /** Override a field of a policy for a while. */
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
  /** Go back to what was deployed. */
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
  /** What was done to which object, by whom and why. */
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
  /** Checks of the system itself. */
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
  /** Mode of the controller and what is switched on. */
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
  /** This description, to read. */
  getDocs: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: undefined;
    readonly data: string;
    readonly summary: undefined;
  };
  /** Changes as they happen (Server-Sent Events). */
  stream: {
    readonly path: Readonly<Record<never, never>>;
    readonly query: { readonly topic?: readonly ('cluster' | 'recommendations' | 'scaling')[]; readonly lastEventId?: string };
    readonly body: undefined;
    readonly data: string;
    readonly summary: undefined;
  };
}
