import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sumCents, toCents } from './cents.ts';
import { computeCostShares, type CostShares } from './cost-shares.ts';

function sharesOf(...input: Parameters<typeof computeCostShares>): CostShares {
  const steps = computeCostShares(...input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

test('cents add up at every level for any amounts', () => {
  const amount = fc.double({ min: 0, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), amount, amount), { minLength: 1, maxLength: 30 }), (rows) => {
      const workloads = new Map(
        rows.map(([namespace, cost, share], index) => [
          `${namespace}/Deployment/w${index}`,
          { costPerMonthUsd: cost, usedCostPerMonthUsd: Math.min(cost, share) },
        ]),
      );
      const sumOf = (namespace: string | null) => {
        const costs = [...workloads].filter(([key]) => namespace === null || key.startsWith(`${namespace}/`)).map(([, cost]) => cost);
        const add = (field: 'costPerMonthUsd' | 'usedCostPerMonthUsd') => costs.reduce((sum, cost) => sum + cost[field], 0);
        return { costPerMonthUsd: add('costPerMonthUsd'), usedCostPerMonthUsd: add('usedCostPerMonthUsd') };
      };
      const namespaces = new Map([...new Set(rows.map(([namespace]) => namespace))].map((name) => [name, sumOf(name)]));
      const shares = sharesOf(sumOf(null), namespaces, workloads, (key) => key.split('/')[0]!);
      const all = [...shares.byNamespace.values()];
      expect(sumCents(all.map((share) => share.costPerMonthUsd))).toBe(shares.costPerMonthUsd);
      expect(sumCents(all.map((share) => share.wastePerMonthUsd!))).toBe(toCents(shares.costPerMonthUsd! - shares.usedCostPerMonthUsd!));
      for (const [name, { costPerMonthUsd }] of shares.byNamespace) {
        const workloadCosts = [...shares.byWorkload].filter(([key]) => key.startsWith(`${name}/`)).map(([, cost]) => cost);
        expect(sumCents(workloadCosts)).toBe(costPerMonthUsd);
      }
    }),
  );
});

test('a namespace without usage has no waste, and the others have theirs', () => {
  const namespaces = new Map([
    ['a', { costPerMonthUsd: 10, usedCostPerMonthUsd: 4 }],
    ['b', { costPerMonthUsd: 5, usedCostPerMonthUsd: null }],
  ]);
  const { byNamespace } = sharesOf({ costPerMonthUsd: 15, usedCostPerMonthUsd: null }, namespaces, new Map(), String);
  expect([...byNamespace.values()].map(({ wastePerMonthUsd }) => wastePerMonthUsd)).toEqual([6, null]);
});

test('pods without a workload are the remainder of their namespace', () => {
  const amount = (cost: number) => ({ costPerMonthUsd: cost, usedCostPerMonthUsd: 0 });
  const workloads = new Map([['a/Deployment/web', amount(4)]]);
  const { byWorkload } = sharesOf(amount(10), new Map([['a', amount(10)]]), workloads, () => 'a');
  expect(byWorkload.get('a/Deployment/web')).toBe(4);
});
