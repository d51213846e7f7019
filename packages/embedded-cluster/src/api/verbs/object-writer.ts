// Create and update of any resource: the one path on which an object enters the store.

import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import {
  alreadyExists,
  ApiStatusError,
  badRequest,
  conflict,
  fault,
  forbidden,
  invalid,
  notFound,
  UndecodableError,
  type FieldError,
} from '../api-error.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { isEqualJson } from '../json.ts';
import { draftOf, type KubeObject } from '../kube-object.ts';
import { managedFieldsAfter } from './managed-fields.ts';
import { generatedName, metadataErrors } from './object-names.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ManagedBy, SchemaWork } from '../resources/schema-work.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import type { ResourceStrategy, StrategyContext } from '../strategy.ts';
import { toTimestamp } from '../timestamp.ts';
import { dropEmptyMetadata, isRemovable, keepOutsideSubresource, keepSystemMetadata } from './update-rules.ts';
import { checkPreconditions, subjectOf, type Preconditions, type WriteRequest } from './write-request.ts';

export interface ObjectWriterDependencies {
  readonly store: ObjectStore;
  readonly schemas: SchemaWork;
  /** By resource id. */
  readonly strategies: ReadonlyMap<string, ResourceStrategy>;
  readonly clock: Clock;
  readonly random: Random;
  /** Context of strategies. */
  readonly reads: () => Pick<ClusterAccess, 'get' | 'list'>;
}

export interface WriteResult {
  /** In the served version. */
  readonly object: KubeObject;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** A change of an existing object, in its served version. */
export interface Change {
  readonly subresource: string;
  /** The wanted object, owned by the writer; may be the draft of `draft()`. */
  readonly produce: (current: KubeObject) => KubeObject;
  readonly isPatch?: boolean;
  /** `produce` has already set managedFields (server-side apply). */
  readonly managesFields?: boolean;
  readonly preconditions?: Preconditions;
  /** Unknown fields that the client sent, found while decoding. */
  readonly unknownFields?: readonly string[];
}

/** Resources whose status a client may set on create: a kubelet registers its node with one. */
const STATUS_ON_CREATE: ReadonlySet<string> = new Set(['nodes']);

export class ObjectWriter {
  readonly #dependencies: ObjectWriterDependencies;

  constructor(dependencies: ObjectWriterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates a decoded object of the served version, which the writer owns from then on. Throws ApiStatusError: AlreadyExists, Invalid,
   * Forbidden (admission, terminating namespace), NotFound (namespace).
   */
  create(
    resource: ServedResource,
    namespace: string | null,
    decoded: KubeObject,
    request: WriteRequest,
    unknown: readonly string[] = [],
  ): WriteResult {
    const { store, clock, random } = this.#dependencies;
    this.#nameNewObject(resource, namespace, decoded, random);
    if (decoded.metadata.resourceVersion as string | undefined) throw fault('resourceVersion should not be set on objects to be created');
    const appliedFields = decoded.metadata.managedFields;
    const warnings = this.#prune(resource, decoded, null, request, unknown);
    const draft = resource.view.toStored(decoded);
    draft.metadata = {
      ...draft.metadata,
      uid: uuid(random),
      resourceVersion: '',
      creationTimestamp: toTimestamp(clock.now()),
      ...(resource.descriptor.hasGeneration ? { generation: 1 } : {}),
    };
    delete draft.metadata.deletionTimestamp;
    delete draft.metadata.deletionGracePeriodSeconds;
    if (!resource.descriptor.hasGeneration) delete draft.metadata.generation;
    dropEmptyMetadata(draft.metadata);
    const isStatusCleared = resource.descriptor.subresources.includes('status') && !STATUS_ON_CREATE.has(resource.id);
    if (isStatusCleared) clearStatus(resource, draft);
    this.#checkNamespace(resource, draft);

    // The creator owns the fields it sent and their defaults, not what strategies and admission add.
    if (!request.trusted) this.#dependencies.schemas.applyDefaults(resource.storedDescriptor, draft);
    const by = this.#managedBy(resource, request, '');
    const sent = isStatusCleared ? withoutStatus(draft) : draft;
    draft.metadata.managedFields =
      appliedFields !== undefined && appliedFields.length > 0
        ? appliedFields
        : managedFieldsAfter(this.#dependencies.schemas, resource.descriptor, null, resource.view.toServed(sent), by, request.trusted);
    this.#applyStrategy(resource, draft, null, request, '');
    const table = store.table(resource.storageId);
    if (table.get(draft.metadata.namespace, draft.metadata.name) !== undefined)
      throw alreadyExists(subjectOf(resource, draft.metadata.name));
    dropEmptyMetadata(draft.metadata);
    const stored = request.dryRun ? withoutVersion(draft) : table.put(draft);
    return {
      object: resource.view.toServed(stored),
      created: true,
      warnings: [...warnings, ...this.#warningsOf(resource, draft, request)],
    };
  }

  /** Throws ApiStatusError: NotFound, Conflict, Invalid, Forbidden. Nothing is stored when nothing changed. */
  update(resource: ServedResource, namespace: string | null, name: string, change: Change, request: WriteRequest): WriteResult {
    const stored = this.#dependencies.store.table(resource.storageId).get(namespace, name);
    if (stored === undefined) throw notFound(subjectOf(resource, name));
    checkPreconditions(resource, stored, change.preconditions);
    const candidate = change.produce(resource.view.toServed(stored));
    checkIdentity(resource, stored, candidate, change.isPatch === true);
    const warnings = this.#prune(resource, candidate, stored, request, change.unknownFields ?? []);
    const { subresource } = change;
    const givenFields = change.managesFields === true ? candidate.metadata.managedFields : undefined;
    // Parts of the stored object are copied wherever the draft may still be changed.
    const kept = request.trusted && subresource === 'status' ? stored : draftOf(stored);
    const draft = keepOutsideSubresource(resource, resource.view.toStored(candidate), kept, subresource);
    this.#checkDeletionTime(resource, draft, stored, subresource);
    keepSystemMetadata(draft, kept);
    this.#checkFinalizers(resource, draft, stored);

    this.#applyStrategy(resource, draft, stored, request, subresource);
    if (givenFields !== undefined) draft.metadata.managedFields = givenFields;
    if (isSameState(draft, stored)) return { object: resource.view.toServed(stored), created: false, warnings };
    // A pod's generation counts changes of its spec, not of its node.
    if (resource.descriptor.hasGeneration && subresource !== 'binding' && hasContentChanged(resource, draft, stored, subresource))
      draft.metadata.generation = (stored.metadata.generation ?? 0) + 1;
    if (givenFields === undefined) this.#track(resource, draft, stored, request, subresource);
    dropEmptyMetadata(draft.metadata);
    if (!request.dryRun) this.#commit(resource, draft, stored);
    const added = subresource === '' ? this.#warningsOf(resource, draft, request) : [];
    return { object: resource.view.toServed(draft), created: false, warnings: [...warnings, ...added] };
  }

  /** Controllers do not read warnings. */
  #warningsOf(resource: ServedResource, object: KubeObject, request: WriteRequest): readonly string[] {
    return request.trusted ? [] : (this.#dependencies.strategies.get(resource.storageId)?.warnings?.(object) ?? []);
  }

  /** The resource-specific steps between a draft and the store, in the order of `strategy.ts`. */
  #applyStrategy(resource: ServedResource, draft: KubeObject, old: KubeObject | null, request: WriteRequest, subresource: string): void {
    const strategy = this.#dependencies.strategies.get(resource.storageId);
    const context = this.#context(request);
    if (old === null) strategy?.prepareForCreate?.(draft, context);
    else strategy?.prepareForUpdate?.(draft, old, context, subresource);
    const errors: FieldError[] = metadataErrors(resource, draft, old);
    if (!isChangeOfComponent(request, old)) errors.push(...this.#fillAndValidate(resource, draft, old, subresource));
    // Strategies rely on the shape of an object, not on its values: when only values are invalid, all errors are reported together.
    const hasShape = errors.every(({ type }) => type !== 'FieldValueTypeInvalid' && type !== 'FieldValueRequired');
    if (!hasShape) this.#refuse(resource, draft, errors);
    this.#refuse(resource, draft, joined(errors, strategy?.validate?.(draft, old, context, subresource) ?? []));
    strategy?.admit?.(draft, old, context, subresource);
  }

  #refuse(resource: ServedResource, draft: KubeObject, errors: readonly FieldError[]): void {
    if (errors.length === 0) return;
    const { kind, version } = resource.descriptor;
    const wrongType = errors.find((error) => error.type === 'FieldValueTypeInvalid');
    // A wrong type in a built-in kind is a decoding error; custom resources are only validated.
    if (wrongType !== undefined && !resource.custom) {
      const why = this.#dependencies.schemas.decodingFault(resource.storedDescriptor, draft) ?? `${wrongType.field}: ${wrongType.message}`;
      throw new UndecodableError(kind, version, kind, why);
    }
    throw invalid(subjectOf(resource, draft.metadata.name), errors);
  }

  /** Only a DELETE starts a deletion. */
  #checkDeletionTime(resource: ServedResource, draft: KubeObject, stored: KubeObject, subresource: string): void {
    const { deletionTimestamp } = draft.metadata;
    if (subresource !== '' || deletionTimestamp === undefined || stored.metadata.deletionTimestamp !== undefined) return;
    throw invalid(subjectOf(resource, stored.metadata.name), [immutable('metadata.deletionTimestamp', deletionTimestamp)]);
  }

  #checkFinalizers(resource: ServedResource, draft: KubeObject, stored: KubeObject): void {
    if (stored.metadata.deletionTimestamp === undefined) return;
    const before = stored.metadata.finalizers ?? [];
    const added = (draft.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
    if (added.length === 0) return;
    const list = JSON.stringify(added.join(' '));
    const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
    throw invalid(subjectOf(resource, stored.metadata.name), [{ field: 'metadata.finalizers', type: 'FieldValueForbidden', message }]);
  }

  #prune(
    resource: ServedResource,
    draft: KubeObject,
    old: KubeObject | null,
    request: WriteRequest,
    unknown: readonly string[],
  ): readonly string[] {
    if (isChangeOfComponent(request, old)) return [];
    const dropped = [...unknown, ...this.#dependencies.schemas.prune(resource.descriptor, draft)];
    const words = [
      ...(request.duplicateFields ?? []).map((path) => `duplicate field ${JSON.stringify(path)}`),
      ...dropped.map((path) => `unknown field ${JSON.stringify(path)}`),
    ];
    if (words.length === 0 || request.fieldValidation === 'Ignore') return [];
    if (request.fieldValidation === 'Warn') return words;
    const { kind, version } = resource.descriptor;
    throw new UndecodableError(kind, version, kind, `strict decoding error: ${words.join(', ')}`);
  }

  #nameNewObject(resource: ServedResource, namespace: string | null, object: KubeObject, random: Random): void {
    const { metadata } = object;
    const givenName = metadata.name as string | undefined;
    if (resource.descriptor.namespaced) {
      if (metadata.namespace !== undefined && metadata.namespace !== '' && metadata.namespace !== namespace)
        throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
      if (namespace !== null) metadata.namespace = namespace;
    } else delete metadata.namespace;
    if (givenName !== undefined && givenName !== '') return;
    metadata.name =
      metadata.generateName === undefined || metadata.generateName === '' ? '' : generatedName(metadata.generateName, () => random.next());
  }

  /** The NamespaceLifecycle admission of a real cluster. */
  #checkNamespace(resource: ServedResource, draft: KubeObject): void {
    const { namespace, name } = draft.metadata;
    if (namespace === undefined) return;
    const owner = this.#dependencies.store.table('namespaces').get(null, namespace);
    if (owner === undefined) throw notFound({ group: '', kind: 'Namespace', plural: 'namespaces', name: namespace });
    if (owner.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const refusal = forbidden(subjectOf(resource, name), why);
    throw new ApiStatusError(403, 'Forbidden', refusal.message, {
      ...refusal.details,
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
    });
  }

  #track(resource: ServedResource, draft: KubeObject, stored: KubeObject, request: WriteRequest, subresource: string): void {
    const { view, descriptor } = resource;
    const by = this.#managedBy(resource, request, subresource);
    draft.metadata.managedFields = managedFieldsAfter(
      this.#dependencies.schemas,
      descriptor,
      view.toServed(stored),
      view.toServed(draft),
      by,
      request.trusted,
    );
  }

  #commit(resource: ServedResource, draft: KubeObject, stored: KubeObject): void {
    const table = this.#dependencies.store.table(resource.storageId);
    if (isRemovable(draft)) table.remove(stored.metadata.namespace, stored.metadata.name);
    else table.put(draft);
  }

  #managedBy(resource: ServedResource, request: WriteRequest, subresource: string): ManagedBy {
    const time = toTimestamp(this.#dependencies.clock.now());
    return { manager: request.fieldManager, subresource, apiVersion: resource.apiVersion, time };
  }
  /** Sets defaults, then validates. A status that is kept from the stored object is not changed. */
  #fillAndValidate(resource: ServedResource, draft: KubeObject, old: KubeObject | null, subresource: string): readonly FieldError[] {
    const { schemas } = this.#dependencies;
    const isStatusKept =
      old !== null && !resource.custom && subresource !== 'status' && resource.descriptor.subresources.includes('status');
    const changed = isStatusKept ? withoutStatus(draft) : draft;
    schemas.applyDefaults(resource.storedDescriptor, changed);
    if (isStatusKept) Object.assign(draft, changed, { status: draft['status'] });
    return schemas.validate(resource.storedDescriptor, changed, old);
  }

  #context(request: WriteRequest): StrategyContext {
    const { user, dryRun, isAllowed } = request;
    return {
      now: this.#dependencies.clock.now(),
      cluster: this.#dependencies.reads(),
      user,
      dryRun,
      ...(isAllowed === undefined ? {} : { isAllowed }),
    };
  }
}

/** Components keep the shape of the objects they change: checking it against the schema was most of a write's cost. */
function isChangeOfComponent({ trusted }: WriteRequest, old: KubeObject | null): boolean {
  return trusted && old !== null;
}

function withoutStatus(draft: KubeObject): KubeObject {
  const { status: _, ...rest } = draft;
  return rest;
}

/** The status initially belongs to the server: empty for built-in kinds, absent for custom ones. */
function clearStatus(resource: ServedResource, draft: KubeObject): void {
  if (resource.custom) delete draft['status'];
  else draft['status'] = {};
}

function checkIdentity(resource: ServedResource, stored: KubeObject, candidate: KubeObject, isPatch: boolean): void {
  const { name, namespace } = stored.metadata;
  const given = candidate.metadata as Partial<KubeObject['metadata']>;
  if (given.name !== undefined && given.name !== '' && given.name !== name)
    throw badRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  if (given.namespace !== undefined && given.namespace !== '' && given.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (given.uid !== undefined && given.uid !== '' && given.uid !== stored.metadata.uid)
    throw otherUid(resource, stored, given.uid, isPatch);
  const version = given.resourceVersion ?? '';
  if (!/^\d*$/.test(version)) throw fault(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  if (version !== '' && version !== '0' && version !== stored.metadata.resourceVersion) throw conflict(subjectOf(resource, name));
}

/** A patch starts from the object itself, so a different uid in it is a change; in a whole object it means another object. */
function otherUid(resource: ServedResource, { metadata }: KubeObject, uid: string, isPatch: boolean): ApiStatusError {
  const of = subjectOf(resource, metadata.name);
  if (isPatch) return invalid(of, [immutable('metadata.uid', uid)]);
  return conflict(of, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`);
}

function immutable(field: string, value: unknown): FieldError {
  return { field, type: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: field is immutable` };
}

/** An object that is not stored has no resourceVersion. */
function withoutVersion(draft: KubeObject): KubeObject {
  const { resourceVersion: _none, ...metadata } = draft.metadata;
  return { ...draft, metadata: metadata as KubeObject['metadata'] };
}

/** Combines errors: for the same field, or for a part with the same error, the strategy's message is that of the API server. */
function joined(bySchema: readonly FieldError[], byStrategy: readonly FieldError[]): readonly FieldError[] {
  const isReported = ({ field, type }: FieldError): boolean =>
    byStrategy.some((error) => error.field === field || (error.type === type && field.startsWith(`${error.field}.`)));
  return [...bySchema.filter((error) => !isReported(error)), ...byStrategy];
}

/** Whether a commit would change nothing. Times of managed fields are ignored. */
function isSameState(draft: KubeObject, stored: KubeObject): boolean {
  const withoutFields = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, managedFields: [], resourceVersion: '' },
  });
  return isEqualJson(withoutFields(draft), withoutFields(stored)) && isEqualJson(untimed(draft), untimed(stored));
}

function untimed(object: KubeObject): unknown {
  return object.metadata.managedFields?.map((entry) => ({ ...entry, time: '' }));
}

/** All fields that `metadata.generation` counts: everything except metadata, and the status when it is a subresource. */
function hasContentChanged({ descriptor, custom }: ServedResource, draft: KubeObject, stored: KubeObject, subresource: string): boolean {
  const apart = !custom || descriptor.subresources.includes('status') ? { status: undefined } : {};
  const content = (object: KubeObject): KubeObject => ({ ...object, metadata: stored.metadata, ...apart });
  const countsAnnotations = descriptor.generationCountsAnnotations === true && subresource === '';
  if (countsAnnotations && !isEqualJson(draft.metadata.annotations ?? {}, stored.metadata.annotations ?? {})) return true;
  return !isEqualJson(content(draft), content(stored));
}

/** A version 4 UUID drawn from the cluster's seeded randomness, so that the same seed gives the same cluster. */
function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random.next() * 16).toString(16));
  hex[12] = '4';
  hex[16] = (8 + Math.floor(random.next() * 4)).toString(16);
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
