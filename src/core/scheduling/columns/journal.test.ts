import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addCount, countAt, newCounts } from './count-table.ts';
import { Journal } from './journal.ts';
import { floats, ints } from './shared-arrays.ts';

describe('a journal', () => {
  test('undoes the writes since a mark, the last first', () => {
    const journal = new Journal();
    const [whole, fractions] = [ints(2), floats(2)];
    journal.setInt(whole, 0, 1);
    const mark = journal.mark();
    journal.setInt(whole, 0, 2);
    journal.setInt(whole, 0, 3);
    journal.setFloat(fractions, 1, 0.5);
    expect([...whole, ...fractions]).toEqual([3, 0, 0, 0.5]);
    journal.rollback(mark);
    expect([...whole, ...fractions]).toEqual([1, 0, 0, 0]);
    expect(journal.isMarked).toBe(false);
  });

  test('rolls back an inner mark without the writes before it', () => {
    const journal = new Journal();
    const array = ints(1);
    const outer = journal.mark();
    journal.setInt(array, 0, 1);
    const inner = journal.mark();
    journal.setInt(array, 0, 2);
    journal.rollback(inner);
    expect(array[0]).toBe(1);
    journal.rollback(outer);
    expect(array[0]).toBe(0);
  });

  test('refuses to roll back a mark before a later one', () => {
    const journal = new Journal();
    const outer = journal.mark();
    journal.mark();
    expect(() => journal.rollback(outer)).toThrow('rolling back mark 1: mark 2 is the last one');
  });
});

const additions = fc.array(fc.tuple(fc.nat(5), fc.nat(200), fc.integer({ min: -2, max: 2 })), { maxLength: 300 });

describe('a table of counts', () => {
  test('has the sums of what was added, also after it has grown, and is the same again after a rollback', () => {
    fc.assert(
      fc.property(additions, additions, (before, after) => {
        const journal = new Journal();
        const columns = newCounts();
        const sums = new Map<string, number>();
        const add = ([counter, domain, change]: readonly [number, number, number]): void => {
          const sum = (sums.get(`${counter}/${domain}`) ?? 0) + change;
          sums.set(`${counter}/${domain}`, sum);
          expect(addCount(columns, journal, counter, domain, change)).toBe(sum);
        };
        before.forEach(add);
        const slots = [...columns.slots];
        const mark = journal.mark();
        after.forEach(add);
        for (const [key, sum] of sums) {
          const [counter, domain] = key.split('/').map(Number);
          expect(countAt(columns, counter!, domain!)).toBe(sum);
        }
        journal.rollback(mark);
        expect([...columns.slots]).toEqual(slots);
      }),
    );
  });
});
