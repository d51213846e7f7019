import { expect, test } from '@jest/globals';
import { amounts } from '../../../test/builders/rightsizing.ts';
import { explainSavings, type PricedPart, type SourcedPrice } from './explain-savings.ts';

const price = (perCoreHourUsd: number): SourcedPrice => ({ perCoreHourUsd, perGiBHourUsd: 0.01, source: `list of ${perCoreHourUsd}` });
const web = { name: 'web', current: { requests: amounts('2', '2Gi') }, recommended: { requests: amounts('1', '3Gi') } };
const part = (change: Partial<PricedPart> = {}): PricedPart => ({
  where: null,
  containers: [web],
  podPrices: [price(0.1), price(0.1)],
  ...change,
});

test('a line is pods × freed amount per pod × price of the node', () => {
  expect(explainSavings({ savingsPerMonthUsd: 131.4 }, [part()])).toEqual({
    lines: [
      { label: 'web: 2 pods × 1 cores × $73.000', perMonthUsd: 146 },
      { label: 'web: 2 pods × −1 GiB × $7.300', perMonthUsd: -14.6 },
    ],
    totalPerMonthUsd: 131.4,
    priceSource: 'list of 0.1',
  });
});

test('pods with another price, or in another node class, have separate lines', () => {
  const parts = [part({ where: 'spot', podPrices: [price(0.1), price(0.2)] })];
  const { lines, priceSource } = explainSavings({ savingsPerMonthUsd: 204.4 }, parts);
  expect(lines.map(({ label }) => label.split(' ×')[0])).toEqual(Array.from({ length: 4 }, () => 'web on spot: 1 pod'));
  expect(priceSource).toBe('list of 0.1; list of 0.2');
});

test('the last line has the difference to the decided savings', () => {
  const { lines } = explainSavings({ savingsPerMonthUsd: 100 }, [part()]);
  expect(lines.at(-1)).toEqual({ label: 'Changes of replicas or prices since the decision', perMonthUsd: -31.4 });
});

test('a resource without a recommendation has no line', () => {
  const cpuOnly = { ...web, recommended: { requests: amounts('1', null) } };
  expect(explainSavings({ savingsPerMonthUsd: 146 }, [part({ containers: [cpuOnly] })]).lines).toHaveLength(1);
});

test('without savings, or without prices, there are no lines', () => {
  expect(explainSavings({ savingsPerMonthUsd: null }, [part()]).lines).toEqual([]);
  expect(explainSavings({ savingsPerMonthUsd: 5 }, [part({ podPrices: [] })])).toEqual({
    lines: [],
    totalPerMonthUsd: 5,
    priceSource: null,
  });
});
