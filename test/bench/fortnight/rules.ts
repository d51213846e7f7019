// What is asked of the runs together.

import type { FortnightFigures } from './ledger.ts';
import type { Sizer } from './run-fortnight.ts';

export type Runs = Readonly<Record<Sizer, FortnightFigures>>;

/** By what share a figure is lower than with the original sizes in the same time. */
export function shareFallen(runs: Runs, sizer: Sizer, pick: (figures: FortnightFigures) => number): number {
  return Math.round((1 - pick(runs[sizer]) / pick(runs.original)) * 1000) / 1000;
}

/** OOM kills of containers that were never killed with the original sizes: the harm that a sizer did itself. */
export function newKills(runs: Runs, sizer: Sizer): number {
  const killed = new Set(runs.original.tallies.filter(({ oomKills }) => oomKills > 0).map(({ workload }) => workload));
  return runs[sizer].tallies.filter(({ workload }) => !killed.has(workload)).reduce((sum, { oomKills }) => sum + oomKills, 0);
}
