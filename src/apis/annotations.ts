// Every annotation, label and taint that Evenkeel reads or writes on objects, by its full name.

/** Prefix of all of them. */
export const PREFIX = 'evenkeel.io/';

/** Annotations on workloads. */
export const WORKLOAD_ANNOTATIONS = {
  /** Least requests, JSON by container name, `*` for all: `{"*":{"cpu":"250m","memory":"256Mi"}}`. */
  floor: 'evenkeel.io/floor',
  /** Greatest requests, JSON in the same form. */
  ceiling: 'evenkeel.io/ceiling',
  /** `Auto`, `Approve`, `Recommend`, `Observe` or `Off`, in place of the policy's mode. */
  mode: 'evenkeel.io/mode',
  /** `"true"` leaves the workload alone altogether. */
  exclude: 'evenkeel.io/exclude',
  /** What was applied last, when, and from what (JSON). Written by Evenkeel. */
  resized: 'evenkeel.io/resized',
  /** Set while the workload is idled: sizes before and while idle (JSON, signed). Written by Evenkeel. */
  idle: 'evenkeel.io/idle',
  /** The user's replicas while Evenkeel has set others, what each writer wants and what was set last (JSON, signed). Written by Evenkeel. */
  original: 'evenkeel.io/original',
  /** RFC 3339; no automatic change before. */
  heldUntil: 'evenkeel.io/held-until',
  /** Who set which of the above through the API, when and why (JSON by annotation). Written by Evenkeel. */
  overrideNotes: 'evenkeel.io/override-notes',
  /** A user asked through the API for a reset to what was deployed (JSON, signed); gone once the leader has carried it out. */
  resetToDeploy: 'evenkeel.io/reset-to-deploy',
  /** `"true"`: its pods are never evicted or moved. */
  doNotDisrupt: 'evenkeel.io/do-not-disrupt',
} as const;

/** Annotations on pods. */
export const POD_ANNOTATIONS = {
  doNotDisrupt: 'evenkeel.io/do-not-disrupt',
  /** `"false"` means the same; Cluster Autoscaler's word for it. */
  safeToEvict: 'cluster-autoscaler.kubernetes.io/safe-to-evict',
  /** Created with other sizes than its template's: what that has (JSON by container). Written by Evenkeel's admission. */
  sizeAtCreation: 'evenkeel.io/size-at-creation',
  /** Created with more CPU to start: what the containers have otherwise (JSON). Written by Evenkeel's admission. */
  startUp: 'evenkeel.io/start-up',
  /** Karpenter's word for it. */
  karpenterDoNotDisrupt: 'karpenter.sh/do-not-disrupt',
} as const;

/** Annotations on HorizontalPodAutoscalers. `auto`, `cpuTarget`, `sensitivity` and `minReplicasFloor` have no effect in this version. */
export const HPA_ANNOTATIONS = {
  auto: 'evenkeel.io/auto',
  /** Target utilization as a ratio, 0.1–3. */
  cpuTarget: 'evenkeel.io/cpu-target',
  sensitivity: 'evenkeel.io/sensitivity',
  minReplicasFloor: 'evenkeel.io/min-replicas-floor',
  /** `never`: the workload that it scales is not idled. Any other value has no effect. */
  idle: 'evenkeel.io/idle',
  /**
   * For each field that Evenkeel has set otherwise (minReplicas, utilization targets): the user's value, for a target the requests that it
   * was set for, what each writer wants, what was set last and by which of them (JSON, signed). Written by Evenkeel in the patch that sets
   * a field, removed once all are back.
   */
  original: 'evenkeel.io/original',
} as const;

/** Annotations on PersistentVolumeClaims. */
export const CLAIM_ANNOTATIONS = {
  /** Kubernetes quantity. */
  ceiling: 'evenkeel.io/ceiling',
  /** Used share that opens an exception, 0–1. */
  threshold: 'evenkeel.io/threshold',
  /** `"true"` or `"false"`. */
  autoExpand: 'evenkeel.io/auto-expand',
  /** State of the claim's storage exception (JSON). */
  storageException: 'evenkeel.io/storage-exception',
} as const;

/** Annotations on any object. */
export const OBJECT_ANNOTATIONS = {
  /** Alert rules that are kept quiet, until when, and why (JSON). */
  suppressAlerts: 'evenkeel.io/suppress-alerts',
  /** Fields of a policy's spec that a person has overridden for a while (JSON). */
  overrides: 'evenkeel.io/overrides',
  /** Id of a cycle that was asked for; a new value asks again. */
  trigger: 'evenkeel.io/trigger',
} as const;

/** Annotation on RebalancePolicies. */
export const REBALANCE_POLICY_ANNOTATIONS = {
  /** `"true"` beside `respectPDB: false`: both are needed. */
  allowBudgetViolation: 'evenkeel.io/allow-budget-violation',
} as const;

/** Annotations on nodes. */
export const NODE_ANNOTATIONS = {
  /** Who drains: `{ component, run, deadline }` (JSON). */
  drainingBy: 'evenkeel.io/draining-by',
  simulateInterruption: 'evenkeel.io/simulate-interruption',
} as const;

/** All of the above, by what bears them. */
export const ANNOTATIONS_BY_OBJECT = {
  workload: WORKLOAD_ANNOTATIONS,
  pod: POD_ANNOTATIONS,
  hpa: HPA_ANNOTATIONS,
  claim: CLAIM_ANNOTATIONS,
  object: OBJECT_ANNOTATIONS,
  rebalancePolicy: REBALANCE_POLICY_ANNOTATIONS,
  node: NODE_ANNOTATIONS,
} as const;

/** Characters of a value that are read; more are refused as a whole. */
export const MAX_ANNOTATION_LENGTH = 16_384;

/** Stands for a value that is longer. No annotation allows it, so that one which must be understood is reported as a problem. */
export const OVERLONG_ANNOTATION = `(longer than ${MAX_ANNOTATION_LENGTH} characters)`;

/** Taint on nodes that Evenkeel empties. */
export const DRAINING_TAINT = 'evenkeel.io/draining';

/** Labels on objects that Evenkeel made. */
export const LABELS = {
  /** `"true"` on a policy that stands for "there is none". */
  implied: 'evenkeel.io/implied',
  apiKey: 'evenkeel.io/api-key',
} as const;

/** ConfigMap in Evenkeel's namespace that stops every effect: keys `until` (RFC 3339) and `reason`. */
export const PAUSE_CONFIG_MAP = 'evenkeel-pause';
