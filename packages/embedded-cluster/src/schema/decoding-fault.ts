// Why an object of a built-in kind cannot be read into its type, as Go's JSON package words it.

import { isObject } from '#kube/json';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';
import { dereference, fieldSchema } from './structural-schema.ts';

/** The first value of a type other than its field's; undefined where all can be read. Nulls are read as absent. */
export function decodingFault(schema: StructuralSchema, object: unknown, resolve: SchemaResolver): string | undefined {
  return faultAt(schema, object, { holder: 'v1', path: '' }, resolve);
}

interface Place {
  /** The type that declares the field: `DeploymentSpec`. */
  readonly holder: string;
  /** Without the places of lists and the keys of maps. */
  readonly path: string;
}

function faultAt(reference: StructuralSchema, value: unknown, place: Place, resolve: SchemaResolver): string | undefined {
  if (value === null || value === undefined) return undefined;
  const schema = dereference(reference, resolve);
  if (!isReadable(schema, value)) {
    const goType = goTypeOf(reference, resolve);
    return `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${place.holder}.${place.path} of type ${goType}`;
  }
  if (schema.format === 'byte' && typeof value === 'string') return base64Fault(value);
  if (Array.isArray(value))
    return firstOf(value, (item) => (schema.items === undefined ? undefined : faultAt(schema.items, item, place, resolve)));
  if (!isObject(value)) return undefined;
  const holder = reference.$ref === undefined ? place.holder : typeName(reference.$ref);
  return firstOf(Object.entries(value), ([name, inner]) => {
    const field = fieldSchema(schema, name);
    if (field === undefined) return undefined;
    const isDeclared = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const path = isDeclared ? [place.path, name].filter((part) => part !== '').join('.') : place.path;
    return faultAt(field, inner, { holder, path }, resolve);
  });
}

/** The first character that is none of the alphabet, or the end where something is missing. */
function base64Fault(text: string): string | undefined {
  const bad = /[^A-Za-z0-9+/=\r\n]/.exec(text)?.index;
  if (bad === undefined && text.replace(/[\r\n]/g, '').length % 4 === 0) return undefined;
  return `illegal base64 data at input byte ${bad ?? text.length}`;
}

function firstOf<T>(values: readonly T[], faultOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const fault = faultOf(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isReadable(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'quantity' || schema.type === undefined) return true;
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === schema.type;
  }
}

function goTypeOf(reference: StructuralSchema, resolve: SchemaResolver): string {
  const schema = dereference(reference, resolve);
  switch (schema.type) {
    case 'integer':
      return schema.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${schema.items === undefined ? 'interface {}' : goTypeOf(schema.items, resolve)}`;
    case 'object':
      return reference.$ref === undefined ? mapTypeOf(schema, resolve) : `v1.${typeName(reference.$ref)}`;
    default:
      return 'string';
  }
}

function mapTypeOf({ additionalProperties }: StructuralSchema, resolve: SchemaResolver): string {
  return `map[string]${typeof additionalProperties === 'object' ? goTypeOf(additionalProperties, resolve) : 'interface {}'}`;
}

function typeName(schemaName: string): string {
  return schemaName.slice(schemaName.lastIndexOf('.') + 1);
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
