import { ApiStatusError } from '../../api/api-error.ts';
import type { KubeObject, OwnerReference } from '../../api/kube-object.ts';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { controllerOf } from '../object-key.ts';
import { forEachResource } from './served-kinds.ts';
import type { StoredResource } from './served-kinds.ts';
import { WorkList } from '../work-list.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';
/** Frequent, short-lived, and never owned. */
const NOT_COLLECTED: ReadonlySet<string> = new Set(['events']);

/** Resource and key of an object. */
interface Place {
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
}

/**
 * Deletes the dependents of deleted owners, by `metadata.ownerReferences`: in the background after the owner, in the foreground before it,
 * or not at all (orphans lose the reference). https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function startGarbageCollector(ports: ControllerPorts): Stop {
  const collector = new GarbageCollector(ports);
  const stop = forEachResource(ports.cluster, (resource) => collector.watch(resource));
  return () => {
    stop();
    collector.stop();
  };
}

class GarbageCollector {
  readonly #ports: ControllerPorts;
  readonly #work: WorkList;
  readonly #kinds = new Map<string, StoredResource>();
  readonly #places = new Map<string, Place>();
  readonly #dependentsByOwner = new Map<string, Set<string>>();
  /** Deleted owners. Their references are removed at the next check of their dependents. */
  readonly #gone = new Set<string>();

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
    this.#work = new WorkList(ports.clock, (uid) => this.#checkOwners(uid));
  }

  stop(): void {
    this.#work.stop();
  }

  watch(kind: StoredResource): Stop {
    this.#kinds.set(kindKey(kind.group, kind.kind), kind);
    if (NOT_COLLECTED.has(kind.resource)) return () => undefined;
    return this.#ports.cluster.onChange(kind.resource, ({ type, object, previous }) => {
      if (type === 'DELETED') {
        this.#forget(object);
        return;
      }
      const references = object.metadata.ownerReferences ?? [];
      this.#recordReferences(kind, object, previous);
      if (references.length > 0 || isHeld(object)) this.#work.add(object.metadata.uid);
      // A terminating dependent, or one that no longer blocks, may unblock its owner.
      if (previous !== undefined) this.#wakeOwners(previous);
    });
  }

  #recordReferences(kind: StoredResource, object: KubeObject, previous: KubeObject | undefined): void {
    const { uid, name, namespace } = object.metadata;
    const owners = object.metadata.ownerReferences ?? [];
    for (const owner of previous?.metadata.ownerReferences ?? []) {
      if (!owners.some((each) => each.uid === owner.uid)) this.#unlink(owner.uid, uid);
    }
    if (owners.length === 0 && !isHeld(object)) {
      this.#places.delete(uid);
      return;
    }
    this.#places.set(uid, { resource: kind.resource, namespace: namespace ?? null, name, uid });
    for (const owner of owners) {
      const dependents = this.#dependentsByOwner.get(owner.uid);
      if (dependents === undefined) this.#dependentsByOwner.set(owner.uid, new Set([uid]));
      else dependents.add(uid);
    }
  }

  #forget(object: KubeObject): void {
    const { uid } = object.metadata;
    this.#places.delete(uid);
    for (const owner of object.metadata.ownerReferences ?? []) this.#unlink(owner.uid, uid);
    this.#wakeOwners(object);
    const dependents = this.#dependentsByOwner.get(uid);
    if (dependents === undefined) return;
    this.#gone.add(uid);
    for (const dependent of dependents) this.#work.add(dependent);
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependentsByOwner.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) {
      this.#dependentsByOwner.delete(owner);
      this.#gone.delete(owner);
    }
  }

  #wakeOwners(object: KubeObject): void {
    for (const owner of object.metadata.ownerReferences ?? []) if (this.#places.has(owner.uid)) this.#work.add(owner.uid);
  }

  #checkOwners(uid: string): void {
    const place = this.#places.get(uid);
    if (place === undefined) return;
    const object = this.#read(place);
    if (object?.metadata.uid !== uid) return;
    if (isHeld(object)) this.#settleDeletion(place, object);
    else if (object.metadata.deletionTimestamp === undefined) this.#settleOwners(place, object);
  }

  /** The object waits for its dependents, which are orphaned or deleted first. */
  #settleDeletion(place: Place, object: KubeObject): void {
    const finalizers = object.metadata.finalizers ?? [];
    const dependents = this.#dependentsOf(object.metadata.uid);
    if (finalizers.includes(ORPHAN)) {
      for (const { place: at } of dependents) this.#dropReferences(at, new Set([place.uid]));
      this.#dropFinalizer(place, ORPHAN);
      return;
    }
    const blocking = dependents.filter(({ object: dependent }) => referenceTo(dependent, place.uid)?.blockOwnerDeletion === true);
    for (const { place: at, object: dependent } of dependents) {
      if (dependent.metadata.deletionTimestamp === undefined && this.#hasNoOtherOwner(dependent, place.uid)) this.#delete(at, 'Foreground');
    }
    const left = blocking.filter(({ place: at }) => this.#read(at)?.metadata.uid === at.uid);
    if (left.length === 0) this.#dropFinalizer(place, FOREGROUND);
  }

  /** Deletes an object without existing owners; of several owners, removes the references to deleted ones. */
  #settleOwners(place: Place, object: KubeObject): void {
    const references = object.metadata.ownerReferences ?? [];
    const absent = references.filter((reference) => this.#isAbsent(reference, place.namespace));
    if (absent.length === 0) return;
    if (absent.length === references.length) this.#delete(place, 'Background');
    else this.#dropReferences(place, new Set(absent.map(({ uid }) => uid)));
  }

  #dependentsOf(uid: string): { readonly place: Place; readonly object: KubeObject }[] {
    const found: { place: Place; object: KubeObject }[] = [];
    for (const dependent of this.#dependentsByOwner.get(uid) ?? []) {
      const place = this.#places.get(dependent);
      const object = place === undefined ? undefined : this.#read(place);
      if (place !== undefined && object?.metadata.uid === dependent) found.push({ place, object });
    }
    return found;
  }

  /** An owner of an unserved kind cannot be looked up, so it counts as existing. */
  #isAbsent(reference: OwnerReference, namespace: string | null): boolean {
    if (this.#gone.has(reference.uid)) return true;
    const group = reference.apiVersion.includes('/') ? (reference.apiVersion.split('/')[0] ?? '') : '';
    const kind = this.#kinds.get(kindKey(group, reference.kind));
    if (kind === undefined) return false;
    const owner = this.#ports.cluster.get(kind.resource, kind.namespaced ? namespace : null, reference.name);
    return owner?.metadata.uid !== reference.uid;
  }

  #hasNoOtherOwner(object: KubeObject, uid: string): boolean {
    return (object.metadata.ownerReferences ?? []).every(
      (reference) => reference.uid === uid || this.#isAbsent(reference, object.metadata.namespace ?? null),
    );
  }

  #read({ resource, namespace, name }: Place): KubeObject | undefined {
    try {
      return this.#ports.cluster.get(resource, namespace, name);
    } catch (error) {
      // Its definition was deleted together with it.
      if (error instanceof ApiStatusError && error.reason === 'NotFound') return undefined;
      throw error;
    }
  }

  #delete({ resource, namespace, name, uid }: Place, propagation: 'Background' | 'Foreground'): void {
    // In the foreground only an object with dependents needs to wait.
    const waits = propagation === 'Foreground' && this.#dependentsByOwner.has(uid);
    this.#ports.cluster.delete(resource, namespace, name, { uid, ...(waits ? { propagation: 'Foreground' } : {}) });
  }

  #dropFinalizer({ resource, namespace, name }: Place, finalizer: string): void {
    this.#ports.cluster.modify(resource, namespace, name, (draft) => {
      draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    });
  }

  #dropReferences({ resource, namespace, name }: Place, owners: ReadonlySet<string>): void {
    this.#ports.cluster.modify(resource, namespace, name, (draft) => {
      draft.metadata.ownerReferences = (draft.metadata.ownerReferences ?? []).filter(({ uid }) => !owners.has(uid));
    });
  }
}

function isHeld(object: KubeObject): boolean {
  const finalizers = object.metadata.finalizers ?? [];
  return object.metadata.deletionTimestamp !== undefined && (finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN));
}

function referenceTo(object: KubeObject, uid: string): OwnerReference | undefined {
  const controller = controllerOf(object);
  return controller?.uid === uid ? controller : object.metadata.ownerReferences?.find((reference) => reference.uid === uid);
}

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}
