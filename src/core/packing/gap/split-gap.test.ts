import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type GapStep, roundParts, splitGap } from './split-gap.ts';

const STEPS: readonly GapStep[] = [
  { cause: 'fragmentation', usdPerHour: 7 },
  { cause: 'immovable-pods', usdPerHour: 5 },
  { cause: 'policy', usdPerHour: 4.5 },
];

describe('the gap between the cost now and the lower bound', () => {
  test('is split by what each packing is free of', () => {
    expect(splitGap(10, STEPS, 4)).toEqual([
      { cause: 'fragmentation', usdPerHour: 3 },
      { cause: 'immovable-pods', usdPerHour: 2 },
      { cause: 'policy', usdPerHour: 0.5 },
      { cause: 'not-proven', usdPerHour: 0.5 },
    ]);
  });

  test('has no part for a packing that was not found, or that costs more than a stricter one', () => {
    const steps: GapStep[] = [
      { cause: 'fragmentation', usdPerHour: null },
      { cause: 'immovable-pods', usdPerHour: 12 },
    ];
    expect(splitGap(10, steps, 4).map(({ usdPerHour }) => usdPerHour)).toEqual([0, 0, 6]);
  });

  test('counts pending pods against it', () => {
    const steps: GapStep[] = [
      { cause: 'fragmentation', usdPerHour: 6 },
      { cause: 'pending-pods', usdPerHour: 8 },
    ];
    expect(splitGap(10, steps, 8).map(({ usdPerHour }) => usdPerHour)).toEqual([4, -2, 0]);
  });

  const amount = fc.double({ min: 0, max: 1e5, noNaN: true });
  const anySteps = fc.array(
    fc.record({
      cause: fc.constantFrom('fragmentation' as const, 'pending-pods' as const, 'policy' as const),
      usdPerHour: fc.option(amount),
    }),
  );

  test('adds up, whatever the packings cost, also where it is rounded', () => {
    fc.assert(
      fc.property(amount, anySteps, fc.double({ min: 0, max: 1, noNaN: true }), (now, steps, share) => {
        const costs = steps.flatMap(({ usdPerHour }) => usdPerHour ?? []);
        const bound = share * Math.min(now, ...costs);
        const parts = splitGap(now, steps, bound);
        const sum = parts.reduce((total, { usdPerHour }) => total + usdPerHour, 0);
        expect(sum).toBeCloseTo(now - bound, 6);
        const rounded = roundParts(parts, 2).reduce((total, part) => total + Math.round(part * 100), 0);
        expect(rounded).toBe(Math.round(sum * 100));
        for (const { cause, usdPerHour } of parts) if (cause !== 'pending-pods') expect(usdPerHour).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
