import type { PodResizePolicy, Recommendation } from '../../apis/v1alpha1/index.ts';
import type {
  DisruptionBudgetRecord,
  HpaRecord,
  LimitRangeRecord,
  NamespaceRecord,
  ResourceQuotaRecord,
  ScaledObjectRecord,
  VpaRecord,
} from '../../core/model/cluster-records.ts';
import type { Changes } from '../changes.ts';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { WorkloadKey, WorkloadRecord, WorkloadRef } from '#kube/records/workload';

/** A changed object; subscribers read its current state themselves (level-triggered). */
export type ClusterChange =
  | { readonly kind: 'pod'; readonly key: string; readonly workload: WorkloadKey | null }
  | { readonly kind: 'node'; readonly key: string }
  | { readonly kind: 'workload'; readonly key: WorkloadKey }
  /** `workloads`: those that it scales or sizes, now and before the change. */
  | { readonly kind: 'hpa' | 'vpa' | 'scaledobject'; readonly key: string; readonly workloads: readonly WorkloadKey[] }
  | { readonly kind: 'namespace' | 'budget' | 'limitrange' | 'quota'; readonly key: string }
  | { readonly kind: 'podresizepolicy'; readonly key: string }
  | { readonly kind: 'recommendation'; readonly key: string; readonly workload: WorkloadKey }
  | { readonly kind: 'pause' | 'other'; readonly key: string };

/**
 * The informers' cache of the cluster: every read is a look-up in memory. Records are immutable; iterables are valid until
 * the next change and must not be used after an await.
 */
export interface ClusterReader extends Changes<ClusterChange> {
  /** Whether every informer has listed once. */
  isSynced(): boolean;
  /** Time of the last event or bookmark of the informer that is furthest behind. */
  confirmedAt(): Instant;
  nodes(): Iterable<NodeRecord>;
  findNode(name: string): NodeRecord | undefined;
  pods(): Iterable<PodRecord>;
  findPod(namespace: string, name: string): PodRecord | undefined;
  podsOnNode(node: string): Iterable<PodRecord>;
  podsOf(workload: WorkloadKey): Iterable<PodRecord>;
  /** The top-level owner of a pod; undefined until each owner of the chain has been listed. */
  workloadOf(pod: PodRecord): WorkloadRef | undefined;
  /** Top-level workloads only: a ReplicaSet under a Deployment and a Job under a CronJob are not among them. */
  workloads(): Iterable<WorkloadRecord>;
  findWorkload(key: WorkloadKey): WorkloadRecord | undefined;
  /** Workloads of any kind with the name. */
  findWorkloadsNamed(namespace: string, name: string): readonly WorkloadRecord[];
  namespaces(): Iterable<NamespaceRecord>;
  findNamespace(name: string): NamespaceRecord | undefined;
  hpas(): Iterable<HpaRecord>;
  hpasOf(workload: WorkloadKey): readonly HpaRecord[];
  /** KEDA ScaledObjects that scale the workload. */
  scaledObjectsOf(workload: WorkloadKey): readonly ScaledObjectRecord[];
  vpasOf(workload: WorkloadKey): readonly VpaRecord[];
  budgetsOf(pod: PodRecord): readonly DisruptionBudgetRecord[];
  budgets(): Iterable<DisruptionBudgetRecord>;
  limitRangesIn(namespace: string): readonly LimitRangeRecord[];
  quotasIn(namespace: string): readonly ResourceQuotaRecord[];
  podResizePolicies(): Iterable<PodResizePolicy>;
  recommendations(): Iterable<Recommendation>;
  findRecommendation(workload: WorkloadKey): Recommendation | undefined;
  /** Custom resources of Evenkeel by plural, as wire JSON. */
  ownObjects(plural: string): Iterable<Readonly<Record<string, unknown>>>;
  totals(): { readonly pods: number; readonly nodes: number; readonly workloads: number };
}
