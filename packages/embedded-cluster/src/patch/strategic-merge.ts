import { isObject } from '#kube/json';
import { badRequest, fault } from '../api/api-error.ts';
import { cloneJson, isEqualJson } from '../api/json.ts';
import type { SchemaResolver, StructuralSchema } from '../schema/structural-schema.ts';
import { dereference, fieldSchema } from '../schema/structural-schema.ts';
import { goValue } from './go-value.ts';

type Fields = Readonly<Record<string, unknown>>;

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER_OF = '$setElementOrder/';
const ITEM_DIRECTIVES: ReadonlySet<unknown> = new Set(['delete', 'merge', 'replace']);
const UNDECLARED: StructuralSchema = {};

/**
 * Kubernetes' strategic merge patch: objects are merged, lists by their schema (by key, as a set, or replaced), with the directives
 * `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and `$setElementOrder`. Neither argument is changed; unchanged parts are shared with
 * `current`. Throws ApiStatusError 400 for an invalid patch (an unknown directive, an item without its merge key).
 */
export function strategicMerge(schema: StructuralSchema, current: unknown, patch: unknown, resolve: SchemaResolver): unknown {
  return new StrategicMerge(resolve).value(schema, current, patch);
}

class StrategicMerge {
  readonly #resolve: SchemaResolver;

  constructor(resolve: SchemaResolver) {
    this.#resolve = resolve;
  }

  value(reference: StructuralSchema, current: unknown, patch: unknown): unknown {
    if (isObject(patch)) return this.#object(reference, isObject(current) ? current : {}, patch);
    if (Array.isArray(patch)) return this.#list(reference, Array.isArray(current) ? current : [], patch, undefined);
    return patch;
  }

  #object(reference: StructuralSchema, current: Fields, patch: Fields): Fields {
    const directive = patch[PATCH];
    if (directive === 'delete') return {};
    if (directive === 'replace') return withoutDirectives(patch);
    if (directive !== undefined && directive !== 'merge') throw unknownDirective(patch);
    const schema = dereference(reference, this.#resolve);
    checkRetained(patch);
    const merged: Record<string, unknown> = retained(current, patch[RETAIN_KEYS]);
    this.#deleteScalars(merged, patch);
    for (const [name, change] of Object.entries(patch)) {
      if (name.startsWith('$')) continue;
      if (change === null) {
        // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- null deletes
        delete merged[name];
        continue;
      }
      const field = fieldSchema(schema, name) ?? UNDECLARED;
      merged[name] = this.#field(field, merged[name], change, patch[`${ORDER_OF}${name}`]);
    }
    this.#orderUntouchedLists(schema, merged, patch);
    return merged;
  }

  #field(field: StructuralSchema, current: unknown, change: unknown, order: unknown): unknown {
    if (Array.isArray(change)) return this.#list(field, Array.isArray(current) ? current : [], change, order);
    if (isObject(change) && field['x-kubernetes-patch-strategy'] === 'replace') return withoutDirectives(change);
    return this.value(field, current, change);
  }

  #list(reference: StructuralSchema, current: readonly unknown[], patch: readonly unknown[], order: unknown): readonly unknown[] {
    if (!hasMergeStrategy(reference)) return cloneJson(patch);
    const key = reference['x-kubernetes-patch-merge-key'];
    const items = dereference(reference, this.#resolve).items ?? UNDECLARED;
    const merged = key === undefined ? mergeScalars(current, patch) : this.#itemsByKey(items, key, current, patch);
    // Without `$setElementOrder` a patch still orders its items.
    if (Array.isArray(order)) checkOrdered(patch, order, key);
    const wanted = Array.isArray(order) ? order : patch.filter((item) => !isObject(item) || item[PATCH] === undefined);
    return inOrder(merged, wanted, current, key);
  }

  #itemsByKey(items: StructuralSchema, key: string, current: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
    const changes = patch.map((change) => keyed(change, key));
    const replacement = changes.some((change) => change[PATCH] === 'replace');
    const merged: unknown[] = replacement ? [] : [...current];
    for (const change of changes) {
      const directive = change[PATCH];
      if (directive !== undefined && !ITEM_DIRECTIVES.has(directive)) throw unknownDirective(change);
      if (directive === 'replace') continue;
      const index = merged.findIndex((item) => isObject(item) && isEqualJson(item[key], change[key]));
      if (directive === 'delete') {
        // Every item with that key is removed, in case there are several.
        const kept = merged.filter((item) => !isObject(item) || !isEqualJson(item[key], change[key]));
        merged.splice(0, merged.length, ...kept);
      } else if (index >= 0) merged[index] = this.value(items, merged[index], change);
      else merged.push(this.value(items, undefined, change));
    }
    return merged;
  }

  #deleteScalars(merged: Record<string, unknown>, patch: Fields): void {
    for (const [name, values] of Object.entries(patch)) {
      if (!name.startsWith(DELETE_FROM)) continue;
      const field = name.slice(DELETE_FROM.length);
      const list = merged[field];
      if (!Array.isArray(values)) throw badRequest(`${name} must be a list`);
      if (Array.isArray(list)) merged[field] = list.filter((item) => !values.some((value) => isEqualJson(value, item)));
    }
  }

  /** A patch may reorder a list without changing an item of it. */
  #orderUntouchedLists(schema: StructuralSchema, merged: Record<string, unknown>, patch: Fields): void {
    for (const [name, order] of Object.entries(patch)) {
      const field = name.slice(ORDER_OF.length);
      if (!name.startsWith(ORDER_OF) || field in patch) continue;
      const list = merged[field];
      if (!Array.isArray(order)) throw badRequest(`${name} must be a list`);
      const key = fieldSchema(schema, field)?.['x-kubernetes-patch-merge-key'];
      if (Array.isArray(list)) merged[field] = inOrder(list, order, list, key);
    }
  }
}

function hasMergeStrategy(reference: StructuralSchema): boolean {
  return reference['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true;
}

function unknownDirective(change: Fields): Error {
  return fault(`unknown patch type: ${goValue(change[PATCH])} in map: ${goValue(change)}`);
}

/** Every field of a patch must be among the keys that it retains. */
function checkRetained(patch: Fields): void {
  const keys = patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) return;
  const others = Object.keys(patch).filter((name) => !name.startsWith('$') && patch[name] !== null && !keys.includes(name));
  if (others.length > 0) throw badRequest('invalid patch format of retainKeys');
}

/** `$setElementOrder` has every item of the patch, in the same order. */
function checkOrdered(patch: readonly unknown[], order: readonly unknown[], key: string | undefined): void {
  const identity = (item: unknown): string => JSON.stringify(key !== undefined && isObject(item) ? item[key] : item);
  const places = new Map(order.map((item, index) => [identity(item), index]));
  const set = patch.filter((item) => !isObject(item) || item[PATCH] === undefined);
  const found = set.map((item) => places.get(identity(item)) ?? -1);
  if (found.every((place, index) => place >= 0 && place >= (found[index - 1] ?? 0))) return;
  throw fault(`The order in patch list:\n${goValue(set)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`);
}

function retained(current: Fields, keys: unknown): Record<string, unknown> {
  if (keys === undefined) return { ...current };
  if (!Array.isArray(keys)) throw badRequest(`${RETAIN_KEYS} must be a list of field names`);
  return Object.fromEntries(Object.entries(current).filter(([name]) => keys.includes(name)));
}

function keyed(change: unknown, key: string): Fields {
  if (!isObject(change)) throw badRequest(`expected an object with the merge key ${key}, found ${JSON.stringify(change)}`);
  if (change[PATCH] !== 'replace' && change[key] === undefined)
    throw fault(`map: ${goValue(change)} does not contain declared merge key: ${key}`);
  return change;
}

function mergeScalars(current: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  const merged = [...current];
  for (const value of patch) if (!merged.some((known) => isEqualJson(known, value))) merged.push(value);
  return merged;
}

/** Items of the order list come in that order; items that only the server has stay before their former successors. */
function inOrder(
  merged: readonly unknown[],
  order: readonly unknown[],
  server: readonly unknown[],
  key: string | undefined,
): readonly unknown[] {
  const identity = (item: unknown): string => JSON.stringify(key !== undefined && isObject(item) ? item[key] : item);
  const wanted = new Map(order.map((item, index) => [identity(item), index]));
  const onServer = new Map(server.map((item, index) => [identity(item), index]));
  const rank = (item: unknown): number => wanted.get(identity(item)) ?? 0;
  // A new item comes before all items that only the server has.
  const place = (item: unknown): number => onServer.get(identity(item)) ?? -1;
  const named = merged.filter((item) => wanted.has(identity(item))).sort((a, b) => rank(a) - rank(b));
  const others = merged.filter((item) => !wanted.has(identity(item)));
  const result: unknown[] = [];
  for (const item of named) {
    while (others[0] !== undefined && place(others[0]) < place(item)) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}

function withoutDirectives(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$')));
}
