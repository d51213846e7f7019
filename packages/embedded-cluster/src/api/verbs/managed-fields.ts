// Field ownership. The schema does the exact bookkeeping; this decides when it is needed.

import type { KubeObject, ManagedFieldsEntry } from '../kube-object.ts';
import type { ManagedBy, SchemaWork } from '../resources/schema-work.ts';
import type { ResourceDescriptor } from '../resource-descriptor.ts';

/** Subresources by which a controller may change fields that another manager applied. */
const WRITES_SPEC: ReadonlySet<string> = new Set(['', 'scale']);

/**
 * Controllers write tens of thousands of objects, and the ownership of their fields is rarely read: their creates and status writes are
 * recorded as one entry per manager and subresource without fields. Only a write to an object with fields of another manager is compared in
 * full, so that a server-side apply after a controller scaled a Deployment conflicts as on a real cluster.
 */
export function managedFieldsAfter(
  schemas: SchemaWork,
  descriptor: ResourceDescriptor,
  old: KubeObject | null,
  object: KubeObject,
  by: ManagedBy,
  trusted: boolean,
): ManagedFieldsEntry[] {
  if (!trusted) return schemas.trackUpdate(descriptor, old, object, by);
  const entries = old?.metadata.managedFields ?? [];
  const owned = WRITES_SPEC.has(by.subresource) && entries.some((entry) => Object.keys(entry.fieldsV1).length > 0);
  if (owned) return schemas.trackUpdate(descriptor, old, object, by);
  const isSame = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === by.manager && entry.operation === 'Update' && (entry.subresource ?? '') === by.subresource;
  if (entries.some(isSame)) return [...entries];
  return [...entries, summaryEntry(by)];
}

function summaryEntry(by: ManagedBy): ManagedFieldsEntry {
  return {
    manager: by.manager,
    operation: 'Update',
    apiVersion: by.apiVersion,
    time: by.time,
    fieldsType: 'FieldsV1',
    fieldsV1: {},
    ...(by.subresource === '' ? {} : { subresource: by.subresource }),
  };
}
