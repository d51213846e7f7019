import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { centsOrNull, roundParts, sumCents, toCents } from './cents.ts';

test.each([
  [1.005, 1.01],
  [-1.005, -1.01],
  [0.004, 0],
  [-0.001, 0],
])('%d is %d to the cent', (amount, cents) => {
  expect(toCents(amount)).toBe(cents);
  expect(centsOrNull(amount)).toBe(cents);
});

test('null stays null', () => {
  expect(centsOrNull(null)).toBeNull();
});

test('cents are summed without floating-point error', () => {
  expect(sumCents(Array.from({ length: 10 }, () => 0.1))).toBe(1);
});

test('parts add up to the rounded total, to the cent', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e5, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 20 }), (parts) => {
      const total = parts.reduce((sum, part) => sum + part, 0);
      const rounded = roundParts(parts, total);
      expect(sumCents(rounded)).toBeCloseTo(toCents(total), 9);
    }),
  );
});

test('the largest part takes the remainder', () => {
  expect(roundParts([0.333, 0.333, 5.334], 6)).toEqual([0.33, 0.33, 5.34]);
  expect(roundParts([], 0)).toEqual([]);
});
