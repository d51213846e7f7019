// What the schema of a record says of its fields.

import type { ApiDocument } from './api-document.ts';
import type { Schema } from './schema.ts';

/** A schema behind its reference, and without the null that it may be. */
export function resolvedSchema(schema: Schema, schemas: ApiDocument['schemas']): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return resolvedSchema(schemas[name] ?? {}, schemas);
  const alternative = schema.anyOf?.find((each) => each.type !== 'null');
  return alternative === undefined ? schema : resolvedSchema(alternative, schemas);
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** The fields of a record that have one value to compare, dotted: no lists, maps, or values of any shape. */
export function scalarFields(record: Schema, schemas: ApiDocument['schemas'], prefix = ''): readonly string[] {
  return Object.entries(resolvedSchema(record, schemas).properties ?? {}).flatMap(([name, child]) => {
    const field = `${prefix}${name}`;
    const { type = [] } = resolvedSchema(child, schemas);
    return [type].flat().some((each) => SCALARS.has(each)) ? [field] : scalarFields(child, schemas, `${field}.`);
  });
}
