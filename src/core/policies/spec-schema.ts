// Validation of values by the schemas of policy specs: types, enums, bounds and patterns. Rules across fields are left to the API
// server.

import { readQuantity } from '#kube/read-quantity';
import { POLICY_SPEC_SCHEMAS } from '../../apis/v1alpha1/policy-schemas.generated.ts';

/** The parts of a CRD's structural schema that are validated here. */
export interface SpecSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly patternMessage?: string;
  /** Smallest quantity other than 0. */
  readonly minQuantity?: string;
  readonly minQuantityMessage?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SpecSchema>>;
  readonly items?: SpecSchema;
  readonly additionalProperties?: SpecSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/** Kind of a policy with a generated schema. */
export type PolicyKindWithSchema = keyof typeof POLICY_SPEC_SCHEMAS;

/** A validation error. */
export interface ValueFault {
  /** JSON Pointer into the value; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Schema of a dotted field; null: the kind does not have it. Items of lists and entries of maps have no dotted name. */
export function schemaOfField(kind: PolicyKindWithSchema, field: string): SpecSchema | null {
  let at: SpecSchema = POLICY_SPEC_SCHEMAS[kind];
  for (const name of field.split('.')) {
    const next = at.properties !== undefined && Object.hasOwn(at.properties, name) ? at.properties[name] : undefined;
    if (next === undefined) return null;
    at = next;
  }
  return at;
}

/** Sibling fields of a dotted field, for messages. */
export function fieldsBeside(kind: PolicyKindWithSchema, field: string): readonly string[] {
  const parts = field.split('.');
  const above = parts.length === 1 ? POLICY_SPEC_SCHEMAS[kind] : schemaOfField(kind, parts.slice(0, -1).join('.'));
  const prefix = parts.slice(0, -1).map((part) => `${part}.`);
  return Object.keys(above?.properties ?? {}).map((name) => `${prefix.join('')}${name}`);
}

/** Schema defaults by dotted field. */
export function schemaDefaults(kind: PolicyKindWithSchema): Readonly<Record<string, unknown>> {
  const defaults: Record<string, unknown> = {};
  const walk = (schema: SpecSchema, prefix: string): void => {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      const field = `${prefix}${name}`;
      if (child.default !== undefined && child.type !== 'object') defaults[field] = child.default;
      walk(child, `${field}.`);
    }
  };
  walk(POLICY_SPEC_SCHEMAS[kind], '');
  return defaults;
}

/** All validation errors of a value. */
export function valueFaults(schema: SpecSchema, value: unknown, path = ''): readonly ValueFault[] {
  const type = typeFault(schema, value);
  if (type !== null) return [{ path, message: type }];
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return [{ path, message: `must be one of ${schema.enum.map(String).join(', ')}` }];
  }
  if (typeof value === 'string') return textFaults(schema, value).map((message) => ({ path, message }));
  if (typeof value === 'number') return numberFaults(schema, value).map((message) => ({ path, message }));
  if (Array.isArray(value)) return listFaults(schema, value, path);
  return typeof value === 'object' && value !== null ? objectFaults(schema, value as Readonly<Record<string, unknown>>, path) : [];
}

const TYPES: Readonly<Record<string, { readonly isValid: (value: unknown) => boolean; readonly message: string }>> = {
  string: { isValid: (value) => typeof value === 'string', message: 'must be a string' },
  boolean: { isValid: (value) => typeof value === 'boolean', message: 'must be true or false' },
  integer: { isValid: (value) => Number.isSafeInteger(value), message: 'must be a whole number' },
  number: { isValid: (value) => typeof value === 'number' && Number.isFinite(value), message: 'must be a number' },
  array: { isValid: (value) => Array.isArray(value), message: 'must be a list' },
  object: { isValid: (value) => typeof value === 'object' && value !== null && !Array.isArray(value), message: 'must be an object' },
};

function typeFault(schema: SpecSchema, value: unknown): string | null {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return typeof value === 'string' || Number.isInteger(value) ? null : 'must be a whole number or a string';
  }
  const type = schema.type === undefined ? undefined : TYPES[schema.type];
  return type === undefined || type.isValid(value) ? null : type.message;
}

function textFaults(schema: SpecSchema, text: string): readonly string[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  // The API server counts Unicode code points; `length` of JavaScript counts UTF-16 units.
  const length = Array.from(text).length;
  if (length < minLength) return [`must have at least ${minLength} characters`];
  if (length > maxLength) return [`must have at most ${maxLength} characters`];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return [schema.patternMessage ?? `must match ${pattern}`];
  return quantityFaults(schema, text);
}

function quantityFaults({ minQuantity, minQuantityMessage }: SpecSchema, value: string | number): readonly string[] {
  const [minimum, quantity] = minQuantity === undefined ? [null, null] : [readQuantity(minQuantity), readQuantity(value)];
  if (minimum === null || quantity === null || quantity.nano === 0n || quantity.nano >= minimum.nano) return [];
  return [minQuantityMessage ?? `must be at least ${String(minQuantity)}`];
}

function numberFaults(schema: SpecSchema, value: number): readonly string[] {
  const { minimum, maximum, patternMessage } = schema;
  if (schema['x-kubernetes-int-or-string'] === true && value < 0) return [patternMessage ?? 'must be at least 0'];
  if (minimum !== undefined && value < minimum) return [`must be at least ${minimum}`];
  return maximum !== undefined && value > maximum ? [`must be at most ${maximum}`] : quantityFaults(schema, value);
}

function listFaults({ minItems = 0, maxItems, items }: SpecSchema, list: readonly unknown[], path: string): readonly ValueFault[] {
  if (list.length < minItems) return [{ path, message: `must have at least ${minItems} items` }];
  if (maxItems !== undefined && list.length > maxItems) return [{ path, message: `must have at most ${maxItems} items` }];
  return items === undefined ? [] : list.flatMap((item, index) => valueFaults(items, item, `${path}/${index}`));
}

function objectFaults(schema: SpecSchema, value: Readonly<Record<string, unknown>>, path: string): readonly ValueFault[] {
  const { properties, additionalProperties, required = [], maxProperties } = schema;
  const keys = Object.keys(value);
  if (maxProperties !== undefined && keys.length > maxProperties) return [{ path, message: `must have at most ${maxProperties} entries` }];
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: `${path}/${name}`, message: 'is required' }));
  const inside = keys.flatMap((name) => {
    const child = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return child === undefined
      ? [{ path: `${path}/${name}`, message: 'is not a known field' }]
      : valueFaults(child, value[name], `${path}/${name}`);
  });
  return [...missing, ...inside];
}
