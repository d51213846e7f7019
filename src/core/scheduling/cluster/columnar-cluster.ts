import type { Labels } from '#kube/label-selector';
import { AFFINITY_UNMET, ANTI_AFFINITY_VIOLATED, EXISTING_ANTI_AFFINITY_VIOLATED } from '#kube/scheduling/filters/pod-affinity';
import { DISK_TAKEN, filterResources, PORT_TAKEN } from '#kube/scheduling/filters/node-rules';
import { LABEL_MISSING, TOO_SKEWED } from '#kube/scheduling/filters/topology-spread';
import { compareQueued } from '#kube/scheduling/queue-order';
import type { Refusal } from '#kube/scheduling/refusal';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import { SOLE_CLAIM_IN_USE } from '#kube/scheduling/volumes/sole-claims';
import { TOO_MANY_VOLUMES } from '#kube/scheduling/volumes/volume-limits';
import { Counters } from './counters.ts';
import { Interner } from './interner.ts';
import { NodeShapes } from './node-shapes.ts';
import { NodeTable } from './node-table.ts';
import { PodClasses, readLabelKeys } from './pod-classes.ts';
import { SchedulingSnapshot, STATIC } from '../columns/scheduling-snapshot.ts';
import { grownBytes, grownInts } from '../columns/shared-arrays.ts';
import { newColumns, NODE_KEY, NONE, POD_ROLES, SEVERAL_BUDGETS, type SnapshotChanges } from '../columns/snapshot-columns.ts';
import { MOVABLE, type PodTreatment } from './pod-treatment.ts';
import { SpreadGroups } from './spread-groups.ts';
import { StaticRules } from './static-rules.ts';
import { Topology } from './topology.ts';

/** Storage and namespaces of the cluster. They do not change during the life of a columnar cluster. */
export type ClusterFacts = Pick<SchedulingView, 'storage' | 'namespaceLabels'>;

interface Changes {
  everything: boolean;
  readonly nodes: Set<number>;
  readonly counters: Set<number>;
  readonly budgets: Set<number>;
}

function newChanges(): Changes {
  return { everything: false, nodes: new Set(), counters: new Set(), budgets: new Set() };
}

const NO_PODS: ReadonlyMap<string, SchedulingPod> = new Map();
const NO_AMOUNTS: ReadonlyMap<string, number> = new Map();
const UNBOUNDED: ReadonlyMap<string, number> = new Map([['pods', Infinity]]);

/** Refusals by the code of the snapshot; RESOURCES and static ones are composed. */
const REFUSALS: readonly (Refusal | null)[] = [
  ...[null, PORT_TAKEN, null, DISK_TAKEN, SOLE_CLAIM_IN_USE, TOO_MANY_VOLUMES],
  ...[TOO_SKEWED, LABEL_MISSING, AFFINITY_UNMET, ANTI_AFFINITY_VIOLATED, EXISTING_ANTI_AFFINITY_VIOLATED],
];

/**
 * A cluster in columns, kept up to date pod by pod. The object rules of packages/kube are the only statement of what fits: they are
 * evaluated once for each static rule and shape of node, and for each pair of selector and class. What changes the cluster throws while
 * a mark of the snapshot's journal is set.
 */
export class ColumnarCluster {
  readonly snapshot = new SchedulingSnapshot(newColumns());
  readonly #facts: ClusterFacts;
  readonly #interner = new Interner();
  readonly #table: NodeTable;
  readonly #labelKeys = new Set<string>();
  readonly #scanned = new WeakSet();
  readonly #nodeIndex = new Map<string, number>();
  readonly #freeNodes: number[] = [];
  readonly #slots = new Map<string, number>();
  readonly #freeSlots: number[] = [];
  readonly #pods: (SchedulingPod | null)[] = [];
  readonly #treatments: PodTreatment[] = [];
  readonly #shapes: NodeShapes;
  readonly #topology: Topology;
  readonly #groups: SpreadGroups;
  readonly #counters: Counters;
  readonly #rules: StaticRules;
  #classes: PodClasses;
  /** Counters that existing classes count in since the last change. */
  readonly #newMembers = new Map<number, number[]>();
  #changes = newChanges();

  constructor(facts: ClusterFacts) {
    this.#facts = facts;
    const { columns } = this.snapshot;
    const view: SchedulingView = { nodes: [], storage: facts.storage, namespaceLabels: (name) => facts.namespaceLabels(name) };
    this.#table = new NodeTable(columns, facts.storage);
    this.#shapes = new NodeShapes(columns.nodes, (shape, node) => this.#rules.addShape(shape, node));
    this.#topology = new Topology(columns.topology, () => this.#shapes.nodes.map((node): Labels | null => node?.labels ?? null));
    this.#groups = new SpreadGroups(columns, this.#topology, this.#interner, () => this.#shapes.nodes);
    this.#counters = new Counters(columns, () => this.#requireNoMark('counting pods of a new kind'));
    this.#rules = new StaticRules(columns.rules, this.#shapes, this.#interner, view);
    this.#classes = this.#newClasses();
  }

  /** A columnar cluster of all nodes and pods of a view. @param treatmentOf absent: every pod is movable, without budgets */
  static of(view: SchedulingView, treatmentOf: (pod: SchedulingPod) => PodTreatment = () => MOVABLE): ColumnarCluster {
    const cluster = new ColumnarCluster(view);
    for (const { pods } of view.nodes) for (const pod of pods.values()) cluster.#scan(pod);
    for (const node of view.nodes) cluster.#insertNode(node);
    cluster.#rankNodes();
    const placed: { readonly slot: number; readonly node: number }[] = [];
    for (const node of view.nodes) {
      const index = cluster.nodeOf(node.name);
      const pods = [...node.pods.values()].sort(compareQueued);
      for (const pod of pods.reverse()) placed.push({ slot: cluster.#admit(pod, treatmentOf(pod)), node: index });
    }
    cluster.#flush();
    for (const { slot, node } of placed) cluster.snapshot.place(slot, node);
    return cluster;
  }

  /** Returns the changes since the last call, and forgets them. */
  takeChanges(): SnapshotChanges {
    const { everything, nodes, counters, budgets } = this.#changes;
    this.#changes = newChanges();
    return { everything, nodes: [...nodes], counters: [...counters], budgets: [...budgets] };
  }

  get classCount(): number {
    return this.#classes.size;
  }

  get shapeCount(): number {
    return this.#shapes.shapes.length;
  }

  /** Index of a node. @throws Error if there is none */
  nodeOf(name: string): number {
    const index = this.#nodeIndex.get(name);
    if (index === undefined) throw new Error(`no node ${name} in the columnar cluster`);
    return index;
  }

  nodeNameOf(index: number): string {
    return this.#shapes.nodes[index]?.name ?? '';
  }

  /** Slot of a pod on a node. @throws Error if there is none */
  slotOf(uid: string): number {
    const slot = this.#slots.get(uid);
    if (slot === undefined) throw new Error(`no pod ${uid} in the columnar cluster`);
    return slot;
  }

  podAt(slot: number): SchedulingPod | null {
    return this.#pods[slot] ?? null;
  }

  /** The class of a pod on a node. */
  classAt(slot: number): number {
    return this.snapshot.columns.pods.class[slot] ?? NONE;
  }

  /** Adds a node; its pods are added one by one. */
  addNode(node: SchedulingNode): void {
    this.#requireNoMark(`adding node ${node.name}`);
    this.#insertNode(node);
    this.#rankNodes();
  }

  #insertNode(node: SchedulingNode): void {
    const { nodes } = this.snapshot.columns;
    const index = this.#freeNodes.pop() ?? nodes.count++;
    this.#nodeIndex.set(node.name, index);
    this.#table.set(index, node);
    const bare: SchedulingNode = {
      ...{ name: node.name, labels: node.labels, taints: node.taints, unschedulable: node.unschedulable },
      ...{ declaredFeatures: node.declaredFeatures, allocatable: UNBOUNDED, pods: NO_PODS, antiAffinePods: NO_PODS, requested: NO_AMOUNTS },
    };
    this.#topology.setNode(index, node.labels);
    this.#shapes.set(index, bare);
    this.#rules.addNode(index, bare);
    this.#groups.setNode(index, bare);
    this.snapshot.setPresent(index, 1);
    this.#changes.everything = true;
  }

  /** Removes a node with its pods. */
  removeNode(name: string): void {
    this.#requireNoMark(`removing node ${name}`);
    const index = this.nodeOf(name);
    for (const pod of this.podsOn(index)) this.removePod(pod.uid);
    this.snapshot.setPresent(index, 0);
    this.#changes.everything = true;
    this.#shapes.clear(index);
    this.#nodeIndex.delete(name);
    this.#freeNodes.push(index);
  }

  /** Replaces the facts of a node, such as labels, taints and allocatable. Its pods stay. */
  updateNode(node: SchedulingNode): void {
    const pods = this.podsOn(this.nodeOf(node.name)).map((pod) => ({ pod, treatment: this.#treatmentOf(pod) }));
    this.removeNode(node.name);
    this.addNode(node);
    for (const { pod, treatment } of pods) this.addPod(pod, node.name, treatment);
  }

  /** Adds a pod to a node. */
  addPod(pod: SchedulingPod, node: string, treatment: PodTreatment = MOVABLE): void {
    this.#requireNoMark(`adding pod ${pod.uid}`);
    const index = this.nodeOf(node);
    if (this.#scan(pod)) this.#reclassify();
    const slot = this.#admit(pod, treatment);
    this.#flush();
    // Lists are in the order of the queue, so that a worker thread needs no names.
    const { nodes, pods } = this.snapshot.columns;
    let after = NONE;
    for (let at = nodes.firstPod[index] ?? NONE; at !== NONE; at = pods.next[at] ?? NONE) {
      const other = this.#pods[at];
      if (other !== null && other !== undefined && compareQueued(other, pod) > 0) break;
      after = at;
    }
    this.snapshot.place(slot, index, after);
    this.#noteChange(slot, index);
  }

  /** Removes a pod from its node. */
  removePod(uid: string): void {
    this.#requireNoMark(`removing pod ${uid}`);
    const slot = this.slotOf(uid);
    this.#noteChange(slot, this.snapshot.columns.pods.node[slot] ?? NONE);
    this.snapshot.remove(slot);
    this.#slots.delete(uid);
    this.#pods[slot] = null;
    this.#freeSlots.push(slot);
  }

  /** Sets how many evictions a PodDisruptionBudget allows. @param budget its number in `PodTreatment.budgets` */
  setAllowedEvictions(budget: number, allowed: number): void {
    const { budgets } = this.snapshot.columns;
    budgets.allowed = grownInts(budgets.allowed, budget + 1);
    budgets.allowed[budget] = allowed;
    this.#changes.budgets.add(budget);
  }

  /** Pods of a node, in the order of the scheduling queue. */
  podsOn(index: number): readonly SchedulingPod[] {
    const found: SchedulingPod[] = [];
    const { nodes, pods } = this.snapshot.columns;
    for (let slot = nodes.firstPod[index] ?? NONE; slot !== NONE; slot = pods.next[slot] ?? NONE) {
      const pod = this.#pods[slot];
      if (pod !== null && pod !== undefined) found.push(pod);
    }
    return found;
  }

  /**
   * The class of a pod to be scheduled, such as a pending one. Valid until a pod comes whose selectors read a label that none read
   * before. @throws Error if it is new and a mark of the journal is set
   */
  classOf(pod: SchedulingPod): number {
    if (this.#scan(pod)) this.#reclassify();
    const id = this.#classes.idOf(pod, true);
    this.#flush();
    return id;
  }

  /** Counter of the pods of an owner; NONE: no owner. */
  ownerOf(pod: SchedulingPod): number {
    return pod.ownerUid === null ? NONE : this.#counters.idOf(`owner ${pod.ownerUid}`, NODE_KEY);
  }

  /** Why every node is infeasible for a class; null: nodes need to be filtered. */
  excludedOf(ofClass: number): string | null {
    return this.#classes.excludedOf(ofClass);
  }

  /** The object rules' refusal of a node; null: the class fits there. Only valid where the class is not excluded. */
  explain(ofClass: number, node: number): Refusal | null {
    const code = this.snapshot.refusalOf(ofClass, node);
    if (code >= STATIC) return this.#rules.refusals[code - STATIC] ?? null;
    const refusal = REFUSALS[code] ?? null;
    return refusal !== null || code === 0 ? refusal : this.#explainResources(ofClass, node);
  }

  /** A rollback would undo a part of the change, or write to arrays that have been replaced. */
  #requireNoMark(action: string): void {
    if (this.snapshot.journal.isMarked) throw new Error(`${action}: a mark of the journal is set; roll it back first`);
  }

  #noteChange(slot: number, node: number): void {
    const { pods, classes, counters } = this.snapshot.columns;
    this.#changes.nodes.add(node);
    const ofClass = pods.class[slot] ?? 0;
    const first = classes.memberOf.start[ofClass] ?? 0;
    for (let at = first; at < first + (classes.memberOf.length[ofClass] ?? 0); at++) {
      const counter = classes.memberOf.pool[at] ?? 0;
      // A counter by node matters on its node alone.
      if (counters.key[counter] !== NODE_KEY) this.#changes.counters.add(counter);
    }
  }

  #explainResources(ofClass: number, node: number): Refusal | null {
    const { nodes } = this.snapshot.columns;
    const amounts = (columns: readonly Float64Array[]): Map<string, number> =>
      new Map([...this.#table.resources].map(([name, resource]) => [name, columns[resource]?.[node] ?? 0]));
    // Only the count of the pods matters.
    const pods = { size: nodes.podCount[node] ?? 0 } as ReadonlyMap<string, SchedulingPod>;
    const allocatable = amounts(nodes.allocatable).set('pods', nodes.maxPods[node] ?? 0);
    const facts = { ...this.#shapes.nodes[node], allocatable, pods, requested: amounts(nodes.requested) } as SchedulingNode;
    return filterResources(this.#classes.representativeOf(ofClass), facts);
  }

  #newClasses(): PodClasses {
    return new PodClasses({
      ...{ columns: this.snapshot.columns, interner: this.#interner, topology: this.#topology, groups: this.#groups },
      ...{ counters: this.#counters, rules: this.#rules, view: this.#facts, labelKeys: this.#labelKeys },
      resourceOf: (name) => this.#table.resourceOf(name),
      volumeOf: (id, driver) => this.#table.volumeOf(id, driver),
      onNew: () => this.#requireNoMark('classifying a pod of a new class'),
      onMember: (ofClass, counter) => {
        const counters = this.#newMembers.get(ofClass);
        if (counters === undefined) this.#newMembers.set(ofClass, [counter]);
        else counters.push(counter);
      },
    });
  }

  /** Gives a pod a slot and a class. */
  #admit(pod: SchedulingPod, treatment: PodTreatment): number {
    const { pods } = this.snapshot.columns;
    const slot = this.#freeSlots.pop() ?? this.#pods.length;
    this.#slots.set(pod.uid, slot);
    this.#pods[slot] = pod;
    this.#treatments[slot] = treatment;
    for (const column of ['class', 'node', 'next', 'previous', 'owner', 'budget'] as const) {
      pods[column] = grownInts(pods[column], slot + 1, NONE);
    }
    pods.role = grownBytes(pods.role, slot + 1);
    pods.node[slot] = NONE;
    pods.class[slot] = this.#residentClassOf(pod, treatment);
    pods.owner[slot] = this.ownerOf(pod);
    pods.role[slot] = POD_ROLES.indexOf(pod.terminating && treatment.role === 'movable' ? 'terminating' : treatment.role);
    pods.budget[slot] = treatment.budgets.length > 1 ? SEVERAL_BUDGETS : (treatment.budgets[0] ?? NONE);
    return slot;
  }

  #residentClassOf(pod: SchedulingPod, { role }: PodTreatment): number {
    // Its node's name is no rule of the pod that would replace it.
    return this.#classes.idOf(pod.nodeName === null ? pod : { ...pod, nodeName: null }, role !== 'daemonSet' && role !== 'mirror');
  }

  #treatmentOf(pod: SchedulingPod): PodTreatment {
    return this.#treatments[this.slotOf(pod.uid)] ?? MOVABLE;
  }

  /** Writes lists that have grown, and counts existing pods in new counters. */
  #flush(): void {
    this.#classes.flush();
    if (this.#newMembers.size === 0) return;
    const { pods } = this.snapshot.columns;
    for (let slot = 0; slot < this.#pods.length; slot++) {
      const node = pods.node[slot] ?? NONE;
      if (node === NONE || this.#pods[slot] === null) continue;
      for (const counter of this.#newMembers.get(pods.class[slot] ?? NONE) ?? []) this.snapshot.addToCounter(counter, node, 1);
    }
    this.#newMembers.clear();
  }

  /** Notes the label keys that the pod's selectors read. Returns whether one is new while pods are classified without it. */
  #scan(pod: SchedulingPod): boolean {
    const lists = [pod.spread, pod.affinity, pod.antiAffinity, pod.preferredAffinity, pod.preferredAntiAffinity];
    if (lists.every((list) => list.length === 0 || this.#scanned.has(list))) return false;
    const added = readLabelKeys(pod).filter((key) => !this.#labelKeys.has(key));
    const isNew = added.length > 0 && this.#classes.size > 0;
    if (isNew) this.#requireNoMark('classifying all pods anew');
    for (const list of lists) this.#scanned.add(list);
    for (const key of added) this.#labelKeys.add(key);
    return isNew;
  }

  /** Classifies all pods anew, after a selector reads a label that classes ignored. */
  #reclassify(): void {
    this.#changes.everything = true;
    const placed: { readonly slot: number; readonly node: number }[] = [];
    const { nodes, pods } = this.snapshot.columns;
    for (let node = 0; node < nodes.count; node++) {
      const list: number[] = [];
      for (let slot = nodes.firstPod[node] ?? NONE; slot !== NONE; slot = pods.next[slot] ?? NONE) list.push(slot);
      // Placed again from the last to the first, which keeps the order.
      for (const slot of list.reverse()) placed.push({ slot, node });
    }
    for (const { slot } of placed) this.snapshot.remove(slot);
    this.#classes = this.#newClasses();
    this.#counters.reset();
    this.snapshot.forgetMinima();
    for (const [slot, pod] of this.#pods.entries()) {
      if (pod === null) continue;
      pods.class[slot] = this.#residentClassOf(pod, this.#treatments[slot] ?? MOVABLE);
      pods.owner[slot] = this.ownerOf(pod);
    }
    this.#flush();
    for (const { slot, node } of placed) this.snapshot.place(slot, node);
  }

  #rankNodes(): void {
    const { rank } = this.snapshot.columns.nodes;
    const names = [...this.#nodeIndex.keys()].sort();
    for (const [position, name] of names.entries()) rank[this.nodeOf(name)] = position;
  }
}
