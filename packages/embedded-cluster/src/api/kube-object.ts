// Wire JSON as the embedded cluster keeps it. Objects in the store are frozen by convention: to change one, clone it,
// change the clone and commit.

import { cloneJson } from './json.ts';

export interface ManagedFieldsEntry {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1: Record<string, unknown>;
  subresource?: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object; `spec`, `status`, `data` … by index. Components narrow with small accessors of their own. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/**
 * A copy to change. It shares `managedFields` with the original: these large trees are read on every write and always replaced, never
 * changed in place.
 */
export function draftOf(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const draft: KubeObject = cloneJson({ ...object, metadata });
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
  return draft;
}

/**
 * A copy whose metadata and status may be changed; all other parts are shared with the original, because a status write does not change
 * them.
 */
export function statusDraftOf(object: KubeObject): KubeObject {
  const { managedFields, ...own } = object.metadata;
  const metadata: ObjectMeta = cloneJson(own);
  if (managedFields !== undefined) metadata.managedFields = managedFields;
  return { ...object, metadata, status: cloneJson(object['status']) };
}
