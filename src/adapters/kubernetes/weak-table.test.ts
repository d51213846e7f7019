import { describe, expect, test } from '@jest/globals';
import { WeakTable, type WeakReference } from './weak-table.ts';

interface Thing {
  readonly name: string;
}

/** Objects live until they are released: what a garbage collector does, at a time of the test's choosing. */
class Heap {
  readonly #live = new Set<Thing>();

  readonly refer = (thing: Thing): WeakReference<Thing> => {
    this.#live.add(thing);
    return { deref: () => (this.#live.has(thing) ? thing : undefined) };
  };

  release(thing: Thing): void {
    this.#live.delete(thing);
  }
}

describe('WeakTable', () => {
  test('gives the object that is in use for an equal one', () => {
    const table = new WeakTable<Thing>();
    const first = table.share('a', { name: 'a' });
    expect(table.share('a', { name: 'a' })).toBe(first);
    expect(table.share('b', { name: 'b' })).not.toBe(first);
  });

  test('takes the next one where the last user of the former is gone', () => {
    const heap = new Heap();
    const table = new WeakTable<Thing>(heap.refer);
    heap.release(table.share('a', { name: 'old' }));
    const next: Thing = { name: 'new' };
    expect(table.share('a', next)).toBe(next);
    expect(table.size).toBe(1);
  });

  test('100,000 objects of which none is in use any more leave a bounded table, and one in use stays shared', () => {
    const heap = new Heap();
    const table = new WeakTable<Thing>(heap.refer);
    const kept = table.share('kept', { name: 'kept' });
    for (let index = 0; index < 100_000; index++) heap.release(table.share(`hostile-${index}`, { name: 'hostile' }));
    expect(table.size).toBeLessThanOrEqual(1_024);
    expect(table.share('kept', { name: 'kept' })).toBe(kept);
  });

  test('shrinks to twice of what is in use as objects come by', () => {
    const heap = new Heap();
    const table = new WeakTable<Thing>(heap.refer);
    const things = Array.from({ length: 10_000 }, (_, index) => table.share(`${index}`, { name: 'thing' }));
    expect(table.size).toBe(10_000);
    for (const thing of things.slice(2_000)) heap.release(thing);
    for (let index = 0; index < 20_000; index++) heap.release(table.share(`later-${index}`, { name: 'later' }));
    expect(table.size).toBeLessThanOrEqual(4_000);
    expect(things.slice(0, 2_000).every((thing, index) => table.share(`${index}`, { name: 'again' }) === thing)).toBe(true);
  });
});
