import { isObject } from '#kube/json';
import type { FieldError } from '../api/api-error.ts';
import { isEqualJson } from '../api/json.ts';
import { hasFormat } from './formats.ts';
import { compileRe2 } from './cel/re2.ts';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';
import { dereference, fieldSchema } from './structural-schema.ts';

/**
 * Validates a value with a schema: types, required fields, enums, bounds, patterns, formats, unique list items. Returns all errors, with
 * the messages of the Kubernetes API server. CEL rules are separate, in `cel.ts`. Parts that equal those of `old` are not checked: a
 * stricter schema still allows changes of other fields.
 */
export function validateAgainst(schema: StructuralSchema, value: unknown, resolve: SchemaResolver, old?: unknown): FieldError[] {
  const errors: FieldError[] = [];
  new Validation(resolve, errors).visit(schema, value, '', old);
  return errors;
}

/** Value in the server's messages: JSON, with objects abbreviated. */
export function quoteValue(value: unknown): string {
  return JSON.stringify(value ?? null);
}

class Validation {
  readonly #resolve: SchemaResolver;
  readonly #errors: FieldError[];
  /** Only built-in kinds refer to named schemas; their code has different messages for bounds. */
  #builtIn = false;

  constructor(resolve: SchemaResolver, errors: FieldError[]) {
    this.#resolve = resolve;
    this.#errors = errors;
  }

  visit(reference: StructuralSchema, value: unknown, path: string, old?: unknown): void {
    if (old !== undefined && isEqualJson(value, old)) return;
    if (reference.$ref !== undefined) {
      this.#builtIn = true;
      if (value === null && reference.nullable === true) return;
      this.#checkChoice(reference, value, path);
    }
    const schema = dereference(reference, this.#resolve);
    if (value === null && schema.nullable === true) return;
    if (!this.#checkType(schema, value, path)) return;
    if (typeof value === 'string') this.#checkString(schema, value, path);
    else if (typeof value === 'number') this.#checkNumber(schema, value, path);
    else if (Array.isArray(value)) this.#checkArray(schema, value, path, old);
    else if (isObject(value)) this.#checkObject(schema, value, path, old);
    this.#checkChoice(schema, value, path);
    this.#checkJunctions(schema, value, path);
  }

  #add(field: string, type: FieldError['type'], message: string): void {
    this.#errors.push({ field, type, message });
  }

  #invalid(path: string, value: unknown, why: string): void {
    this.#add(path, 'FieldValueInvalid', `Invalid value: ${quoteValue(value)}: ${path} in body ${why}`);
  }

  #checkType(schema: StructuralSchema, value: unknown, path: string): boolean {
    const actual = typeName(value);
    if (schema['x-kubernetes-int-or-string'] === true) {
      if (actual === 'integer' || actual === 'string') return true;
      this.#wrongType(path, 'integer,string', actual);
      return false;
    }
    if (schema.type === undefined) return true;
    if (schema.type === actual || (schema.type === 'number' && actual === 'integer')) return true;
    this.#wrongType(path, schema.type, actual);
    return false;
  }

  #wrongType(path: string, wanted: string, actual: string): void {
    const message = `Invalid value: "${actual}": ${path} in body must be of type ${wanted}: "${actual}"`;
    this.#add(path, 'FieldValueTypeInvalid', message);
  }

  #checkString(schema: StructuralSchema, value: string, path: string): void {
    const { minLength, maxLength, pattern, format } = schema;
    if (minLength !== undefined && lengthOf(value, minLength) < minLength)
      this.#invalid(path, value, `should be at least ${minLength} chars long`);
    if (maxLength !== undefined && lengthOf(value, maxLength + 1) > maxLength)
      this.#add(path, 'FieldValueTooLong', `Too long: may not be more than ${maxLength} bytes`);
    if (pattern !== undefined && compileRe2(pattern)?.test(value) === false) this.#invalid(path, value, `should match '${pattern}'`);
    if (format !== undefined && !hasFormat(value, format)) {
      const message = `Invalid value: ${quoteValue(value)}: ${path} in body must be of type ${format}: ${quoteValue(value)}`;
      this.#add(path, 'FieldValueTypeInvalid', message);
    }
  }

  /** Messages of built-in kinds have both bounds. */
  #checkBounds(schema: StructuralSchema, value: number, path: string): void {
    const { minimum = value, maximum = value } = schema;
    if (minimum > value || maximum < value) this.#add(path, 'FieldValueInvalid', `Invalid value: ${value}: ${boundWords(schema)}`);
  }

  #checkNumber(schema: StructuralSchema, value: number, path: string): void {
    if (this.#builtIn) {
      this.#checkBounds(schema, value, path);
      return;
    }
    const { minimum, maximum, multipleOf, format } = schema;
    const above = schema.exclusiveMinimum === true;
    if (minimum !== undefined && (above ? value <= minimum : value < minimum))
      this.#invalid(path, value, `should be greater than ${above ? '' : 'or equal to '}${minimum}`);
    const below = schema.exclusiveMaximum === true;
    if (maximum !== undefined && (below ? value >= maximum : value > maximum))
      this.#invalid(path, value, `should be less than ${below ? '' : 'or equal to '}${maximum}`);
    if (multipleOf !== undefined && !isMultipleOf(value, multipleOf)) this.#invalid(path, value, `should be a multiple of ${multipleOf}`);
    if (format === 'int32' && Math.abs(value + 0.5) > 2 ** 31) this.#invalid(path, value, `must be of type int32: "${value}"`);
  }

  #checkArray(schema: StructuralSchema, value: readonly unknown[], path: string, old: unknown): void {
    if (schema.minItems !== undefined && value.length < schema.minItems)
      this.#invalid(path, value.length, `should have at least ${schema.minItems} items`);
    if (schema.maxItems !== undefined && value.length > schema.maxItems)
      this.#add(path, 'FieldValueTooMany', `Too many: ${value.length}: must have at most ${schema.maxItems} items`);
    const { items } = schema;
    if (items === undefined) return;
    for (let index = 0; index < value.length; index++)
      this.visit(items, value[index], `${path}[${index}]`, correlatedItem(schema, value[index], old));
    this.#checkUnique(schema, items, value, path);
  }

  #checkUnique(schema: StructuralSchema, items: StructuralSchema, value: readonly unknown[], path: string): void {
    const keys = uniqueBy(schema);
    if (keys === undefined || value.length < 2) return;
    const seen = new Set<string>();
    value.forEach((item, index) => {
      const identity = keys.length === 0 ? item : keyValues(dereference(items, this.#resolve), item, keys);
      const text = JSON.stringify(identity);
      if (seen.has(text)) this.#duplicate(schema, `${path}[${index}]`, identity);
      seen.add(text);
    });
  }

  /** Messages of built-in kinds have the key, those of custom resources the item. */
  #duplicate(schema: StructuralSchema, path: string, identity: unknown): void {
    const [key, second] = schema['x-kubernetes-list-map-keys'] ?? [];
    const named = isBuiltIn(schema) && key !== undefined && second === undefined && isObject(identity);
    const value = named ? identity[key] : identity;
    this.#add(named ? `${path}.${key}` : path, 'FieldValueDuplicate', `Duplicate value: ${quoteValue(value)}`);
  }

  #checkObject(schema: StructuralSchema, value: Readonly<Record<string, unknown>>, path: string, old: unknown): void {
    const before = isObject(old) ? old : {};
    for (const name of schema.required ?? [])
      if (value[name] === undefined) this.#add(join(path, name), 'FieldValueRequired', 'Required value');
    const names = Object.keys(value);
    if (schema.minProperties !== undefined && names.length < schema.minProperties)
      this.#invalid(path, names.length, `should have at least ${schema.minProperties} properties`);
    if (schema.maxProperties !== undefined && names.length > schema.maxProperties)
      this.#add(path, 'FieldValueTooMany', `Too many: ${names.length}: must have at most ${schema.maxProperties} items`);
    for (const name of names) {
      const inner = value[name];
      const field = inner === undefined ? undefined : fieldSchema(schema, name);
      if (field !== undefined) this.visit(field, inner, join(path, name), before[name]);
    }
  }

  #checkChoice(schema: StructuralSchema, value: unknown, path: string): void {
    if (schema.enum === undefined || schema.enum.some((choice) => isEqualJson(choice, value))) return;
    const choices = schema.enum.map(quoteValue).join(', ');
    this.#add(path, 'FieldValueNotSupported', `Unsupported value: ${quoteValue(value)}: supported values: ${choices}`);
  }

  #checkJunctions(schema: StructuralSchema, value: unknown, path: string): void {
    for (const part of schema.allOf ?? []) this.visit(part, value, path);
    if (schema.anyOf !== undefined && !schema.anyOf.some((part) => this.#isOfType(part, value)))
      this.#invalid(path, shortly(value), 'must validate at least one schema (anyOf)');
    if (schema.oneOf !== undefined) {
      const fitting = schema.oneOf.filter((part) => this.#isOfType(part, value)).length;
      const found = fitting === 0 ? 'none valid' : `${fitting} valid alternatives`;
      if (fitting !== 1) this.#invalid(path, shortly(value), `must validate one and only one schema (oneOf). Found ${found}`);
    }
    if (schema.not !== undefined && this.#isOfType(schema.not, value))
      this.#invalid(path, shortly(value), 'must not validate the schema (not)');
  }

  #isOfType(schema: StructuralSchema, value: unknown): boolean {
    const errors: FieldError[] = [];
    new Validation(this.#resolve, errors).visit(schema, value, '');
    return errors.length === 0;
  }
}

/**
 * The fields that identify an item: keys, or none for whole items; undefined when duplicates are allowed. Map lists of built-in kinds (with
 * a merge key) allow duplicates, as the real server does, except with `uniqueItems`.
 */
function uniqueBy(schema: StructuralSchema): readonly string[] | undefined {
  if (isBuiltIn(schema) && schema.uniqueItems !== true) return undefined;
  if (schema['x-kubernetes-list-type'] === 'map') return schema['x-kubernetes-list-map-keys'] ?? [];
  return schema['x-kubernetes-list-type'] === 'set' || schema.uniqueItems === true ? [] : undefined;
}

function isBuiltIn(list: StructuralSchema): boolean {
  return list['x-kubernetes-patch-strategy'] !== undefined;
}

function keyValues(itemSchema: StructuralSchema, item: unknown, keys: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const key of keys) values[key] = (isObject(item) ? item[key] : undefined) ?? itemSchema.properties?.[key]?.default;
  return values;
}

function boundWords({ minimum, maximum }: StructuralSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `must be between ${minimum} and ${maximum}, inclusive`;
  if (minimum === undefined) return `must be less than or equal to ${maximum}`;
  return minimum === 1 ? 'must be greater than 0' : `must be greater than or equal to ${minimum}`;
}

/** The previous version of a list item; undefined unless the list has keys. */
export function correlatedItem(list: StructuralSchema, item: unknown, old: unknown): unknown {
  const keys = list['x-kubernetes-list-type'] === 'map' ? (list['x-kubernetes-list-map-keys'] ?? []) : [];
  if (keys.length === 0 || !Array.isArray(old) || !isObject(item)) return undefined;
  return (old as readonly unknown[]).find((other) => isObject(other) && keys.every((key) => other[key] === item[key]));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function typeName(value: unknown): NonNullable<StructuralSchema['type']> | 'null' {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Counts code points, as Go counts runes, but no more than needed. */
function lengthOf(text: string, enough: number): number {
  if (text.length < enough || text.length > 2 * enough) return text.length;
  return Array.from(text).length;
}

function isMultipleOf(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function shortly(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'array' : 'object') : value;
}
