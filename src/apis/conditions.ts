// Condition types and reasons, and the states and reasons of recommendations. They are part of the API.

/** Types of conditions on Evenkeel's resources. */
export const CONDITION = {
  /** Summary condition: whether the object is in effect. */
  ready: 'Ready',
  progressing: 'Progressing',
  degraded: 'Degraded',
  /** An equally specific policy selects the same objects. */
  conflicted: 'Conflicted',
  dryRun: 'DryRun',
  /** Spec fields are temporarily overridden, or an override is ignored; absent without the annotation. */
  overridden: 'Overridden',
  /** Another node autoscaler can undo the capacity that right-sizing frees; absent where none can. */
  consolidationLoop: 'ConsolidationLoop',
} as const;

/** Reasons of conditions. */
export const CONDITION_REASON = {
  /** Ready=True. */
  inForce: 'InForce',
  /** Ready=True, but a selector or a container name matches nothing; the message names it, with a suggestion where a name is similar. */
  noMatch: 'NoMatch',
  /** Ready=False: a field is invalid; the message names the field and the remedy. */
  invalidSpec: 'InvalidSpec',
  /** Ready=False: no grant in effect of the AccessPolicy has role admin. */
  noAdmin: 'NoAdmin',
  /** Ready=False: the spec requires controller.admission.enabled. */
  admissionRequired: 'AdmissionRequired',
  /** Ready=False: the spec requires prometheus.url. */
  prometheusRequired: 'PrometheusRequired',
  /** Ready=False: spec.paused is true, or all effects are paused. */
  paused: 'Paused',
  /** Ready=False or Degraded=True: usage or informers are too old to act on. */
  staleData: 'StaleData',
  /** Conflicted=True: equally specific policies select the same workloads, so that the oldest governs them. */
  equallySpecific: 'EquallySpecific',
  /** Conflicted=False. */
  noConflict: 'NoConflict',
  /** DryRun=True: set by the policy, or by the setting controller.dryRun. */
  dryRunByPolicy: 'SetByPolicy',
  dryRunBySetting: 'SetBySetting',
  /** DryRun=False. */
  active: 'Active',
  /** ConsolidationLoop=True: pods evicted by a node autoscaler are recreated at their template's size. */
  admissionDisabled: 'AdmissionDisabled',
  /** Overridden=True: set by the annotation evenkeel.io/overrides; the message lists fields and end times. */
  overriddenByAnnotation: 'SetByAnnotation',
  /** Overridden=True or False: part of the annotation is ignored; the message names it and the reason. */
  invalidOverride: 'InvalidOverride',
  /** Overridden=False: every override of the annotation has ended. */
  overridesEnded: 'Ended',
  /** Ready, Progressing or Degraded of a Recommendation. */
  computed: 'Computed',
  collecting: 'Collecting',
  applying: 'Applying',
  settled: 'Settled',
  healthy: 'Healthy',
  resizeFailed: 'ResizeFailed',
  rolledBack: 'RolledBack',
} as const;
export type ConditionReason = (typeof CONDITION_REASON)[keyof typeof CONDITION_REASON];

/** States of a recommendation. */
export const RECOMMENDATION_STATES = [
  'collecting',
  'optimal',
  'recommended',
  'awaiting',
  'applying',
  'applied',
  'idle',
  'exception',
  'blocked',
  'excluded',
] as const;
export type RecommendationState = (typeof RECOMMENDATION_STATES)[number];

/**
 * Why a pending change waits.
 * hold: a user requested no automatic change, by the annotation evenkeel.io/held-until or a rollback.
 * rolled-back: blocked after a rollback.
 * warm-up: usage is being observed after a start of the controller or an outage.
 * start-up: the pods are starting.
 * node-capacity: a node has no capacity for an increase.
 * concurrency: maxConcurrent other workloads are being resized.
 * not-evictable: only a new pod can take the change, and this pod is never evicted.
 * stuck: the API server or a node does not complete the resize.
 * node-draining: the node is cordoned.
 * node-unsupported: the node cannot resize in place.
 */
export const AWAITING_REASONS = [
  'window',
  'cooldown',
  'approval',
  'confidence',
  'unmeasured',
  'node-capacity',
  'concurrency',
  'not-evictable',
  'stuck',
  'node-draining',
  'node-unsupported',
  'disruption-budget',
  'restart',
  'rollout',
  'start-up',
  'hpa',
  'warm-up',
  'paused',
  'stale-data',
  'hold',
  'rolled-back',
  'quota',
  'dry-run',
] as const;
export type AwaitingReason = (typeof AWAITING_REASONS)[number];

/**
 * Why a change cannot be made until the configuration changes.
 * no-in-place: the API server does not serve `pods/resize`.
 * other-manager: another tool, such as the Vertical Pod Autoscaler, sizes the workload.
 * invalid-policy: the governing policy is not Ready.
 * invalid-annotation: an annotation on the workload is invalid.
 * invalid-template: a limit of the pod template is below its request.
 */
export const BLOCKED_REASONS = ['no-in-place', 'other-manager', 'invalid-policy', 'invalid-annotation', 'invalid-template'] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

/** Modes, the most conservative first. Only the annotation or a container override can set `Off`. */
export const RESIZE_MODES = ['Off', 'Observe', 'Recommend', 'Approve', 'Auto'] as const;
export type ResizeMode = (typeof RESIZE_MODES)[number];

export type RiskLevel = 'none' | 'low' | 'medium' | 'high';

/** Reasons of Kubernetes Events. */
export const EVENT_REASON = {
  resized: 'Resized',
  resizeDeferred: 'ResizeDeferred',
  resizeInfeasible: 'ResizeInfeasible',
  resizeRefused: 'ResizeRefused',
  resizeReverted: 'ResizeReverted',
  evicted: 'Evicted',
  autoscalerTargetMoved: 'AutoscalerTargetMoved',
  autoscalerTargetRefused: 'AutoscalerTargetRefused',
  autoscalerReverted: 'AutoscalerReverted',
  rolledBack: 'RolledBack',
  approvalLapsed: 'ApprovalLapsed',
  invalidSpec: 'InvalidSpec',
  invalidAnnotation: 'InvalidAnnotation',
  unknownAnnotation: 'UnknownAnnotation',
  limitExceeded: 'LimitExceeded',
  overrideExpired: 'OverrideExpired',
  resetToDeploy: 'ResetToDeploy',
  resetNotMade: 'ResetNotMade',
} as const;
