// The played cluster's state: its objects from the plan, and the changes that controllers, kubelets and clients make to them.

import { jsonPatch } from '#embedded-cluster/patch/json-patch';
import {
  type ClusterPlan,
  initialPods,
  nodeAddress,
  nodeName,
  type PlannedWorkload,
  podName,
  revisionHash,
  uidOf,
} from './cluster-plan.ts';
import { CREATED } from './managed-fields.ts';
import { nodeText } from './node-text.ts';
import { type PodOwner, type PodState, podText } from './pod-text.ts';
import { type StoredObject, ResourceStore, type Versions } from './resource-store.ts';
import { replacedAnnotations } from './written-annotations.ts';
import { type Replicas, replicaSetText, workloadText } from './workload-text.ts';

const ZONES = 3;
const RUN_PODS = 'e';

/** A pod that runs or no longer runs, for its node's kubelet. */
export interface PodChange {
  readonly node: number;
  readonly workload: number;
  readonly name: string;
  readonly uid: string;
  readonly startedAtMs: number;
  readonly runs: boolean;
}

export class PlayedNode implements StoredObject {
  readonly index: number;
  version = 0;
  heartbeatAt = CREATED;
  /** Value of the mark label, by which the bench sees how long an event takes. */
  mark = '0';

  constructor(index: number) {
    this.index = index;
  }

  get key(): string {
    return nodeName(this.index);
  }

  text(): string {
    const { index, version, heartbeatAt, mark } = this;
    const zone = `europe-west3-${'abc'.charAt(index % ZONES)}`;
    const address = nodeAddress(index);
    return nodeText({ name: this.key, uid: uidOf('d', index), version: String(version), address, zone, heartbeatAt, mark });
  }
}

export class PlayedPod implements StoredObject, PodState {
  readonly workload: PlannedWorkload;
  readonly name: string;
  readonly uid: string;
  readonly owner: PodOwner;
  readonly ordinal: number;
  readonly createdAt: string;
  version = 0;
  generation = 1;
  nodeIndex: number | null = null;
  startedAt: string | null = null;
  deletedAt: string | null = null;
  resizedAt: string | null = null;
  kills = 0;
  killedAt: string | null = null;
  resources: readonly string[];
  actual: readonly string[];

  constructor(
    workload: PlannedWorkload,
    names: { readonly name: string; readonly uid: string; readonly ordinal: number },
    owner: PodOwner,
    at: string,
  ) {
    this.workload = workload;
    this.name = names.name;
    this.uid = names.uid;
    this.ordinal = names.ordinal;
    this.owner = owner;
    this.createdAt = at;
    this.resources = initialResources(workload);
    this.actual = this.resources;
  }

  get key(): string {
    return `${this.workload.namespace}/${this.name}`;
  }

  get node(): string | null {
    return this.nodeIndex === null ? null : nodeName(this.nodeIndex);
  }

  get ip(): string {
    return `10.${(this.workload.index >> 8) & 255}.${this.workload.index & 255}.${1 + (this.ordinal % 250)}`;
  }

  text(): string {
    return podText(this);
  }
}

const resourcesByWorkload = new Map<number, readonly string[]>();

function initialResources({ index, containers }: PlannedWorkload): readonly string[] {
  let texts = resourcesByWorkload.get(index);
  if (texts === undefined)
    resourcesByWorkload.set(index, (texts = containers.map(({ requests, limits }) => JSON.stringify({ limits, requests }))));
  return texts;
}

export class PlayedReplicaSet implements StoredObject {
  readonly workload: PlannedWorkload;
  readonly revision: number;
  readonly createdAt: string;
  version = 0;
  replicas: Replicas;

  constructor(workload: PlannedWorkload, revision: number, count: number, createdAt: string) {
    this.workload = workload;
    this.revision = revision;
    this.createdAt = createdAt;
    this.replicas = { desired: count, current: count, updated: count, ready: count };
  }

  get owner(): PodOwner {
    const hash = revisionHash(this.workload, this.revision);
    return { name: `${this.workload.name}-${hash}`, uid: uidOf(`c${this.revision}`, this.workload.index), hash };
  }

  get key(): string {
    return `${this.workload.namespace}/${this.owner.name}`;
  }

  text(): string {
    return replicaSetText(this);
  }
}

export class PlayedWorkload implements StoredObject {
  readonly workload: PlannedWorkload;
  readonly pods = new Set<PlayedPod>();
  version = 0;
  generation = 1;
  replicas: Replicas;
  annotations = '';
  /** The current one; null for the kinds without. */
  replicaSet: PlayedReplicaSet | null = null;
  #written: Readonly<Record<string, string>> = {};

  constructor(workload: PlannedWorkload) {
    this.workload = workload;
    const { replicas } = workload;
    this.replicas = { desired: replicas, current: replicas, updated: replicas, ready: replicas };
  }

  get key(): string {
    return `${this.workload.namespace}/${this.workload.name}`;
  }

  get hash(): string {
    return `${this.workload.name}-${revisionHash(this.workload, this.workload.replicaSets)}`;
  }

  /** Owner of its pods. */
  get owner(): PodOwner {
    return this.replicaSet?.owner ?? { name: this.workload.name, uid: this.workload.uid, hash: this.hash };
  }

  annotate(changes: Readonly<Record<string, string | null>>): void {
    this.#written = replacedAnnotations(this.#written, changes);
    this.annotations = Object.entries(this.#written)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
      .join('');
  }

  text(): string {
    return workloadText(this);
  }
}

export interface PlayedStores {
  readonly pods: ResourceStore;
  readonly nodes: ResourceStore;
  readonly replicaSets: ResourceStore;
  readonly Deployment: ResourceStore;
  readonly StatefulSet: ResourceStore;
  readonly DaemonSet: ResourceStore;
}

export class PlayedCluster {
  readonly plan: ClusterPlan;
  readonly stores: PlayedStores;
  readonly nodes: readonly PlayedNode[];
  readonly workloads: readonly PlayedWorkload[];
  /** Called where a pod starts or ends. */
  onPodChange: (change: PodChange) => void = () => undefined;
  #created = 0;

  /** @param withPods false: a cluster of the same workloads without pods */
  constructor(plan: ClusterPlan, versions: Versions, withPods: boolean) {
    this.plan = plan;
    this.stores = {
      pods: new ResourceStore('Pod', 'v1', versions),
      nodes: new ResourceStore('Node', 'v1', versions),
      replicaSets: new ResourceStore('ReplicaSet', 'apps/v1', versions),
      Deployment: new ResourceStore('Deployment', 'apps/v1', versions),
      StatefulSet: new ResourceStore('StatefulSet', 'apps/v1', versions),
      DaemonSet: new ResourceStore('DaemonSet', 'apps/v1', versions),
    };
    this.nodes = Array.from({ length: plan.nodes }, (_, index) => new PlayedNode(index));
    for (const node of this.nodes) this.stores.nodes.load(node);
    this.workloads = plan.workloads.map((workload) => this.#loadWorkload(workload));
    if (withPods) this.#loadPods();
  }

  #loadWorkload(planned: PlannedWorkload): PlayedWorkload {
    const workload = new PlayedWorkload(planned);
    this.stores[planned.kind].load(workload);
    for (let revision = 1; revision <= planned.replicaSets; revision++) {
      const isCurrent = revision === planned.replicaSets;
      const replicaSet = new PlayedReplicaSet(planned, revision, isCurrent ? planned.replicas : 0, CREATED);
      this.stores.replicaSets.load(replicaSet);
      if (isCurrent) workload.replicaSet = replicaSet;
    }
    return workload;
  }

  #loadPods(): void {
    let ordinal = 0;
    let last: PlannedWorkload | null = null;
    for (const { workload: planned, name, uid, node } of initialPods(this.plan)) {
      ordinal = planned === last ? ordinal + 1 : 0;
      last = planned;
      const workload = this.workloads[planned.index];
      if (workload === undefined) continue;
      const pod = new PlayedPod(planned, { name, uid, ordinal }, workload.owner, CREATED);
      pod.nodeIndex = node;
      pod.startedAt = CREATED;
      workload.pods.add(pod);
      this.stores.pods.load(pod);
    }
  }

  heartbeat(index: number): void {
    const node = this.nodes[index % this.nodes.length];
    if (node === undefined) return;
    node.heartbeatAt = timestamp();
    this.stores.nodes.save(node);
  }

  mark(index: number, mark: string): string {
    const node = this.nodes[index % this.nodes.length];
    if (node === undefined) throw new Error('the cluster has no nodes');
    node.mark = mark;
    this.stores.nodes.save(node);
    return node.key;
  }

  createPod(workload: PlayedWorkload, ordinal: number): PlayedPod {
    this.#created += 1;
    const suffix = this.#created.toString(36).padStart(5, 'z');
    const name = podName(workload.workload, ordinal, suffix, workload.replicaSet?.revision);
    const names = { name, uid: uidOf(RUN_PODS, this.#created), ordinal };
    const pod = new PlayedPod(workload.workload, names, workload.owner, timestamp());
    workload.pods.add(pod);
    this.stores.pods.save(pod);
    return pod;
  }

  bind(pod: PlayedPod, node: number): void {
    pod.nodeIndex = node % this.nodes.length;
    this.stores.pods.save(pod);
  }

  run(pod: PlayedPod): void {
    pod.startedAt = timestamp();
    this.stores.pods.save(pod);
    this.#report(pod, true);
  }

  /** The kernel kills the first container, which restarts. */
  kill(pod: PlayedPod): void {
    pod.kills += 1;
    pod.killedAt = timestamp();
    this.stores.pods.save(pod);
  }

  beginDeletion(pod: PlayedPod): void {
    pod.deletedAt = timestamp();
    this.stores.pods.save(pod);
  }

  remove(workload: PlayedWorkload, pod: PlayedPod): void {
    workload.pods.delete(pod);
    this.stores.pods.remove(pod);
    this.#report(pod, false);
  }

  /** Returns the message where the patch does not fit the pod; null where it was applied. */
  resize(pod: PlayedPod, operations: unknown): string | null {
    const draft = JSON.parse(pod.text()) as { spec: { containers: { resources: object }[] } };
    const patched = jsonPatch(draft, operations);
    if (!patched.ok) return patched.message;
    pod.resources = draft.spec.containers.map(({ resources }) => JSON.stringify(resources));
    pod.generation += 1;
    pod.resizedAt = timestamp();
    this.stores.pods.save(pod);
    return null;
  }

  /** The kubelet applies a resize. */
  actuate(pod: PlayedPod): void {
    if (pod.actual === pod.resources || this.stores.pods.find(pod.key) !== pod) return;
    pod.actual = pod.resources;
    this.stores.pods.save(pod);
  }

  save(workload: PlayedWorkload): void {
    this.stores[workload.workload.kind].save(workload);
  }

  /** Replaces the current ReplicaSet by a new one without pods. */
  startRollout(workload: PlayedWorkload): { readonly from: PlayedReplicaSet; readonly to: PlayedReplicaSet } | null {
    const from = workload.replicaSet;
    if (from === null) return null;
    const to = new PlayedReplicaSet(workload.workload, from.revision + 1, 0, timestamp());
    workload.replicaSet = to;
    workload.generation += 1;
    workload.replicas = { ...workload.replicas, updated: 0 };
    this.save(workload);
    this.stores.replicaSets.save(to);
    return { from, to };
  }

  #report(pod: PlayedPod, runs: boolean): void {
    if (pod.nodeIndex === null || pod.startedAt === null) return;
    const { name, uid, workload, nodeIndex: node } = pod;
    this.onPodChange({ node, workload: workload.index, name, uid, startedAtMs: Date.parse(pod.startedAt), runs });
  }
}

/** Seconds, as API servers write them. */
export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
