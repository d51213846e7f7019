import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch } from './merge-patch.ts';

describe('mergePatch', () => {
  // The examples in the appendix of RFC 7386.
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (current, patch, expected) => {
    expect(mergePatch(current, patch)).toEqual(expected);
  });

  test('is idempotent, and shares unchanged parts', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, json, (current, patch) => {
        const before = JSON.stringify(current);
        const merged = mergePatch(current, patch);
        expect(mergePatch(merged, patch)).toEqual(merged);
        expect(JSON.stringify(current)).toBe(before);
      }),
    );
    const current = { kept: { deep: 1 }, a: 1 };
    expect((mergePatch(current, { a: 2 }) as typeof current).kept).toBe(current.kept);
  });
});
