import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isGlobMatch, parseGlob } from './glob.ts';

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

  test.each(['', 'Team', 'a/b', '[ab]', 'a b'])('refuses %j', (text) => {
    expect(parseGlob(text).ok).toBe(false);
  });
});
