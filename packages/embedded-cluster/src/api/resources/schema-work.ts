import type { FieldError } from '../api-error.ts';
import type { KubeObject, ManagedFieldsEntry } from '../kube-object.ts';
import type { ResourceDescriptor } from '../resource-descriptor.ts';

export interface ManagedBy {
  readonly manager: string;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly apiVersion: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
}

export type ApplyOutcome =
  /** `nulls`: emptied maps and lists are null in the object; its schema must be applied before defaulting removes nulls. */
  | { readonly kind: 'applied'; readonly object: KubeObject; readonly nulls: boolean }
  | { readonly kind: 'conflict'; readonly conflicts: readonly { readonly manager: string; readonly field: string }[] };

/**
 * Schema operations of the verbs. Without a schema for a resource nothing is pruned, defaulted or refused, and patches treat lists as
 * atomic.
 */
export interface SchemaWork {
  /** Prunes unknown fields of the draft and returns their paths. */
  prune(descriptor: ResourceDescriptor, draft: KubeObject): readonly string[];
  applyDefaults(descriptor: ResourceDescriptor, draft: KubeObject): void;
  /** Types, ranges, formats, CEL rules (with the old object where there is one). */
  validate(descriptor: ResourceDescriptor, object: KubeObject, old: KubeObject | null): readonly FieldError[];
  /** Why an object of a built-in kind cannot be decoded into its type; undefined when it can. */
  decodingFault(descriptor: ResourceDescriptor, object: KubeObject): string | undefined;
  /** Errors that prevent an apply: undeclared fields, wrong types, duplicate items. */
  applyFaults(descriptor: ResourceDescriptor, applied: KubeObject): readonly string[];
  /** Throws ApiStatusError for an invalid patch. */
  strategicMerge(descriptor: ResourceDescriptor, current: KubeObject, patch: Readonly<Record<string, unknown>>): unknown;
  /** `live` null: the object does not exist yet. */
  serverSideApply(
    descriptor: ResourceDescriptor,
    live: KubeObject | null,
    applied: KubeObject,
    by: ManagedBy & { readonly force: boolean },
  ): ApplyOutcome;
  /** managedFields of `object`, after an Update by `by.manager` turned `old` into it. */
  trackUpdate(descriptor: ResourceDescriptor, old: KubeObject | null, object: KubeObject, by: ManagedBy): ManagedFieldsEntry[];
}
