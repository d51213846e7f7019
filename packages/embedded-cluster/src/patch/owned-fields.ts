// Values in server-side apply: how a schema divides them into owned fields, and how they are compared, merged and cut by these fields. The
// semantics are those of Kubernetes' structured merge.

import { isObject } from '#kube/json';
import { isEqualJson } from '../api/json.ts';
import type { SchemaResolver, StructuralSchema } from '../schema/structural-schema.ts';
import { dereference, fieldSchema } from '../schema/structural-schema.ts';
import type { FieldSet } from './field-set.ts';
import { fieldNode, isEmptySet, isMember } from './field-set.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Granularity of ownership: atomic, by field, or by item. */
type Shape = { readonly kind: 'leaf' } | MapShape | ListShape;

interface MapShape {
  readonly kind: 'map';
  readonly schema: StructuralSchema;
  readonly value: Fields;
}

interface ListShape {
  readonly kind: 'list';
  readonly items: ReadonlyMap<string, unknown>;
  readonly itemSchema: StructuralSchema;
}

const LEAF: Shape = { kind: 'leaf' };
/** Undeclared values: maps are granular, lists are atomic. */
const UNDECLARED: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

export interface Comparison {
  readonly added?: FieldSet;
  readonly modified?: FieldSet;
  readonly removed?: FieldSet;
}

const EQUAL: Comparison = {};

export class OwnedFields {
  readonly #resolve: SchemaResolver;

  constructor(resolve: SchemaResolver) {
    this.#resolve = resolve;
  }

  /** Every field of the value, which its applier will own. Undefined for an empty value. */
  fieldsOf(schema: StructuralSchema, value: unknown): FieldSet | undefined {
    return this.#tree(schema, value, false, false);
  }

  /** Added, changed and removed fields. Shared branches are skipped. */
  compare(schema: StructuralSchema, before: unknown, after: unknown): Comparison {
    if (before === after) return EQUAL;
    if (before === undefined) return { added: this.#tree(schema, after, true, true) ?? {} };
    if (after === undefined) return { removed: this.#tree(schema, before, true, true) ?? {} };
    const left = this.#shape(schema, before);
    const right = this.#shape(schema, after);
    if (left.kind === 'map' && right.kind === 'map') return this.#compareMaps(right.schema, left.value, right.value);
    if (left.kind === 'list' && right.kind === 'list') return this.#compareLists(right.itemSchema, left.items, right.items);
    return isEqualJson(before, after) ? EQUAL : { modified: {} };
  }

  /** `current` with all fields of `applied`; omitted fields are kept. Unchanged parts are shared with `current`. */
  merge(schema: StructuralSchema, current: unknown, applied: unknown): unknown {
    if (applied === undefined) return current;
    if (current === undefined) return applied;
    if (typeof applied !== 'object' || applied === null) return applied;
    const left = this.#shape(schema, current);
    const right = this.#shape(schema, applied);
    if (left.kind === 'map' && right.kind === 'map') return this.#mergeMaps(right.schema, left.value, right.value);
    if (left.kind === 'list' && right.kind === 'list') {
      const merged = this.#mergeLists(right.itemSchema, left.items, right.items);
      return isSameList(merged, current as readonly unknown[]) ? current : merged;
    }
    return isEqualJson(current, applied) ? current : applied;
  }

  #mergeMaps(schema: StructuralSchema, current: Fields, applied: Fields): Fields {
    let merged: Record<string, unknown> | null = null;
    for (const name in applied) {
      const before = Object.hasOwn(current, name) ? current[name] : undefined;
      const after = this.merge(childSchema(schema, name), before, applied[name]);
      if (after !== before) (merged ??= { ...current })[name] = after;
    }
    return merged ?? current;
  }

  /**
   * The value without the members of `set` and everything below them. Objects and lists that become empty are kept and added to `emptied`:
   * their owner keeps them, although the server does not store them.
   */
  remove(schema: StructuralSchema, value: unknown, set: FieldSet, emptied: Set<unknown>): unknown {
    if (isEmptySet(set)) return value;
    const shape = this.#shape(schema, value);
    if (shape.kind === 'leaf') return value;
    const kept = shape.kind === 'map' ? this.#removeFields(shape, set, emptied) : this.#removeItems(shape, set, emptied);
    if (Object.keys(kept).length === 0) emptied.add(kept);
    return kept;
  }

  #removeFields(shape: MapShape, set: FieldSet, emptied: Set<unknown>): object {
    const kept: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(shape.value)) {
      const node = set[`f:${name}`];
      if (node === undefined) kept[name] = inner;
      else if (!isMember(node)) kept[name] = this.remove(childSchema(shape.schema, name), inner, node, emptied);
    }
    return kept;
  }

  #removeItems(shape: ListShape, set: FieldSet, emptied: Set<unknown>): object {
    const kept: unknown[] = [];
    for (const [element, item] of shape.items) {
      const node = set[element];
      if (node === undefined) kept.push(item);
      else if (!isMember(node)) kept.push(this.remove(shape.itemSchema, item, node, emptied));
    }
    return kept;
  }

  /**
   * Fields that an applier gives up: those of its last set without a manager now (`managed` includes its new set). A declared field counts
   * as owned by the owners of its nested fields.
   */
  findAbandonedFields(schema: StructuralSchema, last: FieldSet, managed: FieldSet): FieldSet {
    const node = dereference(schema, this.#resolve);
    const result: Record<string, FieldSet> = {};
    for (const [element, mine] of Object.entries(last)) {
      if (element === '.') continue;
      const name = element.startsWith('f:') ? element.slice(2) : null;
      const isDeclared = name !== null && node.properties !== undefined && Object.hasOwn(node.properties, name);
      const theirs = managed[element];
      const owned = isDeclared || isMember(mine);
      const kept = theirs !== undefined && (isDeclared || isMember(theirs));
      if (owned && !kept) {
        result[element] = {};
        continue;
      }
      const inner = name === null ? (node.items ?? UNDECLARED) : childSchema(node, name);
      const below = fieldNode(false, this.findAbandonedFields(inner, mine, theirs ?? {}));
      if (below !== undefined) result[element] = below;
    }
    return result;
  }

  /** @param wayToo every ancestor is a member as well, not only the fields themselves */
  #tree(schema: StructuralSchema, value: unknown, member: boolean, wayToo: boolean): FieldSet | undefined {
    const shape = this.#shape(schema, value);
    const children: Record<string, FieldSet> = {};
    if (shape.kind === 'leaf') return {};
    if (shape.kind === 'map') {
      for (const name of Object.keys(shape.value)) {
        const inner = shape.value[name];
        const declared = shape.schema.properties !== undefined && Object.hasOwn(shape.schema.properties, name);
        const isEmptyMap = isObject(inner) && Object.keys(inner).length === 0;
        const node = this.#tree(childSchema(shape.schema, name), inner, wayToo || !declared || isEmptyMap, wayToo);
        if (node !== undefined) children[`f:${name}`] = node;
      }
    } else {
      for (const [element, item] of shape.items) {
        const node = this.#tree(shape.itemSchema, item, true, wayToo);
        if (node !== undefined) children[element] = node;
      }
    }
    return fieldNode(member, children);
  }

  #compareMaps(schema: StructuralSchema, before: Fields, after: Fields): Comparison {
    const found = new Comparer();
    for (const name of Object.keys(before)) found.add(`f:${name}`, this.compare(childSchema(schema, name), before[name], after[name]));
    for (const name of Object.keys(after))
      if (!Object.hasOwn(before, name)) found.add(`f:${name}`, this.compare(childSchema(schema, name), undefined, after[name]));
    return found.result();
  }

  #compareLists(itemSchema: StructuralSchema, before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): Comparison {
    const found = new Comparer();
    for (const [element, item] of before) found.add(element, this.compare(itemSchema, item, after.get(element)));
    for (const [element, item] of after) if (!before.has(element)) found.add(element, this.compare(itemSchema, undefined, item));
    return found.result();
  }

  /**
   * Items in the order of `applied`; those that it lacks stay before their former successor, as far as that order allows. It follows
   * structured merge step by step, so that lists equal those of a real server.
   */
  #mergeLists(itemSchema: StructuralSchema, current: ReadonlyMap<string, unknown>, applied: ReadonlyMap<string, unknown>): unknown[] {
    const merged: unknown[] = [];
    const before = [...current];
    const shared = [...applied.keys()].filter((element) => current.has(element));
    const done = new Set<string>();
    let next = 0;
    /** Inserts items that `applied` lacks, up to the next item of both. */
    const takeOver = (wanted: string): void => {
      for (; next < before.length; next++) {
        const [element = '', item] = before[next] ?? [];
        if (!applied.has(element)) merged.push(item);
        else if (element === wanted || shared[0] === undefined || shared[0] === element) {
          if (element === wanted || done.has(element)) next++;
          return;
        }
      }
    };
    for (const [element, item] of applied) {
      takeOver(element);
      merged.push(this.merge(itemSchema, current.get(element), item));
      done.add(element);
      if (shared[0] === element) shared.shift();
    }
    for (const [element, item] of before.slice(next)) if (!applied.has(element)) merged.push(item);
    return merged;
  }

  #shape(reference: StructuralSchema, value: unknown): Shape {
    if (typeof value !== 'object' || value === null) return LEAF;
    const schema = dereference(reference, this.#resolve);
    if (Array.isArray(value)) return this.#listShape(reference, schema, value);
    const mapType = reference['x-kubernetes-map-type'] ?? schema['x-kubernetes-map-type'];
    return mapType === 'atomic' ? LEAF : { kind: 'map', schema, value: value as Fields };
  }

  #listShape(reference: StructuralSchema, schema: StructuralSchema, value: readonly unknown[]): Shape {
    const listType = reference['x-kubernetes-list-type'] ?? schema['x-kubernetes-list-type'];
    const itemSchema = schema.items;
    if (itemSchema === undefined || (listType !== 'map' && listType !== 'set')) return LEAF;
    const keys = reference['x-kubernetes-list-map-keys'] ?? schema['x-kubernetes-list-map-keys'] ?? [];
    const described = dereference(itemSchema, this.#resolve);
    const items = new Map<string, unknown>();
    for (const item of value) items.set(listType === 'set' ? `v:${JSON.stringify(item)}` : keyElement(described, keys, item), item);
    return { kind: 'list', items, itemSchema };
  }
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** The value without the fields whose values are in `emptied`. */
export function withoutEmptied(value: unknown, emptied: ReadonlySet<unknown>): unknown {
  if (emptied.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutEmptied(item, emptied));
  const kept = Object.entries(value).filter(([, inner]) => !emptied.has(inner));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutEmptied(inner, emptied)]));
}

/** The value with null in the place of each value that is in `emptied`. */
export function replaceEmptied(value: unknown, emptied: ReadonlySet<unknown>): unknown {
  if (emptied.size === 0 || typeof value !== 'object' || value === null) return value;
  if (emptied.has(value)) return null;
  if (Array.isArray(value)) return value.map((item) => replaceEmptied(item, emptied));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaceEmptied(inner, emptied)]));
}

class Comparer {
  readonly #added: Record<string, FieldSet> = {};
  readonly #modified: Record<string, FieldSet> = {};
  readonly #removed: Record<string, FieldSet> = {};

  add(element: string, found: Comparison): void {
    if (found.added !== undefined) this.#added[element] = found.added;
    if (found.modified !== undefined) this.#modified[element] = found.modified;
    if (found.removed !== undefined) this.#removed[element] = found.removed;
  }

  result(): Comparison {
    const added = fieldNode(false, this.#added);
    const modified = fieldNode(false, this.#modified);
    const removed = fieldNode(false, this.#removed);
    return {
      ...(added === undefined ? {} : { added }),
      ...(modified === undefined ? {} : { modified }),
      ...(removed === undefined ? {} : { removed }),
    };
  }
}

function childSchema(object: StructuralSchema, name: string): StructuralSchema {
  return fieldSchema(object, name) ?? UNDECLARED;
}

/** Keys that an item lacks count with their defaults: a port without a protocol is a TCP port. */
function keyElement(itemSchema: StructuralSchema, keys: readonly string[], item: unknown): string {
  const identity: Record<string, unknown> = {};
  for (const key of [...keys].sort()) {
    const value = (isObject(item) ? item[key] : undefined) ?? itemSchema.properties?.[key]?.default;
    if (value !== undefined) identity[key] = value;
  }
  return `k:${JSON.stringify(identity)}`;
}
