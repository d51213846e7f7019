// Who set a field last, by the object's own record (`metadata.managedFields`): the only trace that survives any crash and
// distinguishes a value that Evenkeel wrote from the same value of another writer.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management

import type { ResourceName } from '#kube/records/resources';

/** One entry of `metadata.managedFields`, as far as it is read here. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Which number of a container's resources. */
export interface ResourceField {
  readonly container: string;
  readonly sidecar: boolean;
  readonly side: 'requests' | 'limits';
  readonly resource: ResourceName;
}

/** Every entry that owns the annotation: several where more than one has applied it. */
export function ownersOfAnnotation(entries: readonly ManagedFieldsEntry[], key: string): readonly ManagedFieldsEntry[] {
  return ownersOf(entries, ['f:metadata', 'f:annotations', `f:${key}`]);
}

export function ownersOfResource(entries: readonly ManagedFieldsEntry[], field: ResourceField): readonly ManagedFieldsEntry[] {
  const list = field.sidecar ? 'f:initContainers' : 'f:containers';
  const path = ['f:spec', list, `k:${JSON.stringify({ name: field.container })}`, 'f:resources', `f:${field.side}`, `f:${field.resource}`];
  return ownersOf(entries, path);
}

/** A field of `spec`, such as `unschedulable`. */
export function ownersOfSpecField(entries: readonly ManagedFieldsEntry[], field: string): readonly ManagedFieldsEntry[] {
  return ownersOf(entries, ['f:spec', `f:${field}`]);
}

function ownersOf(entries: readonly ManagedFieldsEntry[], path: readonly string[]): readonly ManagedFieldsEntry[] {
  return entries.filter(({ fields }) => {
    let at: unknown = fields;
    for (const step of path) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
      at = (at as Readonly<Record<string, unknown>>)[step];
    }
    return true;
  });
}
