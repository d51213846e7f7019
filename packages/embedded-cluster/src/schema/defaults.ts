import { isObject } from '#kube/json';
import { formatQuantity, parseQuantity } from '#kube/quantity';
import { COMPUTED_DEFAULTS } from './computed-defaults.ts';
import type { SchemaResolver, StructuralSchema } from './structural-schema.ts';
import { dereference, fieldSchema } from './structural-schema.ts';

const NANO_PER_MILLI = 1_000_000n;

/**
 * Brings a draft, in place, into its stored form: nulls that the schema does not allow are replaced by the default or removed, absent
 * fields get their defaults (constants from the schema, computed ones of built-in kinds from `computed-defaults.ts`), resource lists of
 * built-in kinds become canonical. Idempotent.
 */
export function applyDefaults(schema: StructuralSchema, value: unknown, resolve: SchemaResolver): void {
  visit(schema, value, resolve, true);
}

/**
 * The same without defaults: a client's object in stored form. Server-side apply compares and owns this, because a default has no field
 * manager.
 */
export function canonicalise(schema: StructuralSchema, value: unknown, resolve: SchemaResolver): void {
  visit(schema, value, resolve, false);
}

function visit(reference: StructuralSchema, value: unknown, resolve: SchemaResolver, fill: boolean): void {
  const schema = dereference(reference, resolve);
  if (Array.isArray(value)) {
    visitItems(schema, value, resolve, fill);
  } else if (isObject(value)) {
    visitFields(schema, value, resolve, fill);
    if (fill && reference.$ref !== undefined) dropEmptyMaps(schema, value);
    const compute = fill && reference.$ref !== undefined ? COMPUTED_DEFAULTS[reference.$ref] : undefined;
    compute?.(value);
  }
}

function visitItems(schema: StructuralSchema, items: unknown[], resolve: SchemaResolver, fill: boolean): void {
  const itemSchema = schema.items;
  if (itemSchema === undefined) return;
  for (let index = 0; index < items.length; index++) {
    if (items[index] === null && fill && itemSchema.nullable !== true && itemSchema.default !== undefined)
      items[index] = structuredClone(itemSchema.default);
    visit(itemSchema, items[index], resolve, fill);
  }
}

function visitFields(schema: StructuralSchema, object: Record<string, unknown>, resolve: SchemaResolver, fill: boolean): void {
  for (const name of Object.keys(object)) {
    const field = fieldSchema(schema, name);
    if (field === undefined) continue;
    if (object[name] === null && !canBeNull(field, resolve)) {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a null that is not allowed counts as absent
      delete object[name];
      continue;
    }
    const stored = field.format === 'quantity' ? storedQuantity(object[name], schema.properties === undefined) : object[name];
    if (stored !== object[name]) object[name] = stored;
  }
  if (fill) applyPropertyDefaults(schema.properties, object);
  for (const name of Object.keys(object)) {
    const inner = object[name];
    if (typeof inner !== 'object' || inner === null) continue;
    const field = fieldSchema(schema, name);
    if (field !== undefined) visit(field, inner, resolve, fill);
  }
}

/** In built-in kinds an empty map equals an absent one, and is not stored. */
function dropEmptyMaps({ properties }: StructuralSchema, object: Record<string, unknown>): void {
  for (const name of Object.keys(object)) {
    const field = properties?.[name];
    const isMap = typeof field?.additionalProperties === 'object' && field.properties === undefined;
    const inner = object[name];
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an empty map
    if (isMap && isObject(inner) && Object.keys(inner).length === 0) delete object[name];
  }
}

function applyPropertyDefaults(properties: StructuralSchema['properties'], object: Record<string, unknown>): void {
  for (const name in properties) {
    const preset = properties[name]?.default;
    if (preset !== undefined && object[name] === undefined) object[name] = typeof preset === 'object' ? structuredClone(preset) : preset;
  }
}

function canBeNull(field: StructuralSchema, resolve: SchemaResolver): boolean {
  if (field.nullable === true) return true;
  const schema = dereference(field, resolve);
  return schema.nullable === true || (schema['x-kubernetes-preserve-unknown-fields'] === true && schema.type === undefined);
}

/**
 * In resource lists the server rounds up to thousandths and writes the canonical form (`1000m` is stored as `1`); quantities outside of
 * lists are stored as written.
 */
function storedQuantity(given: unknown, inResourceList: boolean): unknown {
  if (typeof given === 'number' && !inResourceList) return String(given);
  if (typeof given !== 'string' && typeof given !== 'number') return given;
  const read = parseQuantity(given);
  if (!read.ok || !inResourceList) return given;
  const { nano, format } = read.value;
  return formatQuantity({ nano: roundAwayFromZero(nano, NANO_PER_MILLI), format });
}

function roundAwayFromZero(value: bigint, step: bigint): bigint {
  const rest = value % step;
  if (rest === 0n) return value;
  return rest > 0n ? value - rest + step : value - rest - step;
}
