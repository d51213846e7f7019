import { expect, test } from '@jest/globals';
import { canBeSatisfied } from './disruption-budget.ts';

const count = (value: number) => ({ kind: 'count', count: value }) as const;
const percent = (value: number) => ({ kind: 'percent', ratio: value / 100 }) as const;
const minAvailable = (value: ReturnType<typeof count | typeof percent>) => ({ minAvailable: value, maxUnavailable: null });
const maxUnavailable = (value: ReturnType<typeof count | typeof percent>) => ({ minAvailable: null, maxUnavailable: value });

test.each([
  ['minAvailable below the replicas', minAvailable(count(4)), true],
  ['minAvailable of all replicas', minAvailable(count(5)), false],
  ['minAvailable above the replicas', minAvailable(count(9)), false],
  ['minAvailable of none', minAvailable(count(0)), true],
  ['a percentage that allows one disruption', minAvailable(percent(80)), true],
  ['a percentage that rounds up to all replicas', minAvailable(percent(81)), false],
  ['maxUnavailable of one', maxUnavailable(count(1)), true],
  ['maxUnavailable of none', maxUnavailable(count(0)), false],
  ['a percentage of maxUnavailable that rounds up to one', maxUnavailable(percent(1)), true],
  ['maxUnavailable of 0 %', maxUnavailable(percent(0)), false],
  ['neither', { minAvailable: null, maxUnavailable: null }, false],
])('of five replicas, a budget with %s', (_, budget, can) => {
  expect(canBeSatisfied(budget, 5)).toBe(can);
});
