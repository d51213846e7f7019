import { isDeepStrictEqual } from 'node:util';
import type { LabelSelector } from '#kube/label-selector';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { Clock } from '../src/ports/clock.ts';
import { alreadyExists, invalid } from '../src/api/api-error.ts';
import type { ClusterAccess, ObjectEvent } from '../src/api/cluster-access.ts';
import type { KubeObject } from '../src/api/kube-object.ts';
import type { ResourceStrategy, StrategyContext, SubresourceAction } from '../src/api/strategy.ts';

export interface FakeClusterOptions {
  readonly strategies?: ReadonlyMap<string, ResourceStrategy>;
  readonly actions?: ReadonlyMap<string, SubresourceAction>;
}

/**
 * The store's contract with components, without the wire: enough to test one component. Changes are delivered through the clock after the
 * commit. Given strategies run; schemas are not applied.
 */
export class FakeClusterAccess implements ClusterAccess {
  readonly #clock: Clock;
  readonly #strategies: ReadonlyMap<string, ResourceStrategy>;
  readonly #actions: ReadonlyMap<string, SubresourceAction>;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Map<string, Set<(event: ObjectEvent) => void>>();
  #version = 0;
  #queue: { resource: string; event: ObjectEvent }[] = [];
  /** Every commit, for tests that count writes. */
  readonly writes: { readonly verb: string; readonly resource: string; readonly name: string }[] = [];

  constructor(clock: Clock, options: FakeClusterOptions = {}) {
    this.#clock = clock;
    this.#strategies = options.strategies ?? new Map<string, ResourceStrategy>();
    this.#actions = options.actions ?? new Map<string, SubresourceAction>();
  }

  get(resource: string, namespace: string | null, name: string): KubeObject | undefined {
    return this.#objects.get(resource)?.get(keyOf(namespace, name));
  }

  list(resource: string, options: { readonly namespace?: string; readonly selector?: LabelSelector } = {}): readonly KubeObject[] {
    const found = [...(this.#objects.get(resource)?.entries() ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return found.filter(
      ({ metadata }) =>
        (options.namespace === undefined || metadata.namespace === options.namespace) &&
        (options.selector === undefined || isLabelSelectorMatch(options.selector, metadata.labels ?? {})),
    );
  }

  create(resource: string, object: object): KubeObject {
    const draft = structuredClone(object) as KubeObject;
    const meta = draft.metadata;
    if ((meta.name as string | undefined) === undefined) meta.name = `${meta.generateName ?? ''}${String(this.#version + 1)}`;
    if (this.get(resource, meta.namespace ?? null, meta.name) !== undefined) throw alreadyExists(subject(resource, draft));
    meta.uid = `uid-${String(this.#version + 1)}`;
    meta.creationTimestamp = this.#timestamp();
    meta.generation = 1;
    const strategy = this.#strategies.get(resource);
    strategy?.prepareForCreate?.(draft, this.#context());
    const errors = strategy?.validate?.(draft, null, this.#context(), '') ?? [];
    if (errors.length > 0) throw invalid(subject(resource, draft), errors);
    strategy?.admit?.(draft, null, this.#context(), '');
    this.#commit('create', resource, 'ADDED', draft);
    return draft;
  }

  modify(resource: string, namespace: string | null, name: string, change: (draft: KubeObject) => void): KubeObject | undefined {
    return this.#update(resource, namespace, name, '', change);
  }

  modifyStatus(resource: string, namespace: string | null, name: string, change: (draft: KubeObject) => void): KubeObject | undefined {
    return this.#update(resource, namespace, name, 'status', change);
  }

  /** Writes through a subresource that has the object's shape, such as `resize`. */
  modifySubresource(
    resource: string,
    namespace: string,
    name: string,
    subresource: string,
    change: (draft: KubeObject) => void,
  ): KubeObject | undefined {
    return this.#update(resource, namespace, name, subresource, change);
  }

  delete(
    resource: string,
    namespace: string | null,
    name: string,
    options: {
      readonly uid?: string;
      readonly gracePeriodSeconds?: number;
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
    } = {},
  ): void {
    const found = this.get(resource, namespace, name);
    if (found === undefined || (options.uid !== undefined && options.uid !== found.metadata.uid)) return;
    const draft = structuredClone(found);
    const finalizers = draft.metadata.finalizers ?? [];
    if (options.propagation === 'Foreground') finalizers.push('foregroundDeletion');
    if (options.propagation === 'Orphan') finalizers.push('orphan');
    const graceful = resource === 'pods' && options.gracePeriodSeconds !== 0 && isOnNode(draft);
    const namespaceWithContent =
      resource === 'namespaces' && ((draft['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0;
    if (finalizers.length === 0 && !graceful && !namespaceWithContent) {
      this.#commit('delete', resource, 'DELETED', found, found);
      return;
    }
    draft.metadata.finalizers = finalizers;
    draft.metadata.deletionTimestamp ??= this.#timestamp();
    draft.metadata.deletionGracePeriodSeconds ??= graceful ? 30 : 0;
    if (!isDeepStrictEqual(draft, found)) this.#commit('delete', resource, 'MODIFIED', draft, found);
  }

  createSubresource(resource: string, namespace: string, name: string, subresource: string, body: object): KubeObject {
    const target = this.get(resource, namespace, name);
    const action = this.#actions.get(`${resource}/${subresource}`);
    if (target === undefined || action === undefined)
      throw new Error(`${resource}/${subresource} of ${namespace}/${name} cannot be reached`);
    return action(target, body as Record<string, unknown>, this.#context()) as KubeObject;
  }

  onChange(resource: string, listener: (event: ObjectEvent) => void): () => void {
    const listeners = this.#listeners.get(resource) ?? new Set();
    this.#listeners.set(resource, listeners);
    listeners.add(listener);
    for (const object of this.list(resource)) {
      this.#clock.schedule(this.#clock.now(), () => {
        if (listeners.has(listener)) listener({ type: 'ADDED', object });
      });
    }
    return () => listeners.delete(listener);
  }

  #update(
    resource: string,
    namespace: string | null,
    name: string,
    subresource: string,
    change: (draft: KubeObject) => void,
  ): KubeObject | undefined {
    const old = this.get(resource, namespace, name);
    if (old === undefined) return undefined;
    let draft = structuredClone(old);
    change(draft);
    if (subresource === 'status') {
      // The Deployment controller writes the revision annotation together with the status.
      const { annotations } = resource === 'deployments.apps' ? draft.metadata : old.metadata;
      const metadata = { ...structuredClone(old.metadata), ...(annotations === undefined ? {} : { annotations }) };
      draft = { ...structuredClone(old), metadata, status: draft['status'] };
    }
    const strategy = this.#strategies.get(resource);
    strategy?.prepareForUpdate?.(draft, old, this.#context(), subresource);
    if (isDeepStrictEqual(draft, old)) return old;
    if (subresource !== 'binding' && !isDeepStrictEqual(draft['spec'], old['spec']))
      draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    const errors = strategy?.validate?.(draft, old, this.#context(), subresource) ?? [];
    if (errors.length > 0) throw invalid(subject(resource, draft), errors);
    strategy?.admit?.(draft, old, this.#context(), subresource);
    const finalizersLeft = [
      ...(draft.metadata.finalizers ?? []),
      ...((draft['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? []),
    ];
    const gone = draft.metadata.deletionTimestamp !== undefined && finalizersLeft.length === 0 && !(resource === 'pods' && isOnNode(draft));
    this.#commit(subresource === '' ? 'update' : subresource, resource, gone ? 'DELETED' : 'MODIFIED', draft, old);
    return draft;
  }

  #commit(verb: string, resource: string, type: ObjectEvent['type'], object: KubeObject, previous?: KubeObject): void {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    const objects = this.#objects.get(resource) ?? new Map<string, KubeObject>();
    this.#objects.set(resource, objects);
    const key = keyOf(object.metadata.namespace ?? null, object.metadata.name);
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, object);
    this.writes.push({ verb, resource, name: object.metadata.name });
    if (this.#queue.length === 0) this.#clock.schedule(this.#clock.now(), () => this.#deliver());
    this.#queue.push({ resource, event: { type, object, ...(previous === undefined ? {} : { previous }) } });
  }

  #deliver(): void {
    const queued = this.#queue;
    this.#queue = [];
    for (const { resource, event } of queued) for (const listener of this.#listeners.get(resource) ?? []) listener(event);
  }

  #context(): StrategyContext & { readonly cluster: ClusterAccess } {
    return { now: this.#clock.now(), cluster: this, user: 'system:test', dryRun: false };
  }

  #timestamp(): string {
    return new Date(this.#clock.now()).toISOString().replace('.000Z', 'Z');
  }
}

function keyOf(namespace: string | null, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function isOnNode(object: KubeObject): boolean {
  const { spec, status } = object as unknown as { spec?: { nodeName?: string }; status?: { phase?: string } };
  return (spec?.nodeName ?? '') !== '' && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function subject(resource: string, object: KubeObject): { group: string; kind: string; plural: string; name: string } {
  const [plural = '', ...group] = resource.split('.');
  return { group: group.join('.'), kind: object.kind, plural, name: object.metadata.name };
}
