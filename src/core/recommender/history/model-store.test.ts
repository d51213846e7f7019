import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ModelStore } from './model-store.ts';

const SECTIONS = 4;

test('a section keeps its bytes while any section grows or shrinks, and new bytes are 0', () => {
  const resizes = fc.array(fc.tuple(fc.nat({ max: SECTIONS - 1 }), fc.nat({ max: 100 })), { maxLength: 30 });
  fc.assert(
    fc.property(resizes, (steps) => {
      const store = new ModelStore();
      const sections = Array.from({ length: SECTIONS }, () => store.addSection());
      const expected: number[][] = sections.map(() => []);
      for (const [step, [index, length]] of steps.entries()) {
        const section = sections[index]!;
        section.resize(length);
        const rounded = Math.ceil(length / 8) * 8;
        expected[index] = Array.from({ length: rounded }, (_, at) => expected[index]![at] ?? 0);
        if (rounded > 0) section.bytes()[0] = expected[index][0] = step + 1;
        expect(sections.map((each) => [...each.bytes()])).toEqual(expected);
      }
    }),
  );
});

test('views of the whole store have the numbers of a section at its first place', () => {
  const store = new ModelStore();
  const [first, second] = [store.addSection(), store.addSection()];
  second.resize(16);
  first.resize(24);
  second.floats[second.firstFloat + 1] = 1.5;
  expect(new Float32Array(second.bytes().buffer, 24, 4)).toEqual(Float32Array.of(0, 1.5, 0, 0));
  expect([second.firstCode, second.codeCount, second.codes[second.firstCode + 3]]).toEqual([12, 8, 0x3fc0]);
});
