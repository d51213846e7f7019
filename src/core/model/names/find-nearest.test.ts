import { expect, test } from '@jest/globals';
import { findNearest } from './find-nearest.ts';

test.each([
  ['shopp', ['shop', 'shipping'], 'shop'],
  ['exlude', ['exclude', 'mode'], 'exclude'],
  ['a', ['b', 'c'], undefined],
  ['payments', ['shop', 'web'], undefined],
  ['shop', [], undefined],
])('of %j, the nearest in %j is %j', (text, candidates, expected) => {
  expect(findNearest(text, candidates)).toBe(expected);
});

test('the first of equally near names is chosen', () => {
  expect(findNearest('web1', ['web2', 'web3'])).toBe('web2');
});
