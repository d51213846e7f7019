import { expect, test } from '@jest/globals';
import { amounts } from '../../../test/builders/rightsizing.ts';
import { savingsArithmetic, type PricedPart, type SourcedPrice } from './savings-lines.ts';

const price = (perCoreHourUsd: number): SourcedPrice => ({ perCoreHourUsd, perGiBHourUsd: 0.01, source: `list of ${perCoreHourUsd}` });
const web = { name: 'web', current: { requests: amounts('2', '2Gi') }, recommended: { requests: amounts('1', '3Gi') } };
const part = (change: Partial<PricedPart> = {}): PricedPart => ({
  where: null,
  containers: [web],
  podPrices: [price(0.1), price(0.1)],
  ...change,
});

test('a change is pods × what each gives back × the price of its node', () => {
  expect(savingsArithmetic({ savingsPerMonthUsd: 131.4 }, [part()])).toEqual({
    lines: [
      { label: 'web: 2 pods × 1 cores × $73.000', perMonthUsd: 146 },
      { label: 'web: 2 pods × −1 GiB × $7.300', perMonthUsd: -14.6 },
    ],
    totalPerMonthUsd: 131.4,
    priceSource: 'list of 0.1',
  });
});

test('pods under another price, and of another class of nodes, have lines of their own', () => {
  const parts = [part({ where: 'spot', podPrices: [price(0.1), price(0.2)] })];
  const { lines, priceSource } = savingsArithmetic({ savingsPerMonthUsd: 204.4 }, parts);
  expect(lines.map(({ label }) => label.split(' ×')[0])).toEqual(Array.from({ length: 4 }, () => 'web on spot: 1 pod'));
  expect(priceSource).toBe('list of 0.1; list of 0.2');
});

test('a last line carries the difference to the savings that were decided', () => {
  const { lines } = savingsArithmetic({ savingsPerMonthUsd: 100 }, [part()]);
  expect(lines.at(-1)).toEqual({ label: 'Replicas or prices since it was decided', perMonthUsd: -31.4 });
});

test('a resource that nothing is recommended of frees nothing', () => {
  const kept = { ...web, recommended: { requests: amounts('1', null) } };
  expect(savingsArithmetic({ savingsPerMonthUsd: 146 }, [part({ containers: [kept] })]).lines).toHaveLength(1);
});

test('without savings, or a pod with a price, there are no lines', () => {
  expect(savingsArithmetic({ savingsPerMonthUsd: null }, [part()]).lines).toEqual([]);
  expect(savingsArithmetic({ savingsPerMonthUsd: 5 }, [part({ podPrices: [] })])).toEqual({
    lines: [],
    totalPerMonthUsd: 5,
    priceSource: null,
  });
});
