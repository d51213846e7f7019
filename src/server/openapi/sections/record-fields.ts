// Fields of a record by its schema.

import type { ApiDocument } from '../api-document.ts';
import type { Schema } from '../schema.ts';

/** Resolves references and unwraps nullable unions. */
export function resolvedSchema(schema: Schema, schemas: ApiDocument['schemas']): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return resolvedSchema(schemas[name] ?? {}, schemas);
  const alternative = schema.anyOf?.find((each) => each.type !== 'null');
  return alternative === undefined ? schema : resolvedSchema(alternative, schemas);
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** Dotted paths of the fields with a single comparable value: no lists, maps or untyped values. */
export function scalarFields(record: Schema, schemas: ApiDocument['schemas'], prefix = ''): readonly string[] {
  return Object.entries(resolvedSchema(record, schemas).properties ?? {}).flatMap(([name, child]) => {
    const field = `${prefix}${name}`;
    const { type = [] } = resolvedSchema(child, schemas);
    return [type].flat().some((each) => SCALARS.has(each)) ? [field] : scalarFields(child, schemas, `${field}.`);
  });
}
