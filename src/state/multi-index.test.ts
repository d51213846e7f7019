import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MultiIndex } from './multi-index.ts';

test('has the members of a map of each group, in its order, whether a group is small or large', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat({ max: 60 }), fc.option(fc.nat())), { maxLength: 400 });
  fc.assert(
    fc.property(changes, (steps) => {
      const index = new MultiIndex<number>();
      const groups = new Map([
        ['a', new Map<string, number>()],
        ['b', new Map<string, number>()],
      ]);
      for (const [group, key, value] of steps) {
        if (value === null) index.delete(group, String(key));
        else index.set(group, String(key), value);
        if (value === null) groups.get(group)!.delete(String(key));
        else groups.get(group)!.set(String(key), value);
      }
      for (const [group, members] of groups) {
        expect([...index.of(group)]).toEqual([...members.values()]);
        expect(index.count(group)).toBe(members.size);
      }
      expect([...index.groups()].sort()).toEqual([...groups].filter(([, { size }]) => size > 0).map(([group]) => group));
    }),
  );
});
