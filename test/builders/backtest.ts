import type { MethodTotals } from '../../src/core/backtest/score.ts';

/** Scores of one method on one set of recordings. */
export function someFigures(figures: Partial<MethodTotals> = {}): MethodTotals {
  return {
    slack: 0.5,
    sparePerUsed: 1,
    overrun: 0.02,
    worstDecileOverrun: 0.05,
    unserved: 0.03,
    episodesPerWeek: 1,
    changesPerDay: 0.4,
    costJ: 2,
    refusedOverrun: 0.02,
    ...figures,
  };
}
