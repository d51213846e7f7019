// Resolves the top-level owner of pods: pod → ReplicaSet or Job → Deployment or CronJob. Their events arrive in any order.

import type { PodRecord } from '#kube/records/pod';
import {
  groupOfVersion,
  isWorkloadOfKind,
  KUBERNETES_OWNERS,
  workloadKey,
  type OwnerRef,
  type WorkloadKey,
  type WorkloadRecord,
  type WorkloadRef,
} from '#kube/records/workload';
import { MultiIndex } from './multi-index.ts';

/**
 * Kinds that are created for each roll-out or run: their controller is the workload. All other kinds are workloads themselves,
 * also if an operator controls them.
 */
const LINK_KINDS: ReadonlySet<string> = new Set(['ReplicaSet', 'Job', 'ReplicationController']);

/** Maximum depth of owners, which bounds a cycle of owner references. */
const MAX_DEPTH = 8;

/** Pods by top-level owner. */
export class Ownership {
  readonly #links = new Map<string, WorkloadRecord>();
  readonly #podsByOwner = new MultiIndex<PodRecord>();
  readonly #linksByOwner = new MultiIndex<WorkloadRecord>();
  readonly #topByPod = new Map<string, WorkloadRef>();
  /** One reference for all pods of a workload. */
  readonly #refs = new Map<WorkloadKey, WorkloadRef>();
  readonly #podsByTop = new MultiIndex<PodRecord>();
  readonly #ofOtherKinds = new Set<WorkloadKey>();
  /** API group of the watched workloads by kind. The kind of another group has the key `Kind.group`. */
  readonly #groups = new Map<string, string>(KUBERNETES_OWNERS);

  /** Whether a workload is not top-level but a link to its controller. */
  static isLink(record: WorkloadRecord): boolean {
    return record.controller !== null && LINK_KINDS.has(record.kind);
  }

  topOf(podKey: string): WorkloadRef | undefined {
    return this.#topByPod.get(podKey);
  }

  topOfOwner(namespace: string, owner: OwnerRef): WorkloadRef | undefined {
    return this.#resolveOwner(namespace, owner, 0);
  }

  podsOf(workload: WorkloadKey): Iterable<PodRecord> {
    return this.#podsByTop.of(workload);
  }

  /** Workloads with pods that are not of a built-in kind, watched or not, with the count of their pods. */
  *podCountsOfOtherKinds(): Iterable<readonly [WorkloadKey, number]> {
    for (const key of this.#ofOtherKinds) yield [key, this.#podsByTop.count(key)];
  }

  /** Whether workload keys of a kind and group have the kind only: no other group of the kind is watched. */
  isKeyedByKind(kind: string, group: string): boolean {
    return (this.#groups.get(kind) ?? group) === group;
  }

  /** Stores a pod's new state; `record` null: it was deleted. */
  setPod(podKey: string, record: PodRecord | null, previous: PodRecord | null): void {
    const ownerBefore = previous?.owner?.uid;
    if (ownerBefore !== undefined && ownerBefore !== record?.owner?.uid) this.#podsByOwner.delete(ownerBefore, podKey);
    if (record === null) {
      this.#assign(podKey, null, undefined);
      return;
    }
    if (record.owner !== null) this.#podsByOwner.set(record.owner.uid, podKey, record);
    this.#assign(podKey, record, this.#topOfPod(record));
  }

  /** Stores a workload's new state; `record` null: it was deleted. Returns the keys of pods with another top-level owner now. */
  setWorkload(record: WorkloadRecord | null, previous: WorkloadRecord | null): readonly string[] {
    const kind = record?.kind ?? previous?.kind;
    if (kind === undefined) return [];
    if (!LINK_KINDS.has(kind)) return record === null ? [] : this.#recordGroup(record);
    return this.#setLink(record, previous);
  }

  #setLink(record: WorkloadRecord | null, previous: WorkloadRecord | null): readonly string[] {
    if (previous !== null) this.#removeLink(previous);
    if (record !== null) this.#addLink(record);
    const sameOwner = record !== null && previous?.uid === record.uid && isSameController(previous.controller, record.controller);
    if (sameOwner) return [];
    const moved: string[] = [];
    if (previous !== null && previous.uid !== record?.uid) this.#reassignUnder(previous.uid, moved, 0);
    if (record !== null) this.#reassignUnder(record.uid, moved, 0);
    return moved;
  }

  #recordGroup({ kind, apiVersion }: WorkloadRecord): readonly string[] {
    const group = groupOfVersion(apiVersion);
    if (this.#groups.get(kind) === group || KUBERNETES_OWNERS.has(kind)) return [];
    this.#groups.set(kind, group);
    const moved: string[] = [];
    const keys = [...this.#podsByTop.groups()].filter((key) => isWorkloadOfKind(key, kind) || key.includes(`/${kind}.`));
    for (const pod of keys.flatMap((key) => [...this.#podsByTop.of(key)])) this.#reassign(pod, moved);
    return moved;
  }

  #addLink(link: WorkloadRecord): void {
    this.#links.set(link.uid, link);
    if (link.controller !== null) this.#linksByOwner.set(link.controller.uid, link.uid, link);
  }

  #removeLink(link: WorkloadRecord): void {
    this.#links.delete(link.uid);
    if (link.controller !== null) this.#linksByOwner.delete(link.controller.uid, link.uid);
  }

  #reassignUnder(ownerUid: string, moved: string[], depth: number): void {
    if (depth > MAX_DEPTH) return;
    for (const pod of this.#podsByOwner.of(ownerUid)) this.#reassign(pod, moved);
    for (const link of this.#linksByOwner.of(ownerUid)) this.#reassignUnder(link.uid, moved, depth + 1);
  }

  #reassign(pod: PodRecord, moved: string[]): void {
    const key = `${pod.namespace}/${pod.name}`;
    const after = this.#topOfPod(pod);
    if (isSameRef(this.#topByPod.get(key), after)) return;
    this.#assign(key, pod, after);
    moved.push(key);
  }

  #topOfPod(pod: PodRecord): WorkloadRef | undefined {
    // The owner of a static pod is its Node, which is no workload.
    if (pod.owner === null || pod.owner.kind === 'Node') return { namespace: pod.namespace, kind: 'Pod', name: pod.name };
    return this.#resolveOwner(pod.namespace, pod.owner, 0);
  }

  #resolveOwner(namespace: string, owner: OwnerRef, depth: number): WorkloadRef | undefined {
    const kind = this.#kindOf(owner);
    if (!LINK_KINDS.has(kind)) return { namespace, kind, name: owner.name };
    const link = this.#links.get(owner.uid);
    if (link === undefined || depth > MAX_DEPTH) return undefined;
    if (link.controller === null) return { namespace, kind: link.kind, name: link.name };
    return this.#resolveOwner(namespace, link.controller, depth + 1);
  }

  /** Distinguishes workloads of one kind and name by API group: an operator may define its own `StatefulSet`. */
  #kindOf({ kind, apiVersion }: OwnerRef): string {
    const group = groupOfVersion(apiVersion);
    return apiVersion === '' || this.isKeyedByKind(kind, group) ? kind : `${kind}.${group}`;
  }

  #assign(podKey: string, pod: PodRecord | null, top: WorkloadRef | undefined): void {
    const before = this.#topByPod.get(podKey);
    if (before !== undefined && (pod === null || !isSameRef(before, top))) {
      this.#removeFromTop(workloadKey(before), podKey);
      this.#topByPod.delete(podKey);
    }
    if (pod === null || top === undefined) return;
    const key = workloadKey(top);
    if (!isSameRef(before, top)) this.#topByPod.set(podKey, this.#refOf(key, top));
    this.#podsByTop.set(key, podKey, pod);
  }

  #removeFromTop(workload: WorkloadKey, podKey: string): void {
    this.#podsByTop.delete(workload, podKey);
    if (this.#podsByTop.count(workload) > 0) return;
    this.#refs.delete(workload);
    this.#ofOtherKinds.delete(workload);
  }

  #refOf(workload: WorkloadKey, top: WorkloadRef): WorkloadRef {
    const known = this.#refs.get(workload);
    if (known !== undefined) return known;
    this.#refs.set(workload, top);
    if (!KUBERNETES_OWNERS.has(top.kind)) this.#ofOtherKinds.add(workload);
    return top;
  }
}

function isSameController(a: OwnerRef | null, b: OwnerRef | null): boolean {
  return a?.uid === b?.uid && a?.kind === b?.kind && a?.name === b?.name;
}

function isSameRef(a: WorkloadRef | undefined, b: WorkloadRef | undefined): boolean {
  return a?.name === b?.name && a?.namespace === b?.namespace && a?.kind === b?.kind;
}
