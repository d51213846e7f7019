// What an update may touch: the main resource leaves the status alone, a subresource leaves all but its part alone, and
// the server's own metadata cannot be changed.

import { isObject } from '#kube/json';
import { badRequest } from '../api-error.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ServedResource } from '../resources/served-resources.ts';

/** Resources whose status subresource also takes labels and annotations: kubelets write those. */
const LABELLED_BY_STATUS: ReadonlySet<string> = new Set(['pods', 'nodes']);
/** The controller of Deployments notes their revision together with their status. */
const ANNOTATED_BY_STATUS: ReadonlySet<string> = new Set([...LABELLED_BY_STATUS, 'deployments.apps']);

/**
 * The draft with everything restored that a write to `subresource` ('' for the main resource) may not change.
 *
 * Throws ApiStatusError 400 for a status that is no object.
 */
export function keepOutsideSubresource(resource: ServedResource, draft: KubeObject, stored: KubeObject, subresource: string): KubeObject {
  switch (subresource) {
    case '':
      return resource.descriptor.subresources.includes('status') ? withStatus(draft, stored['status']) : shallow(draft);
    case 'status':
      return statusOnly(resource, draft, stored);
    case 'finalize':
      return { ...stored, metadata: { ...stored.metadata }, spec: draft['spec'] };
    default:
      // scale, resize: a part of the spec, which the strategy narrows further.
      return withStatus({ ...draft, metadata: { ...stored.metadata } }, stored['status']);
  }
}

function statusOnly(resource: ServedResource, draft: KubeObject, stored: KubeObject): KubeObject {
  if (draft['status'] !== undefined && draft['status'] !== null && !isObject(draft['status']))
    throw badRequest(`status: must be an object, not ${JSON.stringify(draft['status'])}`);
  const metadata = { ...stored.metadata };
  const { labels, annotations } = draft.metadata;
  if (LABELLED_BY_STATUS.has(resource.id) && labels !== undefined) metadata.labels = labels;
  if (ANNOTATED_BY_STATUS.has(resource.id) && annotations !== undefined) metadata.annotations = annotations;
  return withStatus({ ...stored, metadata }, draft['status']);
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  const { status: _replaced, ...rest } = object;
  const copy = rest;
  copy.metadata = { ...object.metadata };
  if (status !== undefined) copy['status'] = status;
  return copy;
}

function shallow(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata } };
}

/** Puts back what the server alone decides. managedFields stay as given: a client may rewrite or reset them. */
export function keepSystemMetadata(draft: KubeObject, stored: KubeObject): void {
  const from = stored.metadata;
  const to = draft.metadata;
  to.name = from.name;
  to.uid = from.uid;
  to.resourceVersion = from.resourceVersion;
  to.creationTimestamp = from.creationTimestamp;
  put(to, 'namespace', from.namespace);
  put(to, 'generateName', from.generateName);
  put(to, 'generation', from.generation);
  put(to, 'deletionTimestamp', from.deletionTimestamp);
  put(to, 'deletionGracePeriodSeconds', from.deletionGracePeriodSeconds);
  if ((to.managedFields?.length ?? 0) === 0) put(to, 'managedFields', from.managedFields);
  const { managedFields } = to;
  dropEmptyMetadata(to);
  // An empty list and an absent one differ until ownership is worked out.
  if (managedFields !== undefined) to.managedFields = managedFields;
}

/** Empty and absent are one; the wire never shows an empty map or list of metadata. */
export function dropEmptyMetadata(metadata: KubeObject['metadata']): void {
  for (const field of ['labels', 'annotations'] as const) if (isEmpty(metadata[field])) put(metadata, field, undefined);
  for (const field of ['finalizers', 'ownerReferences', 'managedFields'] as const)
    if (metadata[field]?.length === 0) put(metadata, field, undefined);
}

function isEmpty(value: Readonly<Record<string, string>> | undefined): boolean {
  return value !== undefined && Object.keys(value).length === 0;
}

function put<K extends keyof KubeObject['metadata']>(
  metadata: KubeObject['metadata'],
  field: K,
  value: KubeObject['metadata'][K] | undefined,
): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- one of a handful of known, optional fields
  if (value === undefined) delete metadata[field];
  else metadata[field] = value;
}

/** Nothing holds the object any more: it was deleted, its grace is over and every finalizer is gone. */
export function isRemovable(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0 && !hasSpecFinalizers(object);
}

/** A namespace is held by `spec.finalizers` until its content is gone. */
function hasSpecFinalizers(object: KubeObject): boolean {
  if (object.kind !== 'Namespace' || !isObject(object['spec'])) return false;
  const { finalizers } = object['spec'];
  return Array.isArray(finalizers) && finalizers.length > 0;
}
