// Owners of fields by `metadata.managedFields`. They survive a crash of the controller, and distinguish a value that Evenkeel
// wrote from the same value of another manager.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management

import type { ResourceName } from '#kube/records/resources';

/** The parts of an entry of `metadata.managedFields` that are needed here. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One request or limit of a container. */
export interface ResourceField {
  readonly container: string;
  readonly sidecar: boolean;
  readonly side: 'requests' | 'limits';
  readonly resource: ResourceName;
}

/** Entries that own an annotation; several managers may share it. */
export function ownersOfAnnotation(entries: readonly ManagedFieldsEntry[], key: string): readonly ManagedFieldsEntry[] {
  return ownersOf(entries, ['f:metadata', 'f:annotations', `f:${key}`]);
}

/** Entries that own a request or limit of a container. */
export function ownersOfResource(entries: readonly ManagedFieldsEntry[], field: ResourceField): readonly ManagedFieldsEntry[] {
  const list = field.sidecar ? 'f:initContainers' : 'f:containers';
  const path = ['f:spec', list, `k:${JSON.stringify({ name: field.container })}`, 'f:resources', `f:${field.side}`, `f:${field.resource}`];
  return ownersOf(entries, path);
}

/** Entries that own a field of `spec`, such as `unschedulable`. */
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
