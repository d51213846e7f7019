// Generated from crds/ by hack/generate/generate-crd-types.ts. Change the CRD and run `node hack/generate/generate-crd-types.ts`; never edit this file.

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

/** An AccessPolicy grants access to Evenkeel. Only the object named default is in effect. */
export interface AccessPolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'AccessPolicy';
  readonly metadata: ObjectMeta;
  /** Grants by user and by e-mail domain. */
  readonly spec: AccessPolicySpec;
  /** Access requests. Written only by Evenkeel. */
  readonly status?: AccessPolicyStatus;
}

/** Grants by user and by e-mail domain. */
export interface AccessPolicySpec {
  /** Grants by user. */
  readonly grants?: readonly AccessPolicySpecGrant[];
  /** Roles by e-mail domain. A signed-in address without an entry in grants has the role of its domain, as long as the domain is listed. */
  readonly autoApprove?: readonly AccessPolicySpecAutoApproveItem[];
}

export interface AccessPolicySpecGrant {
  /** E-mail address, in lower case. */
  readonly email: string;
  /** admin everything; operator reads and changes inside its namespaces; viewer reads inside its namespaces. */
  readonly role: 'admin' | 'operator' | 'viewer';
  /** Namespaces, as names or globs. If unset or empty, none (an admin needs none); "*" is all namespaces. */
  readonly namespaces?: readonly string[];
  /** When the grant ends (RFC 3339). If unset, never. */
  readonly expiresAt?: string;
  /** Reason of the grant. */
  readonly note?: string;
}

export interface AccessPolicySpecAutoApproveItem {
  /** Domain in lower case, without its subdomains. */
  readonly domain: string;
  /** Granted role. */
  readonly role: 'operator' | 'viewer';
  /** Namespaces, as names or globs. */
  readonly namespaces?: readonly string[];
}

/** Access requests. Written only by Evenkeel. */
export interface AccessPolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** Effective grants. */
  readonly grants?: number;
  /** Pending requests. */
  readonly pendingRequests?: number;
  /** Access requests, pending ones and those decided last. */
  readonly requests?: readonly AccessPolicyStatusRequest[];
  /** Ready, with a reason and a message. */
  readonly conditions?: readonly AccessPolicyStatusCondition[];
}

export interface AccessPolicyStatusRequest {
  /** Identity of the request. */
  readonly id: string;
  /** E-mail address of the requester. */
  readonly email: string;
  /** Name of the requester. */
  readonly name?: string;
  /** Reason given by the requester. */
  readonly reason?: string;
  /** Requested role. */
  readonly requestedRole?: 'admin' | 'operator' | 'viewer';
  /** Requested namespaces. */
  readonly requestedNamespaces?: readonly string[];
  /** Time (RFC 3339). */
  readonly requestedAt: string;
  /** Outcome. */
  readonly state: 'pending' | 'approved' | 'denied';
  /** User who decided. */
  readonly decidedBy?: string;
  /** Time (RFC 3339). */
  readonly decidedAt?: string;
}

export interface AccessPolicyStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}

/** A NodeScalingPolicy sets how many nodes a cluster has, of which type and price, and when nodes may be removed or replaced. */
export interface NodeScalingPolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'NodeScalingPolicy';
  readonly metadata: ObjectMeta;
  /** The node pools that the policy governs, and how they are scaled. */
  readonly spec: NodeScalingPolicySpec;
  /** Nodes, operations in progress and recent decisions. Written only by the autoscaler. */
  readonly status?: NodeScalingPolicyStatus;
}

/** The node pools that the policy governs, and how they are scaled. */
export interface NodeScalingPolicySpec {
  /** Names of the governed pools of the node provider. If unset (and without nodePoolSelector), all pools. */
  readonly nodePools?: readonly string[];
  /** Governs pools whose nodes have these labels. */
  readonly nodePoolSelector?: NodeScalingPolicySpecNodePoolSelector;
  /** Minimum number of nodes over all governed pools. If unset, the setting autoscaler.minNodes; a policy can only raise it. */
  readonly minNodes?: number;
  /** Maximum number of nodes over all governed pools. If unset, the setting autoscaler.maxNodes; a policy can only lower it. */
  readonly maxNodes?: number;
  /** Maximum totals of the governed pools. If unset, unlimited. */
  readonly limits?: NodeScalingPolicySpecLimits;
  /** Bounds of individual pools, over all zones. */
  readonly pools?: readonly NodeScalingPolicySpecPool[];
  /**
   * Requested fraction of allocatable capacity above which nodes are added ahead of demand (0–1). If unset, the setting
   * autoscaler.scaleUpThreshold.
   */
  readonly scaleUpThreshold?: number;
  /**
   * Requested fraction of a node's allocatable capacity below which it may be removed (0–1). If unset, the setting
   * autoscaler.scaleDownThreshold.
   */
  readonly scaleDownThreshold?: number;
  /** Minimum time between two additions of nodes ahead of demand. If unset, the setting autoscaler.scaleUpCooldown. */
  readonly scaleUpCooldown?: string;
  /** Minimum time after a change before a node is removed. If unset, the setting autoscaler.scaleDownCooldown. */
  readonly scaleDownCooldown?: string;
  /** Interval of evaluations. If unset, the setting autoscaler.scanInterval. */
  readonly scanInterval?: string;
  /** Capacity that is kept free for bursts. If unset, none. */
  readonly headroom?: NodeScalingPolicySpecHeadroom;
  /** Whether spot nodes are preferred where available. If unset, the setting autoscaler.preferSpot. */
  readonly preferSpot?: boolean;
  /** Use of spot nodes. */
  readonly spot?: NodeScalingPolicySpecSpot;
  /** Removal or replacement of nodes whose pods fit on cheaper capacity. */
  readonly consolidation?: NodeScalingPolicySpecConsolidation;
  /** How nodes are drained. */
  readonly drain?: NodeScalingPolicySpecDrain;
  /** Time after which a new node that is not ready counts as failed. Default: 15m. */
  readonly bootstrapTimeout?: string;
  /** Times with a higher minimum number of nodes. */
  readonly schedules?: readonly NodeScalingPolicySpecSchedule[];
  /** Stops every effect of this policy. Default: false. */
  readonly paused?: boolean;
  /** Decides and reports without changes. Default: false. */
  readonly dryRun?: boolean;
}

/** Governs pools whose nodes have these labels. */
export interface NodeScalingPolicySpecNodePoolSelector {
  /** Labels that must have exactly these values; all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Label selector requirements; all must match. */
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

/** Maximum totals of the governed pools. If unset, unlimited. */
export interface NodeScalingPolicySpecLimits {
  /** Total CPU capacity (cores or millicores). */
  readonly cpu?: number | string;
  /** Total memory capacity (bytes). */
  readonly memory?: number | string;
  /** Total price of the nodes (US dollars per hour). */
  readonly hourlyCost?: number;
}

export interface NodeScalingPolicySpecPool {
  /** Pool name. */
  readonly name: string;
  /** Minimum number of nodes of the pool. If unset, 0. */
  readonly minNodes?: number;
  /** Maximum number of nodes of the pool. If unset, the provider's limit. */
  readonly maxNodes?: number;
  /** Pools of higher priority are used first; among equals the cheapest. If unset, 0. */
  readonly priority?: number;
}

/** Capacity that is kept free for bursts. If unset, none. */
export interface NodeScalingPolicySpecHeadroom {
  /** CPU, as an amount (cores or millicores) or a percentage of the allocatable such as 10%. */
  readonly cpu?: number | string;
  /** Memory, as an amount (bytes) or a percentage of the allocatable such as 10%. */
  readonly memory?: number | string;
  /** Number of free pod slots. */
  readonly pods?: number;
}

/** Use of spot nodes. */
export interface NodeScalingPolicySpecSpot {
  /** Maximum fraction of spot nodes (0–1). Default: 1. */
  readonly maxRatio?: number;
  /** Minimum number of on-demand nodes. Default: 0. */
  readonly minOnDemandNodes?: number;
  /** Time that a spot request may stay unfilled before an on-demand node is used. Default: 5m. */
  readonly fallbackAfter?: string;
  /** Number of interruptions within an hour after which a zone is avoided. Default: 3. */
  readonly avoidZonesAfterInterruptions?: number;
}

/** Removal or replacement of nodes whose pods fit on cheaper capacity. */
export interface NodeScalingPolicySpecConsolidation {
  /** Whether nodes are consolidated. Default: true. */
  readonly enabled?: boolean;
  /** When nodes may be consolidated. If empty, at any time. */
  readonly windows?: readonly NodeScalingPolicySpecConsolidationWindow[];
  /** Maximum nodes that are disrupted at the same time, as a count or a percentage of the nodes such as 10%. Default: 10%. */
  readonly maxDisruption?: number | string;
  /** Minimum savings of a replacement, as a fraction of the former price (0–1). Default: 0.1. */
  readonly minSavingsRatio?: number;
  /**
   * Empty removes nodes with only DaemonSet pods; Underutilized also nodes below scaleDownThreshold; Cheapest also replaces nodes by
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
  /** Duration of the window. */
  readonly duration: string;
  /** Time zone of the start (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
}

/** How nodes are drained. */
export interface NodeScalingPolicySpecDrain {
  /** Time after which a drain is aborted. Default: 15m. */
  readonly timeout?: string;
  /** Termination grace period of evicted pods (seconds). If unset, that of each pod. */
  readonly gracePeriodSeconds?: number;
  /** Whether pods without a controller may be evicted as well. Default: false. */
  readonly force?: boolean;
}

export interface NodeScalingPolicySpecSchedule {
  /** When it applies. */
  readonly window: NodeScalingPolicySpecScheduleWindow;
  /** Minimum number of nodes while the window is open. */
  readonly minNodes: number;
}

/** When it applies. */
export interface NodeScalingPolicySpecScheduleWindow {
  /**
   * Start of the window, five-field cron in timeZone. A start that a clock change skips runs at the next existing minute, one that occurs
   * twice runs once.
   */
  readonly start: string;
  /** Duration of the window. */
  readonly duration: string;
  /** Time zone of the start (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
}

/** Nodes, operations in progress and recent decisions. Written only by the autoscaler. */
export interface NodeScalingPolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** The governed pools. */
  readonly pools?: readonly NodeScalingPolicyStatusPool[];
  /** Nodes of the governed pools by phase. */
  readonly nodes?: NodeScalingPolicyStatusNodes;
  /** Desired number of nodes. */
  readonly desiredNodes?: number;
  /** Requested nodes that are not ready yet. */
  readonly bootstrapping?: readonly NodeScalingPolicyStatusBootstrappingItem[];
  /** Set while scale-down is suppressed. */
  readonly suppression?: NodeScalingPolicyStatusSuppression;
  /** Nodes that are changing phase. */
  readonly lifecycle?: readonly NodeScalingPolicyStatusLifecycleItem[];
  /** The last decisions, newest first. */
  readonly decisions?: readonly NodeScalingPolicyStatusDecision[];
  /** The last addition of nodes. */
  readonly lastScaleUp?: NodeScalingPolicyStatusLastScaleUp;
  /** The last removal of nodes. */
  readonly lastScaleDown?: NodeScalingPolicyStatusLastScaleDown;
  /** Price of the governed nodes (US dollars per hour). */
  readonly costPerHourUsd?: number;
  /** Lower bound of the cost of any set of nodes for the current pods (US dollars per hour). */
  readonly lowerBoundCostPerHourUsd?: number;
  /** Ready, Progressing, Degraded, Conflicted and DryRun, each with a reason and a message. */
  readonly conditions?: readonly NodeScalingPolicyStatusCondition[];
}

export interface NodeScalingPolicyStatusPool {
  /** Pool name. */
  readonly name: string;
  /** Existing nodes. */
  readonly nodes?: number;
  /** Nodes requested from the provider. */
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
  /** All nodes. */
  readonly total?: number;
  /** Ready. */
  readonly ready?: number;
  /** Not yet ready for the first time. */
  readonly bootstrapping?: number;
  /** Draining nodes. */
  readonly draining?: number;
  /** Spot nodes. */
  readonly spot?: number;
}

export interface NodeScalingPolicyStatusBootstrappingItem {
  /** Node name, once known. */
  readonly node?: string;
  /** Pool. */
  readonly pool: string;
  /** When it was requested (RFC 3339). */
  readonly since: string;
  /** When it is expected to be ready (RFC 3339). */
  readonly expectedReadyAt?: string;
  /** Pending pods for which it was requested. */
  readonly covers?: number;
}

/** Set while scale-down is suppressed. */
export interface NodeScalingPolicyStatusSuppression {
  /** Whether scale-down is suppressed. */
  readonly active: boolean;
  /** Reason. */
  readonly reason?: string;
  /** End of the suppression (RFC 3339). */
  readonly until?: string;
  /** Pods that cause it. */
  readonly pods?: number;
}

export interface NodeScalingPolicyStatusLifecycleItem {
  /** Node name. */
  readonly node: string;
  /** Transitions, oldest first. */
  readonly transitions?: readonly NodeScalingPolicyStatusLifecycleItemTransition[];
}

export interface NodeScalingPolicyStatusLifecycleItemTransition {
  /** Phase. */
  readonly state: string;
  /** Start time (RFC 3339). */
  readonly at: string;
}

export interface NodeScalingPolicyStatusDecision {
  /** Identity, as in history. */
  readonly id: string;
  /** Time (RFC 3339). */
  readonly time: string;
  /** What was decided. */
  readonly decision: string;
  /** Inputs of the decision, as text. */
  readonly inputs?: string;
  /** Outcome. */
  readonly outcome?: string;
  /** Rejected alternatives. */
  readonly alternatives?: readonly NodeScalingPolicyStatusDecisionAlternative[];
}

export interface NodeScalingPolicyStatusDecisionAlternative {
  /** Option. */
  readonly option: string;
  /** Price (US dollars per hour). */
  readonly costPerHourUsd?: number;
  /** Reason of the rejection. */
  readonly rejectedBecause?: string;
}

/** The last addition of nodes. */
export interface NodeScalingPolicyStatusLastScaleUp {
  /** Time (RFC 3339). */
  readonly at: string;
  /** Number of nodes. */
  readonly nodes?: number;
  /** Reason. */
  readonly reason?: string;
}

/** The last removal of nodes. */
export interface NodeScalingPolicyStatusLastScaleDown {
  /** Time (RFC 3339). */
  readonly at: string;
  /** Number of nodes. */
  readonly nodes?: number;
  /** Reason. */
  readonly reason?: string;
}

export interface NodeScalingPolicyStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}

/** A PodResizePolicy selects workloads, sets the rules of their sizes, and which changes are automatic. */
export interface PodResizePolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'PodResizePolicy';
  readonly metadata: ObjectMeta;
  /** Governed workloads, the rules of their sizes, and which changes are automatic. */
  readonly spec: PodResizePolicySpec;
  /** Governed workloads and results of the last cycle. Written only by Evenkeel. */
  readonly status?: PodResizePolicyStatus;
}

/** Governed workloads, the rules of their sizes, and which changes are automatic. */
export interface PodResizePolicySpec {
  /**
   * Namespaces of the governed workloads, as names or globs such as team-*. If unset (and without namespaceSelector), all namespaces except
   * kube-system and Evenkeel's own.
   */
  readonly namespaces?: readonly string[];
  /** Governs workloads of namespaces with these labels. */
  readonly namespaceSelector?: PodResizePolicySpecNamespaceSelector;
  /**
   * Governs only workloads with these labels. A policy with a workload selector is the most specific and takes precedence over one that
   * only selects namespaces.
   */
  readonly workloadSelector?: PodResizePolicySpecWorkloadSelector;
  /** Kinds of the governed workloads, such as Deployment or StatefulSet. If unset, all kinds. */
  readonly kinds?: readonly string[];
  /** Excluded namespaces, as names or globs. Takes precedence over namespaces and namespaceSelector. */
  readonly excludeNamespaces?: readonly string[];
  /**
   * Which changes are applied. Observe computes and publishes nothing; Recommend publishes Recommendations; Approve applies values that a
   * user has approved; Auto applies changes automatically. Default: Recommend.
   */
  readonly mode?: 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /**
   * How a change reaches a pod. InPlace resizes running pods and never evicts; InPlaceOrEvict evicts, through the eviction API, where an
   * in-place resize is infeasible; OnRestart sets values only at creation and requires controller.admission.enabled. Default: InPlace.
   */
  readonly apply?: 'InPlace' | 'InPlaceOrEvict' | 'OnRestart';
  /** Trade-off of cost and safety: the cost of a shortfall relative to that of unused requests. Default: Balanced. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * How often CPU requests may fall. Daily: the request covers the maximum forecast of the next 24 hours, rises at once, and falls at most
   * once in 24 hours. A sample above it causes a temporary increase, which ends three hours after the last such sample. Hourly: the request
   * follows the forecast of each hour, up and down. Hourly applies only to in-place resizes in mode Auto while evenkeel-autoscaler holds
   * its lease; otherwise Daily applies, as reported in status. Memory requests are the same in both. Default: Daily.
   */
  readonly pace?: 'Daily' | 'Hourly';
  /** Rules for CPU. */
  readonly cpu?: PodResizePolicySpecCpu;
  /** Rules for memory. */
  readonly memory?: PodResizePolicySpecMemory;
  /** Overrides for individual containers. The first matching entry applies. */
  readonly containers?: readonly PodResizePolicySpecContainer[];
  /** Usage history that is considered. */
  readonly history?: PodResizePolicySpecHistory;
  /** CPU boost while a container starts, reverted in place afterwards. If unset, no boost. */
  readonly startup?: PodResizePolicySpecStartup;
  /**
   * Reaction to an OOM kill at the limit, at once and bounded by max, ceiling and node. The new limit is based on the limit that was hit,
   * the new request on the highest usage.
   */
  readonly oom?: PodResizePolicySpecOom;
  /**
   * Whether annotations of a workload may relax this policy. All allows it (a mode closer to Auto, a ceiling above max, a floor below min);
   * Stricter allows only stricter values. Default: All.
   */
  readonly workloadOverrides?: 'All' | 'Stricter';
  /** Whether a limit may be raised temporarily where demand exceeds it. */
  readonly limitOverage?: PodResizePolicySpecLimitOverage;
  /** Reduction of idle workloads. */
  readonly idle?: PodResizePolicySpecIdle;
  /**
   * Handling of HorizontalPodAutoscalers that scale by utilization of requests. Preserve keeps the replica count by changing the target
   * with the request, else the change waits; Tune also tunes the autoscaler; Off resizes without changing the autoscaler. Default:
   * Preserve.
   */
  readonly hpa?: 'Preserve' | 'Tune' | 'Off';
  /** When changes may be applied. If empty, at any time. Increases that are needed for safety ignore windows. */
  readonly windows?: readonly PodResizePolicySpecWindow[];
  /** Minimum time between two changes of one workload. Increases that are needed for safety ignore it. Default: 1h. */
  readonly cooldown?: string;
  /** Minimum confidence (0–1) of a reduction. If unset, 0.6 for CPU and 0.8 for memory. */
  readonly minConfidence?: number;
  /**
   * Maximum workloads whose pods are resized at the same time, as a count or as a percentage, such as 10%, of the governed workloads with
   * pods; a percentage allows at least 10. Increases, rollbacks and corrections are neither counted nor delayed. Default: 10%.
   */
  readonly maxConcurrent?: number | string;
  /** Interval of evaluating every governed workload. Default: 5m. */
  readonly interval?: string;
  /** When a change is rolled back automatically. */
  readonly rollback?: PodResizePolicySpecRollback;
  /** Stops every effect of this policy; Recommendations are still published. Default: false. */
  readonly paused?: boolean;
  /** Decides, validates with the API server and reports, but changes no running pods. Default: false. */
  readonly dryRun?: boolean;
}

/** Governs workloads of namespaces with these labels. */
export interface PodResizePolicySpecNamespaceSelector {
  /** Labels that must have exactly these values; all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Label selector requirements; all must match. */
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
 * Governs only workloads with these labels. A policy with a workload selector is the most specific and takes precedence over one that only
 * selects namespaces.
 */
export interface PodResizePolicySpecWorkloadSelector {
  /** Labels that must have exactly these values; all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Label selector requirements; all must match. */
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
  /** Cost of a shortfall of this resource relative to that of unused requests. If unset, the policy's goal. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed percentile in place of the learned rule: the fraction of usage samples (0.5–1) that the request must cover. If unset, the
   * recommender learns the rule from the goal.
   */
  readonly percentile?: number;
  /** Margin above the covered usage, as a fraction of it (0.15 is 15 %). If unset, it follows from the goal. */
  readonly margin?: number;
  /** Minimum request (cores or millicores, such as 250m). If unset, the recommender's floor. */
  readonly min?: number | string;
  /** Maximum request (cores or millicores, such as 250m). If unset, the allocatable CPU of the largest node. */
  readonly max?: number | string;
  /** Minimum change that is applied, as a fraction of the current request (0.1 is 10 %). If unset, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecCpuLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecCpuLimit {
  /**
   * Keep never lowers the limit, which bounds the request. Ratio changes the limit in proportion to the request. None removes the limit
   * when a pod is created (requires controller.admission.enabled) and otherwise acts as Keep. Guaranteed pods keep request and limit equal.
   * Default: Keep.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio. If unset, the container's current ratio. */
  readonly ratio?: number;
}

/** Rules for memory. */
export interface PodResizePolicySpecMemory {
  /** Cost of a shortfall of this resource relative to that of unused requests. If unset, the policy's goal. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed percentile in place of the learned rule: the fraction of usage samples (0.5–1) that the request must cover. If unset, the
   * recommender learns the rule from the goal. It can only raise the request, which is never below the highest working set of the last 7
   * days and of the same weekday a week ago, with its margin.
   */
  readonly percentile?: number;
  /** Margin above the covered usage, as a fraction of it (0.15 is 15 %). If unset, it follows from the goal. */
  readonly margin?: number;
  /** Minimum request (bytes, such as 128Mi). If unset, the recommender's floor. */
  readonly min?: number | string;
  /** Maximum request (bytes, such as 128Mi). If unset, the allocatable memory of the largest node. */
  readonly max?: number | string;
  /** Minimum change that is applied, as a fraction of the current request (0.1 is 10 %). If unset, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecMemoryLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecMemoryLimit {
  /**
   * Keep never lowers the limit and raises it only after OOM kills at the limit. Ratio changes the limit in proportion to the request, and
   * lowers it only as far as past peaks allow. None removes the limit when a pod is created (requires controller.admission.enabled) and
   * otherwise acts as Keep. Guaranteed pods and containers whose request equals their limit keep them equal, except under Ratio. Default:
   * Keep.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, only for rule Ratio. Default: 1.25. */
  readonly ratio?: number;
}

export interface PodResizePolicySpecContainer {
  /** Container name or glob such as istio-*. */
  readonly name: string;
  /**
   * Mode of this container. Off excludes it. It can only be more conservative than the policy's mode; if unset, the policy's. Approvals are
   * given for workloads, so Approve under a policy in mode Auto acts as Recommend.
   */
  readonly mode?: 'Off' | 'Observe' | 'Recommend' | 'Approve' | 'Auto';
  /** Whether limits of this container may change as well. If unset, requestsAndLimits. */
  readonly controlled?: 'requests' | 'requestsAndLimits';
  /** Rules for CPU of this container; unset fields come from the policy. */
  readonly cpu?: PodResizePolicySpecContainerCpu;
  /** Rules for memory of this container; unset fields come from the policy. */
  readonly memory?: PodResizePolicySpecContainerMemory;
}

/** Rules for CPU of this container; unset fields come from the policy. */
export interface PodResizePolicySpecContainerCpu {
  /** Cost of a shortfall of this resource relative to that of unused requests. If unset, the policy's goal. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed percentile in place of the learned rule: the fraction of usage samples (0.5–1) that the request must cover. If unset, the
   * recommender learns the rule from the goal.
   */
  readonly percentile?: number;
  /** Margin above the covered usage, as a fraction of it (0.15 is 15 %). If unset, it follows from the goal. */
  readonly margin?: number;
  /** Minimum request (cores or millicores, such as 250m). If unset, the recommender's floor. */
  readonly min?: number | string;
  /** Maximum request (cores or millicores, such as 250m). If unset, the allocatable CPU of the largest node. */
  readonly max?: number | string;
  /** Minimum change that is applied, as a fraction of the current request (0.1 is 10 %). If unset, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecContainerCpuLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecContainerCpuLimit {
  /**
   * Keep never lowers the limit, which bounds the request. Ratio changes the limit in proportion to the request. None removes the limit
   * when a pod is created (requires controller.admission.enabled) and otherwise acts as Keep. Guaranteed pods keep request and limit equal.
   * If unset, the policy's rule.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio. If unset, the policy's ratio. */
  readonly ratio?: number;
}

/** Rules for memory of this container; unset fields come from the policy. */
export interface PodResizePolicySpecContainerMemory {
  /** Cost of a shortfall of this resource relative to that of unused requests. If unset, the policy's goal. */
  readonly goal?: 'Savings' | 'Balanced' | 'Safe';
  /**
   * Fixed percentile in place of the learned rule: the fraction of usage samples (0.5–1) that the request must cover. If unset, the
   * recommender learns the rule from the goal. It can only raise the request, which is never below the highest working set of the last 7
   * days and of the same weekday a week ago, with its margin.
   */
  readonly percentile?: number;
  /** Margin above the covered usage, as a fraction of it (0.15 is 15 %). If unset, it follows from the goal. */
  readonly margin?: number;
  /** Minimum request (bytes, such as 128Mi). If unset, the recommender's floor. */
  readonly min?: number | string;
  /** Maximum request (bytes, such as 128Mi). If unset, the allocatable memory of the largest node. */
  readonly max?: number | string;
  /** Minimum change that is applied, as a fraction of the current request (0.1 is 10 %). If unset, it follows from the goal. */
  readonly minChangeRatio?: number;
  /** How the limit follows the request. */
  readonly limit?: PodResizePolicySpecContainerMemoryLimit;
}

/** How the limit follows the request. */
export interface PodResizePolicySpecContainerMemoryLimit {
  /**
   * Keep never lowers the limit, which bounds the request. Ratio changes the limit in proportion to the request. None removes the limit
   * when a pod is created (requires controller.admission.enabled) and otherwise acts as Keep. Guaranteed pods keep request and limit equal.
   * If unset, the policy's rule.
   */
  readonly rule?: 'Keep' | 'Ratio' | 'None';
  /** Limit divided by request, for rule Ratio. If unset, the policy's ratio. */
  readonly ratio?: number;
}

/** Usage history that is considered. */
export interface PodResizePolicySpecHistory {
  /** Length of the usage history. Default: 14d. */
  readonly window?: string;
}

/** CPU boost while a container starts, reverted in place afterwards. If unset, no boost. */
export interface PodResizePolicySpecStartup {
  /** CPU request while starting, divided by the request afterwards. */
  readonly boostRatio: number;
  /** Time after its pod became ready that a container keeps the boost. Without readiness the boost ends 10 minutes later. */
  readonly duration: string;
}

/**
 * Reaction to an OOM kill at the limit, at once and bounded by max, ceiling and node. The new limit is based on the limit that was hit, the
 * new request on the highest usage.
 */
export interface PodResizePolicySpecOom {
  /** The limit after an OOM kill, divided by the limit that was hit. Default: 1.2. */
  readonly bumpRatio?: number;
  /** Minimum memory that an OOM kill adds (bytes). Default: 100Mi. */
  readonly minBump?: number | string;
  /**
   * Maximum increases of one container's limit by OOM kills within 7 days. After that a limit exception of type oom-killed opens, and the
   * limit stays. Default: 3.
   */
  readonly maxBumps?: number;
}

/** Whether a limit may be raised temporarily where demand exceeds it. */
export interface PodResizePolicySpecLimitOverage {
  /** Never only reports a limit exception; Temporary also gives the proposed value in place while the exception is open. Default: Never. */
  readonly mode?: 'Never' | 'Temporary';
  /** Maximum temporary limit, divided by the limit before. Default: 2. */
  readonly maxRatio?: number;
  /** Maximum duration of a temporary limit. Default: 24h. */
  readonly for?: string;
}

/** Reduction of idle workloads. */
export interface PodResizePolicySpecIdle {
  /** Whether idle workloads are reduced to their idle size. Default: false. */
  readonly enabled?: boolean;
  /** Time that usage must stay below the threshold. Default: 24h. */
  readonly after?: string;
  /** CPU usage of the whole workload below which it counts as idle (cores or millicores). Default: 5m. */
  readonly cpuThreshold?: number | string;
  /** CPU request of a container while idled (cores or millicores). Default: 10m. */
  readonly cpu?: number | string;
  /** Memory request of a container while idled (bytes). If unset, memory is unchanged. */
  readonly memory?: number | string;
  /** Replicas while idled. If unset, replicas are unchanged. */
  readonly replicas?: number;
}

export interface PodResizePolicySpecWindow {
  /**
   * Start of the window, five-field cron in timeZone. A start that a clock change skips runs at the next existing minute, one that occurs
   * twice runs once.
   */
  readonly start: string;
  /** Duration of the window. */
  readonly duration: string;
  /** Time zone of the start (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
}

/** When a change is rolled back automatically. */
export interface PodResizePolicySpecRollback {
  /**
   * Whether a change is rolled back where resized pods crash-loop, restart more than before and more than unchanged pods, are OOM-killed
   * below their former limit, or become not ready. Default: true.
   */
  readonly onRestarts?: boolean;
  /**
   * Increase of the fraction of throttled CPU periods (0–1) that rolls a change back, compared with the same hour of the week before or
   * unchanged replicas; 1 disables it. Default: 0.25.
   */
  readonly onThrottleRatio?: number;
  /**
   * Increase of the fraction of time in which tasks waited for CPU or memory (PSI, 0–1) that rolls a change back; 1 disables it. Default:
   * 0.25.
   */
  readonly onPressureRatio?: number;
  /**
   * PromQL query for the error rate of a workload, with $namespace, $kind and $name replaced; the sum of its result is used. A rate that
   * doubles (without errors before: that exceeds 0.01) rolls the change back; a reduction starts only while the query returns a result.
   * Requires prometheus.url.
   */
  readonly onErrorRateQuery?: string;
  /**
   * Time that throttling and pressure are watched after a reduction; less than an hour disables watching. Each stage of the change before
   * is verified for 10m, or for this time if it is shorter. Default: 24h.
   */
  readonly within?: string;
}

/** Governed workloads and results of the last cycle. Written only by Evenkeel. */
export interface PodResizePolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** Governed workloads by the state of their recommendation. */
  readonly workloads?: PodResizePolicyStatusWorkloads;
  /** Waiting workloads by reason. */
  readonly awaiting?: Readonly<Record<string, number>>;
  /** Increases that wait for capacity of their nodes. Absent where none waits. */
  readonly waitingForNodeCapacity?: PodResizePolicyStatusWaitingForNodeCapacity;
  /** Older or more specific policies that govern workloads selected by this one. */
  readonly outrankedBy?: readonly PodResizePolicyStatusOutrankedByItem[];
  /** The last evaluation of all governed workloads. */
  readonly lastCycle?: PodResizePolicyStatusLastCycle;
  /** Last processed value of the annotation evenkeel.io/trigger. */
  readonly lastTrigger?: string;
  /** Savings of right-sizing. */
  readonly savings?: PodResizePolicyStatusSavings;
  /** The open window, else the next one. Absent without windows. */
  readonly nextWindow?: PodResizePolicyStatusNextWindow;
  /** Ready, Conflicted and DryRun, each with a reason and a message; Overridden and ConsolidationLoop where they apply. */
  readonly conditions?: readonly PodResizePolicyStatusCondition[];
}

/** Governed workloads by the state of their recommendation. */
export interface PodResizePolicyStatusWorkloads {
  /** All governed workloads. */
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

/** Increases that wait for capacity of their nodes. Absent where none waits. */
export interface PodResizePolicyStatusWaitingForNodeCapacity {
  /** Workloads with such an increase. */
  readonly workloads: number;
  /** Pods whose increase waits. */
  readonly pods: number;
}

export interface PodResizePolicyStatusOutrankedByItem {
  /** Name of the governing policy. */
  readonly policy: string;
  /** Number of workloads. */
  readonly workloads: number;
}

/** The last evaluation of all governed workloads. */
export interface PodResizePolicyStatusLastCycle {
  /** Identity of the cycle, as in the history of cycles. */
  readonly id?: string;
  /** Start time (RFC 3339). */
  readonly startedAt?: string;
  /** End time (RFC 3339). */
  readonly finishedAt?: string;
  /** Workloads evaluated. */
  readonly evaluated?: number;
  /** Pods resized. */
  readonly changed?: number;
  /** Pods whose resize waits for node capacity. */
  readonly deferred?: number;
  /** Workloads that cannot be resized without a configuration change. */
  readonly blocked?: number;
  /** Resizes that failed. */
  readonly failed?: number;
  /** Trigger of the cycle, interval or the id of a request. */
  readonly trigger?: string;
}

/** Savings of right-sizing. */
export interface PodResizePolicyStatusSavings {
  /** Available savings minus the cost of increases (US dollars per 730 h). */
  readonly potentialPerMonthUsd?: number;
  /** Requests freed so far (US dollars per 730 h). */
  readonly reclaimedPerMonthUsd?: number;
  /** Savings from removed nodes (US dollars per 730 h). */
  readonly realisedPerMonthUsd?: number;
}

/** The open window, else the next one. Absent without windows. */
export interface PodResizePolicyStatusNextWindow {
  /** Opening time (RFC 3339). */
  readonly start?: string;
  /** Closing time (RFC 3339). */
  readonly end?: string;
  /** Whether it is open. */
  readonly open?: boolean;
}

export interface PodResizePolicyStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}

/** A RebalancePolicy sets when pods are moved from full nodes to empty ones, and within which limits. */
export interface RebalancePolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'RebalancePolicy';
  readonly metadata: ObjectMeta;
  /** When pods are moved, which, and how many. */
  readonly spec: RebalancePolicySpec;
  /** Balance of the cluster and the last run. Written only by Evenkeel. */
  readonly status?: RebalancePolicyStatus;
}

/** When pods are moved, which, and how many. */
export interface RebalancePolicySpec {
  /**
   * Schedule, five-field cron in timeZone. If unset, a run starts when the score has exceeded the threshold in three consecutive
   * evaluations.
   */
  readonly schedule?: string;
  /** Time zone of the schedule (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
  /** Thresholds of imbalance. */
  readonly thresholds?: RebalancePolicySpecThresholds;
  /** Maximum pods moved by one run. Default: 20. */
  readonly maxMovements?: number;
  /** Maximum pods moved at the same time. Default: 2. */
  readonly maxParallel?: number;
  /**
   * Whether disruption budgets are respected. False also requires the annotation evenkeel.io/allow-budget-violation set to "true", and
   * still tries the eviction API first. Default: true.
   */
  readonly respectPDB?: boolean;
  /** Plans and reports without moving pods. A setting cannot override it. Default: false. */
  readonly dryRun?: boolean;
  /** Namespaces whose pods are never moved, as names or globs. kube-system and Evenkeel's own never are. */
  readonly excludeNamespaces?: readonly string[];
  /** Only nodes with these labels take part. If unset, all nodes. */
  readonly nodeSelector?: RebalancePolicySpecNodeSelector;
  /** Minimum age of moved pods. Default: 10m. */
  readonly minPodAge?: string;
  /** Time after which the run stops where a moved pod is not ready. Default: 5m. */
  readonly movementTimeout?: string;
  /** Spread balances nodes; Pack drains nodes so that they can be removed. Default: Spread. */
  readonly strategy?: 'Spread' | 'Pack';
  /** Stops every effect of this policy. Default: false. */
  readonly paused?: boolean;
}

/** Thresholds of imbalance. */
export interface RebalancePolicySpecThresholds {
  /** Score above which pods are moved (0–100): the percentage of the load that would have to move to balance all nodes. Default: 20. */
  readonly imbalanceScore?: number;
  /** Nodes with a lower requested fraction receive pods under Spread and are drained under Pack (0–1). Default: 0.2. */
  readonly minUtilization?: number;
  /** Maximum requested fraction of a node (0–1). Default: 0.85. */
  readonly maxUtilization?: number;
}

/** Only nodes with these labels take part. If unset, all nodes. */
export interface RebalancePolicySpecNodeSelector {
  /** Labels that must have exactly these values; all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Label selector requirements; all must match. */
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

/** Balance of the cluster and the last run. Written only by Evenkeel. */
export interface RebalancePolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** Current balance of the cluster. */
  readonly score?: RebalancePolicyStatusScore;
  /** Imbalance that no movement can reduce (0–100). */
  readonly floor?: number;
  /** Name of the RebalanceRun in progress. */
  readonly activeRun?: string;
  /** The last run. */
  readonly lastRun?: RebalancePolicyStatusLastRun;
  /** Next scheduled run (RFC 3339). */
  readonly nextRun?: string;
  /** Ready, BudgetViolationAllowed and DryRun, each with a reason and a message. */
  readonly conditions?: readonly RebalancePolicyStatusCondition[];
}

/** Current balance of the cluster. */
export interface RebalancePolicyStatusScore {
  /** Percentage of the load that would have to move to balance all nodes (0–100). */
  readonly imbalance?: number;
  /** Requested fraction of CPU over the nodes. */
  readonly cpu?: RebalancePolicyStatusScoreCpu;
  /** Requested fraction of memory over the nodes. */
  readonly memory?: RebalancePolicyStatusScoreMemory;
  /** Fraction of free capacity that is too fragmented to use (0–1). */
  readonly fragmentation?: number;
  /** Evaluated nodes. */
  readonly nodes?: number;
}

/** Requested fraction of CPU over the nodes. */
export interface RebalancePolicyStatusScoreCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Requested fraction of memory over the nodes. */
export interface RebalancePolicyStatusScoreMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** The last run. */
export interface RebalancePolicyStatusLastRun {
  /** Name of the RebalanceRun. */
  readonly name: string;
  /** Outcome. */
  readonly state?: 'Planning' | 'Executing' | 'Completed' | 'Cancelled' | 'Failed' | 'PartiallyCompleted';
  /** Start time (RFC 3339). */
  readonly startedAt?: string;
  /** End time (RFC 3339). */
  readonly finishedAt?: string;
  /** Moved pods. */
  readonly moved?: number;
}

export interface RebalancePolicyStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}

/** A RebalanceRun is a plan to move pods and its outcome. */
export interface RebalanceRun {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'RebalanceRun';
  readonly metadata: ObjectMeta;
  /** The plan, and user requests about it. */
  readonly spec: RebalanceRunSpec;
  /** Progress. Written only by Evenkeel. */
  readonly status?: RebalanceRunStatus;
}

/** The plan, and user requests about it. */
export interface RebalanceRunSpec {
  /** The RebalancePolicy of the plan. Absent for a plan requested without one. */
  readonly policyRef?: RebalanceRunSpecPolicyRef;
  /** Trigger of the run. */
  readonly trigger: 'schedule' | 'manual' | 'api';
  /** User who requested it. */
  readonly requestedBy?: string;
  /** Reason, as text. */
  readonly reason?: string;
  /** Plans and reports without moving pods. Default: false. */
  readonly dryRun?: boolean;
  /** Only pods of these namespaces are moved. If unset, the policy decides. */
  readonly namespaces?: readonly string[];
  /** The movements, in order. */
  readonly movements?: readonly RebalanceRunSpecMovement[];
  /** Pods that are not moved. */
  readonly skipped?: readonly RebalanceRunSpecSkippedItem[];
  /** Nodes that are empty afterwards. */
  readonly nodesFreed?: readonly string[];
  /** Change in cost once freed nodes are gone (US dollars per hour). */
  readonly costDeltaPerHourUsd?: number;
  /** Balance of the cluster when it was planned. */
  readonly before?: RebalanceRunSpecBefore;
  /** Predicted balance. */
  readonly after?: RebalanceRunSpecAfter;
  /** Hash of the planned cluster state. */
  readonly snapshotHash?: string;
  /** Expiry of the plan (RFC 3339). */
  readonly expiresAt?: string;
  /** Request to execute the plan. */
  readonly execute?: RebalanceRunSpecExecute;
  /** Request to stop the run. */
  readonly cancel?: RebalanceRunSpecCancel;
  /** Request to discard the plan. */
  readonly discard?: RebalanceRunSpecDiscard;
}

/** The RebalancePolicy of the plan. Absent for a plan requested without one. */
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
  /** Source node. */
  readonly from: string;
  /** Predicted target node. */
  readonly to?: string;
  /** Reason of the movement. */
  readonly reason?: string;
  /** Disruption budget that counts it. */
  readonly budget?: string;
  /** Expected time until the pod is ready on the target node (seconds). */
  readonly estimatedSeconds?: number;
}

export interface RebalanceRunSpecSkippedItem {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Pod name. */
  readonly pod: string;
  /** Reason of the rejection. */
  readonly because: string;
}

/** Balance of the cluster when it was planned. */
export interface RebalanceRunSpecBefore {
  /** Percentage of the load that would have to move to balance all nodes (0–100). */
  readonly imbalance?: number;
  /** Requested fraction of CPU over the nodes. */
  readonly cpu?: RebalanceRunSpecBeforeCpu;
  /** Requested fraction of memory over the nodes. */
  readonly memory?: RebalanceRunSpecBeforeMemory;
  /** Fraction of free capacity that is too fragmented to use (0–1). */
  readonly fragmentation?: number;
  /** Evaluated nodes. */
  readonly nodes?: number;
}

/** Requested fraction of CPU over the nodes. */
export interface RebalanceRunSpecBeforeCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Requested fraction of memory over the nodes. */
export interface RebalanceRunSpecBeforeMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Predicted balance. */
export interface RebalanceRunSpecAfter {
  /** Percentage of the load that would have to move to balance all nodes (0–100). */
  readonly imbalance?: number;
  /** Requested fraction of CPU over the nodes. */
  readonly cpu?: RebalanceRunSpecAfterCpu;
  /** Requested fraction of memory over the nodes. */
  readonly memory?: RebalanceRunSpecAfterMemory;
  /** Fraction of free capacity that is too fragmented to use (0–1). */
  readonly fragmentation?: number;
  /** Evaluated nodes. */
  readonly nodes?: number;
}

/** Requested fraction of CPU over the nodes. */
export interface RebalanceRunSpecAfterCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Requested fraction of memory over the nodes. */
export interface RebalanceRunSpecAfterMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Request to execute the plan. */
export interface RebalanceRunSpecExecute {
  /** User who requested it. */
  readonly by?: string;
  /** Time (RFC 3339). */
  readonly at: string;
}

/** Request to stop the run. */
export interface RebalanceRunSpecCancel {
  /** User who requested it. */
  readonly by?: string;
  /** Time (RFC 3339). */
  readonly at: string;
}

/** Request to discard the plan. */
export interface RebalanceRunSpecDiscard {
  /** User who requested it. */
  readonly by?: string;
  /** Time (RFC 3339). */
  readonly at: string;
}

/** Progress. Written only by Evenkeel. */
export interface RebalanceRunStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** State of the plan. Absent on a scheduled run. */
  readonly planState?: 'prepared' | 'executing' | 'executed' | 'discarded' | 'expired';
  /** State of the run. Absent until it is executed. */
  readonly runState?: 'Planning' | 'Executing' | 'Completed' | 'Cancelled' | 'Failed' | 'PartiallyCompleted';
  /** Reason of the end, as one word such as balanced. */
  readonly reason?: string;
  /** Start time (RFC 3339). */
  readonly startedAt?: string;
  /** End of the last movement (RFC 3339). */
  readonly finishedAt?: string;
  /** Progress. */
  readonly progress?: RebalanceRunStatusProgress;
  /** Outcome of each movement. */
  readonly movements?: readonly RebalanceRunStatusMovement[];
  /** Balance before the run. */
  readonly before?: RebalanceRunStatusBefore;
  /** Balance after the run. */
  readonly after?: RebalanceRunStatusAfter;
  /** Error of a failed run. */
  readonly error?: RebalanceRunStatusError;
  /** Ready and Progressing, each with a reason and a message. */
  readonly conditions?: readonly RebalanceRunStatusCondition[];
}

/** Progress. */
export interface RebalanceRunStatusProgress {
  /** Completed movements. */
  readonly done?: number;
  /** Movements that failed. */
  readonly failed?: number;
  /** All movements. */
  readonly total?: number;
}

export interface RebalanceRunStatusMovement {
  /** Place in the plan. */
  readonly order: number;
  /** Progress. */
  readonly outcome: 'waiting' | 'evicting' | 'finishing' | 'moved' | 'failed' | 'skipped';
  /** Actual target node. */
  readonly to?: string;
  /** Start time (RFC 3339). */
  readonly startedAt?: string;
  /** End time (RFC 3339). */
  readonly finishedAt?: string;
  /** Human-readable details. */
  readonly message?: string;
}

/** Balance before the run. */
export interface RebalanceRunStatusBefore {
  /** Percentage of the load that would have to move to balance all nodes (0–100). */
  readonly imbalance?: number;
  /** Requested fraction of CPU over the nodes. */
  readonly cpu?: RebalanceRunStatusBeforeCpu;
  /** Requested fraction of memory over the nodes. */
  readonly memory?: RebalanceRunStatusBeforeMemory;
  /** Fraction of free capacity that is too fragmented to use (0–1). */
  readonly fragmentation?: number;
  /** Evaluated nodes. */
  readonly nodes?: number;
}

/** Requested fraction of CPU over the nodes. */
export interface RebalanceRunStatusBeforeCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Requested fraction of memory over the nodes. */
export interface RebalanceRunStatusBeforeMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Balance after the run. */
export interface RebalanceRunStatusAfter {
  /** Percentage of the load that would have to move to balance all nodes (0–100). */
  readonly imbalance?: number;
  /** Requested fraction of CPU over the nodes. */
  readonly cpu?: RebalanceRunStatusAfterCpu;
  /** Requested fraction of memory over the nodes. */
  readonly memory?: RebalanceRunStatusAfterMemory;
  /** Fraction of free capacity that is too fragmented to use (0–1). */
  readonly fragmentation?: number;
  /** Evaluated nodes. */
  readonly nodes?: number;
}

/** Requested fraction of CPU over the nodes. */
export interface RebalanceRunStatusAfterCpu {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Requested fraction of memory over the nodes. */
export interface RebalanceRunStatusAfterMemory {
  /** Mean (0–1). */
  readonly mean?: number;
  /** Standard deviation. */
  readonly stddev?: number;
  /** Minimum (0–1). */
  readonly min?: number;
  /** Maximum (0–1). */
  readonly max?: number;
}

/** Error of a failed run. */
export interface RebalanceRunStatusError {
  /** One word such as aborted. */
  readonly code: string;
  /** Human-readable message. */
  readonly message?: string;
}

export interface RebalanceRunStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}

/**
 * A Recommendation has the recommended requests of one workload, their derivation, and the progress of applying them. Evenkeel creates one
 * for each workload; it is deleted with the workload.
 */
export interface Recommendation {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'Recommendation';
  readonly metadata: ObjectMeta;
  /** The workload, and user requests about it. */
  readonly spec: RecommendationSpec;
  /** The recommended values and the progress of applying them. Written only by Evenkeel. */
  readonly status?: RecommendationStatus;
}

/** The workload, and user requests about it. */
export interface RecommendationSpec {
  /** The workload. */
  readonly targetRef: RecommendationSpecTargetRef;
  /** The PodResizePolicy that governs the workload. Absent where none does and defaults apply. */
  readonly policyRef?: RecommendationSpecPolicyRef;
  /** Values that a user has approved. Expires after 7 days, or when the recommendation rises by more than minChangeRatio. */
  readonly approved?: RecommendationSpecApproved;
  /** Values that a user has rejected. They are not recommended again for 7 days unless they change by more than minChangeRatio. */
  readonly rejected?: RecommendationSpecRejected;
  /** Request to roll back to status.previous; automatic changes are then blocked for 24 hours. */
  readonly rollback?: RecommendationSpecRollback;
  /** Requests that an idled workload be restored to its natural size. */
  readonly wake?: RecommendationSpecWake;
  /** User decisions on open limit exceptions. */
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

/** The PodResizePolicy that governs the workload. Absent where none does and defaults apply. */
export interface RecommendationSpecPolicyRef {
  /** Name of the PodResizePolicy. */
  readonly name: string;
}

/** Values that a user has approved. Expires after 7 days, or when the recommendation rises by more than minChangeRatio. */
export interface RecommendationSpecApproved {
  /** User who approved. */
  readonly by?: string;
  /** Time (RFC 3339). */
  readonly at: string;
  /** The values, exactly as displayed in status.containers[].recommended. */
  readonly containers: readonly RecommendationSpecApprovedContainer[];
}

export interface RecommendationSpecApprovedContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationSpecApprovedContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationSpecApprovedContainerLimits;
}

/** Requests. */
export interface RecommendationSpecApprovedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: number | string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: number | string;
}

/** Limits. */
export interface RecommendationSpecApprovedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: number | string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: number | string;
}

/** Values that a user has rejected. They are not recommended again for 7 days unless they change by more than minChangeRatio. */
export interface RecommendationSpecRejected {
  /** User who rejected. */
  readonly by?: string;
  /** Time (RFC 3339). */
  readonly at: string;
  /** The values, exactly as displayed in status.containers[].recommended. */
  readonly containers: readonly RecommendationSpecRejectedContainer[];
}

export interface RecommendationSpecRejectedContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationSpecRejectedContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationSpecRejectedContainerLimits;
}

/** Requests. */
export interface RecommendationSpecRejectedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: number | string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: number | string;
}

/** Limits. */
export interface RecommendationSpecRejectedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: number | string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: number | string;
}

/** Request to roll back to status.previous; automatic changes are then blocked for 24 hours. */
export interface RecommendationSpecRollback {
  /** User who requested it. */
  readonly by?: string;
  /** Time (RFC 3339). A later time is a new request. */
  readonly at: string;
}

/** Requests that an idled workload be restored to its natural size. */
export interface RecommendationSpecWake {
  /** User who requested it. */
  readonly by?: string;
  /** Time (RFC 3339). Only a request after the workload was idled applies. */
  readonly at: string;
  /** Reason given by the user. */
  readonly reason?: string;
}

export interface RecommendationSpecExceptionDecision {
  /** Container name. */
  readonly container: string;
  /** Resource of the exception. */
  readonly resource: 'cpu' | 'memory';
  /** Approve makes the proposed value the new baseline, reject restores the former value. */
  readonly decision: 'approve' | 'reject';
  /** Value that replaces the proposed one (Kubernetes quantity). */
  readonly value?: number | string;
  /** User who decided. */
  readonly by?: string;
  /** Time (RFC 3339). */
  readonly at: string;
  /** Reason, as text. */
  readonly reason?: string;
}

/** The recommended values and the progress of applying them. Written only by Evenkeel. */
export interface RecommendationStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /**
   * State of the recommendation. collecting has insufficient history; optimal is within tolerance; recommended is only published; awaiting
   * waits for reason; applying and applied are being or have been applied; idle is reduced to its idle size; exception has an open limit
   * exception; blocked cannot be applied without a configuration change; excluded is excluded by a user.
   */
  readonly state?: 'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** Reason of waiting or blocking, as one word such as window, cooldown or approval. */
  readonly reason?: string;
  /** Human-readable state. */
  readonly message?: string;
  /** Earliest next attempt (RFC 3339). Absent where unknown. */
  readonly until?: string;
  /** Effective mode, from the policy or the workload's evenkeel.io/mode annotation. */
  readonly mode?: 'Observe' | 'Recommend' | 'Approve' | 'Auto' | 'Off';
  /** Number of replicas. */
  readonly replicas?: number;
  /** Confidence of the recommendation (0–1). */
  readonly confidence?: number;
  /** Risk of the current and the recommended values. */
  readonly risk?: 'none' | 'low' | 'medium' | 'high';
  /** Savings over all replicas (US dollars per 730 h); negative for an increase. */
  readonly savingsPerMonthUsd?: number;
  /** Cost of the current requests over all replicas (US dollars per 730 h). */
  readonly costPerMonthUsd?: number;
  /** Source of the usage. */
  readonly source?: string;
  /** When the values were last computed (RFC 3339). */
  readonly updatedAt?: string;
  /** Sum of the requests of one pod's containers. */
  readonly requests?: RecommendationStatusRequests;
  /** Increases that wait for capacity of their nodes. Absent where none waits. */
  readonly waitingForNodeCapacity?: RecommendationStatusWaitingForNodeCapacity;
  /** Values by container. */
  readonly containers?: readonly RecommendationStatusContainer[];
  /**
   * For a DaemonSet on nodes of several size classes: current and recommended values by class. The class with the most pods is also in
   * `containers`. Absent otherwise.
   */
  readonly classes?: readonly RecommendationStatusClass[];
  /** Derivation of each recommended value from usage, as ordered steps. */
  readonly inputs?: readonly RecommendationStatusInput[];
  /** The change in progress. Absent without one. */
  readonly apply?: RecommendationStatusApply;
  /** The last change that reached pods. */
  readonly lastApplied?: RecommendationStatusLastApplied;
  /** Values before the last change, for a rollback. */
  readonly previous?: RecommendationStatusPrevious;
  /** Reductions of the last day, whose throttling and pressure are compared with the week before, oldest first. */
  readonly observedReductions?: readonly RecommendationStatusObservedReduction[];
  /**
   * The template's values at the last evaluation, while Evenkeel's sizes are in effect. A value raised in the template since is the
   * effective minimum.
   */
  readonly template?: readonly RecommendationStatusTemplateItem[];
  /** spec.approved.at of the last approval that ended because greater values were deployed since (RFC 3339). */
  readonly endedApprovalAt?: string;
  /** spec.rollback.at of the last request that was carried out (RFC 3339). Automatic rollbacks do not change it. */
  readonly lastRollbackRequestAt?: string;
  /** The last rollback. */
  readonly rolledBack?: RecommendationStatusRolledBack;
  /** Pods whose resize did not succeed at once. */
  readonly resizes?: readonly RecommendationStatusResize[];
  /** Evictions for one size (apply is InPlaceOrEvict), which bounds eviction loops. */
  readonly evictions?: RecommendationStatusEvictions;
  /** Times at which the CPU limit of each container was raised because of throttling; at most one step per day and three in 7 days. */
  readonly cpuLimitRaises?: readonly RecommendationStatusCpuLimitRaise[];
  /**
   * Memory limits raised after OOM kills, in the last 7 days and of pods that still exist; spec.oom.maxBumps of the policy bounds those of
   * 7 days.
   */
  readonly oomBumps?: readonly RecommendationStatusOomBump[];
  /**
   * The largest node of the workload's pods in the last 30 days, per resource; 80 % of it bounds increases after OOM kills and throttling.
   */
  readonly largestNode?: RecommendationStatusLargestNode;
  /** Replicas that used more than 3 × the median CPU and were increased individually, within the policy's history window. */
  readonly hotReplicas?: readonly RecommendationStatusHotReplica[];
  /** The last OOM kill of each container by a node that ran out of memory. The container's limit was not hit, so it is not raised. */
  readonly nodeOoms?: readonly RecommendationStatusNodeOom[];
  /** The CPU request of all pods before a temporary increase, by container. */
  readonly cpuBeforeIncrease?: readonly RecommendationStatusCpuBeforeIncreaseItem[];
  /** The last change of the pace of CPU requests. No request falls in the 24 hours after it. Absent: Daily for a day or more. */
  readonly pace?: RecommendationStatusPace;
  /** When each container's values were last lowered by a new decision; at most once per day, CPU at pace Hourly at most once per hour. */
  readonly reductions?: readonly RecommendationStatusReduction[];
  /** Pods with a startup boost (spec.startup of the policy), with their values without it. */
  readonly boosts?: readonly RecommendationStatusBoost[];
  /** HorizontalPodAutoscalers whose targets follow the requests, so that the replica count stays. */
  readonly autoscalers?: readonly RecommendationStatusAutoscaler[];
  /** Resized pods that another writer has resized since. Absent when there are none. */
  readonly externalResizes?: RecommendationStatusExternalResizes;
  /** Demand above the limits or ceilings of the workload. */
  readonly limitExceptions?: readonly RecommendationStatusLimitException[];
  /** Set while the workload is idled. */
  readonly idle?: RecommendationStatusIdle;
  /** The last idle period, as far as it still matters. */
  readonly lastIdle?: RecommendationStatusLastIdle;
  /** Ready, Progressing and Degraded, each with a reason and a message. */
  readonly conditions?: readonly RecommendationStatusCondition[];
}

/** Sum of the requests of one pod's containers. */
export interface RecommendationStatusRequests {
  /** In force now. */
  readonly current?: RecommendationStatusRequestsCurrent;
  /** Recommended requests. */
  readonly recommended?: RecommendationStatusRequestsRecommended;
}

/** In force now. */
export interface RecommendationStatusRequestsCurrent {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Recommended requests. */
export interface RecommendationStatusRequestsRecommended {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Increases that wait for capacity of their nodes. Absent where none waits. */
export interface RecommendationStatusWaitingForNodeCapacity {
  /** Pods whose increase waits. */
  readonly pods: number;
  /** When the first of them started to wait (RFC 3339). */
  readonly since: string;
  /** Missing requests of all these pods. */
  readonly requests?: RecommendationStatusWaitingForNodeCapacityRequests;
}

/** Missing requests of all these pods. */
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
  /** Recommended values. */
  readonly recommended?: RecommendationStatusContainerRecommended;
  /** Requests below this are too small. */
  readonly lowerBound?: RecommendationStatusContainerLowerBound;
  /** Requests above this are too large. */
  readonly upperBound?: RecommendationStatusContainerUpperBound;
  /** Usage within the history window. */
  readonly usage?: RecommendationStatusContainerUsage;
  /** OOM kills within the history window. */
  readonly oomKills?: number;
  /** Fraction of throttled CPU periods in the last 24 hours (0–1). Absent where not measured. */
  readonly throttledRatio?: number;
  /**
   * Fraction of time in which a task of the container waited for CPU (pressure stall information, some), mean of the last 24 hours (0–1).
   * Absent where not measured.
   */
  readonly cpuPressureRatio?: number;
  /** Reason of the memory limit, as text. */
  readonly memoryLimitReason?: string;
  /** Confidence of this container's values (0–1). */
  readonly confidence?: number;
}

/** In force now. */
export interface RecommendationStatusContainerCurrent {
  /** Requests. */
  readonly requests?: RecommendationStatusContainerCurrentRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusContainerCurrentLimits;
}

/** Requests. */
export interface RecommendationStatusContainerCurrentRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusContainerCurrentLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Recommended values. */
export interface RecommendationStatusContainerRecommended {
  /** Requests. */
  readonly requests?: RecommendationStatusContainerRecommendedRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusContainerRecommendedLimits;
}

/** Requests. */
export interface RecommendationStatusContainerRecommendedRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
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

/** Requests above this are too large. */
export interface RecommendationStatusContainerUpperBound {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Usage within the history window. */
export interface RecommendationStatusContainerUsage {
  /** Median usage. */
  readonly p50?: RecommendationStatusContainerUsageP50;
  /** Usage that 95 % of the samples stay below. */
  readonly p95?: RecommendationStatusContainerUsageP95;
  /** Usage that 99 % of the samples stay below. */
  readonly p99?: RecommendationStatusContainerUsageP99;
  /** Maximum usage. */
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

/** Maximum usage. */
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
   * State of the recommendation. collecting has insufficient history; optimal is within tolerance; recommended is only published; awaiting
   * waits for reason; applying and applied are being or have been applied; idle is reduced to its idle size; exception has an open limit
   * exception; blocked cannot be applied without a configuration change; excluded is excluded by a user.
   */
  readonly state?: 'collecting' | 'optimal' | 'recommended' | 'awaiting' | 'applying' | 'applied' | 'idle' | 'exception' | 'blocked' | 'excluded';
  /** Reason of waiting or blocking, as one word such as window, cooldown or approval. */
  readonly reason?: string;
  /** Human-readable state. */
  readonly message?: string;
  /** Values by container. */
  readonly containers?: readonly RecommendationStatusClassContainer[];
  /** The change in progress. Absent without one. */
  readonly apply?: RecommendationStatusClassApply;
  /** The last change that reached pods. */
  readonly lastApplied?: RecommendationStatusClassLastApplied;
  /** Values before the last change, for a rollback. */
  readonly previous?: RecommendationStatusClassPrevious;
  /** Reductions of the last day, whose throttling and pressure are compared with the week before, oldest first. */
  readonly observedReductions?: readonly RecommendationStatusClassObservedReduction[];
  /**
   * The template's values at the last evaluation, while Evenkeel's sizes are in effect. A value raised in the template since is the
   * effective minimum.
   */
  readonly template?: readonly RecommendationStatusClassTemplateItem[];
  /** spec.approved.at of the last approval that ended because greater values were deployed since (RFC 3339). */
  readonly endedApprovalAt?: string;
  /** spec.rollback.at of the last request that was carried out (RFC 3339). Automatic rollbacks do not change it. */
  readonly lastRollbackRequestAt?: string;
  /** The last rollback. */
  readonly rolledBack?: RecommendationStatusClassRolledBack;
  /** Pods whose resize did not succeed at once. */
  readonly resizes?: readonly RecommendationStatusClassResize[];
  /** Times at which the CPU limit of each container was raised because of throttling; at most one step per day and three in 7 days. */
  readonly cpuLimitRaises?: readonly RecommendationStatusClassCpuLimitRaise[];
  /**
   * Memory limits raised after OOM kills, in the last 7 days and of pods that still exist; spec.oom.maxBumps of the policy bounds those of
   * 7 days.
   */
  readonly oomBumps?: readonly RecommendationStatusClassOomBump[];
  /**
   * The largest node of the workload's pods in the last 30 days, per resource; 80 % of it bounds increases after OOM kills and throttling.
   */
  readonly largestNode?: RecommendationStatusClassLargestNode;
  /** Replicas that used more than 3 × the median CPU and were increased individually, within the policy's history window. */
  readonly hotReplicas?: readonly RecommendationStatusClassHotReplica[];
  /** The last OOM kill of each container by a node that ran out of memory. The container's limit was not hit, so it is not raised. */
  readonly nodeOoms?: readonly RecommendationStatusClassNodeOom[];
  /** The CPU request of all pods before a temporary increase, by container. */
  readonly cpuBeforeIncrease?: readonly RecommendationStatusClassCpuBeforeIncreaseItem[];
  /** The last change of the pace of CPU requests. No request falls in the 24 hours after it. Absent: Daily for a day or more. */
  readonly pace?: RecommendationStatusClassPace;
  /** When each container's values were last lowered by a new decision; at most once per day, CPU at pace Hourly at most once per hour. */
  readonly reductions?: readonly RecommendationStatusClassReduction[];
  /** Pods with a startup boost (spec.startup of the policy), with their values without it. */
  readonly boosts?: readonly RecommendationStatusClassBoost[];
  /** Evictions for one size (apply is InPlaceOrEvict), which bounds eviction loops. */
  readonly evictions?: RecommendationStatusClassEvictions;
  /** Resized pods that another writer has resized since. Absent when there are none. */
  readonly externalResizes?: RecommendationStatusClassExternalResizes;
  /** Demand above the limits or ceilings of the workload. */
  readonly limitExceptions?: readonly RecommendationStatusClassLimitException[];
}

export interface RecommendationStatusClassContainer {
  /** Container name. */
  readonly name: string;
  /** In force now. */
  readonly current?: RecommendationStatusClassContainerCurrent;
  /** Recommended values. */
  readonly recommended?: RecommendationStatusClassContainerRecommended;
  /** Reason of the memory limit, as text. */
  readonly memoryLimitReason?: string;
}

/** In force now. */
export interface RecommendationStatusClassContainerCurrent {
  /** Requests. */
  readonly requests?: RecommendationStatusClassContainerCurrentRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassContainerCurrentLimits;
}

/** Requests. */
export interface RecommendationStatusClassContainerCurrentRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassContainerCurrentLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Recommended values. */
export interface RecommendationStatusClassContainerRecommended {
  /** Requests. */
  readonly requests?: RecommendationStatusClassContainerRecommendedRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassContainerRecommendedLimits;
}

/** Requests. */
export interface RecommendationStatusClassContainerRecommendedRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassContainerRecommendedLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The change in progress. Absent without one. */
export interface RecommendationStatusClassApply {
  /** Start time (RFC 3339). */
  readonly startedAt: string;
  /** Pods that may have the change so far (one, 10 %, 50 %, all). */
  readonly stage: 'Canary' | 'Tenth' | 'Half' | 'All';
  /** Start of this stage (RFC 3339). */
  readonly stageStartedAt: string;
  /** Actor of the change, evenkeel or the user who approved it. */
  readonly by?: string;
  /** The change only ends temporary CPU increases, which needs no verification. */
  readonly endsIncrease?: boolean;
  /** Fraction of throttled CPU periods (0–1) when it started. */
  readonly throttledRatioBefore?: number;
  /** Result of the policy's rollback.onErrorRateQuery when it started. */
  readonly errorRateBefore?: number;
  /** Reason of the change. */
  readonly reason?: string;
  /** The values being applied. */
  readonly containers: readonly RecommendationStatusClassApplyContainer[];
}

export interface RecommendationStatusClassApplyContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassApplyContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassApplyContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassApplyContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassApplyContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last change that reached pods. */
export interface RecommendationStatusClassLastApplied {
  /** When it was complete on all pods, or its start while in progress (RFC 3339). */
  readonly at: string;
  /** Actor of the change, evenkeel or a user. */
  readonly by?: string;
  /** Reason. */
  readonly reason?: string;
  /** Pods with the change. */
  readonly pods?: number;
  /** The values. */
  readonly containers?: readonly RecommendationStatusClassLastAppliedContainer[];
}

export interface RecommendationStatusClassLastAppliedContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassLastAppliedContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassLastAppliedContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassLastAppliedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassLastAppliedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Values before the last change, for a rollback. */
export interface RecommendationStatusClassPrevious {
  /** When they were replaced (RFC 3339). */
  readonly at: string;
  /** The values. */
  readonly containers: readonly RecommendationStatusClassPreviousContainer[];
}

export interface RecommendationStatusClassPreviousContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassPreviousContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassPreviousContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassPreviousContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassPreviousContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassObservedReduction {
  /** Start time (RFC 3339). */
  readonly since: string;
  /** End of watching (RFC 3339). */
  readonly until: string;
  /** Number of hours compared so far. 0: no comparison was possible, neither with the week before nor with unchanged replicas. */
  readonly comparedHours?: number;
  /** Values before the reduction. */
  readonly containers: readonly RecommendationStatusClassObservedReductionContainer[];
}

export interface RecommendationStatusClassObservedReductionContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassObservedReductionContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassObservedReductionContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassObservedReductionContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassObservedReductionContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassTemplateItem {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassTemplateItemRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassTemplateItemLimits;
}

/** Requests. */
export interface RecommendationStatusClassTemplateItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassTemplateItemLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last rollback. */
export interface RecommendationStatusClassRolledBack {
  /** Time (RFC 3339). */
  readonly at: string;
  /** spec.rollback.at of the request that it carried out (RFC 3339). Absent for an automatic rollback. */
  readonly requestedAt?: string;
  /** Reason, such as restarts, throttling, pressure or request. */
  readonly reason?: string;
  /** Reason, as text. */
  readonly message?: string;
  /** Automatic changes are blocked until then (RFC 3339). */
  readonly heldUntil?: string;
  /** End of a hold by annotation that was in force after the rollback (RFC 3339). It does not end the hold of the rollback. */
  readonly userHeldUntil?: string;
  /** Consecutive automatic rollbacks; each doubles the time until heldUntil. */
  readonly count?: number;
  /** The values that were rolled back. */
  readonly containers?: readonly RecommendationStatusClassRolledBackContainer[];
}

export interface RecommendationStatusClassRolledBackContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassRolledBackContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassRolledBackContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassRolledBackContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
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
   * Node pool, with the size of its nodes where they are too small, in which no pod of the workload is resized in this resource for now.
   * Absent: this applies only to this pod.
   */
  readonly pool?: string;
  /** The resource that the node refused; absent: both. */
  readonly resource?: 'cpu' | 'memory';
  /** State of the resize on the kubelet. */
  readonly state: 'deferred' | 'infeasible' | 'error' | 'in-progress';
  /** Start time (RFC 3339). */
  readonly since: string;
  /** Message of the kubelet. */
  readonly message?: string;
  /** Reason of the refusal; other where unknown. */
  readonly code?: 'node-capacity' | 'cpu-manager' | 'memory-manager' | 'swap' | 'no-resize' | 'quota' | 'permission' | 'start-up-boost' | 'other';
  /** Number of refusals by nodes of the pool because of their kubelet configuration; retried after a day, then with doubling delays. */
  readonly attempts?: number;
  /** The attempted values. */
  readonly containers?: readonly RecommendationStatusClassResizeContainer[];
}

export interface RecommendationStatusClassResizeContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassResizeContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassResizeContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassResizeContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassResizeContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusClassCpuLimitRaise {
  /** Container name. */
  readonly name: string;
  /** Times (RFC 3339), newest last. */
  readonly at: readonly string[];
}

export interface RecommendationStatusClassOomBump {
  /** Container name. */
  readonly container: string;
  /** The killed pod, if only it has the new limit. Absent: every pod of the workload. */
  readonly pod?: string;
  /** metadata.uid of that pod. */
  readonly uid?: string;
  /** Time (RFC 3339). */
  readonly at: string;
  /** The new limit (bytes). */
  readonly limit: string;
  /** The request with it (bytes). Absent: as recommended. */
  readonly request?: string;
}

/**
 * The largest node of the workload's pods in the last 30 days, per resource; 80 % of it bounds increases after OOM kills and throttling.
 */
export interface RecommendationStatusClassLargestNode {
  /** Allocatable CPU (cores or millicores). */
  readonly cpu: string;
  /** When a pod last ran on a node with as much CPU, with a precision of a day (RFC 3339). */
  readonly cpuSeenAt: string;
  /** Allocatable memory (bytes). */
  readonly memory: string;
  /** When a pod last ran on a node with as much memory, with a precision of a day (RFC 3339). */
  readonly memorySeenAt: string;
}

export interface RecommendationStatusClassHotReplica {
  /** Container name. */
  readonly container: string;
  /** The replica. */
  readonly pod: string;
  /** metadata.uid of that pod. */
  readonly uid: string;
  /** When it last used as much, with a precision of 15 minutes (RFC 3339). */
  readonly at: string;
  /** Its request (cores or millicores). Absent once it equals that of the others. */
  readonly cpu?: string;
}

export interface RecommendationStatusClassNodeOom {
  /** Container name. */
  readonly name: string;
  /** Time (RFC 3339). */
  readonly at: string;
}

export interface RecommendationStatusClassCpuBeforeIncreaseItem {
  /** Container name. */
  readonly name: string;
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
}

/** The last change of the pace of CPU requests. No request falls in the 24 hours after it. Absent: Daily for a day or more. */
export interface RecommendationStatusClassPace {
  /** The effective pace, which may differ from the policy. */
  readonly effective: 'Daily' | 'Hourly';
  /** When it took effect (RFC 3339). */
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
  /** Start time (RFC 3339). */
  readonly since: string;
  /** Values of its boosted containers without the boost. */
  readonly containers?: readonly RecommendationStatusClassBoostContainer[];
}

export interface RecommendationStatusClassBoostContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusClassBoostContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusClassBoostContainerLimits;
}

/** Requests. */
export interface RecommendationStatusClassBoostContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusClassBoostContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Evictions for one size (apply is InPlaceOrEvict), which bounds eviction loops. */
export interface RecommendationStatusClassEvictions {
  /** Total requests intended for the evicted pod. */
  readonly requests: RecommendationStatusClassEvictionsRequests;
  /** Number of evictions. */
  readonly count: number;
  /** When the last was requested (RFC 3339). */
  readonly lastAt: string;
  /** When a disruption budget refused an eviction (RFC 3339). Absent where none did. */
  readonly refusedAt?: string;
  /** Message of the refusal. */
  readonly message?: string;
}

/** Total requests intended for the evicted pod. */
export interface RecommendationStatusClassEvictionsRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory: string;
}

/** Resized pods that another writer has resized since. Absent when there are none. */
export interface RecommendationStatusClassExternalResizes {
  /** Field manager of the pod that resized it. */
  readonly by: string;
  /** One of the pods. */
  readonly pod: string;
  /** Last time (RFC 3339). */
  readonly at: string;
  /** Number of repetitions after Evenkeel had reverted it. */
  readonly count?: number;
  /** Changes are blocked until then (RFC 3339). */
  readonly until: string;
}

export interface RecommendationStatusClassLimitException {
  /** Container name. */
  readonly container: string;
  /** Resource. */
  readonly resource: 'cpu' | 'memory';
  /** Type of the exception. */
  readonly type: 'usage-over-limit' | 'recommendation-over-ceiling' | 'oom-killed' | 'leak' | 'cpu-throttled';
  /** The exceeded limit or ceiling (Kubernetes quantity). */
  readonly limit?: string;
  /** Observed usage or recommended value (Kubernetes quantity). */
  readonly observed?: string;
  /** Proposed value (Kubernetes quantity). */
  readonly proposed?: string;
  /** Progress. */
  readonly state: 'open' | 'approved' | 'rejected' | 'resolved';
  /** Whether the proposed value is in effect temporarily. */
  readonly applied?: boolean;
  /** When it was opened (RFC 3339). */
  readonly openedAt: string;
  /** Number of occurrences. */
  readonly occurrences?: number;
  /** The exceeded bound - the limit of pods, or the ceiling of the request. An approval raises it. */
  readonly bound?: 'limit' | 'ceiling';
  /** Time of the last occurrence (RFC 3339). */
  readonly lastSeenAt?: string;
  /** Start of the time with demand below 80 % of the limit (RFC 3339). */
  readonly clearSince?: string;
  /** Times at which it was opened within the last 7 days, including this one (RFC 3339). */
  readonly openCount?: readonly string[];
  /** When it was approved, rejected or resolved (RFC 3339). */
  readonly closedAt?: string;
  /** Time of the decision that was carried out (RFC 3339). */
  readonly decidedAt?: string;
  /** User who approved or rejected it. */
  readonly decidedBy?: string;
  /** Approved value (Kubernetes quantity). */
  readonly value?: string;
  /** Whether the approved value is in effect. From then on users may change it manually. */
  readonly inEffect?: boolean;
  /** The limit that was approved last. It is the minimum until a user changes it. */
  readonly approvedBaseline?: RecommendationStatusClassLimitExceptionApprovedBaseline;
  /** When a user approved steadily growing memory; it is not treated as a leak for 30 days (RFC 3339). */
  readonly leakApprovedAt?: string;
  /** Whether usage is close to the temporary limit. */
  readonly ceilingReached?: boolean;
  /** The temporary limit. Stored before the first pod gets it, so that it is reverted in any case. */
  readonly overage?: RecommendationStatusClassLimitExceptionOverage;
  /** Description of the evidence. */
  readonly evidence?: string;
}

/** The limit that was approved last. It is the minimum until a user changes it. */
export interface RecommendationStatusClassLimitExceptionApprovedBaseline {
  /** The approved limit (Kubernetes quantity). */
  readonly value: string;
  /** When it was approved (RFC 3339). */
  readonly at: string;
}

/** The temporary limit. Stored before the first pod gets it, so that it is reverted in any case. */
export interface RecommendationStatusClassLimitExceptionOverage {
  /** The former limit, which is restored (Kubernetes quantity). */
  readonly before: string;
  /** The temporary value (Kubernetes quantity). */
  readonly value: string;
  /** Start time (RFC 3339). */
  readonly since: string;
  /** When it is reverted (RFC 3339). */
  readonly until: string;
  /** When the last pod was restored (RFC 3339). */
  readonly returnedAt?: string;
}

export interface RecommendationStatusInput {
  /** Container name. */
  readonly container: string;
  /** Resource of the step. */
  readonly resource: 'cpu' | 'memory';
  /** Name of the step such as percentile, margin, floor or round. */
  readonly step: string;
  /** Description of the step. */
  readonly detail?: string;
  /** The value after the step, in unit. */
  readonly value: number;
  /** Unit of the value. */
  readonly unit: 'millicores' | 'bytes' | 'ratio' | 'count' | 'seconds';
}

/** The change in progress. Absent without one. */
export interface RecommendationStatusApply {
  /** Start time (RFC 3339). */
  readonly startedAt: string;
  /** Pods that may have the change so far (one, 10 %, 50 %, all). */
  readonly stage: 'Canary' | 'Tenth' | 'Half' | 'All';
  /** Start of this stage (RFC 3339). */
  readonly stageStartedAt: string;
  /** Actor of the change, evenkeel or the user who approved it. */
  readonly by?: string;
  /** The change only ends temporary CPU increases, which needs no verification. */
  readonly endsIncrease?: boolean;
  /** Fraction of throttled CPU periods (0–1) when it started. */
  readonly throttledRatioBefore?: number;
  /** Result of the policy's rollback.onErrorRateQuery when it started. */
  readonly errorRateBefore?: number;
  /** Reason of the change. */
  readonly reason?: string;
  /** The values being applied. */
  readonly containers: readonly RecommendationStatusApplyContainer[];
}

export interface RecommendationStatusApplyContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusApplyContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusApplyContainerLimits;
}

/** Requests. */
export interface RecommendationStatusApplyContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusApplyContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last change that reached pods. */
export interface RecommendationStatusLastApplied {
  /** When it was complete on all pods, or its start while in progress (RFC 3339). */
  readonly at: string;
  /** Actor of the change, evenkeel or a user. */
  readonly by?: string;
  /** Reason. */
  readonly reason?: string;
  /** Pods with the change. */
  readonly pods?: number;
  /** The values. */
  readonly containers?: readonly RecommendationStatusLastAppliedContainer[];
}

export interface RecommendationStatusLastAppliedContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusLastAppliedContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusLastAppliedContainerLimits;
}

/** Requests. */
export interface RecommendationStatusLastAppliedContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusLastAppliedContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Values before the last change, for a rollback. */
export interface RecommendationStatusPrevious {
  /** When they were replaced (RFC 3339). */
  readonly at: string;
  /** The values. */
  readonly containers: readonly RecommendationStatusPreviousContainer[];
}

export interface RecommendationStatusPreviousContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusPreviousContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusPreviousContainerLimits;
}

/** Requests. */
export interface RecommendationStatusPreviousContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusPreviousContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusObservedReduction {
  /** Start time (RFC 3339). */
  readonly since: string;
  /** End of watching (RFC 3339). */
  readonly until: string;
  /** Number of hours compared so far. 0: no comparison was possible, neither with the week before nor with unchanged replicas. */
  readonly comparedHours?: number;
  /** Values before the reduction. */
  readonly containers: readonly RecommendationStatusObservedReductionContainer[];
}

export interface RecommendationStatusObservedReductionContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusObservedReductionContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusObservedReductionContainerLimits;
}

/** Requests. */
export interface RecommendationStatusObservedReductionContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusObservedReductionContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusTemplateItem {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusTemplateItemRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusTemplateItemLimits;
}

/** Requests. */
export interface RecommendationStatusTemplateItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusTemplateItemLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last rollback. */
export interface RecommendationStatusRolledBack {
  /** Time (RFC 3339). */
  readonly at: string;
  /** spec.rollback.at of the request that it carried out (RFC 3339). Absent for an automatic rollback. */
  readonly requestedAt?: string;
  /** Reason, such as restarts, throttling, pressure or request. */
  readonly reason?: string;
  /** Reason, as text. */
  readonly message?: string;
  /** Automatic changes are blocked until then (RFC 3339). */
  readonly heldUntil?: string;
  /** End of a hold by annotation that was in force after the rollback (RFC 3339). It does not end the hold of the rollback. */
  readonly userHeldUntil?: string;
  /** Consecutive automatic rollbacks; each doubles the time until heldUntil. */
  readonly count?: number;
  /** The values that were rolled back. */
  readonly containers?: readonly RecommendationStatusRolledBackContainer[];
}

export interface RecommendationStatusRolledBackContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusRolledBackContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusRolledBackContainerLimits;
}

/** Requests. */
export interface RecommendationStatusRolledBackContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
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
   * Node pool, with the size of its nodes where they are too small, in which no pod of the workload is resized in this resource for now.
   * Absent: this applies only to this pod.
   */
  readonly pool?: string;
  /** The resource that the node refused; absent: both. */
  readonly resource?: 'cpu' | 'memory';
  /** State of the resize on the kubelet. */
  readonly state: 'deferred' | 'infeasible' | 'error' | 'in-progress';
  /** Start time (RFC 3339). */
  readonly since: string;
  /** Message of the kubelet. */
  readonly message?: string;
  /** Reason of the refusal; other where unknown. */
  readonly code?: 'node-capacity' | 'cpu-manager' | 'memory-manager' | 'swap' | 'no-resize' | 'quota' | 'permission' | 'start-up-boost' | 'other';
  /** Number of refusals by nodes of the pool because of their kubelet configuration; retried after a day, then with doubling delays. */
  readonly attempts?: number;
  /** The attempted values. */
  readonly containers?: readonly RecommendationStatusResizeContainer[];
}

export interface RecommendationStatusResizeContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusResizeContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusResizeContainerLimits;
}

/** Requests. */
export interface RecommendationStatusResizeContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusResizeContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Evictions for one size (apply is InPlaceOrEvict), which bounds eviction loops. */
export interface RecommendationStatusEvictions {
  /** Total requests intended for the evicted pod. */
  readonly requests: RecommendationStatusEvictionsRequests;
  /** Number of evictions. */
  readonly count: number;
  /** When the last was requested (RFC 3339). */
  readonly lastAt: string;
  /** When a disruption budget refused an eviction (RFC 3339). Absent where none did. */
  readonly refusedAt?: string;
  /** Message of the refusal. */
  readonly message?: string;
}

/** Total requests intended for the evicted pod. */
export interface RecommendationStatusEvictionsRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory: string;
}

export interface RecommendationStatusCpuLimitRaise {
  /** Container name. */
  readonly name: string;
  /** Times (RFC 3339), newest last. */
  readonly at: readonly string[];
}

export interface RecommendationStatusOomBump {
  /** Container name. */
  readonly container: string;
  /** The killed pod, if only it has the new limit. Absent: every pod of the workload. */
  readonly pod?: string;
  /** metadata.uid of that pod. */
  readonly uid?: string;
  /** Time (RFC 3339). */
  readonly at: string;
  /** The new limit (bytes). */
  readonly limit: string;
  /** The request with it (bytes). Absent: as recommended. */
  readonly request?: string;
}

/**
 * The largest node of the workload's pods in the last 30 days, per resource; 80 % of it bounds increases after OOM kills and throttling.
 */
export interface RecommendationStatusLargestNode {
  /** Allocatable CPU (cores or millicores). */
  readonly cpu: string;
  /** When a pod last ran on a node with as much CPU, with a precision of a day (RFC 3339). */
  readonly cpuSeenAt: string;
  /** Allocatable memory (bytes). */
  readonly memory: string;
  /** When a pod last ran on a node with as much memory, with a precision of a day (RFC 3339). */
  readonly memorySeenAt: string;
}

export interface RecommendationStatusHotReplica {
  /** Container name. */
  readonly container: string;
  /** The replica. */
  readonly pod: string;
  /** metadata.uid of that pod. */
  readonly uid: string;
  /** When it last used as much, with a precision of 15 minutes (RFC 3339). */
  readonly at: string;
  /** Its request (cores or millicores). Absent once it equals that of the others. */
  readonly cpu?: string;
}

export interface RecommendationStatusNodeOom {
  /** Container name. */
  readonly name: string;
  /** Time (RFC 3339). */
  readonly at: string;
}

export interface RecommendationStatusCpuBeforeIncreaseItem {
  /** Container name. */
  readonly name: string;
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu: string;
}

/** The last change of the pace of CPU requests. No request falls in the 24 hours after it. Absent: Daily for a day or more. */
export interface RecommendationStatusPace {
  /** The effective pace, which may differ from the policy. */
  readonly effective: 'Daily' | 'Hourly';
  /** When it took effect (RFC 3339). */
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
  /** Start time (RFC 3339). */
  readonly since: string;
  /** Values of its boosted containers without the boost. */
  readonly containers?: readonly RecommendationStatusBoostContainer[];
}

export interface RecommendationStatusBoostContainer {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusBoostContainerRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusBoostContainerLimits;
}

/** Requests. */
export interface RecommendationStatusBoostContainerRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusBoostContainerLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusAutoscaler {
  /** Name of the HorizontalPodAutoscaler. */
  readonly name: string;
  /** The targets before Evenkeel changed them, the requests they were set for, and the targets set last (JSON). */
  readonly original?: string;
  /** When the newest record of them on the HorizontalPodAutoscaler was issued (RFC 3339); an older record is ignored. */
  readonly issuedAt?: string;
  /** Number of times that another writer restored the original targets. */
  readonly reverts?: number;
  /** When that was last observed (RFC 3339). */
  readonly revertedAt?: string;
  /** Field manager of the HorizontalPodAutoscaler that restored them. */
  readonly revertedBy?: string;
  /** Whether the original targets are in effect again and Evenkeel has not changed them since. */
  readonly reverted?: boolean;
  /** When the API server last refused to change a target (RFC 3339). */
  readonly refusedAt?: string;
  /** Message of the API server. */
  readonly refusal?: string;
}

/** Resized pods that another writer has resized since. Absent when there are none. */
export interface RecommendationStatusExternalResizes {
  /** Field manager of the pod that resized it. */
  readonly by: string;
  /** One of the pods. */
  readonly pod: string;
  /** Last time (RFC 3339). */
  readonly at: string;
  /** Number of repetitions after Evenkeel had reverted it. */
  readonly count?: number;
  /** Changes are blocked until then (RFC 3339). */
  readonly until: string;
}

export interface RecommendationStatusLimitException {
  /** Container name. */
  readonly container: string;
  /** Resource. */
  readonly resource: 'cpu' | 'memory';
  /** Type of the exception. */
  readonly type: 'usage-over-limit' | 'recommendation-over-ceiling' | 'oom-killed' | 'leak' | 'cpu-throttled';
  /** The exceeded limit or ceiling (Kubernetes quantity). */
  readonly limit?: string;
  /** Observed usage or recommended value (Kubernetes quantity). */
  readonly observed?: string;
  /** Proposed value (Kubernetes quantity). */
  readonly proposed?: string;
  /** Progress. */
  readonly state: 'open' | 'approved' | 'rejected' | 'resolved';
  /** Whether the proposed value is in effect temporarily. */
  readonly applied?: boolean;
  /** When it was opened (RFC 3339). */
  readonly openedAt: string;
  /** Number of occurrences. */
  readonly occurrences?: number;
  /** The exceeded bound - the limit of pods, or the ceiling of the request. An approval raises it. */
  readonly bound?: 'limit' | 'ceiling';
  /** Time of the last occurrence (RFC 3339). */
  readonly lastSeenAt?: string;
  /** Start of the time with demand below 80 % of the limit (RFC 3339). */
  readonly clearSince?: string;
  /** Times at which it was opened within the last 7 days, including this one (RFC 3339). */
  readonly openCount?: readonly string[];
  /** When it was approved, rejected or resolved (RFC 3339). */
  readonly closedAt?: string;
  /** Time of the decision that was carried out (RFC 3339). */
  readonly decidedAt?: string;
  /** User who approved or rejected it. */
  readonly decidedBy?: string;
  /** Approved value (Kubernetes quantity). */
  readonly value?: string;
  /** Whether the approved value is in effect. From then on users may change it manually. */
  readonly inEffect?: boolean;
  /** The limit that was approved last. It is the minimum until a user changes it. */
  readonly approvedBaseline?: RecommendationStatusLimitExceptionApprovedBaseline;
  /** When a user approved steadily growing memory; it is not treated as a leak for 30 days (RFC 3339). */
  readonly leakApprovedAt?: string;
  /** Whether usage is close to the temporary limit. */
  readonly ceilingReached?: boolean;
  /** The temporary limit. Stored before the first pod gets it, so that it is reverted in any case. */
  readonly overage?: RecommendationStatusLimitExceptionOverage;
  /** Description of the evidence. */
  readonly evidence?: string;
}

/** The limit that was approved last. It is the minimum until a user changes it. */
export interface RecommendationStatusLimitExceptionApprovedBaseline {
  /** The approved limit (Kubernetes quantity). */
  readonly value: string;
  /** When it was approved (RFC 3339). */
  readonly at: string;
}

/** The temporary limit. Stored before the first pod gets it, so that it is reverted in any case. */
export interface RecommendationStatusLimitExceptionOverage {
  /** The former limit, which is restored (Kubernetes quantity). */
  readonly before: string;
  /** The temporary value (Kubernetes quantity). */
  readonly value: string;
  /** Start time (RFC 3339). */
  readonly since: string;
  /** When it is reverted (RFC 3339). */
  readonly until: string;
  /** When the last pod was restored (RFC 3339). */
  readonly returnedAt?: string;
}

/** Set while the workload is idled. */
export interface RecommendationStatusIdle {
  /** Start time (RFC 3339). */
  readonly since: string;
  /** Replicas before it was idled. */
  readonly replicas?: number;
  /** Replicas while it is idled. Absent where they are unchanged. */
  readonly idleReplicas?: number;
  /** The HorizontalPodAutoscaler whose minReplicas was lowered instead of the replicas. */
  readonly autoscaler?: RecommendationStatusIdleAutoscaler;
  /** When restoring its natural size started (RFC 3339). Absent while it is idled. */
  readonly wakeStartedAt?: string;
  /** Reason of waking, as text. */
  readonly wakeReason?: string;
  /**
   * What woke it; only load delays the next idle period. record means that there was no Recommendation, so the annotation on the workload
   * has the natural size.
   */
  readonly wakeTrigger?: 'load' | 'record' | 'other';
  /** Wake triggers. */
  readonly wakeTriggers?: string;
  /** Its natural size. */
  readonly natural?: readonly RecommendationStatusIdleNaturalItem[];
  /** Its idle size; limits are unchanged. */
  readonly sizes?: readonly RecommendationStatusIdleSize[];
  /** Active time since `floor` was recorded, when it was idled (seconds). */
  readonly activeSeconds?: number;
  /** Whether the replicas (or minReplicas) were observed at their idle value. A later change is by another writer. */
  readonly scaled?: boolean;
  /** Minimum requests until it has been active long enough for a recommendation - the values recommended before it was idled. */
  readonly floor?: readonly RecommendationStatusIdleFloorItem[];
}

/** The HorizontalPodAutoscaler whose minReplicas was lowered instead of the replicas. */
export interface RecommendationStatusIdleAutoscaler {
  /** Name of the HorizontalPodAutoscaler. */
  readonly name: string;
  /** minReplicas before it was lowered. */
  readonly minReplicas: number;
}

export interface RecommendationStatusIdleNaturalItem {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusIdleNaturalItemRequests;
  /** Limits. */
  readonly limits?: RecommendationStatusIdleNaturalItemLimits;
}

/** Requests. */
export interface RecommendationStatusIdleNaturalItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** Limits. */
export interface RecommendationStatusIdleNaturalItemLimits {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusIdleSize {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusIdleSizeRequests;
}

/** Requests. */
export interface RecommendationStatusIdleSizeRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusIdleFloorItem {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusIdleFloorItemRequests;
}

/** Requests. */
export interface RecommendationStatusIdleFloorItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

/** The last idle period, as far as it still matters. */
export interface RecommendationStatusLastIdle {
  /** When it was idled (RFC 3339). */
  readonly since: string;
  /** When it was restored to its natural size (RFC 3339). */
  readonly wokenAt: string;
  /** Reason of waking, as text. */
  readonly wakeReason?: string;
  /** Consecutive idle periods that load ended sooner than the wait before them. Each doubles the wait for the next. */
  readonly shortIdlePeriods?: number;
  /** Active time since `floor` was recorded, up to `wokenAt` (seconds). */
  readonly activeSeconds?: number;
  /** Minimum requests until it has been active long enough for a recommendation - the values recommended before it was idled. */
  readonly floor?: readonly RecommendationStatusLastIdleFloorItem[];
}

export interface RecommendationStatusLastIdleFloorItem {
  /** Container name. */
  readonly name: string;
  /** Requests. */
  readonly requests?: RecommendationStatusLastIdleFloorItemRequests;
}

/** Requests. */
export interface RecommendationStatusLastIdleFloorItemRequests {
  /** CPU (Kubernetes quantity, cores or millicores such as 250m). */
  readonly cpu?: string;
  /** Memory (Kubernetes quantity, bytes such as 128Mi). */
  readonly memory?: string;
}

export interface RecommendationStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}

/** A ScheduledScalePolicy changes the replicas of one target on a schedule and restores the original afterwards. */
export interface ScheduledScalePolicy {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'ScheduledScalePolicy';
  readonly metadata: ObjectMeta;
  /** The target, the schedule and the replicas. */
  readonly spec: ScheduledScalePolicySpec;
  /** The open window and the effective replicas. Written only by Evenkeel. */
  readonly status?: ScheduledScalePolicyStatus;
}

/** The target, the schedule and the replicas. */
export interface ScheduledScalePolicySpec {
  /** The target: a HorizontalPodAutoscaler, a KEDA ScaledObject, or a workload with a scale subresource, in the same namespace. */
  readonly targetRef: ScheduledScalePolicySpecTargetRef;
  /** Floor raises the minimum replicas, Cap lowers the maximum, Fixed sets both. Default: Floor. */
  readonly mode?: 'Floor' | 'Cap' | 'Fixed';
  /** Windows with their replicas. Of several open windows the last in the list applies. */
  readonly windows: readonly ScheduledScalePolicySpecWindow[];
  /** Of several policies with one target the highest priority applies, and among equals the older. Default: 0. */
  readonly priority?: number;
  /** What happens when a window closes. Original restores the original values, Keep leaves the window's values. Default: Original. */
  readonly restore?: 'Original' | 'Keep';
  /** Stops every effect of this policy. Default: false. */
  readonly paused?: boolean;
  /** Decides and reports without changes. Default: false. */
  readonly dryRun?: boolean;
}

/** The target: a HorizontalPodAutoscaler, a KEDA ScaledObject, or a workload with a scale subresource, in the same namespace. */
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
  /** Duration. Give end or duration. */
  readonly duration?: string;
  /** Time zone of start and end (IANA name such as Europe/Vienna). Default: UTC. */
  readonly timeZone?: string;
  /** Minimum replicas while open, for mode Floor (and Cap, where it must be lowered as well). */
  readonly minReplicas?: number;
  /** Maximum replicas while open, for mode Cap (and Floor, where it must be raised as well). */
  readonly maxReplicas?: number;
  /** Replicas while open, for mode Fixed. */
  readonly replicas?: number;
}

/** The open window and the effective replicas. Written only by Evenkeel. */
export interface ScheduledScalePolicyStatus {
  /** metadata.generation that this status was computed from. */
  readonly observedGeneration?: number;
  /** The open window. */
  readonly activeWindow?: ScheduledScalePolicyStatusActiveWindow;
  /** The next window. */
  readonly nextWindow?: ScheduledScalePolicyStatusNextWindow;
  /** Replicas outside windows. */
  readonly original?: ScheduledScalePolicyStatusOriginal;
  /** Effective replicas. */
  readonly current?: ScheduledScalePolicyStatusCurrent;
  /** The last openings and closings, newest first. */
  readonly activations?: readonly ScheduledScalePolicyStatusActivation[];
  /** Ready, Active and DryRun, each with a reason and a message. */
  readonly conditions?: readonly ScheduledScalePolicyStatusCondition[];
}

/** The open window. */
export interface ScheduledScalePolicyStatusActiveWindow {
  /** Name of the window. */
  readonly name: string;
  /** Opening time (RFC 3339). */
  readonly start?: string;
  /** Closing time (RFC 3339). */
  readonly end?: string;
}

/** The next window. */
export interface ScheduledScalePolicyStatusNextWindow {
  /** Name of the window. */
  readonly name: string;
  /** Opening time (RFC 3339). */
  readonly start?: string;
  /** Closing time (RFC 3339). */
  readonly end?: string;
}

/** Replicas outside windows. */
export interface ScheduledScalePolicyStatusOriginal {
  /** Minimum replicas, or the replicas of a workload. */
  readonly minReplicas?: number;
  /** Maximum replicas. */
  readonly maxReplicas?: number;
}

/** Effective replicas. */
export interface ScheduledScalePolicyStatusCurrent {
  /** Minimum replicas, or the replicas of a workload. */
  readonly minReplicas?: number;
  /** Maximum replicas. */
  readonly maxReplicas?: number;
}

export interface ScheduledScalePolicyStatusActivation {
  /** Name of the window. */
  readonly window: string;
  /** Time (RFC 3339). */
  readonly at: string;
  /** Action. */
  readonly action: 'activated' | 'restored' | 'skipped' | 'failed';
  /** Human-readable message. */
  readonly message?: string;
}

export interface ScheduledScalePolicyStatusCondition {
  /** Type of the condition in CamelCase. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** metadata.generation that the condition was computed from. */
  readonly observedGeneration?: number;
  /** When the status last changed (RFC 3339). */
  readonly lastTransitionTime: string;
  /** Machine-readable reason in CamelCase. */
  readonly reason: string;
  /** Human-readable cause and remedy. */
  readonly message: string;
}
