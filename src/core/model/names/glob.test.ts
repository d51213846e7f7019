import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isGlobMatch, isGlobWithin, parseGlob } from './glob.ts';

describe('globs', () => {
  test.each([
    ['*', '', true],
    ['*', 'anything', true],
    ['team-*', 'team-a', true],
    ['team-*', 'team', false],
    ['*-prod', 'shop-prod', true],
    ['*-prod', 'shop-prod-2', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['a.b', 'axb', false],
  ])('%s on %s: %s', (text, name, expected) => {
    expect(isGlobMatch({ text }, name)).toBe(expected);
  });

  test('agrees with the equivalent regular expression', () => {
    const letters = fc.constantFrom('a', 'b', '-', '.');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(letters, fc.constantFrom('*', '?')), { maxLength: 8 }),
        fc.array(letters, { maxLength: 10 }),
        (glob, name) => {
          const source = glob.map((part) => (part === '*' ? '.*' : part === '?' ? '.' : part === '.' ? '\\.' : part)).join('');
          return isGlobMatch({ text: glob.join('') }, name.join('')) === new RegExp(`^${source}$`).test(name.join(''));
        },
      ),
    );
  });

  test.each([
    ['team-a', 'team-*', true],
    ['team-*', 'team-*', true],
    ['team-a*', 'team-*', true],
    ['team-?', 'team-*', true],
    ['team-*', 'team-?', false],
    ['team-*', 'team-a', false],
    ['?', 'a', false],
    ['a', '?', true],
    ['*', '*', true],
    ['*', '?', false],
    ['**', '*', true],
  ])('%s is within %s: %s', (inner, outer, expected) => {
    expect(isGlobWithin({ text: inner }, { text: outer })).toBe(expected);
  });

  test('within another match no further name', () => {
    const glob = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 5 }).map((parts) => ({ text: parts.join('') }));
    const name = fc.array(fc.constantFrom('a', 'b'), { maxLength: 6 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(glob, glob, name, (inner, outer, text) => {
        fc.pre(isGlobWithin(inner, outer) && isGlobMatch(inner, text));
        return isGlobMatch(outer, text);
      }),
    );
  });

  test.each(['', 'Team', 'a/b', '[ab]', 'a b'])('refuses %j', (text) => {
    expect(parseGlob(text).ok).toBe(false);
  });
});
