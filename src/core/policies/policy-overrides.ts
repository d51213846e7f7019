// Temporary user overrides of fields of a policy's spec, stored in an annotation of the policy: kubectl shows them, and a GitOps
// tool that manages the spec does not revert them.

import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import { PLURALS } from '../../apis/v1alpha1/index.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { isObject, parseJson, type JsonObject } from '#kube/json';
import type { Instant } from '#kube/units';
import { OVERRIDABLE_KINDS, type OverridableKind } from './policy-kinds.ts';
import { fieldsBeside, schemaOfField, valueFaults, type ValueFault } from './spec-schema.ts';

/** Finds a kind by its name or plural, case-insensitive. */
export function overridableKindNamed(text: string): OverridableKind | undefined {
  const lowerCased = text.toLowerCase();
  return OVERRIDABLE_KINDS.find((kind) => kind.toLowerCase() === lowerCased || PLURALS[kind] === lowerCased);
}

/** Refusal of another kind in a path. */
export const UNKNOWN_KIND = {
  kind: 'invalid',
  details: [{ path: '/kind', message: `must be one of ${OVERRIDABLE_KINDS.join(', ')}, or a plural of them` }],
} as const;

/** Override of one field. */
export interface PolicyOverride {
  /** Dotted path inside `spec`. */
  readonly field: string;
  readonly value: unknown;
  /** User who set it; null: unknown, as in an annotation written by hand. */
  readonly by: string | null;
  readonly at: Instant | null;
  /** null: until it is removed. */
  readonly expiresAt: Instant | null;
  readonly reason: string | null;
}

/** Overrides of one policy. */
export interface PolicyOverrides {
  readonly inForce: readonly PolicyOverride[];
  /** Expired overrides that the annotation still has. */
  readonly expired: readonly PolicyOverride[];
  /** Messages about invalid overrides, which are ignored. */
  readonly problems: readonly string[];
  /** Earliest expiry of the overrides in force; null: none expires. */
  readonly nextExpiry: Instant | null;
}

/** The overrides of a policy without the annotation, or of a kind without overrides. */
export const NO_POLICY_OVERRIDES: PolicyOverrides = { inForce: [], expired: [], problems: [], nextExpiry: null };
const ANNOTATION = OBJECT_ANNOTATIONS.overrides;
/** Safety switches: an override can set them to true only. */
const ONLY_TO_TRUE: ReadonlySet<string> = new Set(['dryRun', 'paused']);
const NEVER: ReadonlySet<string> = new Set(['respectPDB']);
/** Maximum of fields that a message lists. */
const MAX_NAMED = 12;

/** Validation errors of an override; `of`: whether the field or a part of its value is invalid. */
export function overrideFaults(
  kind: OverridableKind,
  field: string,
  value: unknown,
): readonly (ValueFault & { readonly of: 'field' | 'value' })[] {
  if (NEVER.has(field)) return [{ of: 'field', path: '', message: 'can never be overridden: change the spec itself' }];
  const schema = schemaOfField(kind, field);
  if (schema === null) {
    const beside = fieldsBeside(kind, field);
    const named = beside.slice(0, MAX_NAMED).join(', ');
    const message = `${kind} has no spec.${field}${beside.length === 0 ? '' : `; its fields are ${named}${beside.length > MAX_NAMED ? ', …' : ''}`}`;
    return [{ of: 'field', path: '', message }];
  }
  if (ONLY_TO_TRUE.has(field) && value !== true) {
    return [{ of: 'value', path: '', message: 'can only be overridden to true; null removes the override' }];
  }
  return valueFaults(schema, value).map((fault) => ({ of: 'value', ...fault }));
}

/** Parses the annotation of a policy. Invalid overrides are reported and ignored; the others apply. */
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
      problems: [`${ANNOTATION}: is not JSON by field, such as {"cooldown":{"value":"2h"}}, and is ignored`],
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

/** The spec with the overrides applied; the same object if there are none. An override replaces the entire value of its field. */
export function effectiveSpec<S extends object>(spec: S, overrides: readonly PolicyOverride[]): S {
  if (overrides.length === 0) return spec;
  // Sorted by field, so that nested fields come last.
  const ordered = [...overrides].sort((a, b) => (a.field < b.field ? -1 : 1));
  return ordered.reduce<JsonObject>((base, { field, value }) => setField(base, field.split('.'), value), spec as JsonObject) as S;
}

function setField(base: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  if (rest.length === 0) return { ...base, [name]: value };
  const inner = base[name];
  return { ...base, [name]: setField(isObject(inner) ? inner : {}, rest, value) };
}

/** The value of a dotted field; null: absent. */
export function valueOfField(spec: object, field: string): unknown {
  let at: unknown = spec;
  for (const name of field.split('.')) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at ?? null;
}

/** The annotation with one override set, or removed with null; text null: it is empty. Invalid overrides stay. */
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

/** The annotation without some fields; null: it is empty. */
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
