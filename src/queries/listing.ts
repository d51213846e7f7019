// Sorting, filtering and paging of every list, in one place: the dashboard API and the MCP tools page alike.

import type { Refusal } from '../core/access/refusal.ts';
import type { Page } from './outcome.ts';
import type { Scope } from '../core/access/scope.ts';

/** The query parameters of a list, those of filters by a field's own name included. */
export interface ListQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: string;
  readonly namespace?: readonly string[];
  readonly q?: string;
}

/** What a list is made of. */
export interface Listing<Item> {
  /** Distinct for each item and stable: breaks ties, and cursors stand on it. */
  id(item: Item): string;
  /**
   * null where no item has a namespace: then whoever may call the operation sees all of them. An item without one in a list of
   * items with namespaces is for administrators alone.
   */
  namespaceOf: ((item: Item) => string | null) | null;
  /** Names that `q` looks into. */
  namesOf(item: Item): readonly (string | null)[];
  readonly defaultSort: string;
  /** Fields that filter by their own name: those of the query that hold an array of wanted values. */
  readonly filters?: readonly (keyof Item & string)[];
  /** Levels of fields that sort by them, the lowest first. */
  readonly levels?: Readonly<Record<string, readonly string[]>>;
  /** Value of a field to sort by, where it is not simply the item's own (dotted) field. */
  sortValue?(item: Item, field: string): SortValue;
}

const DEFAULT_LIMIT = 100;
/** Characters of a text that it is sorted by. A cursor holds them, and has to fit into an address. */
const SORTED_LENGTH = 200;

/** What fields are compared by; null: not known. */
export type SortValue = string | number | boolean | null;

/** Where a page ended: the sort it belongs to and the last item's place in it. */
interface Cursor {
  readonly sort: string;
  readonly value: SortValue;
  readonly id: string;
}

/**
 * One page of what matches. Pages are continued by place, not by count: an item that comes or goes between two pages
 * neither repeats nor hides another. `matched` is everything that matched, for summaries.
 */
export function selectPage<Item extends object>(
  items: Iterable<Item>,
  listing: Listing<Item>,
  query: ListQuery,
  scope: Scope,
): (Page<Item> & { readonly matched: readonly Item[] }) | Refusal {
  const sort = query.sort ?? listing.defaultSort;
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor);
  if (cursor === 'unreadable') return wrongCursor('is no cursor of this list; begin again without it');
  if (cursor !== null && cursor.sort !== sort) return wrongCursor(`belongs to the order ${cursor.sort}; begin again without it`);

  const field = sort.replace(/^-/, '');
  const compare = comparator(sort.startsWith('-'));
  const limit = query.limit ?? DEFAULT_LIMIT;
  const matched: Item[] = [];
  // One more than the page, so that it is known whether there is more.
  const first = new FirstOf<Entry<Item>>(limit + 1, compare);
  for (const item of items) {
    if (!matches(item, listing, query, scope)) continue;
    matched.push(item);
    const entry = { item, value: sortValueOf(item, listing, field), id: listing.id(item) };
    if (cursor === null || compare(entry, cursor) > 0) first.offer(entry);
  }
  const page = first.entries.slice(0, limit);
  const last = page.at(-1);
  return {
    kind: 'page',
    items: page.map((entry) => entry.item),
    total: matched.length,
    nextCursor: last !== undefined && first.entries.length > limit ? writeCursor({ sort, value: last.value, id: last.id }) : null,
    matched,
  };
}

interface Entry<Item> {
  readonly item: Item;
  readonly value: SortValue;
  readonly id: string;
}

/** The first so many of what is offered, in order. Most of a long list is turned away by one comparison. */
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
      const there = entries[middle];
      if (there !== undefined && this.#compare(entry, there) >= 0) low = middle + 1;
      else high = middle;
    }
    entries.splice(low, 0, entry);
    if (entries.length > this.#size) entries.pop();
  }
}

function matches<Item extends object>(item: Item, listing: Listing<Item>, query: ListQuery, scope: Scope): boolean {
  const namespace = listing.namespaceOf?.(item) ?? null;
  const isVisible = namespace === null ? listing.namespaceOf === null || scope.admin : scope.allows(namespace);
  if (!isVisible) return false;
  // What is in no namespace is in none of those that are named.
  if (query.namespace !== undefined && (namespace === null || !query.namespace.includes(namespace))) return false;
  const wanted = query as Readonly<Record<string, unknown>>;
  for (const field of listing.filters ?? []) {
    const values = wanted[field];
    if (Array.isArray(values) && !values.includes(item[field])) return false;
  }
  const q = query.q?.toLowerCase() ?? '';
  if (q === '') return true;
  return [...listing.namesOf(item), namespace].some((name) => name?.toLowerCase().includes(q) === true);
}

function sortValueOf<Item extends object>(item: Item, listing: Listing<Item>, field: string): SortValue {
  const value = listing.sortValue === undefined ? fieldOf(item, field) : listing.sortValue(item, field);
  if (typeof value !== 'string') return value;
  const levels = listing.levels?.[field];
  return levels === undefined ? value.slice(0, SORTED_LENGTH) : levels.indexOf(value);
}

/** A dotted field of a record; what cannot be compared counts as not known. */
export function fieldOf(item: object, field: string): SortValue {
  let value: unknown = item;
  for (const key of field.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

// What is not known comes last in either direction; equal values are told apart by the id, ascending.
function comparator(descending: boolean) {
  return (a: { value: SortValue; id: string }, b: { value: SortValue; id: string }): number => {
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

function wrongCursor(message: string): Refusal {
  return { kind: 'invalid', details: [{ path: '/cursor', message }] };
}
