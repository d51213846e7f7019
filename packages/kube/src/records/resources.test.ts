import { expect, test } from '@jest/globals';
import { addKnown, greaterResources, withDefaults } from './resources.ts';

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
