// What the informers hand to the one in-memory model, and what they say of themselves.

import type {
  DisruptionBudgetRecord,
  HpaRecord,
  LimitRangeRecord,
  NamespaceRecord,
  ResourceQuotaRecord,
  ScaledObjectRecord,
  VpaRecord,
} from '../core/model/cluster-records.ts';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';

/** An object of a kind of ours, as wire JSON without managed fields. */
export interface OwnRecord {
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** The kill switch: ConfigMap `evenkeel-pause` in Evenkeel's own namespace. */
export interface PauseRecord {
  /** null: until the ConfigMap is removed (also where `until` cannot be read: a doubt pauses). */
  readonly until: Instant | null;
  readonly reason: string;
}

/** Record by kind of delta. `workload` also carries ReplicaSets and Jobs that have an owner: the links between pods and workloads. */
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
 * One object as it now is; `record` null when it is gone. Keys: `name`, or `namespace/name`; workloads by WorkloadKey, own
 * objects `plural/name` or `plural/namespace/name`.
 */
export type ClusterDelta = {
  readonly [K in ClusterKind]: { readonly kind: K; readonly key: string; readonly record: ClusterRecords[K] | null };
}[ClusterKind];

/** How one informer does, for `/readyz` and `/api/v1/health`. */
export interface InformerStatus {
  /** `pods`, `deployments.apps`. */
  readonly name: string;
  readonly synced: boolean;
  /** Without it nothing is decided. */
  readonly required: boolean;
  /**
   * What is decided stands on it at this moment: it is required, or it holds wishes (policies, Recommendations) that the
   * API server has shown us once. A kind that is not served holds none.
   */
  readonly decisive: boolean;
  readonly objects: number;
  /** Domain time at which the API server was last heard on this kind. */
  readonly confirmedAt: Instant;
  /** Domain time of the last watch event about an object; null: none since the start. */
  readonly lastEventAt: Instant | null;
  /** Listings and watches begun again after a failure. */
  readonly restarts: number;
  /** What is wrong now, in words; null while it is well. */
  readonly problem: string | null;
  /** Objects whose newest state could not be decoded: how many, and one of them with its field. Null: none. */
  readonly unreadable: { readonly count: number; readonly first: { readonly key: string; readonly problem: string } } | null;
}

/** The informers about themselves. */
export interface FeedStatus {
  synced(): boolean;
  /** The oldest `confirmedAt` of those that are decisive. */
  confirmedAt(): Instant;
  /** Which of them that is, and what is wrong with it, in words; null where nothing is. */
  holdUp(): string | null;
  informers(): readonly InformerStatus[];
}

/** Where informers put what they hear. `apply` is synchronous and cheap. */
export interface ClusterSink {
  apply(delta: ClusterDelta): void;
  /** From now on freshness is what `status` says. */
  follow(status: FeedStatus): void;
}

/** Asked before every effect, besides what else the gate asks. */
export interface PauseReader {
  /** The pause in force at `now`, or null. */
  activePause(now: Instant): PauseRecord | null;
}
