import type { LabelSelector } from '#kube/label-selector';
import { ApiStatusError, notFound } from './api-error.ts';
import type { ChangeDispatcher } from './watch/change-dispatcher.ts';
import type { ClusterAccess, ObjectEvent } from './cluster-access.ts';
import { draftOf, statusDraftOf, type KubeObject } from './kube-object.ts';
import { labelPredicate } from './verbs/selection/label-selection.ts';
import type { ObjectDeleter } from './verbs/object-deleter.ts';
import { decodeObject } from './verbs/object-metadata.ts';
import type { ObjectStore, StoredChange } from './store/object-store.ts';
import type { ObjectWriter } from './verbs/object-writer.ts';
import { applyScale, scaleOf } from './verbs/scale-subresource.ts';
import type { ServedResource, ServedResources } from './resources/served-resources.ts';
import type { Subresources } from './verbs/subresources.ts';
import type { WriteRequest } from './verbs/write-request.ts';

export interface StoreAccessDependencies {
  readonly resources: ServedResources;
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly subresources: Subresources;
  readonly dispatcher: ChangeDispatcher;
}

/** ClusterAccess over the store for one component, whose user name is the field manager of its writes. */
export class StoreAccess implements ClusterAccess {
  readonly #dependencies: StoreAccessDependencies;
  readonly #request: WriteRequest;
  /** The last result of each selector: autoscalers read pods every 15 seconds, mostly without changes. */
  readonly #lastSelected = new WeakMap<LabelSelector, { readonly from: readonly KubeObject[]; readonly selected: readonly KubeObject[] }>();

  constructor(dependencies: StoreAccessDependencies, user: string) {
    this.#dependencies = dependencies;
    this.#request = {
      user,
      fieldManager: user.slice(user.lastIndexOf(':') + 1),
      dryRun: false,
      fieldValidation: 'Ignore',
      trusted: true,
    };
  }

  get(resource: string, namespace: string | null, name: string): KubeObject | undefined {
    const served = this.#served(resource);
    const object = this.#dependencies.store.table(served.storageId).get(namespace, name);
    return object === undefined ? undefined : served.view.toServed(object);
  }

  list(resource: string, options: Parameters<ClusterAccess['list']>[1] = {}): readonly KubeObject[] {
    const served = this.#served(resource);
    const objects = this.#dependencies.store.table(served.storageId).list(options.namespace);
    const selected = options.selector === undefined ? objects : this.#selected(objects, options.selector);
    return served.id === served.storageId ? selected : selected.map((object) => served.view.toServed(object));
  }

  create(resource: string, object: object): KubeObject {
    const served = this.#served(resource);
    const { object: decoded } = decodeObject(object, served.apiVersion, served.descriptor.kind);
    return this.#dependencies.writer.create(served, decoded.metadata.namespace ?? null, decoded, this.#request).object;
  }

  modify(resource: string, namespace: string | null, name: string, change: (draft: KubeObject) => void): KubeObject | undefined {
    return this.#change(resource, namespace, name, '', change);
  }

  modifyStatus(resource: string, namespace: string | null, name: string, change: (draft: KubeObject) => void): KubeObject | undefined {
    return this.#change(resource, namespace, name, 'status', change);
  }

  modifySubresource(
    resource: string,
    namespace: string | null,
    name: string,
    subresource: string,
    change: (draft: KubeObject) => void,
  ): KubeObject | undefined {
    return this.#change(resource, namespace, name, subresource, change);
  }

  delete(resource: string, namespace: string | null, name: string, options: Parameters<ClusterAccess['delete']>[3] = {}): void {
    const { uid, ...rest } = options;
    try {
      this.#dependencies.deleter.delete(
        this.#served(resource),
        namespace,
        name,
        uid === undefined ? rest : { ...rest, preconditions: { uid } },
        false,
      );
    } catch (error) {
      // Another object has the name now: the requested one is already deleted.
      if (uid !== undefined && error instanceof ApiStatusError && error.reason === 'Conflict') return;
      throw error;
    }
  }

  createSubresource(resource: string, namespace: string, name: string, subresource: string, body: object): KubeObject {
    const served = this.#served(resource);
    const within = namespace === '' ? null : namespace;
    if (subresource === 'scale') return this.#scale(served, within, name, body);
    return this.#dependencies.subresources.create(served, within, name, subresource, body, this.#request) as KubeObject;
  }

  onChange(resource: string, listener: (event: ObjectEvent) => void): () => void {
    const served = this.#served(resource);
    const table = this.#dependencies.store.table(served.storageId);
    let cancelled = false;
    const deliver = (event: ObjectEvent): void =>
      this.#dependencies.dispatcher.enqueue(() => {
        if (!cancelled) listener(event);
      });
    for (const object of table.list()) deliver({ type: 'ADDED', object: served.view.toServed(object) });
    const stop = table.onCommit((change) => deliver(eventOf(served, change)));
    return () => {
      cancelled = true;
      stop();
    };
  }

  #selected(objects: readonly KubeObject[], selector: LabelSelector): readonly KubeObject[] {
    const last = this.#lastSelected.get(selector);
    // The store hands out the same list until an object in it changes.
    if (last?.from === objects) return last.selected;
    const selects = labelPredicate(selector);
    const selected = selects === null ? objects : objects.filter((object) => selects(object.metadata.labels));
    this.#lastSelected.set(selector, { from: objects, selected });
    return selected;
  }

  #change(
    resource: string,
    namespace: string | null,
    name: string,
    subresource: string,
    change: (draft: KubeObject) => void,
  ): KubeObject | undefined {
    const served = this.#served(resource);
    if (this.#dependencies.store.table(served.storageId).get(namespace, name) === undefined) return undefined;
    const produce = (current: KubeObject): KubeObject => {
      const draft = subresource === 'status' ? statusDraftOf(current) : draftOf(current);
      change(draft);
      return draft;
    };
    return this.#dependencies.writer.update(served, namespace, name, { subresource, produce }, this.#request).object;
  }

  #scale(served: ServedResource, namespace: string | null, name: string, body: object): KubeObject {
    const { object: scale } = decodeObject(body, 'autoscaling/v1', 'Scale');
    const produce = (current: KubeObject): KubeObject => {
      const draft = draftOf(current);
      applyScale(served, draft, scale);
      return draft;
    };
    const written = this.#dependencies.writer.update(served, namespace, name, { subresource: 'scale', produce }, this.#request);
    return scaleOf(served, written.object);
  }

  #served(id: string): ServedResource {
    const served = this.#dependencies.resources.findById(id);
    if (served === undefined) throw notFound({ group: '', kind: 'APIResource', plural: 'resources', name: id });
    return served;
  }
}

function eventOf(served: ServedResource, change: StoredChange): ObjectEvent {
  if (served.id === served.storageId) return change;
  return {
    type: change.type,
    object: served.view.toServed(change.object),
    ...(change.previous === undefined ? {} : { previous: served.view.toServed(change.previous) }),
  };
}
