// Why a configuration cannot be applied: server-side apply reads it by the schema before anything else looks at it.

import type { SchemaResolver, StructuralSchema } from '../schema/structural-schema.ts';
import { dereference, fieldSchema, isJsonObject } from '../schema/structural-schema.ts';
import { keyText } from './field-set.ts';
import { goValue } from './go-value.ts';

/** `.spec.replicas: expected numeric (int or float), got …`: what no schema declares, has another type, or stands twice. */
export function typingFaults(schema: StructuralSchema, applied: unknown, resolve: SchemaResolver): string[] {
  return new Typing(resolve).faults(schema, applied, '');
}

class Typing {
  readonly #resolve: SchemaResolver;

  constructor(resolve: SchemaResolver) {
    this.#resolve = resolve;
  }

  faults(reference: StructuralSchema, value: unknown, path: string): string[] {
    if (value === null || value === undefined) return [];
    const schema = dereference(reference, this.#resolve);
    const wanted = wantedBy(schema);
    if (wanted !== undefined && !wanted.fits(value))
      return [`${path}: expected ${wanted.words}, got &value.valueUnstructured{Value:${shown(value)}}`];
    if (Array.isArray(value)) return this.#listFaults(reference, schema, value, path);
    return isJsonObject(value) ? this.#fieldFaults(schema, value, path) : [];
  }

  #fieldFaults(schema: StructuralSchema, object: Readonly<Record<string, unknown>>, path: string): string[] {
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.type === undefined;
    return Object.entries(object).flatMap(([name, inner]) => {
      const field = fieldSchema(schema, name);
      if (field !== undefined) return this.faults(field, inner, `${path}.${name}`);
      return isOpen || schema.properties === undefined ? [] : [`${path}.${name}: field not declared in schema`];
    });
  }

  #listFaults(reference: StructuralSchema, schema: StructuralSchema, items: readonly unknown[], path: string): string[] {
    const itemSchema = schema.items;
    if (itemSchema === undefined) return [];
    const listType = reference['x-kubernetes-list-type'] ?? schema['x-kubernetes-list-type'];
    const keys = reference['x-kubernetes-list-map-keys'] ?? schema['x-kubernetes-list-map-keys'] ?? [];
    const described = dereference(itemSchema, this.#resolve);
    const nameOf = (item: unknown, index: number): string => {
      if (listType === 'set') return `[=${JSON.stringify(item)}]`;
      return listType === 'map' && isJsonObject(item) ? keyText(keysOf(described, keys, item)) : `[${index}]`;
    };
    const names = items.map(nameOf);
    const twice = names.filter((name, index) => names.indexOf(name) < index);
    return [
      ...[...new Set(twice)].map((name) => `${path}: duplicate entries for key ${name}`),
      ...items.flatMap((item, index) => this.faults(itemSchema, item, `${path}${names[index] ?? ''}`)),
    ];
  }
}

function keysOf(described: StructuralSchema, keys: readonly string[], item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values = keys.map((key) => [key, item[key] ?? described.properties?.[key]?.default] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

interface Wanted {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

function wantedBy(schema: StructuralSchema): Wanted | undefined {
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'quantity') return undefined;
  switch (schema.type) {
    case 'string':
      return { words: 'string', fits: (value) => typeof value === 'string' };
    case 'boolean':
      return { words: 'boolean', fits: (value) => typeof value === 'boolean' };
    case 'integer':
    case 'number':
      return { words: 'numeric (int or float)', fits: (value) => typeof value === 'number' };
    case 'array':
      return { words: 'list', fits: Array.isArray };
    case 'object':
      return { words: 'map', fits: isJsonObject };
    default:
      return undefined;
  }
}

/** As Go shows a value together with its type. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : goValue(value);
}
