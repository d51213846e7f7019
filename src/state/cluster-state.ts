// In-memory model of the cluster, written by the informers. Its indices cover all look-ups; a watch event takes O(1), and the
// model is never rebuilt.

import type { PodResizePolicy, Recommendation } from '../apis/v1alpha1/index.ts';
import type {
  DisruptionBudgetRecord,
  HpaRecord,
  LimitRangeRecord,
  NamespaceRecord,
  ResourceQuotaRecord,
  ScaledObjectRecord,
  TargetRef,
  VpaRecord,
} from '../core/model/cluster-records.ts';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import {
  parseWorkloadKey,
  workloadKey,
  type WorkloadKey,
  type WorkloadRecord,
  type WorkloadRef,
  type OwnerRef,
} from '#kube/records/workload';
import { recommendationName } from '../core/recommendations/recommendation-name.ts';
import type {
  ClusterDelta,
  ClusterSink,
  FeedStatus,
  InformerStatus,
  OwnRecord,
  PauseReader,
  PauseRecord,
} from '../ports/cluster/cluster-feed.ts';
import type { ClusterChange, ClusterReader } from '../ports/cluster/cluster-reader.ts';
import { ByTarget } from './by-target.ts';
import { MultiIndex } from './multi-index.ts';
import { Ownership } from './ownership.ts';

const PODRESIZEPOLICIES = 'podresizepolicies';
const RECOMMENDATIONS = 'recommendations';

/** The informers' cache, indexed. */
export class ClusterState implements ClusterReader, ClusterSink, PauseReader {
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #namespaces = new Map<string, NamespaceRecord>();
  readonly #pods = new Map<string, PodRecord>();
  readonly #podsByNode = new MultiIndex<PodRecord>();
  readonly #ownership = new Ownership();
  /** ReplicaSets and Jobs of a controller. */
  readonly #links = new Map<WorkloadKey, WorkloadRecord>();
  /** The other workloads. */
  readonly #tops = new Map<WorkloadKey, WorkloadRecord>();
  readonly #topsByName = new MultiIndex<WorkloadRecord>();
  readonly #hpas = new ByTarget<HpaRecord>();
  readonly #vpas = new ByTarget<VpaRecord>();
  readonly #scaledObjects = new ByTarget<ScaledObjectRecord>();
  readonly #budgets = new Map<string, DisruptionBudgetRecord>();
  readonly #budgetsByNamespace = new MultiIndex<DisruptionBudgetRecord>();
  readonly #limitRangesByNamespace = new MultiIndex<LimitRangeRecord>();
  readonly #quotasByNamespace = new MultiIndex<ResourceQuotaRecord>();
  readonly #own = new Map<string, OwnRecord>();
  readonly #ownByPlural = new MultiIndex<OwnRecord>();
  readonly #recommendationsByTarget = new MultiIndex<Recommendation>();
  readonly #listeners = new Set<(change: ClusterChange) => void>();
  readonly #isKeyedByKind = ({ kind, group }: TargetRef): boolean => this.#ownership.isKeyedByKind(kind, group);
  #pause: PauseRecord | null = null;
  #feed: FeedStatus = NO_FEED;
  #revision = 0;

  follow(status: FeedStatus): void {
    this.#feed = status;
  }

  isSynced(): boolean {
    return this.#feed.isSynced();
  }

  confirmedAt(): Instant {
    return this.#feed.confirmedAt();
  }

  /** Status of each informer, for health. */
  informers(): readonly InformerStatus[] {
    return this.#feed.informers();
  }

  activePause(now: Instant): PauseRecord | null {
    return this.#pause !== null && (this.#pause.until === null || this.#pause.until > now) ? this.#pause : null;
  }

  nodes(): Iterable<NodeRecord> {
    return this.#nodes.values();
  }

  findNode(name: string): NodeRecord | undefined {
    return this.#nodes.get(name);
  }

  pods(): Iterable<PodRecord> {
    return this.#pods.values();
  }

  findPod(namespace: string, name: string): PodRecord | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  podsOnNode(node: string): Iterable<PodRecord> {
    return this.#podsByNode.of(node);
  }

  podsOf(workload: WorkloadKey): Iterable<PodRecord> {
    return this.#ownership.podsOf(workload);
  }

  workloadOf(pod: PodRecord): WorkloadRef | undefined {
    return this.#ownership.topOf(`${pod.namespace}/${pod.name}`);
  }

  /** The top-level owner of an object with this owner reference; undefined until each owner of the chain has been listed. */
  topOfOwner(namespace: string, owner: OwnerRef): WorkloadRef | undefined {
    return this.#ownership.topOfOwner(namespace, owner);
  }

  workloads(): Iterable<WorkloadRecord> {
    return this.#tops.values();
  }

  findWorkload(key: WorkloadKey): WorkloadRecord | undefined {
    return this.#tops.get(key);
  }

  findWorkloadsNamed(namespace: string, name: string): readonly WorkloadRecord[] {
    return [...this.#topsByName.of(`${namespace}/${name}`)];
  }

  /** Count of pods by the kind of an owner that is not watched; `Kind.group` if another group of the kind is watched. */
  countPodsOfUnreadKinds(): ReadonlyMap<string, number> {
    const pods = new Map<string, number>();
    for (const [key, count] of this.#ownership.podCountsOfOtherKinds()) {
      const { kind } = parseWorkloadKey(key);
      if (!this.#tops.has(key)) pods.set(kind, (pods.get(kind) ?? 0) + count);
    }
    return pods;
  }

  namespaces(): Iterable<NamespaceRecord> {
    return this.#namespaces.values();
  }

  findNamespace(name: string): NamespaceRecord | undefined {
    return this.#namespaces.get(name);
  }

  hpas(): Iterable<HpaRecord> {
    return this.#hpas.all();
  }

  hpasOf(workload: WorkloadKey): readonly HpaRecord[] {
    return this.#hpas.of(workload, this.#isKeyedByKind);
  }

  scaledObjectsOf(workload: WorkloadKey): readonly ScaledObjectRecord[] {
    return this.#scaledObjects.of(workload, this.#isKeyedByKind);
  }

  vpasOf(workload: WorkloadKey): readonly VpaRecord[] {
    return this.#vpas.of(workload, this.#isKeyedByKind);
  }

  budgets(): Iterable<DisruptionBudgetRecord> {
    return this.#budgets.values();
  }

  budgetsOf(pod: PodRecord): readonly DisruptionBudgetRecord[] {
    const found: DisruptionBudgetRecord[] = [];
    for (const budget of this.#budgetsByNamespace.of(pod.namespace)) {
      // In policy/v1 an absent selector selects no pod, and an empty one every pod.
      if (budget.selector !== null && isLabelSelectorMatch(budget.selector, pod.labels)) found.push(budget);
    }
    return found;
  }

  limitRangesIn(namespace: string): readonly LimitRangeRecord[] {
    return [...this.#limitRangesByNamespace.of(namespace)];
  }

  quotasIn(namespace: string): readonly ResourceQuotaRecord[] {
    return [...this.#quotasByNamespace.of(namespace)];
  }

  *podResizePolicies(): Iterable<PodResizePolicy> {
    for (const { object } of this.#ownByPlural.of(PODRESIZEPOLICIES)) yield object as unknown as PodResizePolicy;
  }

  *recommendations(): Iterable<Recommendation> {
    for (const record of this.#ownByPlural.of(RECOMMENDATIONS)) {
      if (targetOf(record) !== null) yield record.object as unknown as Recommendation;
    }
  }

  findRecommendation(workload: WorkloadKey): Recommendation | undefined {
    for (const recommendation of this.#recommendationsByTarget.of(workload)) return recommendation;
    return undefined;
  }

  *ownObjects(plural: string): Iterable<Readonly<Record<string, unknown>>> {
    for (const { object } of this.#ownByPlural.of(plural)) yield object;
  }

  totals(): { readonly pods: number; readonly nodes: number; readonly workloads: number } {
    return { pods: this.#pods.size, nodes: this.#nodes.size, workloads: this.#tops.size };
  }

  revision(): number {
    return this.#revision;
  }

  subscribe(listener: (change: ClusterChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Applies the new state of an object and notifies the listeners. Deterministic in the order of the deltas. */
  apply(delta: ClusterDelta): void {
    switch (delta.kind) {
      case 'pod':
        this.#applyPod(delta.key, delta.record);
        break;
      case 'workload':
        this.#applyWorkload(delta.key, delta.record);
        break;
      case 'node':
        put(this.#nodes, delta.key, delta.record);
        this.#notify({ kind: 'node', key: delta.key });
        break;
      case 'namespace':
        put(this.#namespaces, delta.key, delta.record);
        this.#notify({ kind: 'namespace', key: delta.key });
        break;
      case 'hpa':
        this.#notify({ kind: 'hpa', key: delta.key, workloads: this.#hpas.put(delta.key, delta.record) });
        break;
      case 'vpa':
        this.#notify({ kind: 'vpa', key: delta.key, workloads: this.#vpas.put(delta.key, delta.record) });
        break;
      case 'scaledobject':
        this.#notify({ kind: 'scaledobject', key: delta.key, workloads: this.#scaledObjects.put(delta.key, delta.record) });
        break;
      case 'budget':
        put(this.#budgets, delta.key, delta.record);
        setIndexed(this.#budgetsByNamespace, delta.key, delta.record);
        this.#notify({ kind: 'budget', key: delta.key });
        break;
      case 'limitrange':
        setIndexed(this.#limitRangesByNamespace, delta.key, delta.record);
        this.#notify({ kind: 'limitrange', key: delta.key });
        break;
      case 'quota':
        setIndexed(this.#quotasByNamespace, delta.key, delta.record);
        this.#notify({ kind: 'quota', key: delta.key });
        break;
      case 'own':
        this.#applyOwn(delta.key, delta.record);
        break;
      case 'pause':
        this.#pause = delta.record;
        this.#notify({ kind: 'pause', key: delta.key });
        break;
    }
  }

  #applyPod(key: string, record: PodRecord | null): void {
    const previous = this.#pods.get(key) ?? null;
    const workloadBefore = this.#ownership.topOf(key);
    if (previous !== null) {
      if (previous.node !== null && previous.node !== record?.node) this.#podsByNode.delete(previous.node, key);
    }
    put(this.#pods, key, record);
    if (record !== null) {
      if (record.node !== null) this.#podsByNode.set(record.node, key, record);
    }
    this.#ownership.setPod(key, record, previous);
    const workload = this.#ownership.topOf(key) ?? workloadBefore;
    this.#notify({ kind: 'pod', key, workload: workload === undefined ? null : workloadKey(workload) });
  }

  #applyWorkload(key: WorkloadKey, record: WorkloadRecord | null): void {
    const wasTop = this.#tops.has(key);
    const previous = this.#tops.get(key) ?? this.#links.get(key) ?? null;
    const isTop = record !== null && !Ownership.isLink(record);
    put(this.#tops, key, isTop ? record : null);
    put(this.#links, key, isTop ? null : record);
    const named = record ?? previous;
    if (named !== null) {
      const group = `${named.namespace}/${named.name}`;
      if (isTop) this.#topsByName.set(group, key, record);
      else this.#topsByName.delete(group, key);
    }
    const moved = this.#ownership.setWorkload(record, previous);
    if (wasTop || isTop) this.#notify({ kind: 'workload', key });
    for (const podKey of moved) {
      const workload = this.#ownership.topOf(podKey);
      this.#notify({ kind: 'pod', key: podKey, workload: workload === undefined ? null : workloadKey(workload) });
    }
  }

  #applyOwn(key: string, record: OwnRecord | null): void {
    const previous = this.#own.get(key);
    const plural = record?.plural ?? previous?.plural;
    if (plural === undefined) return;
    put(this.#own, key, record);
    if (record === null) this.#ownByPlural.delete(plural, key);
    else this.#ownByPlural.set(plural, key, record);
    if (plural === RECOMMENDATIONS) {
      this.#applyRecommendation(key, record, previous);
      return;
    }
    const named = key.slice(plural.length + 1);
    this.#notify(plural === PODRESIZEPOLICIES ? { kind: 'podresizepolicy', key: named } : { kind: 'other', key });
  }

  #applyRecommendation(key: string, record: OwnRecord | null, previous: OwnRecord | undefined): void {
    const before = previous === undefined ? null : targetOf(previous);
    const after = record === null ? null : targetOf(record);
    if (before !== null) this.#recommendationsByTarget.delete(before, key);
    if (after !== null && record !== null) this.#recommendationsByTarget.set(after, key, record.object as unknown as Recommendation);
    const workload = after ?? before;
    if (workload === null) return;
    this.#notify({ kind: 'recommendation', key: key.slice(RECOMMENDATIONS.length + 1), workload });
  }

  #notify(change: ClusterChange): void {
    this.#revision += 1;
    for (const listener of this.#listeners) listener(change);
  }
}

const NO_FEED: FeedStatus = { isSynced: () => false, confirmedAt: () => 0, describeStaleness: () => null, informers: () => [] };

function put<V>(map: Map<string, V>, key: string, value: V | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

// Keys begin with the namespace, so that the group of a deleted object is known without its record.
function setIndexed<V>(index: MultiIndex<V>, key: string, value: V | null): void {
  const namespace = key.slice(0, key.indexOf('/'));
  if (value === null) index.delete(namespace, key);
  else index.set(namespace, key, value);
}

/** Target of a Recommendation; null: its name is not the one for the target, so that a user's copy is ignored. */
function targetOf(record: OwnRecord): WorkloadKey | null {
  const target = (record.object as unknown as Partial<Recommendation>).spec?.targetRef;
  return target === undefined || recommendationName(target) !== record.name
    ? null
    : workloadKey({ namespace: record.namespace ?? '', kind: target.kind, name: target.name });
}
