// The counterpart of etcd: objects by key, one increasing revision for all, and a bounded history of changes for each resource. Objects are
// never changed in place; a commit replaces one.

import { ApiStatusError } from '../api-error.ts';
import type { KubeObject } from '../kube-object.ts';
import { SortedObjects } from './sorted-objects.ts';

export interface StoredChange {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** For DELETED the last state with the revision of the deletion. */
  readonly object: KubeObject;
  /** Absent for ADDED. */
  readonly previous?: KubeObject;
}

type ChangeListener = (change: StoredChange) => void;

/**
 * Minimum number of changes kept per resource; at twice that the older half is dropped. Enough for a watch that reconnects within seconds,
 * and few enough for some megabytes over all resources.
 */
const HISTORY_LENGTH = 1024;

/**
 * A pod and its Events take some 20 KiB: this many fit into Node.js' default heap. Like the quota of etcd, the bound refuses a mistyped
 * number of replicas, which would otherwise end the cluster.
 */
const PODS_MAX = 50_000;

/** `namespace/name`, or the name alone where there is no namespace. */
function objectKey(namespace: string | null | undefined, name: string): string {
  return namespace === null || namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The key of an object that is stored or about to be. */
export function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

export class ObjectStore {
  #revision = 1;
  readonly #tables = new Map<string, ResourceTable>();
  readonly #podsMax: number;

  constructor(podsMax = PODS_MAX) {
    this.#podsMax = podsMax;
  }

  /** The latest revision handed out; `resourceVersion` of a list made now. */
  get revision(): number {
    return this.#revision;
  }

  /** The table of a resource (`pods`, `deployments.apps`), made when first asked for. */
  table(id: string): ResourceTable {
    let table = this.#tables.get(id);
    if (table === undefined) {
      const nextRevision = (): number => ++this.#revision;
      table = id === 'pods' ? new ResourceTable(nextRevision, nodeOfPod, this.#podsMax) : new ResourceTable(nextRevision);
      this.#tables.set(id, table);
    }
    return table;
  }
}

function nodeOfPod(pod: KubeObject): string | undefined {
  const node = (pod['spec'] as { nodeName?: string } | undefined)?.nodeName;
  return node === '' ? undefined : node;
}

export class ResourceTable {
  readonly #nextRevision: () => number;
  readonly #indexOf: ((object: KubeObject) => string | undefined) | null;
  readonly #maxSize: number;
  readonly #objects = new SortedObjects();
  readonly #byNamespace = new Map<string, SortedObjects>();
  readonly #byIndex = new Map<string, SortedObjects>();
  readonly #listeners = new Set<ChangeListener>();
  #history: StoredChange[] = [];
  /** Revision of the newest change that the history has dropped. */
  #forgottenRevision = 0;

  constructor(nextRevision: () => number, indexOf: ((object: KubeObject) => string | undefined) | null = null, maxSize = Infinity) {
    this.#nextRevision = nextRevision;
    this.#indexOf = indexOf;
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(namespace: string | null | undefined, name: string): KubeObject | undefined {
    return this.#objects.get(objectKey(namespace, name));
  }

  /** In key order. The array is shared and must not be changed. */
  list(namespace?: string | null): readonly KubeObject[] {
    if (namespace === undefined || namespace === null || namespace === '') return this.#objects.values();
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  /** Objects by the table's index (pods: node name), in key order. */
  listByIndex(value: string): readonly KubeObject[] {
    return this.#byIndex.get(value)?.values() ?? [];
  }

  /**
   * Stores the draft, sets its resourceVersion, and calls the listeners. The store owns the draft from then on. Throws ApiStatusError 500
   * when the store is full.
   */
  put(draft: KubeObject): KubeObject {
    const key = keyOf(draft);
    const previous = this.#objects.get(key);
    if (previous === undefined && this.size >= this.#maxSize) throw full(this.#maxSize);
    const revision = this.#nextRevision();
    draft.metadata.resourceVersion = String(revision);
    this.#place(key, draft, previous);
    this.#record(
      previous === undefined ? { revision, type: 'ADDED', object: draft } : { revision, type: 'MODIFIED', object: draft, previous },
    );
    return draft;
  }

  /** Does nothing when there is no object. Returns the last state with the revision of the deletion. */
  remove(namespace: string | null | undefined, name: string): KubeObject | undefined {
    const key = objectKey(namespace, name);
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    const revision = this.#nextRevision();
    this.#displace(key, previous);
    const object: KubeObject = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } };
    this.#record({ revision, type: 'DELETED', object, previous });
    return object;
  }

  /** Changes after a revision, oldest first; null where the history does not reach back that far. */
  changesSince(revision: number): readonly StoredChange[] | null {
    if (revision < this.#forgottenRevision) return null;
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#history.slice(low);
  }

  /** Starts the history of a resource at its first watch. `revision` is the store's. */
  beginHistory(revision: number): void {
    this.#history = [];
    this.#forgottenRevision = revision;
  }

  /** The list at a revision, computed by undoing later changes; null when the history does not reach back that far. */
  listAt(revision: number, namespace?: string | null): readonly KubeObject[] | null {
    const since = this.changesSince(revision);
    if (since === null) return null;
    if (since.length === 0) return this.list(namespace);
    const past = new SortedObjects();
    for (const object of this.#objects.values()) past.set(keyOf(object), object);
    for (const change of since.toReversed()) {
      if (change.previous === undefined) past.delete(keyOf(change.object));
      else past.set(keyOf(change.previous), change.previous);
    }
    const all = past.values();
    return namespace === undefined || namespace === null || namespace === ''
      ? all
      : all.filter((object) => object.metadata.namespace === namespace);
  }

  /** Called inside every commit, in order of subscription; must not write. Returns the cancel. */
  onCommit(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #place(key: string, object: KubeObject, previous: KubeObject | undefined): void {
    this.#objects.set(key, object);
    const { namespace, name } = object.metadata;
    if (namespace !== undefined) bucket(this.#byNamespace, namespace).set(name, object);
    if (this.#indexOf === null) return;
    const value = this.#indexOf(object);
    const before = previous === undefined ? undefined : this.#indexOf(previous);
    if (before !== undefined && before !== value) drop(this.#byIndex, before, key);
    if (value !== undefined) bucket(this.#byIndex, value).set(key, object);
  }

  #displace(key: string, object: KubeObject): void {
    this.#objects.delete(key);
    const { namespace, name } = object.metadata;
    if (namespace !== undefined) drop(this.#byNamespace, namespace, name);
    const value = this.#indexOf?.(object);
    if (value !== undefined) drop(this.#byIndex, value, key);
  }

  #record(change: StoredChange): void {
    this.#history.push(change);
    if (this.#history.length > 2 * HISTORY_LENGTH) {
      this.#forgottenRevision = this.#history[HISTORY_LENGTH]?.revision ?? this.#forgottenRevision;
      this.#history = this.#history.slice(HISTORY_LENGTH + 1);
    }
    for (const listener of this.#listeners) listener(change);
  }
}

function bucket(buckets: Map<string, SortedObjects>, value: string): SortedObjects {
  let found = buckets.get(value);
  if (found === undefined) {
    found = new SortedObjects();
    buckets.set(value, found);
  }
  return found;
}

function drop(buckets: Map<string, SortedObjects>, value: string, key: string): void {
  const found = buckets.get(value);
  found?.delete(key);
  if (found?.size === 0) buckets.delete(value);
}

function full(maxSize: number): ApiStatusError {
  const why = `etcdserver: mvcc: database space exceeded (the embedded cluster keeps at most ${maxSize} pods)`;
  return new ApiStatusError(500, 'InternalError', why);
}
