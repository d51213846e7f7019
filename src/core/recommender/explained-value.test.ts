import { expect, test } from '@jest/globals';
import { marginText } from './explained-value.ts';

test.each([
  [0.05, 'safety margin +5 %'],
  [0.075, 'safety margin +7.5 %'],
  [-0.03, 'safety margin −3 %'],
])('a margin of %s is %s', (share, expected) => {
  expect(marginText(share)).toBe(expected);
});
