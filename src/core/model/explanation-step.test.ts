import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stepDifferences } from './explanation-step.ts';

test('differences of steps are between successive totals, the first from 0', () => {
  expect(stepDifferences([{ total: 200 }, { total: 230 }, { total: 180 }])).toEqual([200, 30, -50]);
  expect(stepDifferences([])).toEqual([]);
});

test('differences of steps add up to the last total', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), (totals) => {
      const added = stepDifferences(totals.map((total) => ({ total })));
      expect(added.reduce((sum, difference) => sum + difference, 0)).toBe(totals.at(-1));
    }),
  );
});
