import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mintApiKey, parseApiKey } from './api-key.ts';

/** Draws that a seed determines. */
function drawsOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const keys = fc.integer().map((seed) => mintApiKey(drawsOf(seed)));

describe('an API key', () => {
  test('has a prefix, an id of 12 characters, and a secret of 43 with a checksum of 6', () => {
    fc.assert(
      fc.property(keys, ({ id, text }) => {
        expect(text).toMatch(/^ek_[a-z0-9]{12}_[A-Za-z0-9]{49}$/);
        expect(parseApiKey(text)).toEqual({ id, text });
      }),
    );
  });

  test('uses every character of its alphabets', () => {
    const { text } = mintApiKey((below) => below - 1);
    expect(text.slice(0, -6)).toBe(`ek_${'9'.repeat(12)}_${'9'.repeat(43)}`);
  });

  test('with one character changed, dropped, repeated or in the other case is rejected', () => {
    const change = fc.constantFrom<(character: string) => string>(
      () => '',
      (character) => character + character,
      (character) => (character === 'x' ? 'y' : 'x'),
      (character) => (character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase()),
    );
    fc.assert(
      fc.property(keys, fc.nat(66), change, ({ text }, at, changed) => {
        const mistyped = text.slice(0, at) + changed(text.charAt(at)) + text.slice(at + 1);
        fc.pre(mistyped !== text);
        expect(parseApiKey(mistyped)).toBeNull();
      }),
    );
  });

  test('with anything around or within it is rejected', () => {
    const { text } = mintApiKey(drawsOf(1));
    const confusable = text.replace('ek', '\u0435k');
    for (const other of [
      '',
      'ek',
      'ek_',
      `${text} `,
      ` ${text}`,
      `${text}\n`,
      `${text}\0`,
      `${text}${text}`,
      confusable,
      text.toUpperCase(),
    ]) {
      expect(parseApiKey(other)).toBeNull();
    }
    expect(parseApiKey(text.normalize('NFKD').replace('_', '\uff3f'))).toBeNull();
    expect(parseApiKey('ek_'.repeat(100_000))).toBeNull();
  });

  test('is never read from arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseApiKey(text) === null));
  });
});
