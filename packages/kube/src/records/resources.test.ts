import { expect, test } from '@jest/globals';
import { addKnown, capAmount, greaterResources, raiseAmount, raiseResources, sumIfAllKnown, withDefaults } from './resources.ts';

test('an unknown amount is skipped in a sum', () => {
  expect([addKnown(1, 2), addKnown(1, null), addKnown(null, 2), addKnown(null, null)]).toEqual([3, 1, 2, null]);
});

test('a default replaces an absent amount, but not 0', () => {
  const defaults = { cpuMillicores: 7, memoryBytes: 8 };
  expect(withDefaults({ cpuMillicores: 0, memoryBytes: null }, defaults)).toEqual({ cpuMillicores: 0, memoryBytes: 8 });
});

test('takes the maximum per resource', () => {
  const [a, b] = [
    { cpuMillicores: 1, memoryBytes: null },
    { cpuMillicores: 2, memoryBytes: null },
  ];
  expect(greaterResources(a, { ...b, memoryBytes: 3 })).toEqual({ cpuMillicores: 2, memoryBytes: 3 });
  expect(greaterResources(a, b).memoryBytes).toBeNull();
});

test('an unset amount has no minimum and no maximum', () => {
  expect([raiseAmount(1, 2), raiseAmount(3, 2), raiseAmount(1, null), raiseAmount(null, 2)]).toEqual([2, 3, 1, null]);
  expect([capAmount(1, 2), capAmount(3, 2), capAmount(3, null), capAmount(null, 2)]).toEqual([1, 2, 3, null]);
  const amounts = { cpuMillicores: 1, memoryBytes: null };
  expect(raiseResources(amounts, { cpuMillicores: 2, memoryBytes: 2 })).toEqual({ cpuMillicores: 2, memoryBytes: null });
});

test('a sum is unknown where a part of it is', () => {
  expect([sumIfAllKnown([1, 2]), sumIfAllKnown([1, null]), sumIfAllKnown([])]).toEqual([3, null, 0]);
});
