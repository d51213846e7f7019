// Errors that prevent an apply: server-side apply first decodes the configuration with the schema.

import { isObject } from '#kube/json';
import type { SchemaResolver, StructuralSchema } from '../schema/structural-schema.ts';
import { dereference, fieldSchema } from '../schema/structural-schema.ts';
import { keyText } from './field-set.ts';
import { goValue } from './go-value.ts';

/** `.spec.replicas: expected numeric (int or float), got …`: undeclared fields, wrong types and duplicate items. */
export function typingFaults(schema: StructuralSchema, applied: unknown, resolve: SchemaResolver): string[] {
  const typing = new Typing(resolve);
  typing.visit(schema, applied, '');
  return typing.faults;
}

class Typing {
  readonly faults: string[] = [];
  readonly #resolve: SchemaResolver;

  constructor(resolve: SchemaResolver) {
    this.#resolve = resolve;
  }

  visit(reference: StructuralSchema, value: unknown, path: string): void {
    if (value === null || value === undefined) return;
    const schema = dereference(reference, this.#resolve);
    const wanted = wantedType(schema);
    if (wanted !== undefined && !wanted.isOfType(value)) {
      this.faults.push(`${path}: expected ${wanted.words}, got &value.valueUnstructured{Value:${shown(value)}}`);
    } else if (Array.isArray(value)) this.#visitItems(reference, schema, value, path);
    else if (isObject(value)) this.#visitFields(schema, value, path);
  }

  #visitFields(schema: StructuralSchema, object: Readonly<Record<string, unknown>>, path: string): void {
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.type === undefined;
    for (const name of Object.keys(object)) {
      const field = fieldSchema(schema, name);
      if (field !== undefined) this.visit(field, object[name], `${path}.${name}`);
      else if (!isOpen && schema.properties !== undefined) this.faults.push(`${path}.${name}: field not declared in schema`);
    }
  }

  #visitItems(reference: StructuralSchema, schema: StructuralSchema, items: readonly unknown[], path: string): void {
    const itemSchema = schema.items;
    if (itemSchema === undefined) return;
    const listType = reference['x-kubernetes-list-type'] ?? schema['x-kubernetes-list-type'];
    const keys = reference['x-kubernetes-list-map-keys'] ?? schema['x-kubernetes-list-map-keys'] ?? [];
    const described = dereference(itemSchema, this.#resolve);
    const nameOf = (item: unknown, index: number): string => {
      if (listType === 'set') return `[=${JSON.stringify(item)}]`;
      return listType === 'map' && isObject(item) ? keyText(keysOf(described, keys, item)) : `[${index}]`;
    };
    const names = items.map(nameOf);
    const twice = names.filter((name, index) => names.indexOf(name) < index);
    for (const name of new Set(twice)) this.faults.push(`${path}: duplicate entries for key ${name}`);
    for (const [index, item] of items.entries()) this.visit(itemSchema, item, `${path}${names[index] ?? ''}`);
  }
}

function keysOf(described: StructuralSchema, keys: readonly string[], item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values = keys.map((key) => [key, item[key] ?? described.properties?.[key]?.default] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

interface Wanted {
  readonly words: string;
  readonly isOfType: (value: unknown) => boolean;
}

function wantedType(schema: StructuralSchema): Wanted | undefined {
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'quantity') return undefined;
  return schema.type === undefined ? undefined : WANTED[schema.type];
}

const NUMERIC: Wanted = { words: 'numeric (int or float)', isOfType: (value) => typeof value === 'number' };
const WANTED: Readonly<Record<NonNullable<StructuralSchema['type']>, Wanted>> = {
  string: { words: 'string', isOfType: (value) => typeof value === 'string' },
  boolean: { words: 'boolean', isOfType: (value) => typeof value === 'boolean' },
  integer: NUMERIC,
  number: NUMERIC,
  array: { words: 'list', isOfType: Array.isArray },
  object: { words: 'map', isOfType: isObject },
};

/** Value with its type in Go's notation. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : goValue(value);
}
