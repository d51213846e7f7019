import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sumCents } from './cents.ts';
import { billNodes, computeRunRate, type BilledNode } from './run-rate.ts';

const node = (machineType: string | null, perHourUsd: number | null, capacityType: 'spot' | 'on-demand' = 'on-demand'): BilledNode => ({
  machineType,
  capacityType,
  price: perHourUsd === null ? null : { perHourUsd, source: 'list price', estimate: false },
});

test('nodes of one machine type and price are one line, the most expensive first; a node without a price is in no line', () => {
  const nodes = [
    node('e2-standard-4', 0.134),
    node('n2-standard-8', 0.4),
    node('e2-standard-4', 0.134),
    node('e2-standard-4', 0.08, 'spot'),
  ];
  const { lines } = computeRunRate(billNodes([...nodes, node(null, null)]), { costPerMonthUsd: 0, usedCostPerMonthUsd: 0 });
  expect(lines.map(({ label, quantity }) => [label, quantity])).toEqual([
    ['n2-standard-8', 1],
    ['e2-standard-4', 2],
    ['e2-standard-4 spot', 1],
  ]);
});

test('without usage the used part of the requests is null', () => {
  const rate = computeRunRate(billNodes([node('e2-standard-4', 0.1)]), { costPerMonthUsd: 50, usedCostPerMonthUsd: null });
  expect(rate).toMatchObject({ usedPerMonthUsd: null, requestedUnusedPerMonthUsd: null, idlePerMonthUsd: 23 });
});

test('lines, and used, unused and idle cost, add up to the same cent', () => {
  const price = fc.double({ min: 0, max: 20, noNaN: true });
  fc.assert(
    fc.property(fc.array(price, { minLength: 1, maxLength: 20 }), fc.nat(1_000), fc.nat(1_000), (prices, costPerMonthUsd, used) => {
      const nodes = prices.map((perHourUsd, index) => node(`type-${index % 3}`, perHourUsd));
      const rate = computeRunRate(billNodes(nodes), { costPerMonthUsd, usedCostPerMonthUsd: used });
      const parts = [rate.usedPerMonthUsd!, rate.requestedUnusedPerMonthUsd!, rate.idlePerMonthUsd!];
      expect(sumCents(parts)).toBe(sumCents(rate.lines.map(({ perMonthUsd }) => perMonthUsd)));
    }),
  );
});
