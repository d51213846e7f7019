import type { PodResizePolicy, Recommendation } from '../../src/apis/v1alpha1/index.ts';
import type {
  DisruptionBudgetRecord,
  HpaRecord,
  NamespaceRecord,
  ResourceQuotaRecord,
  ScaledObjectRecord,
  VpaRecord,
} from '../../src/core/model/cluster-records.ts';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import { workloadKey, type WorkloadKey, type WorkloadRecord, type WorkloadRef } from '#kube/records/workload';
import type { ClusterChange, ClusterReader } from '../../src/ports/cluster/cluster-reader.ts';

/** A cluster of plain lists that a test changes. The label `workload` of a pod names its workload. */
export class FakeClusterReader implements ClusterReader {
  nodeList: NodeRecord[] = [];
  podList: PodRecord[] = [];
  workloadList: WorkloadRecord[] = [];
  namespaceList: NamespaceRecord[] = [];
  hpaList: HpaRecord[] = [];
  scaledObjectList: ScaledObjectRecord[] = [];
  vpaList: VpaRecord[] = [];
  budgetList: DisruptionBudgetRecord[] = [];
  quotaList: ResourceQuotaRecord[] = [];
  policyList: PodResizePolicy[] = [];
  recommendationList: Recommendation[] = [];
  /** Recommendations as informers that are behind show them; null: as they are on the API server. */
  observedRecommendations: readonly Recommendation[] | null = null;
  readonly own = new Map<string, Readonly<Record<string, unknown>>[]>();
  synced = true;
  confirmed = 0;
  readonly #listeners = new Set<(change: ClusterChange) => void>();
  #revision = 0;

  /** Usage and decisions derived from the lists, which change with them. */
  readonly derivedChanges = { revision: (): number => this.revision(), subscribe: () => (): void => undefined };

  /** Notifies listeners of a change. */
  announce(change: ClusterChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  isSynced(): boolean {
    return this.synced;
  }

  confirmedAt(): number {
    return this.confirmed;
  }

  nodes(): Iterable<NodeRecord> {
    return this.nodeList;
  }

  findNode(name: string): NodeRecord | undefined {
    return this.nodeList.find((node) => node.name === name);
  }

  pods(): Iterable<PodRecord> {
    return this.podList;
  }

  findPod(namespace: string, name: string): PodRecord | undefined {
    return this.podList.find((pod) => pod.namespace === namespace && pod.name === name);
  }

  findPodByUid(uid: string): PodRecord | undefined {
    return this.podList.find((pod) => pod.uid === uid);
  }

  podsOnNode(node: string): Iterable<PodRecord> {
    return this.podList.filter((pod) => pod.node === node);
  }

  podsOf(workload: WorkloadKey): Iterable<PodRecord> {
    return this.podList.filter((pod) => {
      const owner = this.workloadOf(pod);
      return owner !== undefined && workloadKey(owner) === workload;
    });
  }

  workloadOf(pod: PodRecord): WorkloadRef | undefined {
    const name = pod.labels['workload'];
    return this.workloadList.find((workload) => workload.namespace === pod.namespace && workload.name === name);
  }

  workloads(): Iterable<WorkloadRecord> {
    return this.workloadList;
  }

  findWorkload(key: WorkloadKey): WorkloadRecord | undefined {
    return this.workloadList.find((workload) => workloadKey(workload) === key);
  }

  findWorkloadsNamed(namespace: string, name: string): readonly WorkloadRecord[] {
    return this.workloadList.filter((workload) => workload.namespace === namespace && workload.name === name);
  }

  namespaces(): Iterable<NamespaceRecord> {
    return this.namespaceList;
  }

  findNamespace(name: string): NamespaceRecord | undefined {
    return this.namespaceList.find((namespace) => namespace.name === name);
  }

  hpas(): Iterable<HpaRecord> {
    return this.hpaList;
  }

  hpasOf(workload: WorkloadKey): readonly HpaRecord[] {
    return this.hpaList.filter((hpa) => workloadKey(hpa.target) === workload);
  }

  scaledObjectsOf(workload: WorkloadKey): readonly ScaledObjectRecord[] {
    return this.scaledObjectList.filter(({ target }) => workloadKey(target) === workload);
  }

  vpasOf(workload: WorkloadKey): readonly VpaRecord[] {
    return this.vpaList.filter(({ target }) => workloadKey(target) === workload);
  }

  budgetsOf({ namespace, labels }: PodRecord): readonly DisruptionBudgetRecord[] {
    return this.budgetList.filter(
      (budget) => budget.namespace === namespace && budget.selector !== null && isLabelSelectorMatch(budget.selector, labels),
    );
  }

  budgets(): Iterable<DisruptionBudgetRecord> {
    return this.budgetList;
  }

  limitRangesIn(): readonly never[] {
    return [];
  }

  quotasIn(namespace: string): readonly ResourceQuotaRecord[] {
    return this.quotaList.filter((quota) => quota.namespace === namespace);
  }

  podResizePolicies(): Iterable<PodResizePolicy> {
    return this.policyList;
  }

  recommendations(): Iterable<Recommendation> {
    return this.recommendationList;
  }

  findRecommendation(workload: WorkloadKey): Recommendation | undefined {
    return (this.observedRecommendations ?? this.recommendationList).find(
      ({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec.targetRef.kind}/${spec.targetRef.name}` === workload,
    );
  }

  ownObjects(plural: string): Iterable<Readonly<Record<string, unknown>>> {
    const typed: Readonly<Record<string, readonly object[]>> = {
      podresizepolicies: this.policyList,
      recommendations: this.recommendationList,
    };
    return (this.own.get(plural) ?? typed[plural] ?? []) as Iterable<Readonly<Record<string, unknown>>>;
  }

  totals(): { readonly pods: number; readonly nodes: number; readonly workloads: number } {
    return { pods: this.podList.length, nodes: this.nodeList.length, workloads: this.workloadList.length };
  }

  /** A test may have changed a list before any call. */
  revision(): number {
    this.#revision += 1;
    return this.#revision;
  }

  subscribe(listener: (change: ClusterChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
