import type { StructuralSchema } from './structural-schema.ts';

/** Facts about one field of a built-in type, beyond its structure. */
export interface FieldFacts extends StructuralSchema {
  /** The field is required. Most come from the structure; `false` overrides it. */
  readonly isRequired?: boolean;
}

/** Facts about one built-in type, beyond its structure, by the type's model name (`V1PodSpec`). */
export interface TypeFacts {
  readonly description?: string;
  readonly schema?: StructuralSchema;
  readonly fields?: Readonly<Record<string, FieldFacts>>;
}

export type FactsByType = Readonly<Record<string, TypeFacts>>;

/** A list whose items are identified by keys. Strategic merge uses the first key unless `patchKey` names another. */
export function listMap(keys: readonly string[], patchKey: string | null = keys[0] ?? null): FieldFacts {
  return {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    ...(patchKey === null ? {} : { 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': patchKey }),
  };
}

/** No two items may have the same keys. Other lists of built-in kinds allow duplicates, as on the real server. */
export const noDuplicates: FieldFacts = { uniqueItems: true };

/** Merged by strategic merge on this key, atomic in server-side apply. */
export function mergedAtomicList(patchKey: string): FieldFacts {
  return { 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': patchKey };
}

/** A list of scalars without duplicates, merged. */
export const mergedSet: FieldFacts = { 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' };

export const setList: FieldFacts = { 'x-kubernetes-list-type': 'set' };
export const atomicList: FieldFacts = { 'x-kubernetes-list-type': 'atomic' };
export const atomicMap: FieldFacts = { 'x-kubernetes-map-type': 'atomic' };
export const retainKeys: FieldFacts = { 'x-kubernetes-patch-strategy': 'retainKeys' };

/** A quantity (`100m`, `1Gi`), as a string or a number. */
export const quantity: FieldFacts = { format: 'quantity' };
/** A map of resource name to quantity. */
export const resourceList: FieldFacts = { additionalProperties: { type: 'string', format: 'quantity' } };

export function oneOf(...values: readonly string[]): FieldFacts {
  return { enum: values };
}

export function withDefault(value: unknown): FieldFacts {
  return { default: value };
}

export const required: FieldFacts = { isRequired: true };
export const notNegative: FieldFacts = { minimum: 0 };

export function saying(description: string): FieldFacts {
  return { description };
}

/** Merges facts about one field; later ones take precedence. */
export function all(...facts: readonly FieldFacts[]): FieldFacts {
  return Object.assign({}, ...facts) as FieldFacts;
}
