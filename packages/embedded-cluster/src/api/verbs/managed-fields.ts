// Who set which field. The exact bookkeeping is the schema's; this decides when it is worth doing.

import type { KubeObject, ManagedFieldsEntry } from '../kube-object.ts';
import type { ManagedBy, SchemaWork } from '../resources/schema-work.ts';
import type { ResourceDescriptor } from '../resource-descriptor.ts';

/** Subresources by which a controller may change fields that another manager applied. */
const WRITES_SPEC: ReadonlySet<string> = new Set(['', 'scale']);

/**
 * Controllers write objects by the ten thousand, and which of them set which field is rarely read: their creates and status
 * writes are recorded as one entry per manager and subresource without fields. Only where such a write touches an object
 * with fields of another manager is it compared in full, so that a server-side apply after a controller scaled a
 * Deployment conflicts as it does on a real cluster.
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
