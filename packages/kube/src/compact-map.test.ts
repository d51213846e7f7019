import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactMap } from './compact-map.ts';

const keys = fc.integer({ min: 0, max: 60 }).map((number) => `k${number}`);
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ set: keys, value: fc.integer() }) },
    { weight: 2, arbitrary: fc.record({ delete: keys }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  ),
  { maxLength: 200 },
);

test('is a Map in order of insertion, with few entries and with many', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const [compact, map] = [new CompactMap<number>(), new Map<string, number>()];
      for (const step of given) {
        if (step === 'clear') [compact, map].forEach((each) => each.clear());
        else if ('set' in step) [compact, map].forEach((each) => each.set(step.set, step.value));
        else [compact, map].forEach((each) => each.delete(step.delete));
        expect([...compact.entries()]).toEqual([...map]);
        expect(compact.size).toBe(map.size);
      }
      expect([[...compact.keys()], [...compact.values()]]).toEqual([[...map.keys()], [...map.values()]]);
      for (let number = 0; number <= 60; number += 1) {
        const key = `k${number}`;
        expect([compact.get(key), compact.has(key)]).toEqual([map.get(key), map.has(key)]);
      }
    }),
  );
});

test('a key keeps the value undefined', () => {
  const compact = new CompactMap<undefined>();
  compact.set('a', undefined);
  expect([compact.has('a'), compact.size]).toEqual([true, 1]);
});
