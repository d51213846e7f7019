import { reductionsPerMinute } from '../../core/effects/gate.ts';
import type { ReductionsPerMinute } from '../../runtime/lane-budgets.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** The settings that budgets are read from. */
export type BudgetSettings = Pick<
  Settings,
  | 'controller.reductionsPerMinute'
  | 'controller.laneBudgets.user'
  | 'controller.laneBudgets.schedule'
  | 'controller.laneBudgets.interruption'
>;

/**
 * The budget of each lane that has one: of `optimize` always, of others where a setting gives one. `safety` has none, because a
 * roll-back that waits prolongs the harm.
 *
 * @param countNodes the budget of `optimize` follows the number of nodes where no setting fixes it
 */
export function budgetsOfLanes(settings: BudgetSettings, countNodes: () => number): ReductionsPerMinute {
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
