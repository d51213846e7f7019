import { expect, test } from '@jest/globals';
import { fnv1a } from './fnv1a.ts';

// The test vectors of the authors of FNV (http://www.isthe.com/chongo/tech/comp/fnv/).
test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('FNV-1a of %j', (text, hash) => {
  expect(fnv1a(text)).toBe(hash);
});
