import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addedBySteps } from './explanation-step.ts';

test('what steps add is the way from one total to the next, the first from nothing', () => {
  expect(addedBySteps([{ total: 200 }, { total: 230 }, { total: 180 }])).toEqual([200, 30, -50]);
  expect(addedBySteps([])).toEqual([]);
});

test('what steps add is the last total together', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), (totals) => {
      const added = addedBySteps(totals.map((total) => ({ total })));
      expect(added.reduce((sum, each) => sum + each, 0)).toBe(totals.at(-1));
    }),
  );
});
