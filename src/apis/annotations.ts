// All annotations, labels and taints that Evenkeel reads or writes, by full name.

/** Domain prefix of every key below. */
export const PREFIX = 'evenkeel.io/';

/** Annotations on workloads. */
export const WORKLOAD_ANNOTATIONS = {
  /** Minimum requests (JSON by container name, `*` for all): `{"*":{"cpu":"250m","memory":"256Mi"}}`. */
  floor: 'evenkeel.io/floor',
  /** Maximum requests, in the same form as `floor`. */
  ceiling: 'evenkeel.io/ceiling',
  /** `Auto`, `Approve`, `Recommend`, `Observe` or `Off`; overrides the policy's mode. */
  mode: 'evenkeel.io/mode',
  /** `"true"` excludes the workload from right-sizing and idle mode. */
  exclude: 'evenkeel.io/exclude',
  /** Values applied last, with time and source (JSON). Written by Evenkeel. */
  resized: 'evenkeel.io/resized',
  /** Set while the workload is idled: sizes before and while idle (JSON, signed). Written by Evenkeel. */
  idle: 'evenkeel.io/idle',
  /**
   * The user's replica count while Evenkeel sets another, each writer's desired count and the count set last (JSON, signed). Written by
   * Evenkeel.
   */
  original: 'evenkeel.io/original',
  /** RFC 3339 time; automatic changes are blocked until then. */
  heldUntil: 'evenkeel.io/held-until',
  /** User, time and reason of each annotation above that was set through the API (JSON by annotation). Written by Evenkeel. */
  overrideNotes: 'evenkeel.io/override-notes',
  /** Pending reset to the deployed sizes, requested through the API (JSON, signed). The leader removes it after the reset. */
  resetToDeploy: 'evenkeel.io/reset-to-deploy',
  /** `"true"`: pods of the workload are never evicted or moved. */
  doNotDisrupt: 'evenkeel.io/do-not-disrupt',
} as const;

/** Annotations on pods. */
export const POD_ANNOTATIONS = {
  doNotDisrupt: 'evenkeel.io/do-not-disrupt',
  /** Cluster Autoscaler's annotation; `"false"` has the same effect as `doNotDisrupt`. */
  safeToEvict: 'cluster-autoscaler.kubernetes.io/safe-to-evict',
  /** The template's sizes, on a pod whose sizes admission changed at creation (JSON by container). Written by the admission webhook. */
  sizeAtCreation: 'evenkeel.io/size-at-creation',
  /** The sizes without startup boost, on a pod created with one (JSON). Written by the admission webhook. */
  startUp: 'evenkeel.io/start-up',
  /** Karpenter's annotation with the same effect as `doNotDisrupt`. */
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
   * For each field that Evenkeel manages (minReplicas, utilization targets): the user's value, for a target the requests it was set for,
   * each writer's desired value, and the value set last with its writer (JSON, signed). Written in the same patch as the field, removed
   * once every field has the user's value again.
   */
  original: 'evenkeel.io/original',
} as const;

/** Annotations on PersistentVolumeClaims. */
export const CLAIM_ANNOTATIONS = {
  /** Kubernetes quantity. */
  ceiling: 'evenkeel.io/ceiling',
  /** Used fraction, 0–1, above which an exception opens. */
  threshold: 'evenkeel.io/threshold',
  /** `"true"` or `"false"`. */
  autoExpand: 'evenkeel.io/auto-expand',
  /** State of the claim's storage exception (JSON). */
  storageException: 'evenkeel.io/storage-exception',
} as const;

/** Annotations on any object. */
export const OBJECT_ANNOTATIONS = {
  /** Silenced alert rules, each with end and reason (JSON). */
  suppressAlerts: 'evenkeel.io/suppress-alerts',
  /** Temporary user overrides of a policy's spec fields (JSON). */
  overrides: 'evenkeel.io/overrides',
  /** Id of a requested cycle; each new value requests one more cycle. */
  trigger: 'evenkeel.io/trigger',
} as const;

/** Annotation on RebalancePolicies. */
export const REBALANCE_POLICY_ANNOTATIONS = {
  /** `"true"` is required in addition to `respectPDB: false`. */
  allowBudgetViolation: 'evenkeel.io/allow-budget-violation',
} as const;

/** Annotations on nodes. */
export const NODE_ANNOTATIONS = {
  /** The component that drains the node: `{ component, run, deadline }` (JSON). */
  drainingBy: 'evenkeel.io/draining-by',
  simulateInterruption: 'evenkeel.io/simulate-interruption',
} as const;

/** All annotations above, by the object that carries them. */
export const ANNOTATIONS_BY_OBJECT = {
  workload: WORKLOAD_ANNOTATIONS,
  pod: POD_ANNOTATIONS,
  hpa: HPA_ANNOTATIONS,
  claim: CLAIM_ANNOTATIONS,
  object: OBJECT_ANNOTATIONS,
  rebalancePolicy: REBALANCE_POLICY_ANNOTATIONS,
  node: NODE_ANNOTATIONS,
} as const;

/** Maximum number of characters of a value; a longer value is rejected as a whole. */
export const MAX_ANNOTATION_LENGTH = 16_384;

/** Replaces a longer value. No annotation accepts it, so a required annotation is reported as invalid. */
export const OVERLONG_ANNOTATION = `(longer than ${MAX_ANNOTATION_LENGTH} characters)`;

/** Taint on nodes that Evenkeel drains. */
export const DRAINING_TAINT = 'evenkeel.io/draining';

/** Labels on objects that Evenkeel creates. */
export const LABELS = {
  /** `"true"` on a policy that represents the defaults where no policy object exists. */
  implied: 'evenkeel.io/implied',
  /** Id of the API key, on its Secret. */
  apiKey: 'evenkeel.io/api-key',
  /** `"true"` on Secrets that decide access, by which they are watched. */
  access: 'evenkeel.io/access',
  /** `"true"` on the Lease of each replica that serves what decides access from copies. */
  accessReplica: 'evenkeel.io/access-replica',
} as const;

/** Annotations on the Lease of a replica: the resourceVersion before which it serves nothing, by what decides access. */
export const REPLICA_LEASE_ANNOTATIONS = {
  'access-policy': 'evenkeel.io/access-policy-version',
  'api-keys': 'evenkeel.io/api-keys-version',
  'ended-sessions': 'evenkeel.io/ended-sessions-version',
} as const;

/** ConfigMap in Evenkeel's namespace that pauses every effect: keys `until` (RFC 3339) and `reason`. */
export const PAUSE_CONFIG_MAP = 'evenkeel-pause';
