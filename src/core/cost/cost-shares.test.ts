import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sumCents, toCents } from './cents.ts';
import { costShares } from './cost-shares.ts';

test('cents add up at every level, whatever the amounts', () => {
  const amount = fc.double({ min: 0, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), amount, amount), { minLength: 1, maxLength: 30 }), (rows) => {
      const workloads = new Map(
        rows.map(([namespace, cost, share], index) => [
          `${namespace}/Deployment/w${index}`,
          { costPerMonthUsd: cost, usedCostPerMonthUsd: Math.min(cost, share) },
        ]),
      );
      const sumOf = (of: string | null) => {
        const own = [...workloads].filter(([key]) => of === null || key.startsWith(`${of}/`)).map(([, each]) => each);
        const add = (field: 'costPerMonthUsd' | 'usedCostPerMonthUsd') => own.reduce((sum, each) => sum + each[field], 0);
        return { costPerMonthUsd: add('costPerMonthUsd'), usedCostPerMonthUsd: add('usedCostPerMonthUsd') };
      };
      const namespaces = new Map([...new Set(rows.map(([namespace]) => namespace))].map((name) => [name, sumOf(name)]));
      const shares = costShares(sumOf(null), namespaces, workloads, (key) => key.split('/')[0]!);
      const all = [...shares.byNamespace.values()];
      expect(sumCents(all.map((each) => each.costPerMonthUsd))).toBe(shares.costPerMonthUsd);
      expect(sumCents(all.map((each) => each.wastePerMonthUsd!))).toBe(toCents(shares.costPerMonthUsd! - shares.usedCostPerMonthUsd!));
      for (const [name, { costPerMonthUsd }] of shares.byNamespace) {
        const own = [...shares.byWorkload].filter(([key]) => key.startsWith(`${name}/`)).map(([, cost]) => cost);
        expect(sumCents(own)).toBe(costPerMonthUsd);
      }
    }),
  );
});

test('a namespace without known usage has no waste, and the others keep theirs', () => {
  const namespaces = new Map([
    ['a', { costPerMonthUsd: 10, usedCostPerMonthUsd: 4 }],
    ['b', { costPerMonthUsd: 5, usedCostPerMonthUsd: null }],
  ]);
  const { byNamespace } = costShares({ costPerMonthUsd: 15, usedCostPerMonthUsd: null }, namespaces, new Map(), String);
  expect([...byNamespace.values()].map(({ wastePerMonthUsd }) => wastePerMonthUsd)).toEqual([6, null]);
});

test('pods of no workload are the rest of their namespace', () => {
  const amount = (cost: number) => ({ costPerMonthUsd: cost, usedCostPerMonthUsd: 0 });
  const workloads = new Map([['a/Deployment/web', amount(4)]]);
  const { byWorkload } = costShares(amount(10), new Map([['a', amount(10)]]), workloads, () => 'a');
  expect(byWorkload.get('a/Deployment/web')).toBe(4);
});
