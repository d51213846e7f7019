import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSameAsStored, omitEmpty } from './omit-empty.ts';

describe('omitEmpty', () => {
  test('removes empty maps and lists, and maps that become empty', () => {
    const status = { awaiting: {}, savings: { deep: { deeper: [] } }, resizes: [], ready: 0, reason: '', until: null };
    expect(omitEmpty(status)).toEqual({ ready: 0, reason: '', until: null });
  });

  test('keeps items of lists', () => {
    expect(omitEmpty({ containers: [{ name: 'app', limits: {} }, {}] })).toEqual({ containers: [{ name: 'app' }, {}] });
  });
});

describe('isSameAsStored', () => {
  test.each([
    ['another order of fields', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['an empty map or list', { a: 1, limits: {}, list: [], deep: { none: {} } }, { a: 1 }],
    ['an absent field', { a: 1, b: undefined }, { a: 1 }],
    ['empty items of a list', { list: [{ limits: {} }] }, { list: [{}] }],
  ])('%s makes no difference', (_, a, b) => {
    expect(isSameAsStored(a, b)).toBe(true);
    expect(isSameAsStored(b, a)).toBe(true);
  });

  test.each([
    ['another value', { a: 1 }, { a: 2 }],
    ['another field', { a: 1 }, { a: 1, b: 0 }],
    ['null', { a: null }, {}],
    ['a key that every object inherits', { a: 1, constructor: { x: 1 } }, { a: 1 }],
    ['the order of a list', [1, 2], [2, 1]],
    ['the length of a list', [{}], [{}, {}]],
    ['a list in the place of a map', { a: [1] }, { a: { 0: 1 } }],
    ['an empty list in the place of an empty map, as an item', { a: [{}] }, { a: [[]] }],
  ])('%s makes a difference', (_, a, b) => {
    expect(isSameAsStored(a, b)).toBe(false);
    expect(isSameAsStored(b, a)).toBe(false);
  });

  test('two statuses are equal exactly if their stored forms are', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.constantFrom<unknown>(0, 1, '', null), tie('list'), tie('map')),
      list: fc.array(tie('value'), { maxLength: 2 }),
      map: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    }));
    const status = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);
    const stored = (object: object): string => JSON.stringify(sortFields(omitEmpty(object)));
    fc.assert(
      fc.property(status, fc.nat(), value, (a, place, other) => {
        const b = withOneReplaced(a, place, other);
        expect(isSameAsStored(a, b)).toBe(stored(a) === stored(b));
        expect(isSameAsStored(a, sortFields(omitEmpty(a)))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

/** The value with one of its parts replaced: two independent random values are rarely similar. */
function withOneReplaced(root: object, place: number, by: unknown): object {
  const parts = (value: unknown): number =>
    typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, inner) => sum + parts(inner), 1) : 1;
  let remaining = 1 + (place % Math.max(1, parts(root) - 1));
  const replaced = (value: unknown): unknown => {
    if (remaining-- === 0) return by;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner)]));
  };
  return replaced(root) as object;
}

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, sortFields(inner)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
