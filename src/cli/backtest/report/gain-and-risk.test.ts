import { expect, test } from '@jest/globals';
import { type Method, METHODS } from '../../../core/backtest/methods.ts';
import { someFigures } from '../../../../test/builders/backtest.ts';
import type { MethodTotals } from '../../../core/backtest/score.ts';
import { gainAndRisk } from './gain-and-risk.ts';

test('describes savings and risk in one sentence', () => {
  const same = someFigures({ refusedOverrun: 0.03 });
  const methods = Object.fromEntries(METHODS.map((method) => [method, same])) as Record<Method, MethodTotals>;
  const ours = { ...methods, evenkeel: { ...same, slack: 0.4, overrun: 0.01, refusedOverrun: 0.015 } };
  expect(gainAndRisk('cpu', { methods: ours })).toBe(
    'CPU: 20 % less of the requests would be unused than with VPA and its updater, and usage would be above the request 1.00 % of the time instead of 2.00 %; where full nodes refuse increases for 90 minutes a day, 1.50 % (VPA in place: 3.00 %).',
  );
});
