import { beforeEach, describe, expect, test } from '@jest/globals';
import { WeakTable, type WeakReferences } from './weak-table.ts';

interface Thing {
  readonly name: string;
}

/** A fake garbage collector that collects objects and reports them on request. */
class Collector implements WeakReferences<Thing> {
  readonly #keys = new Map<Thing, string>();
  readonly #unreported: string[] = [];
  readonly #onCollected: (key: string) => void;

  constructor(onCollected: (key: string) => void) {
    this.#onCollected = onCollected;
  }

  refer(thing: Thing) {
    return { deref: () => (this.#keys.has(thing) ? thing : undefined) };
  }

  watch(thing: Thing, key: string): void {
    this.#keys.set(thing, key);
  }

  collect(thing: Thing): void {
    this.#unreported.push(this.#keys.get(thing) ?? '');
    this.#keys.delete(thing);
  }

  report(): void {
    for (const key of this.#unreported.splice(0)) this.#onCollected(key);
  }
}

let collector: Collector;
let table: WeakTable<Thing>;
beforeEach(() => {
  table = new WeakTable((onCollected) => (collector = new Collector(onCollected)));
});

describe('WeakTable', () => {
  test('returns the object in use for an equal one', () => {
    const first = table.share('a', { name: 'a' });
    expect(table.share('a', { name: 'a' })).toBe(first);
    expect(table.share('b', { name: 'b' })).not.toBe(first);
  });

  test('drops the entry of an object that was collected, and keeps the others', () => {
    const kept = table.share('kept', { name: 'kept' });
    for (let index = 0; index < 10_000; index++) collector.collect(table.share(`other-${index}`, { name: 'other' }));
    collector.report();
    expect(table.size).toBe(1);
    expect(table.share('kept', { name: 'kept' })).toBe(kept);
  });

  test('keeps a newer object under a key whose former object is reported late', () => {
    collector.collect(table.share('a', { name: 'former' }));
    const next = table.share('a', { name: 'next' });
    expect(next.name).toBe('next');
    collector.report();
    expect(table.share('a', { name: 'another' })).toBe(next);
  });
});
