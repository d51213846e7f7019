// Fields of a policy's spec that a user has overridden for a while, stored in an annotation of the policy: kubectl shows
// them, and a GitOps tool that manages the spec does not revert them.

import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import { PLURALS } from '../../apis/v1alpha1/index.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { isObject, parseJson, type JsonObject } from '#kube/json';
import type { Instant } from '#kube/units';
import { OVERRIDABLE_KINDS, type OverridableKind } from './policy-kinds.ts';
import { fieldsBeside, schemaOfField, valueFaults, type ValueFault } from './spec-schema.ts';

/** A kind by its name or plural, in any case. */
export function overridableKindNamed(text: string): OverridableKind | undefined {
  const wanted = text.toLowerCase();
  return OVERRIDABLE_KINDS.find((kind) => kind.toLowerCase() === wanted || PLURALS[kind] === wanted);
}

/** The refusal of any other kind in a path. */
export const UNKNOWN_KIND = {
  kind: 'invalid',
  details: [{ path: '/kind', message: `must be one of ${OVERRIDABLE_KINDS.join(', ')}, or a plural of them` }],
} as const;

export interface PolicyOverride {
  /** Dotted path inside `spec`. */
  readonly field: string;
  readonly value: unknown;
  /** null where it was written by hand without saying. */
  readonly by: string | null;
  readonly at: Instant | null;
  /** null: until it is removed. */
  readonly expiresAt: Instant | null;
  readonly reason: string | null;
}

export interface PolicyOverrides {
  readonly inForce: readonly PolicyOverride[];
  /** Still written, and without effect. */
  readonly expired: readonly PolicyOverride[];
  /** What is written and is ignored, in words. */
  readonly problems: readonly string[];
  /** When the next one of those in force ends; null: none does. */
  readonly nextExpiry: Instant | null;
}

/** Of a policy without the annotation, and of a kind that takes none. */
export const NO_POLICY_OVERRIDES: PolicyOverrides = { inForce: [], expired: [], problems: [], nextExpiry: null };
const ANNOTATION = OBJECT_ANNOTATIONS.overrides;
/** Safety switches: an override may turn them on for a while, and never off. */
const ONLY_TO_TRUE: ReadonlySet<string> = new Set(['dryRun', 'paused']);
const NEVER: ReadonlySet<string> = new Set(['respectPDB']);
/** Named in a message; the rest is counted. */
const MAX_NAMED = 12;

/** What is wrong with overriding a field with a value: `field` or below `value`. */
export function overrideFaults(
  kind: OverridableKind,
  field: string,
  value: unknown,
): readonly (ValueFault & { readonly of: 'field' | 'value' })[] {
  if (NEVER.has(field)) return [{ of: 'field', path: '', message: 'is never overridden: change the spec itself' }];
  const schema = schemaOfField(kind, field);
  if (schema === null) {
    const beside = fieldsBeside(kind, field);
    const named = beside.slice(0, MAX_NAMED).join(', ');
    const message = `${kind} has no spec.${field}${beside.length === 0 ? '' : `; there are ${named}${beside.length > MAX_NAMED ? ', …' : ''}`}`;
    return [{ of: 'field', path: '', message }];
  }
  if (ONLY_TO_TRUE.has(field) && value !== true) {
    return [{ of: 'value', path: '', message: 'can only be overridden to true; null takes the override away' }];
  }
  return valueFaults(schema, value).map((fault) => ({ of: 'value', ...fault }));
}

/** Reads the annotation of one policy. One that cannot be read is named and ignored; the others hold. */
export function readPolicyOverrides(
  kind: OverridableKind,
  annotations: Readonly<Record<string, string>> | undefined,
  now: Instant,
): PolicyOverrides {
  const text = annotations?.[ANNOTATION];
  if (text === undefined) return NO_POLICY_OVERRIDES;
  const written = parsed(text);
  if (written === null) {
    return {
      ...NO_POLICY_OVERRIDES,
      problems: [`${ANNOTATION}: write JSON by field, such as {"cooldown":{"value":"2h"}}; this is not, so it is ignored`],
    };
  }
  const inForce: PolicyOverride[] = [];
  const expired: PolicyOverride[] = [];
  const problems: string[] = [];
  for (const [field, entry] of Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const read = readEntry(kind, field, entry);
    if (typeof read === 'string') problems.push(`${ANNOTATION}: '${field}' is ignored: ${read}`);
    else if (read.expiresAt !== null && read.expiresAt <= now) expired.push(read);
    else inForce.push(read);
  }
  const ends = inForce.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  return { inForce, expired, problems, nextExpiry: ends.length === 0 ? null : Math.min(...ends) };
}

function readEntry(kind: OverridableKind, field: string, entry: unknown): PolicyOverride | string {
  if (!isObject(entry) || !('value' in entry)) return 'write an object with a value';
  const { value, by, at, expiresAt, reason } = entry;
  const [fault] = overrideFaults(kind, field, value);
  if (fault !== undefined) return `${fault.of === 'value' ? `value${fault.path} ` : ''}${fault.message}`;
  const end = typeof expiresAt === 'string' ? instantOf(expiresAt) : null;
  if (expiresAt !== undefined && end === null) return 'expiresAt is not a time; write RFC 3339 such as 2026-11-21T10:00:00Z';
  return {
    field,
    value,
    by: typeof by === 'string' ? by : null,
    at: typeof at === 'string' ? instantOf(at) : null,
    expiresAt: end,
    reason: typeof reason === 'string' ? reason : null,
  };
}

/** The spec with the overrides laid over it; the spec itself where there are none. A field's value is replaced as a whole. */
export function effectiveSpec<S extends object>(spec: S, overrides: readonly PolicyOverride[]): S {
  if (overrides.length === 0) return spec;
  // In the order of the fields: what is inside of another comes after it.
  const ordered = [...overrides].sort((a, b) => (a.field < b.field ? -1 : 1));
  return ordered.reduce<JsonObject>((under, { field, value }) => laid(under, field.split('.'), value), spec as JsonObject) as S;
}

function laid(under: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  if (rest.length === 0) return { ...under, [name]: value };
  const inside = under[name];
  return { ...under, [name]: laid(isObject(inside) ? inside : {}, rest, value) };
}

/** The value of a dotted field; null where the spec leaves it out. */
export function valueOfField(spec: object, field: string): unknown {
  let at: unknown = spec;
  for (const name of field.split('.')) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at ?? null;
}

/** The annotation with one field set, or with null removed; null where nothing is left. What cannot be read stays as it is. */
export function annotationAfter(
  text: string | undefined,
  field: string,
  override: Omit<PolicyOverride, 'field'> | null,
): { readonly kind: 'annotation'; readonly text: string | null } | { readonly kind: 'unreadable' } {
  const written = text === undefined ? {} : parsed(text);
  if (written === null) return { kind: 'unreadable' };
  const { [field]: _, ...others } = written;
  return { kind: 'annotation', text: textOf(override === null ? others : { ...others, [field]: entryOf(override) }) };
}

/** The annotation without these fields; null where nothing is left. */
export function annotationWithout(text: string, fields: ReadonlySet<string>): string | null {
  const written = parsed(text) ?? {};
  return textOf(Object.fromEntries(Object.entries(written).filter(([field]) => !fields.has(field))));
}

function entryOf({ value, by, at, expiresAt, reason }: Omit<PolicyOverride, 'field'>): object {
  return {
    value,
    ...(by === null ? {} : { by }),
    ...(at === null ? {} : { at: isoTime(at) }),
    ...(expiresAt === null ? {} : { expiresAt: isoTime(expiresAt) }),
    ...(reason === null || reason === '' ? {} : { reason }),
  };
}

function textOf(written: JsonObject): string | null {
  const fields = Object.keys(written).sort();
  return fields.length === 0 ? null : JSON.stringify(Object.fromEntries(fields.map((field) => [field, written[field]])));
}

function parsed(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
