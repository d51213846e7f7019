import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparator } from '../listing.ts';
import { ChangedKeys, MAX_KEYS } from './changed-keys.ts';
import { SortedView, type ViewSource } from './sorted-view.ts';

interface Item {
  readonly id: string;
  readonly rank: number;
  /** An item that does not match counts in no view. */
  readonly matches: boolean;
  readonly until?: number;
}

/** Items that report their changes; a missed report is a change all the same. */
class Items {
  readonly byId = new Map<string, Item>();
  now = 0;
  broken = false;
  #revision = 0;
  readonly #listeners = new Set<(id: string) => void>();

  put(item: Item, isReported = true): void {
    this.byId.set(item.id, item);
    this.#changed(item.id, isReported);
  }

  remove(id: string): void {
    this.byId.delete(id);
    this.#changed(id, true);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  view(): SortedView<Item> {
    const changed = new ChangedKeys();
    changed.follow<string>({ revision: () => this.#revision, subscribe: (listener) => this.#subscribe(listener) }, (id) => id);
    const source: ViewSource<Item> = {
      all: () => this.byId.values(),
      find: (id) => this.byId.get(id),
      entryOf: (item) => {
        if (this.broken) throw new Error('broken');
        if (!item.matches) return null;
        const until = item.until ?? Number.POSITIVE_INFINITY;
        return {
          id: item.id,
          value: this.now < until ? item.rank : null,
          item,
          until: this.now < until ? until : Number.POSITIVE_INFINITY,
        };
      },
      shared: () => [],
      changed,
      now: () => this.now,
    };
    return new SortedView(source, comparator('rank'));
  }

  ids(): readonly string[] {
    const all = [...this.byId.values()].filter(({ matches }) => matches);
    const value = ({ rank, until = Number.POSITIVE_INFINITY }: Item): number => (this.now < until ? rank : Number.POSITIVE_INFINITY);
    return all.sort((a, b) => value(a) - value(b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
  }

  #changed(id: string, isReported: boolean): void {
    this.#revision += 1;
    if (isReported) for (const listener of this.#listeners) listener(id);
  }

  #subscribe(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const idsOf = (view: SortedView<Item>): readonly string[] => view.entries.map(({ id }) => id);

function refresh(view: SortedView<Item>, between: () => void = () => undefined): void {
  const steps = view.refresh();
  while (steps.next().done !== true) between();
}

describe('a sorted view', () => {
  test('contains the changes between the slices in which it is built', () => {
    const change = fc.tuple(fc.nat(2_999), fc.nat(20), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const items = new Items();
        for (let index = 0; index < 3_000; index += 1) items.put({ id: `i${index}`, rank: index % 7, matches: true });
        const view = items.view();
        let at = 0;
        refresh(view, () => {
          const [index, rank, matches, isRemoved] = changes[at++] ?? [0, 0, true, false];
          if (isRemoved) items.remove(`i${index}`);
          else items.put({ id: `i${index}`, rank, matches });
        });
        expect(idsOf(view)).toEqual(items.ids());
        for (const [index, rank, matches] of changes) items.put({ id: `i${index}`, rank, matches });
        refresh(view);
        expect(idsOf(view)).toEqual(items.ids());
      }),
      { numRuns: 10 },
    );
  });

  test('contains a change that was not reported', () => {
    const items = new Items();
    for (const id of ['a', 'b', 'c']) items.put({ id, rank: 1, matches: true });
    const view = items.view();
    refresh(view);
    items.put({ id: 'a', rank: 2, matches: true }, false);
    refresh(view);
    expect(idsOf(view)).toEqual(['b', 'c', 'a']);
  });

  test('moves an item whose value expires, and moves it back where the clock is set back', () => {
    const items = new Items();
    items.put({ id: 'a', rank: 1, matches: true, until: 10 });
    items.put({ id: 'b', rank: 2, matches: true });
    const view = items.view();
    for (const [now, ids] of [
      [0, ['a', 'b']],
      [9, ['a', 'b']],
      [10, ['b', 'a']],
      [5, ['a', 'b']],
    ] as const) {
      items.now = now;
      refresh(view);
      expect(idsOf(view)).toEqual(ids);
    }
  });

  test('ends its subscription when it is not read while everything changes', () => {
    const items = new Items();
    items.put({ id: 'a', rank: 1, matches: true });
    const view = items.view();
    refresh(view);
    expect(items.listeners).toBe(1);
    for (let index = 0; index <= MAX_KEYS + 1; index += 1) items.put({ id: `i${index}`, rank: index, matches: true });
    expect(items.listeners).toBe(0);
    refresh(view);
    expect([view.size, items.listeners]).toEqual([MAX_KEYS + 3, 1]);
  });

  test('a refresh that failed loses no change', () => {
    const items = new Items();
    items.put({ id: 'a', rank: 2, matches: true });
    const view = items.view();
    refresh(view);
    items.put({ id: 'b', rank: 1, matches: true });
    items.broken = true;
    expect(() => refresh(view)).toThrow('broken');
    items.broken = false;
    refresh(view);
    expect(view.entries.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test('a first refresh that failed is no empty list', () => {
    const items = new Items();
    items.put({ id: 'a', rank: 2, matches: true });
    items.broken = true;
    const view = items.view();
    expect(() => refresh(view)).toThrow('broken');
    items.broken = false;
    refresh(view);
    expect(view.size).toBe(1);
  });
});
