import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sumCents, toCents } from './cents.ts';
import { shareCost } from './cost-shares.ts';

const AMOUNT = fc.double({ min: 0, max: 1e4, noNaN: true });

test('cents of workloads add up to the cent of their namespace for any amounts', () => {
  fc.assert(
    fc.property(fc.array(AMOUNT, { maxLength: 30 }), (amounts) => {
      const total = amounts.reduce((sum, amount) => sum + amount, 0);
      const shares = shareCost(total, new Map(amounts.map((amount, index) => [index, amount])));
      expect(sumCents(shares.values())).toBe(toCents(total));
    }),
  );
});

test('pods without a workload are the remainder of their namespace', () => {
  expect(shareCost(10, new Map([['web', 4]]))).toEqual(new Map([['web', 4]]));
});
