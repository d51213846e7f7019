// Condition types and reasons, states and reasons of recommendations: the words of the API, written once.

/** Types of conditions on Evenkeel's resources. */
export const CONDITION = {
  /** The summary: whether the object is in force. */
  ready: 'Ready',
  progressing: 'Progressing',
  degraded: 'Degraded',
  /** Another policy governs what this one selects too. */
  conflicted: 'Conflicted',
  dryRun: 'DryRun',
  /** Fields of the spec are overridden for a while, or an override is ignored; absent where the annotation is. */
  overridden: 'Overridden',
  /** Another node autoscaler can undo what right-sizing frees; absent where none does. */
  consolidationLoop: 'ConsolidationLoop',
} as const;

/** Reasons of conditions. */
export const CONDITION_REASON = {
  /** Ready=True. */
  inForce: 'InForce',
  /** Ready=False: a field says what cannot be; the message names the field and the remedy. */
  invalidSpec: 'InvalidSpec',
  /** Ready=False: it asks for what controller.admission.enabled gives. */
  admissionRequired: 'AdmissionRequired',
  /** Ready=False: it asks for what prometheus.url gives. */
  prometheusRequired: 'PrometheusRequired',
  /** Ready=False: spec.paused, or the kill switch. */
  paused: 'Paused',
  /** Ready=False or Degraded=True: usage or informers are too old to act on. */
  staleData: 'StaleData',
  /** Conflicted=True: a more specific or older policy governs. */
  outranked: 'Outranked',
  /** Conflicted=False. */
  noConflict: 'NoConflict',
  /** DryRun=True: because of the policy itself, or of the setting controller.dryRun. */
  dryRunByPolicy: 'SetByPolicy',
  dryRunBySetting: 'SetBySetting',
  /** DryRun=False. */
  active: 'Active',
  /** ConsolidationLoop=True: pods that a node autoscaler evicts are created at their template's size. */
  admissionDisabled: 'AdmissionDisabled',
  /** Overridden=True: by the annotation evenkeel.io/overrides; the message names fields and ends. */
  overriddenByAnnotation: 'SetByAnnotation',
  /** Overridden, whatever its status: something in the annotation is ignored; the message says what and why. */
  invalidOverride: 'InvalidOverride',
  /** Overridden=False: what is written has ended. */
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
 * Why a change that is due waits. hold: a user asked for no automatic change, or for a roll-back. rolled-back: held after a change did harm.
 * warm-up: usage is observed after a start of the controller or an outage. start-up: its pods are starting. node-capacity: a node has no room for a raise. concurrency: maxConcurrent other workloads are
 * being resized. not-evictable: only a new pod could have it, and this one is never evicted. stuck: the API server or a node does
 * not carry it out. node-draining: its node is cordoned. node-unsupported:
 * its node cannot resize it in place. rolled-back: held after a roll-back, or by the annotation evenkeel.io/held-until.
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
 * Why a change can never be made as things stand. no-in-place: the API server has no `pods/resize`. other-manager: another
 * tool sizes the workload, such as the Vertical Pod Autoscaler. invalid-policy: the policy that governs it is not Ready.
 * invalid-annotation: an annotation on the workload cannot be read. invalid-template: a limit of its pod template is below its request.
 */
export const BLOCKED_REASONS = ['no-in-place', 'other-manager', 'invalid-policy', 'invalid-annotation', 'invalid-template'] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

/** Modes, the most careful first. `Off` comes from the annotation or a container rule alone. */
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
  limitExceeded: 'LimitExceeded',
  overrideExpired: 'OverrideExpired',
  resetToDeploy: 'ResetToDeploy',
  resetNotMade: 'ResetNotMade',
} as const;
