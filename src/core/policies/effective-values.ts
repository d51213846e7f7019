// The value in force of every field of a policy's spec, and where it comes from.

import { POLICY_SPEC_SCHEMAS } from '../../apis/v1alpha1/policy-schemas.generated.ts';
import { parseDuration } from '../model/duration.ts';
import { isObject } from '#kube/json';
import type { PolicyOverride } from './policy-overrides.ts';
import { schemaDefaults } from './spec-schema.ts';

/** By dotted field: what holds where the spec leaves it out, and whether a setting or a constant says so. */
export type FieldDefaults = Readonly<Record<string, { readonly value: unknown; readonly source: 'setting' | 'default' }>>;

/** By dotted field: the value in force. */
export type EffectiveValues = Readonly<
  Record<string, { readonly value: unknown; readonly source: 'policy' | 'override' | 'setting' | 'default' }>
>;

/** Values as defaults of one source. */
export function defaultsFrom(source: 'setting' | 'default', values: Readonly<Record<string, unknown>>): FieldDefaults {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, { value, source }]));
}

/** What the API server fills in by the schema of a kind; nothing for a kind without one. */
export function schemaFieldDefaults(kind: string): FieldDefaults {
  const known = (Object.keys(POLICY_SPEC_SCHEMAS) as (keyof typeof POLICY_SPEC_SCHEMAS)[]).find((each) => each === kind);
  return known === undefined ? {} : defaultsFrom('default', schemaDefaults(known));
}

/** Later wins: default or setting, the object's spec, an override that a person set for a while. */
export function effectiveValues(
  spec: Readonly<Record<string, unknown>>,
  overrides: readonly PolicyOverride[],
  defaults: FieldDefaults,
): EffectiveValues {
  const effective = new Map<string, EffectiveValues[string]>(Object.entries(defaults));
  for (const [field, value] of leavesOf(spec, '')) {
    // The API server writes the schema's defaults into the spec: a value that equals one cannot be recognised as set by a user.
    const given = defaults[field];
    if (given === undefined || !sameValue(given.value, value)) effective.set(field, { value, source: 'policy' });
  }
  for (const { field, value } of overrides) {
    // An override replaces the field as a whole, with everything inside of it.
    for (const inside of [...effective.keys()]) if (inside.startsWith(`${field}.`)) effective.delete(inside);
    const leaves = isObject(value) ? [...leavesOf(value, field)] : [[field, value] as const];
    for (const [leaf, leafValue] of leaves) effective.set(leaf, { value: leafValue, source: 'override' });
  }
  return Object.fromEntries(effective);
}

/** Whether two values mean the same: `24h` is `1d`. */
function sameValue(a: unknown, b: unknown): boolean {
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
