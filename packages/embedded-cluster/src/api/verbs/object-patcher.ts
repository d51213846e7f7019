// The four kinds of PATCH. Each computes the wanted object, which is then stored like an update.

import { isObject } from '#kube/json';
import type { PatchType } from '#kube/api-transport';
import { applyConflictError } from '../../patch/apply.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { mergePatch } from '../../patch/merge-patch.ts';
import { ApiStatusError, badRequest, conflict, fault, invalid, notFound, UndecodableError } from '../api-error.ts';
import { cloneJson } from '../json.ts';
import { draftOf, type KubeObject } from '../kube-object.ts';
import { decodeObject, jsonType } from './object-metadata.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ObjectWriter, WriteResult } from './object-writer.ts';
import { toTimestamp } from '../timestamp.ts';
import type { Clock } from '../../ports/clock.ts';
import { applyScale, scaledPart, scaleOf } from './scale-subresource.ts';
import type { SchemaWork } from '../resources/schema-work.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import { subjectOf, type WriteRequest } from './write-request.ts';

export interface PatchRequest {
  readonly resource: ServedResource;
  readonly namespace: string | null;
  readonly name: string;
  readonly subresource: string;
  readonly type: PatchType;
  /** Parsed. */
  readonly body: unknown;
  /** Server-side apply: take the ownership of conflicting fields. */
  readonly force: boolean;
  readonly request: WriteRequest;
}

export interface ObjectPatcherDependencies {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly schemas: SchemaWork;
  readonly clock: Clock;
}

/** Throws ApiStatusError 415 for an unsupported patch type. */
export function patchTypeOf(contentType: string, resource: ServedResource): PatchType {
  const type = contentType.split(';', 1)[0]?.trim() ?? '';
  const accepted: readonly string[] = resource.custom
    ? PATCH_TYPES.filter((known) => known !== 'application/strategic-merge-patch+json')
    : PATCH_TYPES;
  if (accepted.includes(type)) return type as PatchType;
  throw new ApiStatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

const PATCH_TYPES: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

export class ObjectPatcher {
  readonly #dependencies: ObjectPatcherDependencies;

  constructor(dependencies: ObjectPatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws ApiStatusError: NotFound, Conflict, Invalid, BadRequest for an invalid patch. */
  patch(patch: PatchRequest): WriteResult {
    if (patch.type === 'application/apply-patch+yaml') return patch.subresource === 'scale' ? this.#applyScale(patch) : this.#apply(patch);
    const { resource, subresource, request, namespace, name } = patch;
    if (subresource === 'scale') return this.#patchScale(patch);
    let unknownFields: readonly string[] = [];
    let merged: unknown;
    const produce = (current: KubeObject): KubeObject => {
      merged = this.#merged(patch, current);
      const decoded = decodeObject(merged, resource.apiVersion, resource.descriptor.kind);
      unknownFields = decoded.unknownFields;
      return decoded.object;
    };
    const change = {
      subresource,
      produce,
      isPatch: true,
      get unknownFields(): readonly string[] {
        return unknownFields;
      },
    };
    try {
      return this.#dependencies.writer.update(resource, namespace, name, change, request);
    } catch (error) {
      if (error instanceof UndecodableError) throw undecodablePatch(merged, error.why);
      throw error;
    }
  }

  #patchScale(patch: PatchRequest): WriteResult {
    const { resource, namespace, name, request } = patch;
    const produce = (current: KubeObject): KubeObject => {
      const draft = draftOf(current);
      applyScale(resource, draft, this.#patched(patch, scaleOf(resource, current), 'autoscaling/v1', 'Scale').object);
      return draft;
    };
    const written = this.#dependencies.writer.update(resource, namespace, name, { subresource: 'scale', produce }, request);
    return { ...written, object: scaleOf(resource, written.object) };
  }

  /** Applies a Scale to the object, in the name of the subresource. */
  #applyScale(patch: PatchRequest): WriteResult {
    const { resource, name } = patch;
    const { object: scale } = decodeObject(patch.body, 'autoscaling/v1', 'Scale');
    const written = this.#apply({ ...patch, body: scaledPart(resource, name, scale) });
    return { ...written, object: scaleOf(resource, written.object) };
  }

  #patched(patch: PatchRequest, current: KubeObject, apiVersion: string, kind: string): ReturnType<typeof decodeObject> {
    return decodeObject(this.#merged(patch, current), apiVersion, kind);
  }

  #merged(patch: PatchRequest, current: KubeObject): unknown {
    const { type, body, resource } = patch;
    if (type === 'application/json-patch+json') return jsonPatched(current, body);
    if (!isObject(body))
      throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(body)} into Go value of type map[string]interface {}`);
    if (type === 'application/merge-patch+json' || current.kind === 'Scale') return mergePatch(current, body);
    return this.#dependencies.schemas.strategicMerge(resource.descriptor, current, body);
  }

  /** Server-side apply: creates a missing object. */
  #apply(patch: PatchRequest): WriteResult {
    const { resource, namespace, name, subresource, request } = patch;
    if (request.fieldManager === '') throw missingManager();
    checkTyped(patch);
    const faults = this.#dependencies.schemas.applyFaults(resource.descriptor, patch.body as KubeObject);
    if (faults.length > 0) throw untypedConfiguration(patch, faults);
    const { object: applied, unknownFields } = decodeObject(patch.body, resource.apiVersion, resource.descriptor.kind);
    this.#checkApplied(patch, applied);
    const dropped = [...unknownFields, ...this.#dependencies.schemas.prune(resource.descriptor, applied)];
    const stored = this.#dependencies.store.table(resource.storageId).get(namespace, name);
    if (stored === undefined) {
      if (subresource !== '') throw notFound(subjectOf(resource, name));
      const uid = applied.metadata.uid as string | undefined;
      if (uid !== undefined && uid !== '') {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(subjectOf(resource, name), why);
      }
      delete (applied.metadata as Partial<KubeObject['metadata']>).resourceVersion;
      const fresh = this.#applied(patch, null, applied);
      return this.#dependencies.writer.create(resource, namespace, draftOf(fresh), request, dropped);
    }
    // A resourceVersion in the applied object is a precondition, not content.
    const expected = applied.metadata.resourceVersion as string | undefined;
    const produce = (current: KubeObject): KubeObject => {
      const merged = draftOf(this.#applied(patch, current, applied));
      merged.metadata.resourceVersion = expected ?? '';
      return merged;
    };
    return this.#dependencies.writer.update(
      resource,
      namespace,
      name,
      { subresource, produce, managesFields: true, unknownFields: dropped },
      request,
    );
  }

  #checkApplied(patch: PatchRequest, applied: KubeObject): void {
    const { name, namespace } = patch;
    const metadata = applied.metadata as Partial<KubeObject['metadata']>;
    if ((metadata.managedFields?.length ?? 0) > 0) throw badRequest('metadata.managedFields must be nil');
    if (metadata.name !== undefined && metadata.name !== name)
      throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
    if (metadata.namespace !== undefined && namespace !== null && metadata.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    applied.metadata.name = name;
    if (namespace !== null) applied.metadata.namespace = namespace;
  }

  #applied(patch: PatchRequest, live: KubeObject | null, applied: KubeObject): KubeObject {
    const { resource, subresource, request, force } = patch;
    const outcome = this.#dependencies.schemas.serverSideApply(resource.descriptor, live, applied, {
      manager: request.fieldManager,
      subresource,
      apiVersion: resource.apiVersion,
      time: toTimestamp(this.#dependencies.clock.now()),
      force,
    });
    if (outcome.kind === 'conflict') throw applyConflictError(outcome.conflicts);
    if (outcome.nulls) this.#checkNulls(patch, outcome.object, live);
    return outcome.object;
  }

  #checkNulls({ resource, name }: PatchRequest, object: KubeObject, live: KubeObject | null): void {
    const errors = this.#dependencies.schemas
      .validate(resource.descriptor, object, live)
      .filter(({ message }) => message.includes('"null"'));
    if (errors.length > 0) throw invalid(subjectOf(resource, name), errors);
  }
}

/** A copy of the object with the operations applied. */
function jsonPatched(current: KubeObject, body: unknown): unknown {
  const outcome = jsonPatch(cloneJson(current), body);
  if (outcome.ok) return outcome.value;
  if (outcome.kind === 'malformed') throw badRequest(outcome.message);
  // A real server reports no more, not even the failed test; clients compare the message.
  throw new ApiStatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** An applied object requires apiVersion and kind. */
function checkTyped({ body, resource }: PatchRequest): void {
  const { apiVersion, kind } = isObject(body) ? body : {};
  if (apiVersion === resource.apiVersion && kind === resource.descriptor.kind) return;
  throw badRequest(`invalid object type: ${groupVersionKind(apiVersion, kind)}`);
}

function untypedConfiguration({ body, name, resource }: PatchRequest, faults: readonly string[]): ApiStatusError {
  const given = (body as { metadata?: { namespace?: string } }).metadata?.namespace ?? '';
  const what = `${given}/${name}; ${groupVersionKind(resource.apiVersion, resource.descriptor.kind)}`;
  const words = faults.length === 1 ? (faults[0] ?? '') : `errors:\n  ${faults.join('\n  ')}`;
  return fault(`failed to create typed patch object (${what}): ${words}`);
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function groupVersionKind(apiVersion: unknown, kind: unknown): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/** The result of a patch must be an object. The error shows it whole. */
function undecodablePatch(merged: unknown, why: string): ApiStatusError {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(merged))}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return new ApiStatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}

function missingManager(): ApiStatusError {
  const message = 'Required value: is required for apply patch';
  return new ApiStatusError(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'PatchOptions',
    causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
  });
}
