// Effective value of every field of a policy's spec, with its source.

import { POLICY_SPEC_SCHEMAS } from '../../apis/v1alpha1/policy-schemas.generated.ts';
import { parseDuration } from '../model/duration.ts';
import { isObject } from '#kube/json';
import type { PolicyOverride } from './policy-overrides.ts';
import { schemaDefaults } from './spec-schema.ts';

/** Defaults by dotted field, from a setting or a constant. */
export type FieldDefaults = Readonly<Record<string, { readonly value: unknown; readonly source: 'setting' | 'default' }>>;

/** Effective values by dotted field. */
export type EffectiveValues = Readonly<
  Record<string, { readonly value: unknown; readonly source: 'policy' | 'override' | 'setting' | 'default' }>
>;

/** Defaults with one source. */
export function defaultsFrom(source: 'setting' | 'default', values: Readonly<Record<string, unknown>>): FieldDefaults {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { value, source }]));
}

/** Defaults of the schema of a kind; none for a kind without a schema. */
export function schemaFieldDefaults(kind: string): FieldDefaults {
  const known = (Object.keys(POLICY_SPEC_SCHEMAS) as (keyof typeof POLICY_SPEC_SCHEMAS)[]).find((candidate) => candidate === kind);
  return known === undefined ? {} : defaultsFrom('default', schemaDefaults(known));
}

/** Merges values; later ones win: default or setting, spec of the object, temporary override of a user. */
export function effectiveValues(
  spec: Readonly<Record<string, unknown>>,
  overrides: readonly PolicyOverride[],
  defaults: FieldDefaults,
): EffectiveValues {
  const effective = new Map<string, EffectiveValues[string]>(Object.entries(defaults));
  for (const [field, value] of leavesOf(spec, '')) {
    // The API server writes schema defaults into the spec: a value that equals its default may not be the user's.
    const fallback = defaults[field];
    if (fallback === undefined || !isSameValue(fallback.value, value)) effective.set(field, { value, source: 'policy' });
  }
  for (const { field, value } of overrides) {
    // An override replaces the field with all fields inside it.
    for (const key of [...effective.keys()]) if (key.startsWith(`${field}.`)) effective.delete(key);
    const leaves = isObject(value) ? [...leavesOf(value, field)] : [[field, value] as const];
    for (const [leaf, leafValue] of leaves) effective.set(leaf, { value: leafValue, source: 'override' });
  }
  return Object.fromEntries(effective);
}

/** Whether two values are equal; durations by their length, so that `24h` equals `1d`. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [left, right] = [parseDuration(a), parseDuration(b)];
  return left.ok && right.ok && left.value === right.value;
}

function* leavesOf(value: Readonly<Record<string, unknown>>, prefix: string): Generator<readonly [string, unknown]> {
  for (const [key, child] of Object.entries(value)) {
    const field = prefix === '' ? key : `${prefix}.${key}`;
    if (isObject(child)) yield* leavesOf(child, field);
    else yield [field, child];
  }
}
