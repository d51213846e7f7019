// What informers write into the in-memory model of the cluster, and their status.

import type {
  DisruptionBudgetRecord,
  HpaRecord,
  LimitRangeRecord,
  NamespaceRecord,
  ResourceQuotaRecord,
  ScaledObjectRecord,
  VpaRecord,
} from '../../core/model/cluster-records.ts';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';

/** A custom resource of Evenkeel, as wire JSON without managed fields. */
export interface OwnRecord {
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** The pause: ConfigMap `evenkeel-pause` in Evenkeel's own namespace. */
export interface PauseRecord {
  /** null: until the ConfigMap is deleted. An `until` that cannot be parsed also pauses. */
  readonly until: Instant | null;
  readonly reason: string;
  /** Of the ConfigMap. */
  readonly uid: string;
}

/** Record by kind of delta. `workload` includes owned ReplicaSets and Jobs, which link pods to top-level workloads. */
interface ClusterRecords {
  readonly pod: PodRecord;
  readonly node: NodeRecord;
  readonly namespace: NamespaceRecord;
  readonly workload: WorkloadRecord;
  readonly hpa: HpaRecord;
  readonly vpa: VpaRecord;
  readonly scaledobject: ScaledObjectRecord;
  readonly budget: DisruptionBudgetRecord;
  readonly limitrange: LimitRangeRecord;
  readonly quota: ResourceQuotaRecord;
  readonly own: OwnRecord;
  readonly pause: PauseRecord;
}

/** A kind of record that can be watched. `own`: every custom resource of Evenkeel. */
export type ClusterKind = keyof ClusterRecords;

/**
 * Current state of one object; `record` null: it was deleted. Keys: `name` or `namespace/name`; workloads by WorkloadKey,
 * custom resources `plural/name` or `plural/namespace/name`.
 */
export type ClusterDelta = {
  readonly [K in ClusterKind]: { readonly kind: K; readonly key: string; readonly record: ClusterRecords[K] | null };
}[ClusterKind];

/** Status of one informer, for `/readyz` and `/api/v1/health`. */
export interface InformerStatus {
  /** `pods`, `deployments.apps`. */
  readonly name: string;
  readonly synced: boolean;
  /** Whether decisions need it even before it has listed. */
  readonly required: boolean;
  /**
   * Whether decisions rely on it: it is required, or its kind carries user requests (policies, Recommendations) and has been
   * listed once. A kind that is not served carries none.
   */
  readonly decisive: boolean;
  readonly objects: number;
  /** Domain time of the last list, event or bookmark of this kind. */
  readonly confirmedAt: Instant;
  /** Domain time of the last watch event about an object; null: none since the start. */
  readonly lastEventAt: Instant | null;
  /** Lists and watches restarted after a failure. */
  readonly restarts: number;
  /** Message of the current problem; null: none. */
  readonly problem: string | null;
  /** Count of objects whose newest state cannot be decoded, and the first of them with its field. Null: none. */
  readonly unreadable: { readonly count: number; readonly first: { readonly key: string; readonly problem: string } } | null;
}

/** Status of all informers. */
export interface FeedStatus {
  /** Whether every required informer has listed once. */
  isSynced(): boolean;
  /** The oldest `confirmedAt` of the decisive informers. */
  confirmedAt(): Instant;
  /** Message that names the decisive informer with the oldest `confirmedAt` and its problem; null: it has none. */
  describeStaleness(): string | null;
  informers(): readonly InformerStatus[];
}

/** Receives the objects that informers list and watch. `apply` is synchronous and cheap. */
export interface ClusterSink {
  apply(delta: ClusterDelta): void;
  /** Takes `synced` and `confirmedAt` from `status` from now on. */
  follow(status: FeedStatus): void;
}

/** The effect gate reads it before every effect. */
export interface PauseReader {
  /** The pause in force at `now`; null: none. */
  activePause(now: Instant): PauseRecord | null;
}
