// Reads and writes of restorers: paged lists, and patches with preconditions.

import { isAllowed } from '../../adapters/kubernetes/access/access-review.ts';
import { listPages } from '../../adapters/kubernetes/watch/pages.ts';
import { collectionPath, objectPath, type ApiResource } from '../../adapters/kubernetes/resources.ts';
import { ScaleDiscovery, type ReplicaPaths } from '../../adapters/kubernetes/watch/scale-discovery.ts';
import { ApiFault, failureOf, isNotFound } from '../../adapters/kubernetes/status.ts';
import { asObject, objectAt, objectsAt, textAt, type Wire } from '../../adapters/kubernetes/wire.ts';
import { writeOutcome } from '../../adapters/kubernetes/write/write-outcome.ts';
import type { ManagedFieldsEntry } from '../../core/model/field-owners.ts';
import { UNINSTALL_MANAGER } from '../../core/model/field-managers.ts';
import type { ApiTransport } from '#kube/api-transport';
import type { JsonPatchOperation } from '../../core/model/encoding/json-patch.ts';
import type { WriteOutcome } from '../../ports/cluster/writers.ts';

/** Metadata of an object. */
export interface ObjectHead {
  readonly wire: Wire;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
  readonly labels: Wire;
  readonly annotations: Wire;
  readonly finalizers: readonly string[];
  readonly isBeingDeleted: boolean;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

export class ClusterAccess {
  /** In a dry run it adds `dryRun=All` to every write. */
  readonly transport: ApiTransport;
  readonly #discovery: ScaleDiscovery;
  #scalableKinds: Promise<readonly ApiResource[]> | null = null;

  constructor(transport: ApiTransport) {
    this.transport = transport;
    this.#discovery = new ScaleDiscovery(transport);
  }

  /** Listable kinds with a `scale` subresource that are not built in. Discovered once. @throws ApiFault */
  scalableKinds(signal: AbortSignal): Promise<readonly ApiResource[]> {
    this.#scalableKinds ??= this.#readableKinds(signal).catch((err: unknown) => {
      this.#scalableKinds = null;
      throw err;
    });
    return this.#scalableKinds;
  }

  /** Replica paths of such a kind. @throws ApiFault */
  replicaPaths(resource: ApiResource, signal: AbortSignal): Promise<ReplicaPaths> {
    return this.#discovery.replicaPaths(resource, signal);
  }

  /** All objects of a kind, in all namespaces or one. @throws ApiFault */
  async *list(
    resource: ApiResource,
    signal: AbortSignal,
    within: { readonly namespace?: string; readonly labelSelector?: string } = {},
  ): AsyncGenerator<ObjectHead> {
    const path = collectionPath(resource, within.namespace ?? null);
    for await (const { items } of listPages(this.transport, path, { labelSelector: within.labelSelector }, signal)) {
      for (const item of items) yield headOf(item);
    }
  }

  /** An object by name; null where it does not exist. @throws ApiFault */
  async find(resource: ApiResource, namespace: string | null, name: string, signal: AbortSignal): Promise<ObjectHead | null> {
    const path = objectPath(resource, namespace, name);
    const response = await this.transport.request({ method: 'GET', path, signal });
    const failure = failureOf(response);
    if (failure === null) return headOf(asObject(response.body, path));
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading ${path}`, failure);
  }

  /** Applies a JSON patch with the object's UID as a precondition. @throws ApiFault */
  async patch(
    resource: ApiResource,
    { namespace, name, uid }: Pick<ObjectHead, 'namespace' | 'name' | 'uid'>,
    operations: readonly JsonPatchOperation[],
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    const path = objectPath(resource, namespace, name);
    const response = await this.transport.request({
      method: 'PATCH',
      path,
      query: { fieldManager: UNINSTALL_MANAGER },
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'test', path: '/metadata/uid', value: uid }, ...operations],
      signal,
    });
    return writeOutcome(`patching ${path}`, response);
  }

  /** Applies a merge patch. @throws ApiFault */
  async merge(path: string, body: object, signal: AbortSignal): Promise<WriteOutcome> {
    const response = await this.transport.request({
      method: 'PATCH',
      path,
      query: { fieldManager: UNINSTALL_MANAGER },
      headers: { 'content-type': 'application/merge-patch+json' },
      body,
      signal,
    });
    return writeOutcome(`patching ${path}`, response);
  }

  /** Deletes the object with its UID as a precondition, never a successor of the same name. @throws ApiFault */
  async delete(
    resource: ApiResource,
    { namespace, name, uid }: Pick<ObjectHead, 'namespace' | 'name' | 'uid'>,
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    const path = objectPath(resource, namespace, name);
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
    return writeOutcome(`deleting ${path}`, await this.transport.request({ method: 'DELETE', path, body, signal }));
  }

  async #readableKinds(signal: AbortSignal): Promise<readonly ApiResource[]> {
    const readable: ApiResource[] = [];
    for (const resource of await this.#discovery.resources(signal)) {
      const { group, plural } = resource;
      if (await isAllowed(this.transport, { verb: 'list', group, resource: plural }, signal)) readable.push(resource);
    }
    return readable;
  }
}

/** `deployment shop/web` */
export function nameOf(resource: ApiResource, { namespace, name }: Pick<ObjectHead, 'namespace' | 'name'>): string {
  return `${resource.kind.toLowerCase()} ${namespace === null ? name : `${namespace}/${name}`}`;
}

/** Escapes a key for a JSON pointer (RFC 6901). */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Operations that remove annotations, with their read values as preconditions. */
export function withoutAnnotations(head: ObjectHead, keys: readonly string[]): readonly JsonPatchOperation[] {
  return keys.flatMap((key): JsonPatchOperation[] => {
    const path = `/metadata/annotations/${pointerStep(key)}`;
    return [
      { op: 'test', path, value: head.annotations[key] },
      { op: 'remove', path },
    ];
  });
}

/** Operations that remove finalizers, from the end so that earlier indices stay valid. */
export function withoutFinalizers(head: ObjectHead, isOurs: (finalizer: string) => boolean): readonly JsonPatchOperation[] {
  return head.finalizers
    .map((finalizer, index) => ({ finalizer, path: `/metadata/finalizers/${index}` }))
    .filter(({ finalizer }) => isOurs(finalizer))
    .reverse()
    .flatMap(({ finalizer, path }): JsonPatchOperation[] => [
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ]);
}

function headOf(wire: Wire): ObjectHead {
  const metadata = objectAt(wire, 'metadata');
  const namespace = textAt(metadata, 'namespace');
  const finalizers = metadata['finalizers'];
  return {
    wire,
    namespace: namespace === '' ? null : namespace,
    name: textAt(metadata, 'name'),
    uid: textAt(metadata, 'uid'),
    labels: objectAt(metadata, 'labels'),
    annotations: objectAt(metadata, 'annotations'),
    finalizers: Array.isArray(finalizers) ? finalizers.filter((each) => typeof each === 'string') : [],
    isBeingDeleted: metadata['deletionTimestamp'] !== undefined,
    managedFields: objectsAt(metadata, 'managedFields').map((entry) => ({
      manager: textAt(entry, 'manager'),
      subresource: textAt(entry, 'subresource'),
      fields: objectAt(entry, 'fieldsV1'),
    })),
  };
}
