import { reductionsPerMinute } from '../../core/effects/gate.ts';
import type { ReductionsPerMinute } from '../../runtime/effects/lane-budgets.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** The settings of budgets. */
export type BudgetSettings = Pick<
  Settings,
  | 'controller.reductionsPerMinute'
  | 'controller.laneBudgets.user'
  | 'controller.laneBudgets.schedule'
  | 'controller.laneBudgets.interruption'
>;

/**
 * The budgets by lane: `optimize` always has one, others where a setting sets one. `safety` has none, because a delayed roll-back prolongs
 * the regression.
 *
 * @param countNodes the number of nodes, which is the budget of `optimize` where no setting sets it
 */
export function laneBudgets(settings: BudgetSettings, countNodes: () => number): ReductionsPerMinute {
  return {
    optimize: () => reductionsPerMinute(settings['controller.reductionsPerMinute'], countNodes()),
    ...budgetOf('user', settings['controller.laneBudgets.user']),
    ...budgetOf('schedule', settings['controller.laneBudgets.schedule']),
    ...budgetOf('interruption', settings['controller.laneBudgets.interruption']),
  };
}

function budgetOf(lane: keyof ReductionsPerMinute, perMinute: number): ReductionsPerMinute {
  return perMinute === 0 ? {} : { [lane]: () => perMinute };
}
