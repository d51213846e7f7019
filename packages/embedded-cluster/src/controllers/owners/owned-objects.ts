import type { ClusterAccess, ObjectEvent } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ObjectKey } from '../object-key.ts';
import { controllerOf, keyOf, splitKey } from '../object-key.ts';

/**
 * Index from a controller to its objects of one resource: a look-up costs as much as its result. The index holds only keys and every read
 * goes to the store, so that a controller always sees its own writes: objects that it created before their change was delivered are added
 * with `note`.
 */
export class OwnedObjects<T extends KubeObject> {
  readonly #cluster: ClusterAccess;
  readonly #resource: string;
  readonly #keysByOwner = new Map<string, Set<ObjectKey>>();
  readonly #orphansByNamespace = new Map<string, Set<ObjectKey>>();
  readonly #stop: () => void;

  constructor(cluster: ClusterAccess, resource: string) {
    this.#cluster = cluster;
    this.#resource = resource;
    for (const object of cluster.list(resource)) this.note(object);
    this.#stop = cluster.onChange(resource, (event) => this.#apply(event));
  }

  /** Those whose controller has this uid, as they are now, in the order in which they were first seen. */
  ownedBy(uid: string): T[] {
    return this.#read(this.#keysByOwner.get(uid), (object) => controllerOf(object)?.uid === uid);
  }

  /** Objects of a namespace without a controller. */
  orphansIn(namespace: string): T[] {
    return this.#read(this.#orphansByNamespace.get(namespace), (object) => controllerOf(object) === undefined);
  }

  /** Adds an object that was just written, before its change is delivered. */
  note(object: KubeObject): void {
    const owner = controllerOf(object)?.uid;
    const index = owner === undefined ? this.#orphansByNamespace : this.#keysByOwner;
    const of = owner ?? object.metadata.namespace ?? '';
    const keys = index.get(of);
    if (keys === undefined) index.set(of, new Set([keyOf(object)]));
    else keys.add(keyOf(object));
  }

  stop(): void {
    this.#stop();
  }

  #apply({ type, object, previous }: ObjectEvent): void {
    if (type !== 'DELETED') {
      this.note(object);
      if (previous === undefined || controllerOf(previous)?.uid === controllerOf(object)?.uid) return;
    }
    // A new object of the same name and owner may exist; then the key remains.
    for (const gone of [object, previous]) {
      if (gone !== undefined) this.#forget(gone);
    }
  }

  #forget(object: KubeObject): void {
    const key = keyOf(object);
    const { namespace, name } = splitKey(key);
    const owner = controllerOf(object)?.uid;
    const now = this.#cluster.get(this.#resource, namespace === '' ? null : namespace, name);
    if (now !== undefined && controllerOf(now)?.uid === owner) return;
    const index = owner === undefined ? this.#orphansByNamespace : this.#keysByOwner;
    const of = owner ?? object.metadata.namespace ?? '';
    const keys = index.get(of);
    keys?.delete(key);
    if (keys?.size === 0) index.delete(of);
  }

  #read(keys: ReadonlySet<ObjectKey> | undefined, isOwned: (object: KubeObject) => boolean): T[] {
    const found: T[] = [];
    for (const key of keys ?? []) {
      const { namespace, name } = splitKey(key);
      const object = this.#cluster.get(this.#resource, namespace === '' ? null : namespace, name);
      if (object !== undefined && isOwned(object)) found.push(object as T);
    }
    return found;
  }
}
