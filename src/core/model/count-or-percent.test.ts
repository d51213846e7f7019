import { expect, test } from '@jest/globals';
import { resolveCount, formatCountOrPercent, parseCountOrPercent } from './count-or-percent.ts';

test.each([
  [3, 500, 3],
  ['10%', 500, 50],
  ['10%', 501, 51],
  ['7%', 1000, 70],
  ['10%', 20, 10],
  ['100%', 500, 500],
])('%j of %d workloads are %d', (value, total, expected) => {
  const read = parseCountOrPercent(value);
  expect(read.ok && resolveCount(read.value, total, 10)).toBe(expected);
  expect(read.ok && formatCountOrPercent(read.value)).toBe(String(value));
});

test.each([0, -1, 1.5, '0%', '101%', '10', 'ten', '10 %', ''])('%j is refused with the valid forms', (value) => {
  expect(parseCountOrPercent(value)).toEqual({
    ok: false,
    message: expect.stringMatching(/whole number of at least 1, or a percentage such as 10%/),
  });
});
