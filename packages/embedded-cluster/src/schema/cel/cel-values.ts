// Wire JSON in CEL: integers as BigInt, dates, durations and bytes by their format, fields under names that are valid in CEL.

import { isObject } from '#kube/json';
import { evaluate } from '@marcbachmann/cel-js';
import type { SchemaResolver, StructuralSchema } from '../structural-schema.ts';
import { dereference } from '../structural-schema.ts';

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** The name of a field in CEL; undefined for one that CEL cannot express. */
export function celName(field: string): string | undefined {
  if (RESERVED.has(field)) return `__${field}__`;
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(field)) return undefined;
  return field.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}

/** @param isResource the value is a whole resource: its apiVersion, kind and name are readable whatever the schema */
export function celValue(reference: StructuralSchema, value: unknown, resolve: SchemaResolver, isResource = false): unknown {
  if (value === null || value === undefined) return null;
  const schema = dereference(reference, resolve);
  if (typeof value === 'string') return celString(schema, value);
  if (typeof value === 'number') return celNumber(schema, value);
  if (Array.isArray(value)) return value.map((item) => celValue(schema.items ?? {}, item, resolve));
  if (!isObject(value)) return value;
  const fields = celFields(schema, value, resolve);
  if (!isResource) return fields;
  for (const name of ['apiVersion', 'kind']) if (value[name] !== undefined) fields[name] = value[name];
  if (isObject(value['metadata'])) fields['metadata'] = celMetadata(value['metadata']);
  return fields;
}

/** Declared fields, and entries of maps; CEL sees no other fields. */
function celFields(schema: StructuralSchema, value: Readonly<Record<string, unknown>>, resolve: SchemaResolver): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const property = schema.properties?.[name];
    if (property !== undefined) {
      const said = celName(name);
      if (said !== undefined) fields[said] = celValue(property, inner, resolve);
    } else if (typeof schema.additionalProperties === 'object') fields[name] = celValue(schema.additionalProperties, inner, resolve);
  }
  return fields;
}

function celMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const seen: Record<string, unknown> = {};
  for (const name of ['name', 'generateName']) if (metadata[name] !== undefined) seen[name] = metadata[name];
  return seen;
}

function celString(schema: StructuralSchema, value: string): unknown {
  if (schema.format === 'date-time' || schema.format === 'date') {
    const instant = Date.parse(value);
    return Number.isNaN(instant) ? value : new Date(instant);
  }
  if (schema.format === 'duration') return evaluate('duration(text)', { text: value });
  return schema.format === 'byte' ? Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0)) : value;
}

function celNumber(schema: StructuralSchema, value: number): bigint | number {
  const isInteger = schema.type === 'integer' || schema['x-kubernetes-int-or-string'] === true;
  return isInteger && Number.isInteger(value) ? BigInt(value) : value;
}
