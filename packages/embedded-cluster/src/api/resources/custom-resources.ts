// Serves the resources of CustomResourceDefinitions, and deletes their objects with them.

import type { PrinterColumn } from '../../printing/tables.ts';
import { readCustomResourceDefinition } from '../../schema/custom-resource.ts';
import type { SchemaRegistry } from '../../schema/schema-registry.ts';
import type { FieldError } from '../api-error.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { hasTrueCondition, definitionStatus, nameConflict } from './definition-status.ts';
import { cloneJson, isEqualJson, readPath } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { relabelledView, type ObjectView } from '../store/object-view.ts';
import type { ObjectStore, StoredChange } from '../store/object-store.ts';
import { resourceId, type ResourceDescriptor } from '../resource-descriptor.ts';
import type { SchemaWork } from './schema-work.ts';
import { groupVersion, type ServedResource, type ServedResources } from './served-resources.ts';
import type { ResourceStrategy } from '../strategy.ts';
import { toTimestamp } from '../timestamp.ts';

export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
/** Finalizer that keeps a definition until its objects are deleted. */
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export interface CustomResourceDependencies {
  readonly store: ObjectStore;
  readonly resources: ServedResources;
  readonly schemas: SchemaRegistry;
  /** By those schemas. */
  readonly work: SchemaWork;
  /** In the server's own name. */
  readonly access: () => ClusterAccess;
}

export class CustomResources {
  readonly #dependencies: CustomResourceDependencies;
  readonly #columns = new Map<string, readonly PrinterColumn[]>();
  readonly #stops: (() => void)[] = [];

  constructor(dependencies: CustomResourceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Strategy of definitions. Their status is set during the write, so that a new kind can be used immediately. */
  readonly strategy: ResourceStrategy = {
    prepareForCreate: (draft, context) => {
      draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), CLEANUP_FINALIZER])];
      this.#settle(draft, undefined, context.now);
    },
    prepareForUpdate: (draft, old, context, subresource) => {
      if (subresource === '') this.#settle(draft, old, context.now);
    },
    validate: (definition, old) => [
      ...readCustomResourceDefinition(definition).errors,
      ...(old !== null && hasTrueCondition(old, 'Established') ? immutableErrors(definition, old) : []),
    ],
  };

  /** Columns of a custom resource's table; undefined for other resources. */
  columnsOf(descriptor: ResourceDescriptor): readonly PrinterColumn[] | undefined {
    return this.#columns.get(keyOf(descriptor));
  }

  /** Starts to serve definitions, and to clean up after deleted ones. */
  start(): void {
    const table = this.#dependencies.store.table(DEFINITIONS);
    this.#stops.push(table.onCommit((change) => this.#onCommit(change)));
    this.#stops.push(
      this.#dependencies.access().onChange(DEFINITIONS, ({ type, object }) => {
        if (type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined) this.#cleanUp(object);
      }),
    );
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #settle(draft: KubeObject, old: KubeObject | undefined, now: number): void {
    const others = this.#dependencies.store.table(DEFINITIONS).list();
    const conflict = nameConflict(draft, others, this.#dependencies.resources.all());
    draft['status'] = definitionStatus(draft, old, conflict, toTimestamp(now));
  }

  #onCommit({ type, object, previous }: StoredChange): void {
    const id = object.metadata.name;
    if (type === 'DELETED') {
      this.#withdraw(id);
      return;
    }
    if (previous !== undefined && isServedAlike(previous, object)) return;
    this.#withdraw(id);
    if (!hasTrueCondition(object, 'Established')) return;
    // An earlier resourceVersion precedes this kind, and its history has no changes from there.
    if (previous === undefined || !hasTrueCondition(previous, 'Established')) {
      const { store } = this.#dependencies;
      store.table(id).beginHistory(store.revision);
    }
    this.#serve(object);
  }

  #serve(definition: KubeObject): void {
    const { descriptors, schemas, columns, scalePaths, storageVersion } = readCustomResourceDefinition(definition);
    const since = this.#dependencies.store.revision;
    const terminating = definition.metadata.deletionTimestamp !== undefined;
    for (const read of descriptors) {
      const descriptor = terminating ? { ...read, verbs: read.verbs.filter((verb) => verb !== 'create') } : read;
      const { group, version } = descriptor;
      const id = resourceId(descriptor);
      const resource: ServedResource = {
        descriptor,
        id,
        storageId: id,
        storedDescriptor: descriptor,
        apiVersion: groupVersion(group, version),
        custom: true,
        view: this.#viewOf(descriptor, relabelledView(groupVersion(group, version), groupVersion(group, storageVersion)), since),
        scalePaths: scalePaths.get(version) ?? null,
      };
      this.#dependencies.resources.add(resource);
      const schema = schemas.get(version);
      if (schema !== undefined) this.#dependencies.schemas.registerCustom(descriptor, schema);
      this.#columns.set(keyOf(descriptor), columns.get(version) ?? []);
    }
  }

  /** Objects that were stored before the schema are pruned and defaulted by it on read. */
  #viewOf(descriptor: ResourceDescriptor, view: ObjectView, since: number): ObjectView {
    const { work } = this.#dependencies;
    return {
      toStored: (served) => view.toStored(served),
      toServed: (stored) => {
        const served = view.toServed(stored);
        if (Number(stored.metadata.resourceVersion) > since) return served;
        const shown = cloneJson(served);
        work.prune(descriptor, shown);
        work.applyDefaults(descriptor, shown);
        return shown;
      },
    };
  }

  #withdraw(id: string): void {
    for (const resource of [...this.#dependencies.resources.all()].filter((served) => served.custom && served.id === id)) {
      this.#dependencies.schemas.unregisterCustom(resource.descriptor);
      this.#columns.delete(keyOf(resource.descriptor));
    }
    if (this.#dependencies.resources.findById(id)?.custom === true) this.#dependencies.resources.remove(id);
  }

  /** Deletes the objects of a terminating definition, and removes its finalizer when none is left. */
  #cleanUp(definition: KubeObject): void {
    const { name } = definition.metadata;
    if (definition.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) return;
    const access = this.#dependencies.access();
    const table = this.#dependencies.store.table(name);
    const instances = this.#dependencies.resources.findById(name) === undefined ? [] : table.list();
    for (const { metadata } of instances) {
      if (metadata.deletionTimestamp === undefined)
        access.delete(name, metadata.namespace ?? null, metadata.name, { propagation: 'Background' });
    }
    if (table.size > 0 && this.#dependencies.resources.findById(name) !== undefined) {
      // Some objects have finalizers: checked again when one is removed.
      const stop = access.onChange(name, ({ type }) => {
        if (type !== 'DELETED') return;
        stop();
        this.#cleanUpNamed(name);
      });
      return;
    }
    access.modify(DEFINITIONS, null, name, (draft) => {
      draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    });
  }

  #cleanUpNamed(name: string): void {
    const definition = this.#dependencies.store.table(DEFINITIONS).get(null, name);
    if (definition?.metadata.deletionTimestamp !== undefined) this.#cleanUp(definition);
  }
}

/** The scope and the kind of a served definition are immutable. */
function immutableErrors(definition: KubeObject, old: KubeObject): FieldError[] {
  return [['scope'], ['names', 'kind']].flatMap((path) => {
    const value = readPath(definition, ['spec', ...path]);
    if (value === readPath(old, ['spec', ...path])) return [];
    const message = `Invalid value: ${JSON.stringify(value)}: field is immutable`;
    return [{ field: `spec.${path.join('.')}`, type: 'FieldValueInvalid' as const, message }];
  });
}

function keyOf({ group, version, plural }: ResourceDescriptor): string {
  return `${group}/${version}/${plural}`;
}

/** Neither the served versions nor the acceptance of new objects has changed. */
function isServedAlike(a: KubeObject, b: KubeObject): boolean {
  return (
    (a.metadata.deletionTimestamp === undefined) === (b.metadata.deletionTimestamp === undefined) &&
    hasTrueCondition(a, 'Established') === hasTrueCondition(b, 'Established') &&
    isEqualJson(a['spec'], b['spec'])
  );
}
