import type { PodResizePolicy, Recommendation } from '../apis/v1alpha1/index.ts';
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
import type { WorkloadKey, WorkloadRecord, WorkloadRef } from '#kube/records/workload';

/** What changed; consumers look the object up again (level-triggered). */
export type ClusterChange =
  | { readonly kind: 'pod'; readonly key: string; readonly workload: WorkloadKey | null }
  | { readonly kind: 'node'; readonly key: string }
  | { readonly kind: 'workload'; readonly key: WorkloadKey }
  /** What it scales or sizes, now and before. */
  | { readonly kind: 'hpa' | 'vpa' | 'scaledobject'; readonly key: string; readonly workloads: readonly WorkloadKey[] }
  | { readonly kind: 'namespace' | 'budget' | 'limitrange' | 'quota'; readonly key: string }
  | { readonly kind: 'podresizepolicy'; readonly key: string }
  | { readonly kind: 'recommendation'; readonly key: string; readonly workload: WorkloadKey }
  | { readonly kind: 'other'; readonly key: string };

/**
 * The cluster as the informers last saw it: every read is a look-up in memory. Records are immutable; lists are stable
 * until the next change and must not be kept across an await.
 */
export interface ClusterReader {
  /** True when every informer has listed once. */
  synced(): boolean;
  /** When the informers last heard anything at all (events or bookmarks), the oldest of them. */
  confirmedAt(): Instant;
  nodes(): Iterable<NodeRecord>;
  findNode(name: string): NodeRecord | undefined;
  pods(): Iterable<PodRecord>;
  findPod(namespace: string, name: string): PodRecord | undefined;
  findPodByUid(uid: string): PodRecord | undefined;
  podsOnNode(node: string): Iterable<PodRecord>;
  podsOf(workload: WorkloadKey): Iterable<PodRecord>;
  /** The top-level owner of a pod; undefined until the chain of owners is known. */
  workloadOf(pod: PodRecord): WorkloadRef | undefined;
  /** Top-level workloads only: a ReplicaSet under a Deployment and a Job under a CronJob are not among them. */
  workloads(): Iterable<WorkloadRecord>;
  findWorkload(key: WorkloadKey): WorkloadRecord | undefined;
  /** All kinds that share the name. */
  findWorkloadsNamed(namespace: string, name: string): readonly WorkloadRecord[];
  namespaces(): Iterable<NamespaceRecord>;
  findNamespace(name: string): NamespaceRecord | undefined;
  hpas(): Iterable<HpaRecord>;
  hpasOf(workload: WorkloadKey): readonly HpaRecord[];
  /** Of KEDA, that scale it. */
  scaledObjectsOf(workload: WorkloadKey): readonly ScaledObjectRecord[];
  vpasOf(workload: WorkloadKey): readonly VpaRecord[];
  budgetsOf(pod: PodRecord): readonly DisruptionBudgetRecord[];
  budgets(): Iterable<DisruptionBudgetRecord>;
  limitRangesIn(namespace: string): readonly LimitRangeRecord[];
  quotasIn(namespace: string): readonly ResourceQuotaRecord[];
  podResizePolicies(): Iterable<PodResizePolicy>;
  recommendations(): Iterable<Recommendation>;
  findRecommendation(workload: WorkloadKey): Recommendation | undefined;
  /** Other kinds of ours, as wire objects, by plural. */
  ownObjects(plural: string): Iterable<Readonly<Record<string, unknown>>>;
  totals(): { readonly pods: number; readonly nodes: number; readonly workloads: number };
  /** Called synchronously after each change; must only enqueue. Returns the cancel. */
  subscribe(listener: (change: ClusterChange) => void): () => void;
}
