// Sorting, filtering and paging of all lists.

import type { Refusal } from '../core/access/refusal.ts';
import type { Page } from './outcome.ts';
import type { Scope } from '../core/access/scope.ts';

/** The common query parameters of lists. Filters by field are further parameters with the field's name. */
export interface ListQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: string;
  readonly namespace?: readonly string[];
  readonly q?: string;
}

/** The definition of a list. */
export interface Listing<Item> {
  /** Unique and stable: orders items with equal values, and is part of cursors. */
  id(item: Item): string;
  /**
   * null where no item has a namespace: every caller of the operation then sees all items. In a list with namespaces, an item without one is
   * visible to administrators only.
   */
  namespaceOf: ((item: Item) => string | null) | null;
  /** Names that `q` searches. */
  namesOf(item: Item): readonly (string | null)[];
  readonly defaultSort: string;
  /** Fields with a query parameter of the same name, which has an array of accepted values. */
  readonly filters?: readonly (keyof Item & string)[];
  /** Order of the values of fields that are not sorted alphabetically, the lowest first. */
  readonly levels?: Readonly<Record<string, readonly string[]>>;
  /** Value of a field to sort by, where it is not the item's (dotted) field. */
  sortValue?(item: Item, field: string): SortValue;
}

const DEFAULT_LIMIT = 100;
/** Characters of a text that it is sorted by, because a cursor contains them and must fit into a URL. */
const SORTED_LENGTH = 200;

/** A comparable value; null where it is unknown. */
export type SortValue = string | number | boolean | null;

/** A place in an order: items with equal values are ordered by id. */
export interface Position {
  readonly value: SortValue;
  readonly id: string;
}

/** The end of a page: its sort order, and the place of its last item. */
interface Cursor extends Position {
  readonly sort: string;
}

/**
 * Selects one page of the matching items. A cursor is the position of an item, not an offset: an item that is added or removed between two
 * pages neither repeats nor hides another.
 * @returns the page, with all matching items as `matched` for summaries
 */
export function selectPage<Item extends object>(
  items: Iterable<Item>,
  listing: Listing<Item>,
  query: ListQuery,
  scope: Scope,
): (Page<Item> & { readonly matched: readonly Item[] }) | Refusal {
  const order = readOrder(listing, query);
  if (order.kind !== 'order') return order;
  const { sort, field, cursor, limit } = order;
  const compare = comparator(sort);
  const matched: Item[] = [];
  // One item more than the page shows whether a next page exists.
  const first = new FirstOf<Entry<Item>>(limit + 1, compare);
  for (const item of items) {
    if (!isMatch(item, listing, query, scope)) continue;
    matched.push(item);
    const entry = { item, value: sortValueOf(item, listing, field), id: listing.id(item) };
    if (cursor === null || compare(entry, cursor) > 0) first.offer(entry);
  }
  return { ...pageOf(first.entries, order, matched.length), matched };
}

/** The order and the page that a query asks for. */
export interface Order {
  readonly kind: 'order';
  readonly sort: string;
  readonly field: string;
  /** End of the page before; null: the first page. */
  readonly cursor: Position | null;
  readonly limit: number;
}

/** Reads the order and the page of a query; refuses a cursor of another order. */
export function readOrder(listing: Pick<Listing<never>, 'defaultSort'>, query: ListQuery): Order | Refusal {
  const sort = query.sort ?? listing.defaultSort;
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor);
  if (cursor === 'unreadable') return invalidCursor('is not a cursor of this list; start again without it');
  if (cursor !== null && cursor.sort !== sort) return invalidCursor(`belongs to the order ${cursor.sort}; start again without it`);
  return { kind: 'order', sort, field: sort.replace(/^-/, ''), cursor, limit: query.limit ?? DEFAULT_LIMIT };
}

/** The page of the first `limit` entries; one more shows that a next page exists. */
export function pageOf<Item>(entries: readonly (Position & { readonly item: Item })[], { sort, limit }: Order, total: number): Page<Item> {
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return {
    kind: 'page',
    items: page.map(({ item }) => item),
    total,
    nextCursor: last !== undefined && entries.length > limit ? writeCursor({ sort, value: last.value, id: last.id }) : null,
  };
}

interface Entry<Item> extends Position {
  readonly item: Item;
}

/** Collects the first `size` of the offered entries in order. Most entries of a long list need one comparison. */
class FirstOf<T> {
  readonly entries: T[] = [];
  readonly #size: number;
  readonly #compare: (a: T, b: T) => number;

  constructor(size: number, compare: (a: T, b: T) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  offer(entry: T): void {
    const { entries } = this;
    const last = entries.at(-1);
    if (last !== undefined && entries.length === this.#size && this.#compare(entry, last) >= 0) return;
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = entries[middle];
      if (candidate !== undefined && this.#compare(entry, candidate) >= 0) low = middle + 1;
      else high = middle;
    }
    entries.splice(low, 0, entry);
    if (entries.length > this.#size) entries.pop();
  }
}

/** Whether a caller sees an item, and the query's filters accept it. */
export function isMatch<Item extends object>(item: Item, listing: Listing<Item>, query: ListQuery, scope: Scope): boolean {
  const namespace = listing.namespaceOf?.(item) ?? null;
  const isVisible = namespace === null ? listing.namespaceOf === null || scope.admin : scope.canView(namespace);
  if (!isVisible) return false;
  // An item without a namespace matches no namespace filter.
  if (query.namespace !== undefined && (namespace === null || !query.namespace.includes(namespace))) return false;
  const parameters = query as Readonly<Record<string, unknown>>;
  for (const field of listing.filters ?? []) {
    const values = parameters[field];
    if (Array.isArray(values) && !values.includes(item[field])) return false;
  }
  const q = query.q?.toLowerCase() ?? '';
  if (q === '') return true;
  return [...listing.namesOf(item), namespace].some((name) => name?.toLowerCase().includes(q) === true);
}

/** The value that an item is sorted by. */
export function sortValueOf<Item extends object>(item: Item, listing: Listing<Item>, field: string): SortValue {
  const value = listing.sortValue === undefined ? fieldOf(item, field) : listing.sortValue(item, field);
  if (typeof value !== 'string') return value;
  const levels = listing.levels?.[field];
  return levels === undefined ? value.slice(0, SORTED_LENGTH) : levels.indexOf(value);
}

/** A dotted field of a record; null where its value cannot be compared. */
export function fieldOf(item: object, field: string): SortValue {
  let value: unknown = item;
  for (const key of field.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Unknown values come last in both directions; equal values are ordered by id, ascending. */
export function comparator(sort: string): (a: Position, b: Position) => number {
  const descending = sort.startsWith('-');
  return (a, b) => {
    if (a.value !== b.value) {
      if (a.value === null) return 1;
      if (b.value === null) return -1;
      return (a.value < b.value ? -1 : 1) * (descending ? -1 : 1);
    }
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  };
}

function writeCursor(cursor: Cursor): string {
  return toBase64Url(JSON.stringify([cursor.sort, cursor.value, cursor.id]));
}

function readCursor(text: string): Cursor | 'unreadable' {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed) || parsed.length !== 3) return 'unreadable';
    const [sort, value, id] = parsed as readonly unknown[];
    const comparable = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (typeof sort !== 'string' || typeof id !== 'string' || !comparable) return 'unreadable';
    return { sort, value, id };
  } catch {
    return 'unreadable';
  }
}

function toBase64Url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function invalidCursor(message: string): Refusal {
  return { kind: 'invalid', details: [{ path: '/cursor', message }] };
}
