// Generated from crds/ by hack/generate-crd-types.ts. Change the CRD and run `node hack/generate-crd-types.ts`; never edit this file.

import type { ObjectMeta } from './object-meta.ts';

/** Plural (the name in API paths) of each kind. */
export const PLURALS = {
  AccessPolicy: 'accesspolicies',
  NodeScalingPolicy: 'nodescalingpolicies',
  PodResizePolicy: 'podresizepolicies',
  RebalancePolicy: 'rebalancepolicies',
  RebalanceRun: 'rebalanceruns',
  Recommendation: 'recommendations',
  ScheduledScalePolicy: 'scheduledscalepolicies',
} as const;

/** An AccessPolicy says who may see and do what in Evenkeel. The one named default is in force. */
export interface AccessPolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'AccessPolicy';
  readonly metadata: ObjectMeta;
  /** Grants, and who gets one without asking. */
  readonly spec: AccessPolicySpec;
  /** Requests for access. Written by Evenkeel alone. */
  readonly status?: AccessPolicyStatus;
}

/** Grants, and who gets one without asking. */
export interface AccessPolicySpec {
  /** Who may do what. */
  readonly grants?: readonly AccessPolicySpecGrant[];
  /** E-mail domains whose people get a grant as soon as they ask. */
  readonly autoApprove?: readonly AccessPolicySpecAutoApproveItem[];
}

export interface AccessPolicySpecGrant {
  /** E-mail address, in lower case. */
  readonly email: string;
  /** admin everything; operator reads and changes inside its namespaces; viewer reads inside its namespaces. */
  readonly role: 'admin' | 'operator' | 'viewer';
  /** Namespaces, as names or globs. Left out or empty, none (an admin needs none); "*" is all of them. */
  readonly namespaces?: readonly string[];
  /** When the grant ends (RFC 3339). Left out, never. */
  readonly expiresAt?: string;
  /** Why, for people. */
  readonly note?: string;
}

export interface AccessPolicySpecAutoApproveItem {
  /** Domain, in lower case. */
  readonly domain: string;
  /** Role that they get. */
  readonly role: 'operator' | 'viewer';
  /** Namespaces, as names or globs. */
  readonly namespaces?: readonly string[];
}

/** Requests for access. Written by Evenkeel alone. */
export interface AccessPolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** Grants that have not ended. */
  readonly grants?: number;
  /** Requests that wait. */
  readonly pendingRequests?: number;
  /** Requests for access, pending ones and the last decided. */
  readonly requests?: readonly AccessPolicyStatusRequest[];
  /** Ready, with a reason and a message. */
  readonly conditions?: readonly AccessPolicyStatusCondition[];
}

export interface AccessPolicyStatusRequest {
  /** Identity of the request. */
  readonly id: string;
  /** Who asks. */
  readonly email: string;
  /** Name of the person. */
  readonly name?: string;
  /** Why, in their words. */
  readonly reason?: string;
  /** Role that they ask for. */
  readonly requestedRole?: 'admin' | 'operator' | 'viewer';
  /** Namespaces that they ask for. */
  readonly requestedNamespaces?: readonly string[];
  /** When (RFC 3339). */
  readonly requestedAt: string;
  /** What came of it. */
  readonly state: 'pending' | 'approved' | 'denied';
  /** Who decided. */
  readonly decidedBy?: string;
  /** When (RFC 3339). */
  readonly decidedAt?: string;
}

export interface AccessPolicyStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}

/** A NodeScalingPolicy says how many nodes there should be, of which kind and price, and when nodes may be removed or replaced. */
export interface NodeScalingPolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'NodeScalingPolicy';
  readonly metadata: ObjectMeta;
  /** Which pools of nodes the policy governs and how they may grow and shrink. */
  readonly spec: NodeScalingPolicySpec;
  /** What there is, what is under way and what was decided last. Written by the autoscaler alone. */
  readonly status?: NodeScalingPolicyStatus;
}

/** Which pools of nodes the policy governs and how they may grow and shrink. */
export interface NodeScalingPolicySpec {
  /** Pools of the node provider that it governs, by name. Left out (and without nodePoolSelector), all pools. */
  readonly nodePools?: readonly string[];
  /** Governs the pools whose nodes carry these labels. */
  readonly nodePoolSelector?: NodeScalingPolicySpecNodePoolSelector;
  /** Least number of nodes over all governed pools. Left out, the setting autoscaler.minNodes; a policy only narrows it. */
  readonly minNodes?: number;
  /** Greatest number of nodes over all governed pools. Left out, the setting autoscaler.maxNodes; a policy only narrows it. */
  readonly maxNodes?: number;
  /** Greatest total of the governed pools. Left out, no bound. */
  readonly limits?: NodeScalingPolicySpecLimits;
  /** Bounds of single pools, all zones together. */
  readonly pools?: readonly NodeScalingPolicySpecPool[];
  /**
   * Share of the allocatable that may be requested before nodes are added ahead of need (0–1). Left out, the setting
   * autoscaler.scaleUpThreshold.
   */
  readonly scaleUpThreshold?: number;
  /** Share of a node's allocatable under which it may be removed (0–1). Left out, the setting autoscaler.scaleDownThreshold. */
  readonly scaleDownThreshold?: number;
  /** Least time between two additions of nodes ahead of need. Left out, the setting autoscaler.scaleUpCooldown. */
  readonly scaleUpCooldown?: string;
  /** Least time after a change before a node is removed. Left out, the setting autoscaler.scaleDownCooldown. */
  readonly scaleDownCooldown?: string;
  /** How often the cluster is evaluated. Left out, the setting autoscaler.scanInterval. */
  readonly scanInterval?: string;
  /** Room that is kept free for bursts. Left out, none. */
  readonly headroom?: NodeScalingPolicySpecHeadroom;
  /** Whether spot nodes are taken where they can be had. Left out, the setting autoscaler.preferSpot. */
  readonly preferSpot?: boolean;
  /** How far spot nodes are trusted. */
  readonly spot?: NodeScalingPolicySpecSpot;
  /** When nodes are removed or replaced because their pods provably fit elsewhere for less. */
  readonly consolidation?: NodeScalingPolicySpecConsolidation;
  /** How nodes are emptied. */
  readonly drain?: NodeScalingPolicySpecDrain;
  /** How long a new node may take to become ready before it counts as failed. Default: 15m. */
  readonly bootstrapTimeout?: string;
  /** Times with a higher least number of nodes. */
  readonly schedules?: readonly NodeScalingPolicySpecSchedule[];
  /** Stops every effect of this policy. Default: false. */
  readonly paused?: boolean;
  /** Decides and reports, but changes nothing. Default: false. */
  readonly dryRun?: boolean;
}

/** Governs the pools whose nodes carry these labels. */
export interface NodeScalingPolicySpecNodePoolSelector {
  /** Labels that must be present with exactly these values; all must hold. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Further requirements; all must hold. */
  readonly matchExpressions?: readonly NodeScalingPolicySpecNodePoolSelectorMatchExpression[];
}

export interface NodeScalingPolicySpecNodePoolSelectorMatchExpression {
  /** Label key. */
  readonly key: string;
  /** How the values are compared with the label. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values for In and NotIn; must be empty for Exists and DoesNotExist. */
  readonly values?: readonly string[];
}

/** Greatest total of the governed pools. Left out, no bound. */
export interface NodeScalingPolicySpecLimits {
  /** Total CPU capacity (cores or millicores). */
  readonly cpu?: string;
  /** Total memory capacity (bytes). */
  readonly memory?: string;
  /** Total price of the nodes (US dollars per hour). */
  readonly hourlyCost?: number;
}

export interface NodeScalingPolicySpecPool {
  /** Pool name. */
  readonly name: string;
  /** Least number of nodes of the pool. Left out, 0. */
  readonly minNodes?: number;
  /** Greatest number of nodes of the pool. Left out, the provider's own bound. */
  readonly maxNodes?: number;
  /** Pools of higher priority are used first; among equals the cheapest. Left out, 0. */
  readonly priority?: number;
}

/** Room that is kept free for bursts. Left out, none. */
export interface NodeScalingPolicySpecHeadroom {
  /** CPU, as an amount (cores or millicores) or a percentage of the allocatable such as 10%. */
  readonly cpu?: string;
  /** Memory, as an amount (bytes) or a percentage of the allocatable such as 10%. */
  readonly memory?: string;
  /** Free places for pods. */
  readonly pods?: number;
}

/** How far spot nodes are trusted. */
export interface NodeScalingPolicySpecSpot {
  /** Greatest share of nodes that may be spot (0–1). Default: 1. */
  readonly maxRatio?: number;
  /** Least number of on-demand nodes. Default: 0. */
  readonly minOnDemandNodes?: number;
  /** How long a spot request may stay unfilled before an on-demand node is taken. Default: 5m. */
  readonly fallbackAfter?: string;
  /** Interruptions within an hour after which a zone is avoided. Default: 3. */
  readonly avoidZonesAfterInterruptions?: number;
}

/** When nodes are removed or replaced because their pods provably fit elsewhere for less. */
export interface NodeScalingPolicySpecConsolidation {
  /** Whether nodes are consolidated. Default: true. */
  readonly enabled?: boolean;
  /** When nodes may be consolidated. None means at any time. */
  readonly windows?: readonly NodeScalingPolicySpecConsolidationWindow[];
  /** Most nodes that may be under way at the same time, as a count or a percentage of the nodes such as 10%. Default: 10%. */
  readonly maxDisruption?: number | string;
  /** Least saving for a replacement, as a share of the price before (0–1). Default: 0.1. */
  readonly minSavingsRatio?: number;
  /**
   * Empty removes nodes without pods of their own; Underutilized also those under scaleDownThreshold; Cheapest also replaces nodes by
   * cheaper ones. Default: Cheapest.
   */
  readonly strategy?: 'Empty' | 'Underutilized' | 'Cheapest';
}

export interface NodeScalingPolicySpecConsolidationWindow {
  /**
   * Start of the window, five-field cron in timeZone. A start that a clock change skips runs at the next existing minute, one that occurs
   * twice runs once.
   */
  readonly start: string;
  /** How long the window stays open. */
  readonly duration: string;
  /** Time zone of the start (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
}

/** How nodes are emptied. */
export interface NodeScalingPolicySpecDrain {
  /** How long a drain may take before it is given up. Default: 15m. */
  readonly timeout?: string;
  /** Termination grace of the evicted pods (seconds). Left out, each pod's own. */
  readonly gracePeriodSeconds?: number;
  /** Whether pods without a controller may be evicted too. Default: false. */
  readonly force?: boolean;
}

export interface NodeScalingPolicySpecSchedule {
  /** When it holds. */
  readonly window: NodeScalingPolicySpecScheduleWindow;
  /** Least number of nodes while the window is open. */
  readonly minNodes: number;
}

/** When it holds. */
export interface NodeScalingPolicySpecScheduleWindow {
  /**
   * Start of the window, five-field cron in timeZone. A start that a clock change skips runs at the next existing minute, one that occurs
   * twice runs once.
   */
  readonly start: string;
  /** How long the window stays open. */
  readonly duration: string;
  /** Time zone of the start (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
}

/** What there is, what is under way and what was decided last. Written by the autoscaler alone. */
export interface NodeScalingPolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** The governed pools. */
  readonly pools?: readonly NodeScalingPolicyStatusPool[];
  /** Nodes of the governed pools by phase. */
  readonly nodes?: NodeScalingPolicyStatusNodes;
  /** Nodes that there should be. */
  readonly desiredNodes?: number;
  /** Nodes that were asked for and are not ready yet. */
  readonly bootstrapping?: readonly NodeScalingPolicyStatusBootstrappingItem[];
  /** Set while scaling down is held back. */
  readonly suppression?: NodeScalingPolicyStatusSuppression;
  /** Nodes under way. */
  readonly lifecycle?: readonly NodeScalingPolicyStatusLifecycleItem[];
  /** The last decisions, newest first. */
  readonly decisions?: readonly NodeScalingPolicyStatusDecision[];
  /** The last addition of nodes. */
  readonly lastScaleUp?: NodeScalingPolicyStatusLastScaleUp;
  /** The last removal of nodes. */
  readonly lastScaleDown?: NodeScalingPolicyStatusLastScaleDown;
  /** Price of the governed nodes (US dollars per hour). */
  readonly costPerHourUsd?: number;
  /** No set of nodes can carry the present pods for less (US dollars per hour). */
  readonly lowerBoundCostPerHourUsd?: number;
  /** Ready, Progressing, Degraded, Conflicted and DryRun, each with a reason and a message. */
  readonly conditions?: readonly NodeScalingPolicyStatusCondition[];
}

export interface NodeScalingPolicyStatusPool {
  /** Pool name. */
  readonly name: string;
  /** Nodes that exist. */
  readonly nodes?: number;
  /** Nodes that the provider was asked for. */
  readonly target?: number;
  /** Machine type of its nodes. */
  readonly machineType?: string;
  /** Price of one node (US dollars per hour). */
  readonly pricePerHourUsd?: number;
  /** Whether its nodes are spot. */
  readonly spot?: boolean;
}

/** Nodes of the governed pools by phase. */
export interface NodeScalingPolicyStatusNodes {
  /** All. */
  readonly total?: number;
  /** Ready. */
  readonly ready?: number;
  /** Not yet ready for the first time. */
  readonly bootstrapping?: number;
  /** Being emptied. */
  readonly draining?: number;
  /** Spot nodes. */
  readonly spot?: number;
}

export interface NodeScalingPolicyStatusBootstrappingItem {
  /** Name, once it is known. */
  readonly node?: string;
  /** Pool. */
  readonly pool: string;
  /** When it was asked for (RFC 3339). */
  readonly since: string;
  /** When it should be ready (RFC 3339). */
  readonly expectedReadyAt?: string;
  /** Pending pods that it is for. */
  readonly covers?: number;
}

/** Set while scaling down is held back. */
export interface NodeScalingPolicyStatusSuppression {
  /** Whether it is in force. */
  readonly active: boolean;
  /** Why. */
  readonly reason?: string;
  /** How long (RFC 3339). */
  readonly until?: string;
  /** Pods that it is about. */
  readonly pods?: number;
}

export interface NodeScalingPolicyStatusLifecycleItem {
  /** Node name. */
  readonly node: string;
  /** How far it has come, oldest first. */
  readonly transitions?: readonly NodeScalingPolicyStatusLifecycleItemTransition[];
}

export interface NodeScalingPolicyStatusLifecycleItemTransition {
  /** Phase. */
  readonly state: string;
  /** Since when (RFC 3339). */
  readonly at: string;
}

export interface NodeScalingPolicyStatusDecision {
  /** Identity, the same in history. */
  readonly id: string;
  /** When (RFC 3339). */
  readonly time: string;
  /** What was decided. */
  readonly decision: string;
  /** From what, in plain words. */
  readonly inputs?: string;
  /** What came of it. */
  readonly outcome?: string;
  /** Options that were not taken. */
  readonly alternatives?: readonly NodeScalingPolicyStatusDecisionAlternative[];
}

export interface NodeScalingPolicyStatusDecisionAlternative {
  /** Option. */
  readonly option: string;
  /** Its price (US dollars per hour). */
  readonly costPerHourUsd?: number;
  /** Why not. */
  readonly rejectedBecause?: string;
}

/** The last addition of nodes. */
export interface NodeScalingPolicyStatusLastScaleUp {
  /** When (RFC 3339). */
  readonly at: string;
  /** How many. */
  readonly nodes?: number;
  /** Why. */
  readonly reason?: string;
}

/** The last removal of nodes. */
export interface NodeScalingPolicyStatusLastScaleDown {
  /** When (RFC 3339). */
  readonly at: string;
  /** How many. */
  readonly nodes?: number;
  /** Why. */
  readonly reason?: string;
}

export interface NodeScalingPolicyStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}

/** A PodResizePolicy says which workloads are right-sized, towards what, and how far Evenkeel may go by itself. */
export interface PodResizePolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'PodResizePolicy';
  readonly metadata: ObjectMeta;
  /** Which workloads the policy governs, what they should get, and how far Evenkeel may go by itself. */
  readonly spec: PodResizePolicySpec;
  /** What the policy governs and what it did last. Written by Evenkeel alone. */
  readonly status?: PodResizePolicyStatus;
}

/** Which workloads the policy governs, what they should get, and how far Evenkeel may go by itself. */
export interface PodResizePolicySpec {
  /**
   * Namespaces whose workloads it governs, as names or globs such as team-*. Left out (and without namespaceSelector), every namespace but
   * kube-system and Evenkeel's own.
   */
  readonly namespaces?: readonly string[];
  /** Governs workloads of the namespaces that carry these labels. */
  readonly namespaceSelector?: PodResizePolicySpecNamespaceSelector;
  /**
   * Governs only workloads that carry these labels. A policy with a workload selector is the most specific and wins over one that names
   * namespaces alone.
   */
  readonly workloadSelector?: PodResizePolicySpecWorkloadSelector;
  /** Kinds of workload that it governs, such as Deployment or StatefulSet. Left out, all kinds. */
  readonly kinds?: readonly string[];
  /** Namespaces that it leaves alone, as names or globs. Wins over namespaces and namespaceSelector. */
  readonly excludeNamespaces?: readonly string[];
  /**
   * How far Evenkeel goes. Observe computes and publishes nothing; Recommend publishes Recommendations; Approve applies what a person has
   * approved; Auto applies by itself. Default: Recommend.
   */
  readonly mode?: 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /**
   * By which way a change reaches a pod. InPlace resizes running pods and never evicts; InPlaceOrEvict evicts, through the eviction API,
   * where a resize in place is infeasible; OnRestart sets values at creation alone and needs controller.admission.enabled. Default:
   * InPlace.
   */
  readonly apply?: 'InPlace' | 'InPlaceOrEvict' | 'OnRestart';
  /** The one knob for cost against safety, what a missing unit costs against a spare one. Default: Balanced. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * How often CPU requests may fall. Daily: the request covers the greatest forecast of the next 24 hours, rises at once, and falls at most
   * once in 24 hours. A sample above it raises it at once for a while; that ends three hours after the last sample above it. Hourly: the
   * request follows the forecast of each hour, up and down. It is in force in mode Auto in place alone, and only while evenkeel-autoscaler
   * holds its lease; elsewhere it acts as Daily, and status says so. Memory requests are the same at both. Default: Daily.
   */
  readonly pace?: 'Daily' | 'Hourly';
  /** Rules for CPU. */
  readonly cpu?: PodResizePolicySpecCpu;
  /** Rules for memory. */
  readonly memory?: PodResizePolicySpecMemory;
  /** Exceptions for some containers. Where several names match, the first in the list counts. */
  readonly containers?: readonly PodResizePolicySpecContainer[];
  /** How much of the past counts. */
  readonly history?: PodResizePolicySpecHistory;
  /** More CPU while a container starts, taken back in place afterwards. Left out, no boost. */
  readonly startup?: PodResizePolicySpecStartup;
  /**
   * What an OOM kill at the limit does, at once and within max, ceiling and node. The limit grows by the limit that was hit, the request by
   * the highest usage.
   */
  readonly oom?: PodResizePolicySpecOom;
  /**
   * Whether the annotations of a workload may widen this policy. All lets them (a mode closer to Auto, a ceiling above max, a floor below
   * min); Stricter lets them only narrow it. Default: All.
   */
  readonly workloadOverrides?: 'All' | 'Stricter';
  /** Whether a limit may be passed for a while when demand does. */
  readonly limitOverage?: PodResizePolicySpecLimitOverage;
  /** What happens to workloads that nobody uses. */
  readonly idle?: PodResizePolicySpecIdle;
  /**
   * What happens where a HorizontalPodAutoscaler measures utilization against the requests. Preserve keeps replicas where they are by
   * moving the target with the request, else the change waits; Tune also tunes the autoscaler; Off resizes and leaves the autoscaler to
   * itself. Default: Preserve.
   */
  readonly hpa?: 'Preserve' | 'Tune' | 'Off';
  /** When changes may be applied. None means at any time. Increases that safety needs ignore windows. */
  readonly windows?: readonly PodResizePolicySpecWindow[];
  /** Least time between two changes of one workload. Increases that safety needs ignore it. Default: 1h. */
  readonly cooldown?: string;
  /** Least confidence (0–1) before anything is reduced. Left out, 0.6 for CPU and 0.8 for memory. */
  readonly minConfidence?: number;
  /**
   * Most workloads whose pods are being resized at the same time, as a count or as a percentage, such as 10%, of the governed workloads
   * that have pods; a percentage comes to at least 10. Raises, roll-backs and corrections are neither counted nor delayed. Default: 10%.
   */
  readonly maxConcurrent?: number | string;
  /** How often every governed workload is evaluated. Default: 5m. */
  readonly interval?: string;
  /** When a change is taken back by itself. */
  readonly rollback?: PodResizePolicySpecRollback;
  /** Stops every effect of this policy; Recommendations are still published. Default: false. */
  readonly paused?: boolean;
  /** Decides, validates with the server and reports, but changes nothing that runs. Default: false. */
  readonly dryRun?: boolean;
}

/** Governs workloads of the namespaces that carry these labels. */
export interface PodResizePolicySpecNamespaceSelector {
  /** Labels that must be present with exactly these values; all must hold. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Further requirements; all must hold. */
  readonly matchExpressions?: readonly PodResizePolicySpecNamespaceSelectorMatchExpression[];
}

export interface PodResizePolicySpecNamespaceSelectorMatchExpression {
  /** Label key. */
  readonly key: string;
  /** How the values are compared with the label. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values for In and NotIn; must be empty for Exists and DoesNotExist. */
  readonly values?: readonly string[];
}

/**
 * Governs only workloads that carry these labels. A policy with a workload selector is the most specific and wins over one that names
 * namespaces alone.
 */
export interface PodResizePolicySpecWorkloadSelector {
  /** Labels that must be present with exactly these values; all must hold. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Further requirements; all must hold. */
  readonly matchExpressions?: readonly PodResizePolicySpecWorkloadSelectorMatchExpression[];
}

export interface PodResizePolicySpecWorkloadSelectorMatchExpression {
  /** Label key. */
  readonly key: string;
  /** How the values are compared with the label. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values for In and NotIn; must be empty for Exists and DoesNotExist. */
  readonly values?: readonly string[];
}

/** Rules for CPU. */
export interface PodResizePolicySpecCpu {
  /** What a missing unit of this resource costs against a spare one. Left out, the goal of the policy. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed rule for who must have it, in place of the learned one. The share of usage samples (0.5–1) that the request must cover. Left out,
   * the recommender learns the rule that the goal asks for.
   */
  readonly percentile?: number;
  /** Spare above the covered usage, as a share of it (0.15 is 15 %). Left out, it follows from the goal. */
  readonly margin?: number;
  /** Least request (cores or millicores, such as 250m). Left out, no bound but the recommender's own floor. */
  readonly min?: string;
  /** Greatest request (cores or millicores, such as 250m). Left out, the allocatable of the largest node. */
  readonly max?: string;
  /** Smallest change worth making, as a share of the present request (0.1 is 10 %). Left out, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecCpuLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecCpuLimit {
  /**
   * Keep never lowers the limit; the request ends at it. Ratio moves the limit with the request, both ways. None drops the limit when a pod
   * is created (needs controller.admission.enabled) and until then acts as Keep. Guaranteed pods keep request and limit equal. Default:
   * Keep.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio. Left out, the ratio of the container as it is now. */
  readonly ratio?: number;
}

/** Rules for memory. */
export interface PodResizePolicySpecMemory {
  /** What a missing unit of this resource costs against a spare one. Left out, the goal of the policy. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed rule for who must have it, in place of the learned one. The share of usage samples (0.5–1) that the request must cover. Left out,
   * the recommender learns the rule that the goal asks for. It can only ask for more: the request is never less than the highest working
   * set of the last 7 days and of the same weekday a week ago, with its margin.
   */
  readonly percentile?: number;
  /** Spare above the covered usage, as a share of it (0.15 is 15 %). Left out, it follows from the goal. */
  readonly margin?: number;
  /** Least request (bytes, such as 128Mi). Left out, no bound but the recommender's own floor. */
  readonly min?: string;
  /** Greatest request (bytes, such as 128Mi). Left out, the allocatable of the largest node. */
  readonly max?: string;
  /** Smallest change worth making, as a share of the present request (0.1 is 10 %). Left out, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecMemoryLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecMemoryLimit {
  /**
   * Keep never lowers the limit and raises it only after OOM kills at it. Ratio moves the limit with the request, both ways, lowering it
   * only as far as past peaks make safe. None drops the limit when a pod is created (needs controller.admission.enabled) and until then
   * acts as Keep. Guaranteed pods and containers whose request equals their limit keep them equal, except under Ratio. Default: Keep.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio alone. Default: 1.25. */
  readonly ratio?: number;
}

export interface PodResizePolicySpecContainer {
  /** Container name or glob such as istio-*. */
  readonly name: string;
  /**
   * How far Evenkeel goes with this container. Off leaves it alone. It can only be more careful than the policy's mode; left out, the
   * policy's.
   */
  readonly mode?: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /** Whether limits of this container may move too. Left out, requestsAndLimits. */
  readonly controlled?: 'requests' | 'requestsAndLimits';
  /** Rules for CPU of this container; what is left out comes from the policy. */
  readonly cpu?: PodResizePolicySpecContainerCpu;
  /** Rules for memory of this container; what is left out comes from the policy. */
  readonly memory?: PodResizePolicySpecContainerMemory;
}

/** Rules for CPU of this container; what is left out comes from the policy. */
export interface PodResizePolicySpecContainerCpu {
  /** What a missing unit of this resource costs against a spare one. Left out, the goal of the policy. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed rule for who must have it, in place of the learned one. The share of usage samples (0.5–1) that the request must cover. Left out,
   * the recommender learns the rule that the goal asks for.
   */
  readonly percentile?: number;
  /** Spare above the covered usage, as a share of it (0.15 is 15 %). Left out, it follows from the goal. */
  readonly margin?: number;
  /** Least request (cores or millicores, such as 250m). Left out, no bound but the recommender's own floor. */
  readonly min?: string;
  /** Greatest request (cores or millicores, such as 250m). Left out, the allocatable of the largest node. */
  readonly max?: string;
  /** Smallest change worth making, as a share of the present request (0.1 is 10 %). Left out, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecContainerCpuLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecContainerCpuLimit {
  /**
   * Keep never lowers the limit; the request ends at it. Ratio moves the limit with the request, both ways. None drops the limit when a pod
   * is created (needs controller.admission.enabled) and until then acts as Keep. Guaranteed pods keep request and limit equal. Left out,
   * the policy's.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio. Left out, the policy's. */
  readonly ratio?: number;
}

/** Rules for memory of this container; what is left out comes from the policy. */
export interface PodResizePolicySpecContainerMemory {
  /** What a missing unit of this resource costs against a spare one. Left out, the goal of the policy. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed rule for who must have it, in place of the learned one. The share of usage samples (0.5–1) that the request must cover. Left out,
   * the recommender learns the rule that the goal asks for. It can only ask for more: the request is never less than the highest working
   * set of the last 7 days and of the same weekday a week ago, with its margin.
   */
  readonly percentile?: number;
  /** Spare above the covered usage, as a share of it (0.15 is 15 %). Left out, it follows from the goal. */
  readonly margin?: number;
  /** Least request (bytes, such as 128Mi). Left out, no bound but the recommender's own floor. */
  readonly min?: string;
  /** Greatest request (bytes, such as 128Mi). Left out, the allocatable of the largest node. */
  readonly max?: string;
  /** Smallest change worth making, as a share of the present request (0.1 is 10 %). Left out, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecContainerMemoryLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecContainerMemoryLimit {
  /**
   * Keep never lowers the limit; the request ends at it. Ratio moves the limit with the request, both ways. None drops the limit when a pod
   * is created (needs controller.admission.enabled) and until then acts as Keep. Guaranteed pods keep request and limit equal. Left out,
   * the policy's.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio. Left out, the policy's. */
  readonly ratio?: number;
}

/** How much of the past counts. */
export interface PodResizePolicySpecHistory {
  /** How far back usage is looked at. Default: 14d. */
  readonly window?: string;
}

/** More CPU while a container starts, taken back in place afterwards. Left out, no boost. */
export interface PodResizePolicySpecStartup {
  /** CPU request while starting, divided by the request afterwards. */
  readonly boostRatio: number;
  /** How long after its pod became ready a container keeps the boost. One that never becomes ready loses it 10 minutes later than that. */
  readonly duration: string;
}

/**
 * What an OOM kill at the limit does, at once and within max, ceiling and node. The limit grows by the limit that was hit, the request by
 * the highest usage.
 */
export interface PodResizePolicySpecOom {
  /** The limit after an OOM kill, divided by the limit that was hit. Default: 1.2. */
  readonly bumpRatio?: number;
  /** Least amount of memory that an OOM kill adds (bytes). Default: 100Mi. */
  readonly minBump?: string;
  /**
   * How often OOM kills raise the limit of one container within 7 days. After that a limit exception of type oom-killed opens, and the
   * limit stays. Default: 3.
   */
  readonly maxBumps?: number;
}

/** Whether a limit may be passed for a while when demand does. */
export interface PodResizePolicySpecLimitOverage {
  /** Never only reports a limit exception; Temporary also gives the proposed value in place while the exception is open. Default: Never. */
  readonly mode?: 'Never' | 'Temporary';
  /** Greatest temporary limit, divided by the limit before. Default: 2. */
  readonly maxRatio?: number;
  /** Longest time that a temporary limit stays. Default: 24h. */
  readonly for?: string;
}

/** What happens to workloads that nobody uses. */
export interface PodResizePolicySpecIdle {
  /** Whether idle workloads are made small. Default: false. */
  readonly enabled?: boolean;
  /** How long usage must have stayed under the threshold. Default: 24h. */
  readonly after?: string;
  /** CPU usage of the whole workload under which it counts as idle (cores or millicores). Default: 5m. */
  readonly cpuThreshold?: string;
  /** CPU request of a container while idle (cores or millicores). Default: 10m. */
  readonly cpu?: string;
  /** Memory request of a container while idle (bytes). Left out, memory stays as it is. */
  readonly memory?: string;
  /** Replicas while idle. Left out, replicas stay as they are. */
  readonly replicas?: number;
}

export interface PodResizePolicySpecWindow {
  /**
   * Start of the window, five-field cron in timeZone. A start that a clock change skips runs at the next existing minute, one that occurs
   * twice runs once.
   */
  readonly start: string;
  /** How long the window stays open. */
  readonly duration: string;
  /** Time zone of the start (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
}

/** When a change is taken back by itself. */
export interface PodResizePolicySpecRollback {
  /**
   * Whether resized pods that crash-loop, restart more than before and more than unchanged pods, are OOM-killed below their limit before,
   * or stop being ready, take a change back. Default: true.
   */
  readonly onRestarts?: boolean;
  /**
   * Rise of the throttled share of CPU periods (0–1) that takes a change back, against the same hour of the week before or unchanged
   * replicas; 1 never does. Default: 0.25.
   */
  readonly onThrottleRatio?: number;
  /** Rise of the share of time in which tasks waited for CPU or memory (PSI, 0–1) that takes a change back; 1 never does. Default: 0.25. */
  readonly onPressureRatio?: number;
  /**
   * PromQL query for the error rate of a workload, with $namespace, $kind and $name replaced; the sum of what it answers counts. A rate
   * that doubles (where there were no errors: that passes 0.01) takes the change back; a reduction begins only while the query answers.
   * Needs prometheus.url.
   */
  readonly onErrorRateQuery?: string;
  /**
   * How long throttling and pressure are watched for after a reduction; less than an hour does not watch. Each stage of the change before
   * that is verified for 10m, or for as long as this where that is less. Default: 24h.
   */
  readonly within?: string;
}

/** What the policy governs and what it did last. Written by Evenkeel alone. */
export interface PodResizePolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** Workloads that it governs, by the state of their recommendation. */
  readonly workloads?: PodResizePolicyStatusWorkloads;
  /** Waiting workloads, by the reason that they wait for. */
  readonly awaiting?: Readonly<Record<string, number>>;
  /** Raises that wait until their nodes have room. Absent where none waits. */
  readonly waitingForNodeCapacity?: PodResizePolicyStatusWaitingForNodeCapacity;
  /** Older or more specific policies that govern workloads which this one selects too. */
  readonly yields?: readonly PodResizePolicyStatusYield[];
  /** The last evaluation of all its workloads. */
  readonly lastCycle?: PodResizePolicyStatusLastCycle;
  /** Value of the annotation evenkeel.io/trigger that was last acted on. */
  readonly lastTrigger?: string;
  /** What right-sizing saves. */
  readonly savings?: PodResizePolicyStatusSavings;
  /** The window that is open, else the next one. Absent without windows. */
  readonly nextWindow?: PodResizePolicyStatusNextWindow;
  /** Ready, Conflicted and DryRun, each with a reason and a message; Overridden and ConsolidationLoop where they apply. */
  readonly conditions?: readonly PodResizePolicyStatusCondition[];
}

/** Workloads that it governs, by the state of their recommendation. */
export interface PodResizePolicyStatusWorkloads {
  /** All workloads that it governs. */
  readonly total?: number;
  /** Workloads in state collecting. */
  readonly collecting?: number;
  /** Workloads in state optimal. */
  readonly optimal?: number;
  /** Workloads in state recommended. */
  readonly recommended?: number;
  /** Workloads in state awaiting. */
  readonly awaiting?: number;
  /** Workloads in state applying. */
  readonly applying?: number;
  /** Workloads in state applied. */
  readonly applied?: number;
  /** Workloads in state idle. */
  readonly idle?: number;
  /** Workloads in state exception. */
  readonly exception?: number;
  /** Workloads in state blocked. */
  readonly blocked?: number;
  /** Workloads in state excluded. */
  readonly excluded?: number;
}

/** Raises that wait until their nodes have room. Absent where none waits. */
export interface PodResizePolicyStatusWaitingForNodeCapacity {
  /** Workloads with such a raise. */
  readonly workloads: number;
  /** Pods whose raise waits. */
  readonly pods: number;
}

export interface PodResizePolicyStatusYield {
  /** Name of the policy that governs them. */
  readonly policy: string;
  /** How many workloads. */
  readonly workloads: number;
}

/** The last evaluation of all its workloads. */
export interface PodResizePolicyStatusLastCycle {
  /** Identity of the cycle; the same as in the history of cycles. */
  readonly id?: string;
  /** When it began (RFC 3339). */
  readonly startedAt?: string;
  /** When it ended (RFC 3339). */
  readonly finishedAt?: string;
  /** Workloads evaluated. */
  readonly evaluated?: number;
  /** Pods resized. */
  readonly changed?: number;
  /** Pods whose resize waits for room on the node. */
  readonly deferred?: number;
  /** Workloads that can never be resized as things stand. */
  readonly blocked?: number;
  /** Resizes that failed. */
  readonly failed?: number;
  /** What asked for it, interval or the id of a request. */
  readonly trigger?: string;
}

/** What right-sizing saves. */
export interface PodResizePolicyStatusSavings {
  /** Not applied yet, less what increases would cost (US dollars per 730 h). */
  readonly potentialPerMonthUsd?: number;
  /** Requests given back so far (US dollars per 730 h). */
  readonly reclaimedPerMonthUsd?: number;
  /** Money no longer spent because nodes went away (US dollars per 730 h). */
  readonly realisedPerMonthUsd?: number;
}

/** The window that is open, else the next one. Absent without windows. */
export interface PodResizePolicyStatusNextWindow {
  /** When it opens or opened (RFC 3339). */
  readonly start?: string;
  /** When it closes (RFC 3339). */
  readonly end?: string;
  /** Whether it is open. */
  readonly open?: boolean;
}

export interface PodResizePolicyStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}

/** A RebalancePolicy says when pods are moved from full nodes to empty ones, and how carefully. */
export interface RebalancePolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'RebalancePolicy';
  readonly metadata: ObjectMeta;
  /** When to move pods, which, and how many. */
  readonly spec: RebalancePolicySpec;
  /** How level the cluster is and what was done last. Written by Evenkeel alone. */
  readonly status?: RebalancePolicyStatus;
}

/** When to move pods, which, and how many. */
export interface RebalancePolicySpec {
  /** When it runs, five-field cron in timeZone. Left out, it runs when the score has passed the threshold in three evaluations running. */
  readonly schedule?: string;
  /** Time zone of the schedule (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
  /** What counts as out of balance. */
  readonly thresholds?: RebalancePolicySpecThresholds;
  /** Most pods that one run moves. Default: 20. */
  readonly maxMovements?: number;
  /** Most pods that are under way at the same time. Default: 2. */
  readonly maxParallel?: number;
  /**
   * Whether disruption budgets are kept. False also needs the annotation evenkeel.io/allow-budget-violation set to "true", and still tries
   * the eviction API first. Default: true.
   */
  readonly respectPDB?: boolean;
  /** Plans and reports, but moves nothing. Cannot be taken back by a setting. Default: false. */
  readonly dryRun?: boolean;
  /** Namespaces whose pods are never moved, as names or globs. kube-system and Evenkeel's own never are. */
  readonly excludeNamespaces?: readonly string[];
  /** Only nodes that carry these labels take part. Left out, all nodes. */
  readonly nodeSelector?: RebalancePolicySpecNodeSelector;
  /** Pods younger than this stay where they are. Default: 10m. */
  readonly minPodAge?: string;
  /** How long one pod may take to be ready elsewhere before the run stops. Default: 5m. */
  readonly movementTimeout?: string;
  /** Spread makes nodes level; Pack empties nodes so that they can be removed. Default: Spread. */
  readonly strategy?: 'Spread' | 'Pack';
  /** Stops every effect of this policy. Default: false. */
  readonly paused?: boolean;
}

/** What counts as out of balance. */
export interface RebalancePolicySpecThresholds {
  /**
   * Score above which pods are moved (0–100), the percentage of the load that would have to move for all nodes to be level. Default: 20.
   */
  readonly imbalanceScore?: number;
  /** Nodes with a smaller requested share than this receive pods under Spread and are emptied under Pack (0–1). Default: 0.2. */
  readonly minUtilization?: number;
  /** Nodes are never filled beyond this requested share (0–1). Default: 0.85. */
  readonly maxUtilization?: number;
}

/** Only nodes that carry these labels take part. Left out, all nodes. */
export interface RebalancePolicySpecNodeSelector {
  /** Labels that must be present with exactly these values; all must hold. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Further requirements; all must hold. */
  readonly matchExpressions?: readonly RebalancePolicySpecNodeSelectorMatchExpression[];
}

export interface RebalancePolicySpecNodeSelectorMatchExpression {
  /** Label key. */
  readonly key: string;
  /** How the values are compared with the label. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values for In and NotIn; must be empty for Exists and DoesNotExist. */
  readonly values?: readonly string[];
}

/** How level the cluster is and what was done last. Written by Evenkeel alone. */
export interface RebalancePolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** How level the cluster is now. */
  readonly score?: RebalancePolicyStatusScore;
  /** Imbalance that no movement can take away (0–100). */
  readonly floor?: number;
  /** Name of the RebalanceRun under way. */
  readonly activeRun?: string;
  /** The last run. */
  readonly lastRun?: RebalancePolicyStatusLastRun;
  /** When it runs next by its schedule (RFC 3339). */
  readonly nextRun?: string;
  /** Ready, BudgetViolationAllowed and DryRun, each with a reason and a message. */
  readonly conditions?: readonly RebalancePolicyStatusCondition[];
}

/** How level the cluster is now. */
export interface RebalancePolicyStatusScore {
  /** Percentage of the load that would have to move for all nodes to be level (0–100). */
  readonly imbalance?: number;
  /** Requested share of CPU over the nodes. */
  readonly cpu?: RebalancePolicyStatusScoreCpu;
  /** Requested share of memory over the nodes. */
  readonly memory?: RebalancePolicyStatusScoreMemory;
  /** Share of the free room that is in pieces too small to use (0–1). */
  readonly fragmentation?: number;
  /** Nodes that were counted. */
  readonly nodes?: number;
}

/** Requested share of CPU over the nodes. */
export interface RebalancePolicyStatusScoreCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Requested share of memory over the nodes. */
export interface RebalancePolicyStatusScoreMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** The last run. */
export interface RebalancePolicyStatusLastRun {
  /** Name of the RebalanceRun. */
  readonly name: string;
  /** What came of it. */
  readonly state?: 'Planning' | 'Executing' | 'Completed' | 'Cancelled' | 'Failed' | 'PartiallyCompleted';
  /** When it began (RFC 3339). */
  readonly startedAt?: string;
  /** When it ended (RFC 3339). */
  readonly finishedAt?: string;
  /** Pods that were moved. */
  readonly moved?: number;
}

export interface RebalancePolicyStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}

/** A RebalanceRun is one plan to move pods and what came of it. */
export interface RebalanceRun {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'RebalanceRun';
  readonly metadata: ObjectMeta;
  /** The plan, and what people have asked to be done with it. */
  readonly spec: RebalanceRunSpec;
  /** How far it has come. Written by Evenkeel alone. */
  readonly status?: RebalanceRunStatus;
}

/** The plan, and what people have asked to be done with it. */
export interface RebalanceRunSpec {
  /** The RebalancePolicy that it belongs to. Absent for a plan that was asked for without one. */
  readonly policyRef?: RebalanceRunSpecPolicyRef;
  /** What asked for it. */
  readonly trigger: 'schedule' | 'manual' | 'api';
  /** Who asked for it. */
  readonly requestedBy?: string;
  /** Why, in plain words. */
  readonly reason?: string;
  /** Plans and reports, but moves nothing. Default: false. */
  readonly dryRun?: boolean;
  /** Only pods of these namespaces are moved. Left out, the policy decides. */
  readonly namespaces?: readonly string[];
  /** The movements, in order. */
  readonly movements?: readonly RebalanceRunSpecMovement[];
  /** Pods that are not moved. */
  readonly skipped?: readonly RebalanceRunSpecSkippedItem[];
  /** Nodes that are empty after it. */
  readonly nodesFreed?: readonly string[];
  /** Change in cost once freed nodes are gone (US dollars per hour). */
  readonly costDeltaPerHourUsd?: number;
  /** How level the cluster was when it was planned. */
  readonly before?: RebalanceRunSpecBefore;
  /** How level it would be. */
  readonly after?: RebalanceRunSpecAfter;
  /** Hash of the state that the plan was made from. */
  readonly snapshotHash?: string;
  /** The plan may be executed until then (RFC 3339). */
  readonly expiresAt?: string;
  /** Asks for the plan to be carried out. */
  readonly execute?: RebalanceRunSpecExecute;
  /** Asks for the run to stop. */
  readonly cancel?: RebalanceRunSpecCancel;
  /** Asks for the plan to be thrown away. */
  readonly discard?: RebalanceRunSpecDiscard;
}

/** The RebalancePolicy that it belongs to. Absent for a plan that was asked for without one. */
export interface RebalanceRunSpecPolicyRef {
  /** Name of the RebalancePolicy. */
  readonly name: string;
}

export interface RebalanceRunSpecMovement {
  /** Place in the plan, from 0. */
  readonly order: number;
  /** Movements of one wave run together. */
  readonly wave: number;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Pod name. */
  readonly pod: string;
  /** UID of the pod. */
  readonly uid: string;
  /** Its workload as kind/name. */
  readonly workload?: string;
  /** Node that it leaves. */
  readonly from: string;
  /** Node where it is predicted to go. */
  readonly to?: string;
  /** Why it is moved. */
  readonly reason?: string;
  /** Disruption budget that counts it. */
  readonly budget?: string;
  /** Expected time until it is ready elsewhere (seconds). */
  readonly estimatedSeconds?: number;
}

export interface RebalanceRunSpecSkippedItem {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Pod name. */
  readonly pod: string;
  /** Why not. */
  readonly because: string;
}

/** How level the cluster was when it was planned. */
export interface RebalanceRunSpecBefore {
  /** Percentage of the load that would have to move for all nodes to be level (0–100). */
  readonly imbalance?: number;
  /** Requested share of CPU over the nodes. */
  readonly cpu?: RebalanceRunSpecBeforeCpu;
  /** Requested share of memory over the nodes. */
  readonly memory?: RebalanceRunSpecBeforeMemory;
  /** Share of the free room that is in pieces too small to use (0–1). */
  readonly fragmentation?: number;
  /** Nodes that were counted. */
  readonly nodes?: number;
}

/** Requested share of CPU over the nodes. */
export interface RebalanceRunSpecBeforeCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Requested share of memory over the nodes. */
export interface RebalanceRunSpecBeforeMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** How level it would be. */
export interface RebalanceRunSpecAfter {
  /** Percentage of the load that would have to move for all nodes to be level (0–100). */
  readonly imbalance?: number;
  /** Requested share of CPU over the nodes. */
  readonly cpu?: RebalanceRunSpecAfterCpu;
  /** Requested share of memory over the nodes. */
  readonly memory?: RebalanceRunSpecAfterMemory;
  /** Share of the free room that is in pieces too small to use (0–1). */
  readonly fragmentation?: number;
  /** Nodes that were counted. */
  readonly nodes?: number;
}

/** Requested share of CPU over the nodes. */
export interface RebalanceRunSpecAfterCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Requested share of memory over the nodes. */
export interface RebalanceRunSpecAfterMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Asks for the plan to be carried out. */
export interface RebalanceRunSpecExecute {
  /** Who asked. */
  readonly by?: string;
  /** When (RFC 3339). */
  readonly at: string;
}

/** Asks for the run to stop. */
export interface RebalanceRunSpecCancel {
  /** Who asked. */
  readonly by?: string;
  /** When (RFC 3339). */
  readonly at: string;
}

/** Asks for the plan to be thrown away. */
export interface RebalanceRunSpecDiscard {
  /** Who asked. */
  readonly by?: string;
  /** When (RFC 3339). */
  readonly at: string;
}

/** How far it has come. Written by Evenkeel alone. */
export interface RebalanceRunStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** State of the plan. Absent on a scheduled run. */
  readonly planState?: 'prepared' | 'executing' | 'executed' | 'discarded' | 'expired';
  /** State of the run. Absent until it is executed. */
  readonly runState?: 'Planning' | 'Executing' | 'Completed' | 'Cancelled' | 'Failed' | 'PartiallyCompleted';
  /** Why it ended as it did, as one word such as balanced. */
  readonly reason?: string;
  /** When it began (RFC 3339). */
  readonly startedAt?: string;
  /** When its last movement ended (RFC 3339). */
  readonly finishedAt?: string;
  /** How far it has come. */
  readonly progress?: RebalanceRunStatusProgress;
  /** What came of each movement. */
  readonly movements?: readonly RebalanceRunStatusMovement[];
  /** How level the cluster was. */
  readonly before?: RebalanceRunStatusBefore;
  /** How level it is. */
  readonly after?: RebalanceRunStatusAfter;
  /** Why it failed. */
  readonly error?: RebalanceRunStatusError;
  /** Ready and Progressing, each with a reason and a message. */
  readonly conditions?: readonly RebalanceRunStatusCondition[];
}

/** How far it has come. */
export interface RebalanceRunStatusProgress {
  /** Movements done. */
  readonly done?: number;
  /** Movements that failed. */
  readonly failed?: number;
  /** All movements. */
  readonly total?: number;
}

export interface RebalanceRunStatusMovement {
  /** Place in the plan. */
  readonly order: number;
  /** How far it has come. */
  readonly outcome: 'waiting' | 'evicting' | 'finishing' | 'moved' | 'failed' | 'skipped';
  /** Node where it went. */
  readonly to?: string;
  /** When it began (RFC 3339). */
  readonly startedAt?: string;
  /** When it ended (RFC 3339). */
  readonly finishedAt?: string;
  /** What happened, in plain words. */
  readonly message?: string;
}

/** How level the cluster was. */
export interface RebalanceRunStatusBefore {
  /** Percentage of the load that would have to move for all nodes to be level (0–100). */
  readonly imbalance?: number;
  /** Requested share of CPU over the nodes. */
  readonly cpu?: RebalanceRunStatusBeforeCpu;
  /** Requested share of memory over the nodes. */
  readonly memory?: RebalanceRunStatusBeforeMemory;
  /** Share of the free room that is in pieces too small to use (0–1). */
  readonly fragmentation?: number;
  /** Nodes that were counted. */
  readonly nodes?: number;
}

/** Requested share of CPU over the nodes. */
export interface RebalanceRunStatusBeforeCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Requested share of memory over the nodes. */
export interface RebalanceRunStatusBeforeMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** How level it is. */
export interface RebalanceRunStatusAfter {
  /** Percentage of the load that would have to move for all nodes to be level (0–100). */
  readonly imbalance?: number;
  /** Requested share of CPU over the nodes. */
  readonly cpu?: RebalanceRunStatusAfterCpu;
  /** Requested share of memory over the nodes. */
  readonly memory?: RebalanceRunStatusAfterMemory;
  /** Share of the free room that is in pieces too small to use (0–1). */
  readonly fragmentation?: number;
  /** Nodes that were counted. */
  readonly nodes?: number;
}

/** Requested share of CPU over the nodes. */
export interface RebalanceRunStatusAfterCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Requested share of memory over the nodes. */
export interface RebalanceRunStatusAfterMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Least (0–1). */
  readonly min?: number;
  /** Greatest (0–1). */
  readonly max?: number;
}

/** Why it failed. */
export interface RebalanceRunStatusError {
  /** One word such as aborted. */
  readonly code: string;
  /** In plain words. */
  readonly message?: string;
}

export interface RebalanceRunStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}

/**
 * A Recommendation says what one workload should ask for, why, and how far that has come. Evenkeel makes one for each workload; it goes
 * when the workload goes.
 */
export interface Recommendation {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'Recommendation';
  readonly metadata: ObjectMeta;
  /** What the recommendation is for, and what people have asked of it. */
  readonly spec: RecommendationSpec;
  /** What the workload should get, and how far that has come. Written by Evenkeel alone. */
  readonly status?: RecommendationStatus;
}

/** What the recommendation is for, and what people have asked of it. */
export interface RecommendationSpec {
  /** The workload. */
  readonly targetRef: RecommendationSpecTargetRef;
  /** The PodResizePolicy that governs the workload. Absent where none does and the defaults count. */
  readonly policyRef?: RecommendationSpecPolicyRef;
  /** Values that a person has approved. Lapses after 7 days, or when the recommendation moves upward by more than minChangeRatio. */
  readonly approved?: RecommendationSpecApproved;
  /** Values that a person does not want. They are not offered again for 7 days unless they move by more than minChangeRatio. */
  readonly rejected?: RecommendationSpecRejected;
  /** Asks to go back to status.previous; the workload is then held for 24 hours. */
  readonly rollback?: RecommendationSpecRollback;
  /** Asks for the natural size while the workload is idle. */
  readonly wake?: RecommendationSpecWake;
  /** Decisions of people on open limit exceptions. */
  readonly exceptionDecisions?: readonly RecommendationSpecExceptionDecision[];
  /** Stops every change of this workload; the recommendation is still computed. Default: false. */
  readonly paused?: boolean;
}

/** The workload. */
export interface RecommendationSpecTargetRef {
  /** API version such as apps/v1. */
  readonly apiVersion: string;
  /** Kind such as Deployment. */
  readonly kind: string;
  /** Name, in the namespace of the recommendation. */
  readonly name: string;
}

/** The PodResizePolicy that governs the workload. Absent where none does and the defaults count. */
export interface RecommendationSpecPolicyRef {
  /** Name of the PodResizePolicy. */
  readonly name: string;
}

/** Values that a person has approved. Lapses after 7 days, or when the recommendation moves upward by more than minChangeRatio. */
export interface RecommendationSpecApproved {
  /** Who approved. */
  readonly by?: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** The values, exactly as they were shown in status.containers[].recommended. */
  readonly containers: readonly RecommendationSpecApprovedContainer[];
}

export interface RecommendationSpecApprovedContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationSpecApprovedContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationSpecApprovedContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationSpecApprovedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationSpecApprovedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Values that a person does not want. They are not offered again for 7 days unless they move by more than minChangeRatio. */
export interface RecommendationSpecRejected {
  /** Who rejected. */
  readonly by?: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** The values, exactly as they were shown in status.containers[].recommended. */
  readonly containers: readonly RecommendationSpecRejectedContainer[];
}

export interface RecommendationSpecRejectedContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationSpecRejectedContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationSpecRejectedContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationSpecRejectedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationSpecRejectedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Asks to go back to status.previous; the workload is then held for 24 hours. */
export interface RecommendationSpecRollback {
  /** Who asked. */
  readonly by?: string;
  /** When (RFC 3339). A later time asks again. */
  readonly at: string;
}

/** Asks for the natural size while the workload is idle. */
export interface RecommendationSpecWake {
  /** Who asked. */
  readonly by?: string;
  /** When (RFC 3339). Only what was asked since it fell idle counts. */
  readonly at: string;
  /** Why, in the words of who asked. */
  readonly reason?: string;
}

export interface RecommendationSpecExceptionDecision {
  /** Container name. */
  readonly container: string;
  /** Resource of the exception. */
  readonly resource: 'cpu' | 'memory';
  /** Approve makes the proposed value the new normal, reject puts the earlier value back. */
  readonly decision: 'approve' | 'reject';
  /** Value in place of the proposed one (Kubernetes quantity). */
  readonly value?: string;
  /** Who decided. */
  readonly by?: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** Why, in plain words. */
  readonly reason?: string;
}

/** What the workload should get, and how far that has come. Written by Evenkeel alone. */
export interface RecommendationStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /**
   * How far it has come. collecting has too little history; optimal is inside tolerance; recommended is published only; awaiting waits for
   * reason; applying and applied are being or have been put into force; idle is made small; exception has an open limit exception; blocked
   * can never be done as things stand; excluded was asked to be left alone.
   */
  readonly state?: 'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** Why it waits or is blocked, as one word such as window, cooldown or approval. */
  readonly reason?: string;
  /** The state in plain words. */
  readonly message?: string;
  /** Earliest next try (RFC 3339). Absent where that is not known. */
  readonly until?: string;
  /** Mode in force, from the policy or the workload's evenkeel.io/mode annotation. */
  readonly mode?: 'Observe' | 'Recommend' | 'Approve' | 'Auto' | 'Off';
  /** Pods that the figures stand for. */
  readonly replicas?: number;
  /** How sure the recommendation is (0–1). */
  readonly confidence?: number;
  /** What the workload risks if it stays as it is or is changed as recommended. */
  readonly risk?: 'none' | 'low' | 'medium' | 'high';
  /** Savings over all replicas (US dollars per 730 h); negative where more is needed. */
  readonly savingsPerMonthUsd?: number;
  /** Cost of the present requests over all replicas (US dollars per 730 h). */
  readonly costPerMonthUsd?: number;
  /** Where the usage comes from. */
  readonly source?: string;
  /** When the figures were last computed (RFC 3339). */
  readonly updatedAt?: string;
  /** Sum of the requests of one pod's containers. */
  readonly requests?: RecommendationStatusRequests;
  /** Raises that wait until their nodes have room. Absent where none waits. */
  readonly waitingForNodeCapacity?: RecommendationStatusWaitingForNodeCapacity;
  /** The figures, by container. */
  readonly containers?: readonly RecommendationStatusContainer[];
  /**
   * Of a DaemonSet on nodes of more than one size: what its pods have and should have on each class of nodes. The class with the most pods
   * stands in `containers`, too. Absent otherwise.
   */
  readonly classes?: readonly RecommendationStatusClass[];
  /** The explanation, step by step from usage to each recommended value, in order. */
  readonly inputs?: readonly RecommendationStatusInput[];
  /** The change under way. Absent when none is. */
  readonly apply?: RecommendationStatusApply;
  /** The last change that reached pods. */
  readonly lastApplied?: RecommendationStatusLastApplied;
  /** What was in force before the last change, for roll-back. */
  readonly previous?: RecommendationStatusPrevious;
  /** Reductions of the last day, whose throttling and pressure are compared with the week before. The oldest first. */
  readonly watched?: readonly RecommendationStatusWatchedItem[];
  /**
   * What the workload's template had when it was last looked at, while sizes of Evenkeel are in force. What is raised there since is the
   * least in force.
   */
  readonly template?: readonly RecommendationStatusTemplateItem[];
  /** spec.rollback.at of the last request that was carried out (RFC 3339). Later automatic roll-backs keep it. */
  readonly lastRollbackRequestAt?: string;
  /** The last roll-back. */
  readonly rolledBack?: RecommendationStatusRolledBack;
  /** Pods whose resize did not go through at once. */
  readonly resizes?: readonly RecommendationStatusResize[];
  /** Pods evicted for one size (apply is InPlaceOrEvict), so that it never becomes a loop. */
  readonly evictions?: RecommendationStatusEvictions;
  /** When the CPU limit of each container was raised because it was throttled; at most one step a day and three in 7 days are made. */
  readonly cpuLimitRaises?: readonly RecommendationStatusCpuLimitRaise[];
  /**
   * Memory limits that OOM kills have raised, of the last 7 days and of pods that still exist; spec.oom.maxBumps of the policy counts those
   * of 7 days.
   */
  readonly oomBumps?: readonly RecommendationStatusOomBump[];
  /**
   * The largest node that the workload's pods ran on in the last 30 days, each resource by itself; 80 % of it bounds what OOM kills and
   * throttling raise.
   */
  readonly largestNode?: RecommendationStatusLargestNode;
  /** Replicas that used more than 3 × the median CPU and were raised alone, as long as the history of the policy remembers them. */
  readonly hotReplicas?: readonly RecommendationStatusHotReplica[];
  /** The last OOM kill of each container by a node that ran out of memory. The container's own limit was not hit, so nothing is raised. */
  readonly nodeOoms?: readonly RecommendationStatusNodeOom[];
  /** The CPU request that was in force on all pods before a temporary increase, of each container that has one. */
  readonly cpuBeforeIncrease?: readonly RecommendationStatusCpuBeforeIncreaseItem[];
  /** Since when CPU requests move at another pace than before. No request falls in the 24 hours after; absent: Daily for a day or more. */
  readonly pace?: RecommendationStatusPace;
  /**
   * When what each container has was last lowered by a new decision; each falls at most once a day, CPU at pace Hourly at most once an
   * hour.
   */
  readonly reductions?: readonly RecommendationStatusReduction[];
  /** Pods that have more CPU while they start (spec.startup of the policy), with what they have otherwise. */
  readonly boosts?: readonly RecommendationStatusBoost[];
  /** HorizontalPodAutoscalers whose targets move with the requests, so that the replicas stay. */
  readonly autoscalers?: readonly RecommendationStatusAutoscaler[];
  /** Pods that had been resized and that somebody else has resized since. Absent when there are none. */
  readonly externalResizes?: RecommendationStatusExternalResizes;
  /** Demand beyond what the workload may have. */
  readonly limitExceptions?: readonly RecommendationStatusLimitException[];
  /** Set while the workload is idle. */
  readonly idle?: RecommendationStatusIdle;
  /** The last time that it was idle, and what of it still counts. */
  readonly lastIdle?: RecommendationStatusLastIdle;
  /** Ready, Progressing and Degraded, each with a reason and a message. */
  readonly conditions?: readonly RecommendationStatusCondition[];
}

/** Sum of the requests of one pod's containers. */
export interface RecommendationStatusRequests {
  /** In force now. */
  readonly current?: RecommendationStatusRequestsCurrent;
  /** What they should be. */
  readonly recommended?: RecommendationStatusRequestsRecommended;
}

/** In force now. */
export interface RecommendationStatusRequestsCurrent {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** What they should be. */
export interface RecommendationStatusRequestsRecommended {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Raises that wait until their nodes have room. Absent where none waits. */
export interface RecommendationStatusWaitingForNodeCapacity {
  /** Pods whose raise waits. */
  readonly pods: number;
  /** Since when the first of them waits (RFC 3339). */
  readonly since: string;
  /** What they ask for beyond what is in force, all pods together. */
  readonly requests?: RecommendationStatusWaitingForNodeCapacityRequests;
}

/** What they ask for beyond what is in force, all pods together. */
export interface RecommendationStatusWaitingForNodeCapacityRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusContainer {
  /** Container name. */
  readonly name: string;
  /** In force now. */
  readonly current?: RecommendationStatusContainerCurrent;
  /** What it should have. */
  readonly recommended?: RecommendationStatusContainerRecommended;
  /** Requests below this are too small. */
  readonly lowerBound?: RecommendationStatusContainerLowerBound;
  /** Requests above this are wasteful. */
  readonly upperBound?: RecommendationStatusContainerUpperBound;
  /** Usage inside the history window. */
  readonly usage?: RecommendationStatusContainerUsage;
  /** OOM kills inside the history window. */
  readonly oomKills?: number;
  /** Share of CPU periods throttled in the last 24 hours (0–1). Absent where it was not measured. */
  readonly throttledRatio?: number;
  /**
   * Share of time in which a task of the container waited for CPU (pressure stall information, some), mean of the last 24 hours (0–1).
   * Absent where it was not measured.
   */
  readonly cpuPressureRatio?: number;
  /** Why its memory limit stands where it does, in plain words. */
  readonly memoryLimitReason?: string;
  /** How sure this container's figures are (0–1). */
  readonly confidence?: number;
}

/** In force now. */
export interface RecommendationStatusContainerCurrent {
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusContainerCurrentRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusContainerCurrentLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusContainerCurrentRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusContainerCurrentLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** What it should have. */
export interface RecommendationStatusContainerRecommended {
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusContainerRecommendedRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusContainerRecommendedLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusContainerRecommendedRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusContainerRecommendedLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Requests below this are too small. */
export interface RecommendationStatusContainerLowerBound {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Requests above this are wasteful. */
export interface RecommendationStatusContainerUpperBound {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Usage inside the history window. */
export interface RecommendationStatusContainerUsage {
  /** Median usage. */
  readonly p50?: RecommendationStatusContainerUsageP50;
  /** Usage that 95 % of the samples stay below. */
  readonly p95?: RecommendationStatusContainerUsageP95;
  /** Usage that 99 % of the samples stay below. */
  readonly p99?: RecommendationStatusContainerUsageP99;
  /** Greatest usage. */
  readonly max?: RecommendationStatusContainerUsageMax;
}

/** Median usage. */
export interface RecommendationStatusContainerUsageP50 {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Usage that 95 % of the samples stay below. */
export interface RecommendationStatusContainerUsageP95 {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Usage that 99 % of the samples stay below. */
export interface RecommendationStatusContainerUsageP99 {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Greatest usage. */
export interface RecommendationStatusContainerUsageMax {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClass {
  /** Cores and memory of its nodes, each rounded, such as 8cpu-32Gi. */
  readonly name: string;
  /** Pods of the workload on such nodes. */
  readonly pods?: number;
  /**
   * How far it has come. collecting has too little history; optimal is inside tolerance; recommended is published only; awaiting waits for
   * reason; applying and applied are being or have been put into force; idle is made small; exception has an open limit exception; blocked
   * can never be done as things stand; excluded was asked to be left alone.
   */
  readonly state?: 'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** Why it waits or is blocked, as one word such as window, cooldown or approval. */
  readonly reason?: string;
  /** The state in plain words. */
  readonly message?: string;
  /** The figures, by container. */
  readonly containers?: readonly RecommendationStatusClassContainer[];
  /** The change under way. Absent when none is. */
  readonly apply?: RecommendationStatusClassApply;
  /** The last change that reached pods. */
  readonly lastApplied?: RecommendationStatusClassLastApplied;
  /** What was in force before the last change, for roll-back. */
  readonly previous?: RecommendationStatusClassPrevious;
  /** Reductions of the last day, whose throttling and pressure are compared with the week before. The oldest first. */
  readonly watched?: readonly RecommendationStatusClassWatchedItem[];
  /**
   * What the workload's template had when it was last looked at, while sizes of Evenkeel are in force. What is raised there since is the
   * least in force.
   */
  readonly template?: readonly RecommendationStatusClassTemplateItem[];
  /** spec.rollback.at of the last request that was carried out (RFC 3339). Later automatic roll-backs keep it. */
  readonly lastRollbackRequestAt?: string;
  /** The last roll-back. */
  readonly rolledBack?: RecommendationStatusClassRolledBack;
  /** Pods whose resize did not go through at once. */
  readonly resizes?: readonly RecommendationStatusClassResize[];
  /** When the CPU limit of each container was raised because it was throttled; at most one step a day and three in 7 days are made. */
  readonly cpuLimitRaises?: readonly RecommendationStatusClassCpuLimitRaise[];
  /**
   * Memory limits that OOM kills have raised, of the last 7 days and of pods that still exist; spec.oom.maxBumps of the policy counts those
   * of 7 days.
   */
  readonly oomBumps?: readonly RecommendationStatusClassOomBump[];
  /**
   * The largest node that the workload's pods ran on in the last 30 days, each resource by itself; 80 % of it bounds what OOM kills and
   * throttling raise.
   */
  readonly largestNode?: RecommendationStatusClassLargestNode;
  /** Replicas that used more than 3 × the median CPU and were raised alone, as long as the history of the policy remembers them. */
  readonly hotReplicas?: readonly RecommendationStatusClassHotReplica[];
  /** The last OOM kill of each container by a node that ran out of memory. The container's own limit was not hit, so nothing is raised. */
  readonly nodeOoms?: readonly RecommendationStatusClassNodeOom[];
  /** The CPU request that was in force on all pods before a temporary increase, of each container that has one. */
  readonly cpuBeforeIncrease?: readonly RecommendationStatusClassCpuBeforeIncreaseItem[];
  /** Since when CPU requests move at another pace than before. No request falls in the 24 hours after; absent: Daily for a day or more. */
  readonly pace?: RecommendationStatusClassPace;
  /**
   * When what each container has was last lowered by a new decision; each falls at most once a day, CPU at pace Hourly at most once an
   * hour.
   */
  readonly reductions?: readonly RecommendationStatusClassReduction[];
  /** Pods that have more CPU while they start (spec.startup of the policy), with what they have otherwise. */
  readonly boosts?: readonly RecommendationStatusClassBoost[];
  /** Pods evicted for one size (apply is InPlaceOrEvict), so that it never becomes a loop. */
  readonly evictions?: RecommendationStatusClassEvictions;
  /** Pods that had been resized and that somebody else has resized since. Absent when there are none. */
  readonly externalResizes?: RecommendationStatusClassExternalResizes;
  /** Demand beyond what the workload may have. */
  readonly limitExceptions?: readonly RecommendationStatusClassLimitException[];
}

export interface RecommendationStatusClassContainer {
  /** Container name. */
  readonly name: string;
  /** In force now. */
  readonly current?: RecommendationStatusClassContainerCurrent;
  /** What it should have. */
  readonly recommended?: RecommendationStatusClassContainerRecommended;
  /** Why its memory limit stands where it does, in plain words. */
  readonly memoryLimitReason?: string;
}

/** In force now. */
export interface RecommendationStatusClassContainerCurrent {
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassContainerCurrentRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassContainerCurrentLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassContainerCurrentRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassContainerCurrentLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** What it should have. */
export interface RecommendationStatusClassContainerRecommended {
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassContainerRecommendedRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassContainerRecommendedLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassContainerRecommendedRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassContainerRecommendedLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The change under way. Absent when none is. */
export interface RecommendationStatusClassApply {
  /** When it began (RFC 3339). */
  readonly startedAt: string;
  /** How many of the pods may have it so far (one, 10 %, 50 %, all). */
  readonly stage: 'Canary' | 'Tenth' | 'Half' | 'All';
  /** When this stage began (RFC 3339). */
  readonly stageStartedAt: string;
  /** Who made it, evenkeel or the person who approved. */
  readonly by?: string;
  /** It only takes temporary increases of CPU back, which needs no verification. */
  readonly endsIncrease?: boolean;
  /** Throttled share of CPU periods (0–1) when it began. */
  readonly throttledRatioBefore?: number;
  /** What the policy's rollback.onErrorRateQuery answered when it began. */
  readonly errorRateBefore?: number;
  /** Why the change is made. */
  readonly reason?: string;
  /** The values that are being put into force. */
  readonly containers: readonly RecommendationStatusClassApplyContainer[];
}

export interface RecommendationStatusClassApplyContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassApplyContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassApplyContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassApplyContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassApplyContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last change that reached pods. */
export interface RecommendationStatusClassLastApplied {
  /** When it was complete on all pods, or began if it is still under way (RFC 3339). */
  readonly at: string;
  /** Who made it, evenkeel or a person. */
  readonly by?: string;
  /** Why. */
  readonly reason?: string;
  /** Pods that have it. */
  readonly pods?: number;
  /** The values. */
  readonly containers?: readonly RecommendationStatusClassLastAppliedContainer[];
}

export interface RecommendationStatusClassLastAppliedContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassLastAppliedContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassLastAppliedContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassLastAppliedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassLastAppliedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** What was in force before the last change, for roll-back. */
export interface RecommendationStatusClassPrevious {
  /** When it was replaced (RFC 3339). */
  readonly at: string;
  /** The values. */
  readonly containers: readonly RecommendationStatusClassPreviousContainer[];
}

export interface RecommendationStatusClassPreviousContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassPreviousContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassPreviousContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassPreviousContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassPreviousContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassWatchedItem {
  /** When it began (RFC 3339). */
  readonly since: string;
  /** Until when it is watched (RFC 3339). */
  readonly until: string;
  /** Hours that could be compared so far. 0 says that nothing could, neither with the week before nor with unchanged replicas. */
  readonly comparedHours?: number;
  /** What its containers had before. */
  readonly containers: readonly RecommendationStatusClassWatchedItemContainer[];
}

export interface RecommendationStatusClassWatchedItemContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassWatchedItemContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassWatchedItemContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassWatchedItemContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassWatchedItemContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassTemplateItem {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassTemplateItemRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassTemplateItemLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassTemplateItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassTemplateItemLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last roll-back. */
export interface RecommendationStatusClassRolledBack {
  /** When (RFC 3339). */
  readonly at: string;
  /** spec.rollback.at of the request that it carried out (RFC 3339). Absent where it came by itself. */
  readonly requestedAt?: string;
  /** Why, such as restarts, throttling, pressure or request. */
  readonly reason?: string;
  /** Why, in plain words. */
  readonly message?: string;
  /** No automatic change before (RFC 3339). */
  readonly heldUntil?: string;
  /** Automatic roll-backs in a row; each doubles the hold. */
  readonly count?: number;
  /** The values that were taken back. */
  readonly containers?: readonly RecommendationStatusClassRolledBackContainer[];
}

export interface RecommendationStatusClassRolledBackContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassRolledBackContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassRolledBackContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassRolledBackContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassRolledBackContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassResize {
  /** Pod name. */
  readonly pod: string;
  /** UID of the pod. */
  readonly uid: string;
  /**
   * Node pool, with the size of its nodes where they are too small, in which no pod of the workload is tried with the same resource for
   * now. Without it that holds for this pod alone.
   */
  readonly pool?: string;
  /** The resource that the node refused; both where it is absent. */
  readonly resource?: 'cpu' | 'memory';
  /** How far the kubelet has come. */
  readonly state: 'deferred' | 'infeasible' | 'error' | 'in-progress';
  /** Since when (RFC 3339). */
  readonly since: string;
  /** What the kubelet says. */
  readonly message?: string;
  /** Why it was refused; other where that is not known. */
  readonly code?: 'node-capacity' | 'cpu-manager' | 'memory-manager' | 'swap' | 'no-resize' | 'quota' | 'permission' | 'start-up-boost' | 'other';
  /**
   * How often the nodes of the pool refused it, for a reason that their kubelets are configured to; tried again after a day, then after
   * twice as long each time.
   */
  readonly attempts?: number;
  /** The values that were tried. */
  readonly containers?: readonly RecommendationStatusClassResizeContainer[];
}

export interface RecommendationStatusClassResizeContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassResizeContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassResizeContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassResizeContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassResizeContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassCpuLimitRaise {
  /** Container name. */
  readonly name: string;
  /** When (RFC 3339), the newest last. */
  readonly at: readonly string[];
}

export interface RecommendationStatusClassOomBump {
  /** Container name. */
  readonly container: string;
  /** The killed pod, that alone has it. Left out, every pod of the workload. */
  readonly pod?: string;
  /** metadata.uid of that pod. */
  readonly uid?: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** The limit that was given (bytes). */
  readonly limit: string;
  /** The request that went with it (bytes). Left out, as recommended. */
  readonly request?: string;
}

/**
 * The largest node that the workload's pods ran on in the last 30 days, each resource by itself; 80 % of it bounds what OOM kills and
 * throttling raise.
 */
export interface RecommendationStatusClassLargestNode {
  /** Allocatable CPU (cores or millicores). */
  readonly cpu: string;
  /** When a pod last ran on a node with as much CPU, to a day (RFC 3339). */
  readonly cpuSeenAt: string;
  /** Allocatable memory (bytes). */
  readonly memory: string;
  /** When a pod last ran on a node with as much memory, to a day (RFC 3339). */
  readonly memorySeenAt: string;
}

export interface RecommendationStatusClassHotReplica {
  /** Container name. */
  readonly container: string;
  /** The replica. */
  readonly pod: string;
  /** metadata.uid of that pod. */
  readonly uid: string;
  /** When it last used as much, to a quarter of an hour (RFC 3339). */
  readonly at: string;
  /** What it requests (cores or millicores). Absent once it requests what the others do. */
  readonly cpu?: string;
}

export interface RecommendationStatusClassNodeOom {
  /** Container name. */
  readonly name: string;
  /** When (RFC 3339). */
  readonly at: string;
}

export interface RecommendationStatusClassCpuBeforeIncreaseItem {
  /** Container name. */
  readonly name: string;
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
}

/** Since when CPU requests move at another pace than before. No request falls in the 24 hours after; absent: Daily for a day or more. */
export interface RecommendationStatusClassPace {
  /** The pace in force, whatever the policy asks for. */
  readonly inForce: 'Daily' | 'Hourly';
  /** When it came into force (RFC 3339). */
  readonly since: string;
}

export interface RecommendationStatusClassReduction {
  /** Container name. */
  readonly name: string;
  /** When its CPU request fell (RFC 3339). */
  readonly cpuAt?: string;
  /** When its memory request fell (RFC 3339). */
  readonly memoryAt?: string;
  /** When its memory limit fell (RFC 3339). */
  readonly memoryLimitAt?: string;
}

export interface RecommendationStatusClassBoost {
  /** Pod name. */
  readonly pod: string;
  /** UID of the pod. */
  readonly uid: string;
  /** Since when (RFC 3339). */
  readonly since: string;
  /** What its boosted containers have otherwise. */
  readonly containers?: readonly RecommendationStatusClassBoostContainer[];
}

export interface RecommendationStatusClassBoostContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusClassBoostContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusClassBoostContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusClassBoostContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusClassBoostContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Pods evicted for one size (apply is InPlaceOrEvict), so that it never becomes a loop. */
export interface RecommendationStatusClassEvictions {
  /** What the evicted pod was to request in all. */
  readonly requests: RecommendationStatusClassEvictionsRequests;
  /** How many were evicted. */
  readonly count: number;
  /** When the last was asked for (RFC 3339). */
  readonly lastAt: string;
  /** When a disruption budget said no (RFC 3339). Absent where none did. */
  readonly refusedAt?: string;
  /** What it said. */
  readonly message?: string;
}

/** What the evicted pod was to request in all. */
export interface RecommendationStatusClassEvictionsRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory: string;
}

/** Pods that had been resized and that somebody else has resized since. Absent when there are none. */
export interface RecommendationStatusClassExternalResizes {
  /** Who it was, by the field manager of the pod. */
  readonly by: string;
  /** One of the pods. */
  readonly pod: string;
  /** When it was done last (RFC 3339). */
  readonly at: string;
  /** How often it has been done again after Evenkeel had put it right. */
  readonly count?: number;
  /** Until when nothing is changed (RFC 3339). */
  readonly until: string;
}

export interface RecommendationStatusClassLimitException {
  /** Container name. */
  readonly container: string;
  /** Resource. */
  readonly resource: 'cpu' | 'memory';
  /** What happened. */
  readonly type: 'usage-over-limit' | 'recommendation-over-ceiling' | 'oom-killed' | 'leak' | 'cpu-throttled';
  /** The limit or ceiling that was in the way (Kubernetes quantity). */
  readonly limit?: string;
  /** What was seen or asked for (Kubernetes quantity). */
  readonly observed?: string;
  /** What Evenkeel proposes (Kubernetes quantity). */
  readonly proposed?: string;
  /** How far it has come. */
  readonly state: 'open' | 'approved' | 'rejected' | 'resolved';
  /** Whether the proposed value is in force for the time being. */
  readonly applied?: boolean;
  /** When it was opened (RFC 3339). */
  readonly openedAt: string;
  /** How often it was seen. */
  readonly occurrences?: number;
  /** What is in the way - the limit that pods have, or the ceiling of the request. Approving moves it. */
  readonly bound?: 'limit' | 'ceiling';
  /** The last time that counted as one more occurrence (RFC 3339). */
  readonly lastSeenAt?: string;
  /** Since when demand has stayed under 80 % of the limit (RFC 3339). */
  readonly clearSince?: string;
  /** When it was opened inside the last 7 days, this time included (RFC 3339). */
  readonly openCount?: readonly string[];
  /** When it was approved, rejected or resolved (RFC 3339). */
  readonly closedAt?: string;
  /** The time of the decision that was carried out (RFC 3339). */
  readonly decidedAt?: string;
  /** Who approved or rejected it. */
  readonly decidedBy?: string;
  /** What was approved (Kubernetes quantity). */
  readonly value?: string;
  /** Whether what was approved is in force. From then on it may be changed again by hand. */
  readonly settled?: boolean;
  /** The limit that was approved last. Nothing goes below it before a person changes it. */
  readonly approvedBaseline?: RecommendationStatusClassLimitExceptionApprovedBaseline;
  /** When a person approved memory that grows without end; for 30 days it is not treated as a leak (RFC 3339). */
  readonly leakApprovedAt?: string;
  /** Whether even the temporary limit is nearly used up. */
  readonly ceilingReached?: boolean;
  /** The temporary limit. Written before the first pod gets it, so that it is taken back whatever happens. */
  readonly overage?: RecommendationStatusClassLimitExceptionOverage;
  /** What it was concluded from, in plain words. */
  readonly evidence?: string;
}

/** The limit that was approved last. Nothing goes below it before a person changes it. */
export interface RecommendationStatusClassLimitExceptionApprovedBaseline {
  /** The approved limit (Kubernetes quantity). */
  readonly value: string;
  /** When it was approved (RFC 3339). */
  readonly at: string;
}

/** The temporary limit. Written before the first pod gets it, so that it is taken back whatever happens. */
export interface RecommendationStatusClassLimitExceptionOverage {
  /** The limit before, which is put back (Kubernetes quantity). */
  readonly before: string;
  /** What the pods get (Kubernetes quantity). */
  readonly value: string;
  /** Since when (RFC 3339). */
  readonly since: string;
  /** It is taken back from then on (RFC 3339). */
  readonly until: string;
  /** When the last pod was back (RFC 3339). */
  readonly returnedAt?: string;
}

export interface RecommendationStatusInput {
  /** Container name. */
  readonly container: string;
  /** Resource that the step is about. */
  readonly resource: 'cpu' | 'memory';
  /** Name of the step such as percentile, margin, floor or round. */
  readonly step: string;
  /** What the step did, in plain words. */
  readonly detail?: string;
  /** The value after the step, in unit. */
  readonly value: number;
  /** Unit of the value. */
  readonly unit: 'millicores' | 'bytes' | 'ratio' | 'count' | 'seconds';
}

/** The change under way. Absent when none is. */
export interface RecommendationStatusApply {
  /** When it began (RFC 3339). */
  readonly startedAt: string;
  /** How many of the pods may have it so far (one, 10 %, 50 %, all). */
  readonly stage: 'Canary' | 'Tenth' | 'Half' | 'All';
  /** When this stage began (RFC 3339). */
  readonly stageStartedAt: string;
  /** Who made it, evenkeel or the person who approved. */
  readonly by?: string;
  /** It only takes temporary increases of CPU back, which needs no verification. */
  readonly endsIncrease?: boolean;
  /** Throttled share of CPU periods (0–1) when it began. */
  readonly throttledRatioBefore?: number;
  /** What the policy's rollback.onErrorRateQuery answered when it began. */
  readonly errorRateBefore?: number;
  /** Why the change is made. */
  readonly reason?: string;
  /** The values that are being put into force. */
  readonly containers: readonly RecommendationStatusApplyContainer[];
}

export interface RecommendationStatusApplyContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusApplyContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusApplyContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusApplyContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusApplyContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last change that reached pods. */
export interface RecommendationStatusLastApplied {
  /** When it was complete on all pods, or began if it is still under way (RFC 3339). */
  readonly at: string;
  /** Who made it, evenkeel or a person. */
  readonly by?: string;
  /** Why. */
  readonly reason?: string;
  /** Pods that have it. */
  readonly pods?: number;
  /** The values. */
  readonly containers?: readonly RecommendationStatusLastAppliedContainer[];
}

export interface RecommendationStatusLastAppliedContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusLastAppliedContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusLastAppliedContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusLastAppliedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusLastAppliedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** What was in force before the last change, for roll-back. */
export interface RecommendationStatusPrevious {
  /** When it was replaced (RFC 3339). */
  readonly at: string;
  /** The values. */
  readonly containers: readonly RecommendationStatusPreviousContainer[];
}

export interface RecommendationStatusPreviousContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusPreviousContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusPreviousContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusPreviousContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusPreviousContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusWatchedItem {
  /** When it began (RFC 3339). */
  readonly since: string;
  /** Until when it is watched (RFC 3339). */
  readonly until: string;
  /** Hours that could be compared so far. 0 says that nothing could, neither with the week before nor with unchanged replicas. */
  readonly comparedHours?: number;
  /** What its containers had before. */
  readonly containers: readonly RecommendationStatusWatchedItemContainer[];
}

export interface RecommendationStatusWatchedItemContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusWatchedItemContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusWatchedItemContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusWatchedItemContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusWatchedItemContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusTemplateItem {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusTemplateItemRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusTemplateItemLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusTemplateItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusTemplateItemLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last roll-back. */
export interface RecommendationStatusRolledBack {
  /** When (RFC 3339). */
  readonly at: string;
  /** spec.rollback.at of the request that it carried out (RFC 3339). Absent where it came by itself. */
  readonly requestedAt?: string;
  /** Why, such as restarts, throttling, pressure or request. */
  readonly reason?: string;
  /** Why, in plain words. */
  readonly message?: string;
  /** No automatic change before (RFC 3339). */
  readonly heldUntil?: string;
  /** Automatic roll-backs in a row; each doubles the hold. */
  readonly count?: number;
  /** The values that were taken back. */
  readonly containers?: readonly RecommendationStatusRolledBackContainer[];
}

export interface RecommendationStatusRolledBackContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusRolledBackContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusRolledBackContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusRolledBackContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusRolledBackContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusResize {
  /** Pod name. */
  readonly pod: string;
  /** UID of the pod. */
  readonly uid: string;
  /**
   * Node pool, with the size of its nodes where they are too small, in which no pod of the workload is tried with the same resource for
   * now. Without it that holds for this pod alone.
   */
  readonly pool?: string;
  /** The resource that the node refused; both where it is absent. */
  readonly resource?: 'cpu' | 'memory';
  /** How far the kubelet has come. */
  readonly state: 'deferred' | 'infeasible' | 'error' | 'in-progress';
  /** Since when (RFC 3339). */
  readonly since: string;
  /** What the kubelet says. */
  readonly message?: string;
  /** Why it was refused; other where that is not known. */
  readonly code?: 'node-capacity' | 'cpu-manager' | 'memory-manager' | 'swap' | 'no-resize' | 'quota' | 'permission' | 'start-up-boost' | 'other';
  /**
   * How often the nodes of the pool refused it, for a reason that their kubelets are configured to; tried again after a day, then after
   * twice as long each time.
   */
  readonly attempts?: number;
  /** The values that were tried. */
  readonly containers?: readonly RecommendationStatusResizeContainer[];
}

export interface RecommendationStatusResizeContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusResizeContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusResizeContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusResizeContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusResizeContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Pods evicted for one size (apply is InPlaceOrEvict), so that it never becomes a loop. */
export interface RecommendationStatusEvictions {
  /** What the evicted pod was to request in all. */
  readonly requests: RecommendationStatusEvictionsRequests;
  /** How many were evicted. */
  readonly count: number;
  /** When the last was asked for (RFC 3339). */
  readonly lastAt: string;
  /** When a disruption budget said no (RFC 3339). Absent where none did. */
  readonly refusedAt?: string;
  /** What it said. */
  readonly message?: string;
}

/** What the evicted pod was to request in all. */
export interface RecommendationStatusEvictionsRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory: string;
}

export interface RecommendationStatusCpuLimitRaise {
  /** Container name. */
  readonly name: string;
  /** When (RFC 3339), the newest last. */
  readonly at: readonly string[];
}

export interface RecommendationStatusOomBump {
  /** Container name. */
  readonly container: string;
  /** The killed pod, that alone has it. Left out, every pod of the workload. */
  readonly pod?: string;
  /** metadata.uid of that pod. */
  readonly uid?: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** The limit that was given (bytes). */
  readonly limit: string;
  /** The request that went with it (bytes). Left out, as recommended. */
  readonly request?: string;
}

/**
 * The largest node that the workload's pods ran on in the last 30 days, each resource by itself; 80 % of it bounds what OOM kills and
 * throttling raise.
 */
export interface RecommendationStatusLargestNode {
  /** Allocatable CPU (cores or millicores). */
  readonly cpu: string;
  /** When a pod last ran on a node with as much CPU, to a day (RFC 3339). */
  readonly cpuSeenAt: string;
  /** Allocatable memory (bytes). */
  readonly memory: string;
  /** When a pod last ran on a node with as much memory, to a day (RFC 3339). */
  readonly memorySeenAt: string;
}

export interface RecommendationStatusHotReplica {
  /** Container name. */
  readonly container: string;
  /** The replica. */
  readonly pod: string;
  /** metadata.uid of that pod. */
  readonly uid: string;
  /** When it last used as much, to a quarter of an hour (RFC 3339). */
  readonly at: string;
  /** What it requests (cores or millicores). Absent once it requests what the others do. */
  readonly cpu?: string;
}

export interface RecommendationStatusNodeOom {
  /** Container name. */
  readonly name: string;
  /** When (RFC 3339). */
  readonly at: string;
}

export interface RecommendationStatusCpuBeforeIncreaseItem {
  /** Container name. */
  readonly name: string;
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
}

/** Since when CPU requests move at another pace than before. No request falls in the 24 hours after; absent: Daily for a day or more. */
export interface RecommendationStatusPace {
  /** The pace in force, whatever the policy asks for. */
  readonly inForce: 'Daily' | 'Hourly';
  /** When it came into force (RFC 3339). */
  readonly since: string;
}

export interface RecommendationStatusReduction {
  /** Container name. */
  readonly name: string;
  /** When its CPU request fell (RFC 3339). */
  readonly cpuAt?: string;
  /** When its memory request fell (RFC 3339). */
  readonly memoryAt?: string;
  /** When its memory limit fell (RFC 3339). */
  readonly memoryLimitAt?: string;
}

export interface RecommendationStatusBoost {
  /** Pod name. */
  readonly pod: string;
  /** UID of the pod. */
  readonly uid: string;
  /** Since when (RFC 3339). */
  readonly since: string;
  /** What its boosted containers have otherwise. */
  readonly containers?: readonly RecommendationStatusBoostContainer[];
}

export interface RecommendationStatusBoostContainer {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusBoostContainerRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusBoostContainerLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusBoostContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusBoostContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusAutoscaler {
  /** Name of the HorizontalPodAutoscaler. */
  readonly name: string;
  /** The targets before Evenkeel moved them, for which requests they were set, and where they were put last (JSON). */
  readonly original?: string;
  /** When the newest record of them on the HorizontalPodAutoscaler was issued (RFC 3339); one that was issued before is not followed. */
  readonly issuedAt?: string;
  /** How often somebody put the original targets back. */
  readonly reverts?: number;
  /** When that was last seen (RFC 3339). */
  readonly revertedAt?: string;
  /** Who it was, by the field manager of the HorizontalPodAutoscaler. */
  readonly revertedBy?: string;
  /** Whether the original targets are in force again and Evenkeel has not moved them since. */
  readonly reverted?: boolean;
  /** When the API server last refused to move a target (RFC 3339). */
  readonly refusedAt?: string;
  /** The API server's words. */
  readonly refusal?: string;
}

/** Pods that had been resized and that somebody else has resized since. Absent when there are none. */
export interface RecommendationStatusExternalResizes {
  /** Who it was, by the field manager of the pod. */
  readonly by: string;
  /** One of the pods. */
  readonly pod: string;
  /** When it was done last (RFC 3339). */
  readonly at: string;
  /** How often it has been done again after Evenkeel had put it right. */
  readonly count?: number;
  /** Until when nothing is changed (RFC 3339). */
  readonly until: string;
}

export interface RecommendationStatusLimitException {
  /** Container name. */
  readonly container: string;
  /** Resource. */
  readonly resource: 'cpu' | 'memory';
  /** What happened. */
  readonly type: 'usage-over-limit' | 'recommendation-over-ceiling' | 'oom-killed' | 'leak' | 'cpu-throttled';
  /** The limit or ceiling that was in the way (Kubernetes quantity). */
  readonly limit?: string;
  /** What was seen or asked for (Kubernetes quantity). */
  readonly observed?: string;
  /** What Evenkeel proposes (Kubernetes quantity). */
  readonly proposed?: string;
  /** How far it has come. */
  readonly state: 'open' | 'approved' | 'rejected' | 'resolved';
  /** Whether the proposed value is in force for the time being. */
  readonly applied?: boolean;
  /** When it was opened (RFC 3339). */
  readonly openedAt: string;
  /** How often it was seen. */
  readonly occurrences?: number;
  /** What is in the way - the limit that pods have, or the ceiling of the request. Approving moves it. */
  readonly bound?: 'limit' | 'ceiling';
  /** The last time that counted as one more occurrence (RFC 3339). */
  readonly lastSeenAt?: string;
  /** Since when demand has stayed under 80 % of the limit (RFC 3339). */
  readonly clearSince?: string;
  /** When it was opened inside the last 7 days, this time included (RFC 3339). */
  readonly openCount?: readonly string[];
  /** When it was approved, rejected or resolved (RFC 3339). */
  readonly closedAt?: string;
  /** The time of the decision that was carried out (RFC 3339). */
  readonly decidedAt?: string;
  /** Who approved or rejected it. */
  readonly decidedBy?: string;
  /** What was approved (Kubernetes quantity). */
  readonly value?: string;
  /** Whether what was approved is in force. From then on it may be changed again by hand. */
  readonly settled?: boolean;
  /** The limit that was approved last. Nothing goes below it before a person changes it. */
  readonly approvedBaseline?: RecommendationStatusLimitExceptionApprovedBaseline;
  /** When a person approved memory that grows without end; for 30 days it is not treated as a leak (RFC 3339). */
  readonly leakApprovedAt?: string;
  /** Whether even the temporary limit is nearly used up. */
  readonly ceilingReached?: boolean;
  /** The temporary limit. Written before the first pod gets it, so that it is taken back whatever happens. */
  readonly overage?: RecommendationStatusLimitExceptionOverage;
  /** What it was concluded from, in plain words. */
  readonly evidence?: string;
}

/** The limit that was approved last. Nothing goes below it before a person changes it. */
export interface RecommendationStatusLimitExceptionApprovedBaseline {
  /** The approved limit (Kubernetes quantity). */
  readonly value: string;
  /** When it was approved (RFC 3339). */
  readonly at: string;
}

/** The temporary limit. Written before the first pod gets it, so that it is taken back whatever happens. */
export interface RecommendationStatusLimitExceptionOverage {
  /** The limit before, which is put back (Kubernetes quantity). */
  readonly before: string;
  /** What the pods get (Kubernetes quantity). */
  readonly value: string;
  /** Since when (RFC 3339). */
  readonly since: string;
  /** It is taken back from then on (RFC 3339). */
  readonly until: string;
  /** When the last pod was back (RFC 3339). */
  readonly returnedAt?: string;
}

/** Set while the workload is idle. */
export interface RecommendationStatusIdle {
  /** Since when (RFC 3339). */
  readonly since: string;
  /** Replicas before it was made small. */
  readonly replicas?: number;
  /** Replicas while it is idle. Absent where they stay as they are. */
  readonly idleReplicas?: number;
  /** The HorizontalPodAutoscaler whose minReplicas was lowered in place of the replicas. */
  readonly autoscaler?: RecommendationStatusIdleAutoscaler;
  /** Since when it is being brought back to its natural size (RFC 3339). Absent while it sleeps. */
  readonly wakingSince?: string;
  /** Why it wakes, in plain words. */
  readonly wakeReason?: string;
  /**
   * What woke it; load alone counts against the next time. record means that there was no Recommendation, so the annotation on the workload
   * says what it had.
   */
  readonly wakingBy?: 'load' | 'record' | 'other';
  /** What wakes it. */
  readonly wakeTriggers?: string;
  /** What it has when it is not idle. */
  readonly natural?: readonly RecommendationStatusIdleNaturalItem[];
  /** What its containers are given while it is idle; limits stay as they are. */
  readonly sizes?: readonly RecommendationStatusIdleSize[];
  /** How long it had been awake since `floor` was taken, when it fell idle. */
  readonly activeSeconds?: number;
  /** Whether the replicas (or minReplicas) have been seen at their idle value. Who moves them then means it. */
  readonly scaled?: boolean;
  /**
   * Requests that are recommended at least until it has been awake for long enough to judge by - what was recommended before it fell idle.
   */
  readonly floor?: readonly RecommendationStatusIdleFloorItem[];
}

/** The HorizontalPodAutoscaler whose minReplicas was lowered in place of the replicas. */
export interface RecommendationStatusIdleAutoscaler {
  /** Its name. */
  readonly name: string;
  /** minReplicas before it was lowered. */
  readonly minReplicas: number;
}

export interface RecommendationStatusIdleNaturalItem {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusIdleNaturalItemRequests;
  /** Amounts that may be used at most. */
  readonly limits?: RecommendationStatusIdleNaturalItemLimits;
}

/** Amounts asked for. */
export interface RecommendationStatusIdleNaturalItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Amounts that may be used at most. */
export interface RecommendationStatusIdleNaturalItemLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusIdleSize {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusIdleSizeRequests;
}

/** Amounts asked for. */
export interface RecommendationStatusIdleSizeRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusIdleFloorItem {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusIdleFloorItemRequests;
}

/** Amounts asked for. */
export interface RecommendationStatusIdleFloorItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last time that it was idle, and what of it still counts. */
export interface RecommendationStatusLastIdle {
  /** When it was made small (RFC 3339). */
  readonly since: string;
  /** When it had its natural size again (RFC 3339). */
  readonly wokenAt: string;
  /** Why it woke, in plain words. */
  readonly because?: string;
  /** Times in a row that load woke it sooner than it had taken to fall asleep. Each doubles the wait for the next. */
  readonly shortIdlePeriods?: number;
  /** How long it has been awake since `floor` was taken, up to `wokenAt`. */
  readonly activeSeconds?: number;
  /**
   * Requests that are recommended at least until it has been awake for long enough to judge by - what was recommended before it fell idle.
   */
  readonly floor?: readonly RecommendationStatusLastIdleFloorItem[];
}

export interface RecommendationStatusLastIdleFloorItem {
  /** Container name. */
  readonly name: string;
  /** Amounts asked for. */
  readonly requests?: RecommendationStatusLastIdleFloorItemRequests;
}

/** Amounts asked for. */
export interface RecommendationStatusLastIdleFloorItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}

/** A ScheduledScalePolicy changes the replicas of one target by the clock and puts the original back afterwards. */
export interface ScheduledScalePolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'ScheduledScalePolicy';
  readonly metadata: ObjectMeta;
  /** What is scaled, when and to how much. */
  readonly spec: ScheduledScalePolicySpec;
  /** Which window is open and what is in force. Written by Evenkeel alone. */
  readonly status?: ScheduledScalePolicyStatus;
}

/** What is scaled, when and to how much. */
export interface ScheduledScalePolicySpec {
  /** What is scaled, a HorizontalPodAutoscaler, a KEDA ScaledObject, or a workload with a scale subresource, in the same namespace. */
  readonly targetRef: ScheduledScalePolicySpecTargetRef;
  /** Floor raises the least replicas, Cap lowers the greatest, Fixed sets both. Default: Floor. */
  readonly mode?: 'Floor' | 'Cap' | 'Fixed';
  /** When and how much. Where several are open, the later in the list wins. */
  readonly windows: readonly ScheduledScalePolicySpecWindow[];
  /** Where several policies have one target, the highest wins, and among equals the older. Default: 0. */
  readonly priority?: number;
  /** What happens when a window closes. Original puts back what was there before, Keep leaves it. Default: Original. */
  readonly restore?: 'Original' | 'Keep';
  /** Stops every effect of this policy. Default: false. */
  readonly paused?: boolean;
  /** Decides and reports, but changes nothing. Default: false. */
  readonly dryRun?: boolean;
}

/** What is scaled, a HorizontalPodAutoscaler, a KEDA ScaledObject, or a workload with a scale subresource, in the same namespace. */
export interface ScheduledScalePolicySpecTargetRef {
  /** API version such as autoscaling/v2. */
  readonly apiVersion: string;
  /** Kind such as HorizontalPodAutoscaler. */
  readonly kind: string;
  /** Name. */
  readonly name: string;
}

export interface ScheduledScalePolicySpecWindow {
  /** Name of the window. */
  readonly name: string;
  /**
   * Start, five-field cron in timeZone. A start that a clock change skips runs at the next existing minute, one that occurs twice runs
   * once.
   */
  readonly start: string;
  /** End, five-field cron in timeZone. Give end or duration. */
  readonly end?: string;
  /** How long it stays open. Give end or duration. */
  readonly duration?: string;
  /** Time zone of start and end (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
  /** Least replicas while open, for mode Floor (and Cap, where it must come down too). */
  readonly minReplicas?: number;
  /** Greatest replicas while open, for mode Cap (and Floor, where it must go up too). */
  readonly maxReplicas?: number;
  /** Replicas while open, for mode Fixed. */
  readonly replicas?: number;
}

/** Which window is open and what is in force. Written by Evenkeel alone. */
export interface ScheduledScalePolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** The window that is open. */
  readonly activeWindow?: ScheduledScalePolicyStatusActiveWindow;
  /** The window that opens next. */
  readonly nextWindow?: ScheduledScalePolicyStatusNextWindow;
  /** What holds outside windows. */
  readonly original?: ScheduledScalePolicyStatusOriginal;
  /** What is in force. */
  readonly current?: ScheduledScalePolicyStatusCurrent;
  /** The last openings and closings, newest first. */
  readonly activations?: readonly ScheduledScalePolicyStatusActivation[];
  /** Ready, Active and DryRun, each with a reason and a message. */
  readonly conditions?: readonly ScheduledScalePolicyStatusCondition[];
}

/** The window that is open. */
export interface ScheduledScalePolicyStatusActiveWindow {
  /** Name of the window. */
  readonly name: string;
  /** When it opened (RFC 3339). */
  readonly start?: string;
  /** When it closes (RFC 3339). */
  readonly end?: string;
}

/** The window that opens next. */
export interface ScheduledScalePolicyStatusNextWindow {
  /** Name of the window. */
  readonly name: string;
  /** When it opens (RFC 3339). */
  readonly start?: string;
  /** When it closes (RFC 3339). */
  readonly end?: string;
}

/** What holds outside windows. */
export interface ScheduledScalePolicyStatusOriginal {
  /** Least replicas, or the replicas of a workload. */
  readonly minReplicas?: number;
  /** Greatest replicas. */
  readonly maxReplicas?: number;
}

/** What is in force. */
export interface ScheduledScalePolicyStatusCurrent {
  /** Least replicas, or the replicas of a workload. */
  readonly minReplicas?: number;
  /** Greatest replicas. */
  readonly maxReplicas?: number;
}

export interface ScheduledScalePolicyStatusActivation {
  /** Name of the window. */
  readonly window: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** What was done. */
  readonly action: 'activated' | 'restored' | 'skipped' | 'failed';
  /** In plain words. */
  readonly message?: string;
}

export interface ScheduledScalePolicyStatusCondition {
  /** Kind of condition, in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Why, as one CamelCase word for programs. */
  readonly reason: string;
  /** Why, and what to do about it, in plain words. */
  readonly message: string;
}
