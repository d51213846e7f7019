import { describe, expect, test } from '@jest/globals';
import { laneBudgets, type BudgetSettings } from './lane-budget-settings.ts';

const UNSET: BudgetSettings = {
  'controller.reductionsPerMinute': 0,
  'controller.laneBudgets.user': 0,
  'controller.laneBudgets.schedule': 0,
  'controller.laneBudgets.interruption': 0,
};

function perMinute(settings: Partial<BudgetSettings>, nodes = 400): object {
  const budgets = laneBudgets({ ...UNSET, ...settings }, () => nodes);
  return Object.fromEntries(Object.entries(budgets).map(([lane, budget]) => [lane, budget()]));
}

describe('laneBudgets', () => {
  test('gives only lane optimize a budget by default', () => {
    expect(perMinute({})).toEqual({ optimize: 400 });
  });

  test('gives each lane the budget of its setting', () => {
    const settings = {
      'controller.reductionsPerMinute': 1,
      'controller.laneBudgets.user': 2,
      'controller.laneBudgets.schedule': 3,
      'controller.laneBudgets.interruption': 4,
    };
    expect(perMinute(settings)).toEqual({ optimize: 1, user: 2, schedule: 3, interruption: 4 });
  });

  test('lets the budget of lane optimize follow the number of nodes', () => {
    let nodes = 60;
    const { optimize } = laneBudgets(UNSET, () => nodes);
    expect(optimize?.()).toBe(60);
    nodes = 70;
    expect(optimize?.()).toBe(70);
  });
});
