import type { Instant } from '#kube/units';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { comparator, isMatch, pageOf, readOrder, sortValueOf, type Listing, type ListQuery } from '../listing.ts';
import type { Page } from '../outcome.ts';
import { ChangedKeys } from './changed-keys.ts';
import type { Slices } from './slices.ts';
import { SharedUpdate } from './shared-update.ts';
import { SortedView } from './sorted-view.ts';

/** A list whose orders are kept between reads. */
export interface KeptListing<Item extends object, Query extends ListQuery = ListQuery> extends Listing<Item> {
  all(): Iterable<Item>;
  /** The item with an id; undefined where it does not exist. */
  find(id: string): Item | undefined;
  /** Follows the sources of the items, and of the fields by which they are selected and sorted. */
  follow(changed: ChangedKeys, fields: Fields): void;
  /** Inputs of these fields that change for all items at once; compared by identity. */
  shared?(fields: Fields): readonly unknown[];
  /** When these fields of an item change without a change of a source. Absent: never. */
  until?(item: Item, fields: Fields): Instant;
  /** Filters of parameters that are not fields of an item. */
  accepts?(item: Item, query: Query): boolean;
  now(): Instant;
}

/** The parameters of the query, and the first segment of the field that it sorts by, such as `used` of `used.cpuMillicores`. */
export type Fields = ReadonlySet<string>;

/** A page with the view that it is from. */
export interface KeptPage<Item> extends Page<Item> {
  /** Computes a value of all matching items once for as long as they are unchanged. */
  summarize<Value>(summary: (matched: Iterable<Item>) => Value): Value;
}

/** The page without its view. */
export function pageOnly<Item>({ kind, items, total, nextCursor }: KeptPage<Item>): Page<Item> {
  return { kind, items, total, nextCursor };
}

/** Bounds the memory of the kept orders: 150 bytes an entry. */
const MAX_ENTRIES = 500_000;
const MAX_VIEWS = 32;
/** Parameters that choose a part or a form of the same order. */
const NOT_SELECTING: ReadonlySet<string> = new Set(['limit', 'cursor', 'format', 'sort']);

/**
 * Keeps the orders in which a list was read, by filters and scope. A read applies the changes since the last one to its order, so that it
 * takes the time of its page and not of the cluster. An order that is read for the first time is built in slices.
 */
export class KeptList<Item extends object, Query extends ListQuery = ListQuery> {
  readonly #listing: KeptListing<Item, Query>;
  readonly #slices: Slices;
  /** The least recently read first. */
  readonly #views = new Map<string, View<Item>>();

  constructor(listing: KeptListing<Item, Query>, slices: Slices) {
    this.#listing = listing;
    this.#slices = slices;
  }

  async page(query: Query, scope: Scope): Promise<KeptPage<Item> | Refusal> {
    const order = readOrder(this.#listing, query);
    if (order.kind !== 'order') return order;
    const view = this.#viewOf(query, scope, order.sort, order.field);
    await view.refresh();
    // Its place was taken while it was refreshed: it must not follow changes that nothing reads.
    if (![...this.#views.values()].includes(view)) view.sorted.close();
    this.#evict(view);
    const { sorted } = view;
    return {
      ...pageOf(sorted.after(order.cursor, order.limit + 1), order, sorted.size),
      summarize: (summary) => view.summarize(summary),
    };
  }

  #viewOf(query: Query, scope: Scope, sort: string, field: string): View<Item> {
    const selection = Object.entries(query).filter(([name, value]) => value !== undefined && !NOT_SELECTING.has(name));
    const key = JSON.stringify([scope.key, sort, selection.sort()]);
    const view = this.#views.get(key) ?? new View(this.#sortedView(query, scope, sort, field), this.#slices);
    this.#views.delete(key);
    this.#views.set(key, view);
    return view;
  }

  #sortedView(query: Query, scope: Scope, sort: string, field: string): SortedView<Item> {
    const listing = this.#listing;
    const parameters = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : name));
    const fields: Fields = new Set([field, ...parameters].map((name) => name.split('.', 1)[0] ?? name));
    const changed = new ChangedKeys();
    listing.follow(changed, fields);
    const source = {
      all: () => listing.all(),
      find: (id: string) => listing.find(id),
      entryOf: (item: Item) => {
        if (listing.accepts?.(item, query) === false || !isMatch(item, listing, query, scope)) return null;
        return {
          id: listing.id(item),
          value: sortValueOf(item, listing, field),
          item,
          until: listing.until?.(item, fields) ?? Number.POSITIVE_INFINITY,
        };
      },
      shared: () => listing.shared?.(fields) ?? [],
      changed,
      now: () => listing.now(),
    };
    return new SortedView(source, comparator(sort));
  }

  #evict(current: View<Item>): void {
    let entries = 0;
    for (const { sorted } of this.#views.values()) entries += sorted.size;
    for (const [key, view] of this.#views) {
      if (entries <= MAX_ENTRIES && this.#views.size <= MAX_VIEWS) return;
      if (view === current) continue;
      this.#views.delete(key);
      entries -= view.sorted.size;
      view.sorted.close();
    }
  }
}

/** A sorted view with its refresh in progress and its summary. */
class View<Item> {
  readonly sorted: SortedView<Item>;
  readonly #update: SharedUpdate;
  #summary: { readonly version: number; readonly value: unknown } | null = null;

  constructor(sorted: SortedView<Item>, slices: Slices) {
    this.sorted = sorted;
    this.#update = new SharedUpdate(() => slices.run(this.sorted.refresh()));
  }

  /** Resolves once the view contains all changes before the call. */
  refresh(): Promise<void> {
    return this.#update.run();
  }

  summarize<Value>(summary: (matched: Iterable<Item>) => Value): Value {
    const { version } = this.sorted;
    if (this.#summary?.version !== version) this.#summary = { version, value: summary(this.#items()) };
    return this.#summary.value as Value;
  }

  *#items(): Iterable<Item> {
    for (const { item } of this.sorted.entries) yield item;
  }
}
