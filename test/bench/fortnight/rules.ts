// Rules that compare the runs.

import type { FortnightFigures } from './ledger.ts';
import type { Sizer } from './run-fortnight.ts';

export type Runs = Readonly<Record<Sizer, FortnightFigures>>;

/** Share by which a figure is lower than in the run with the original sizes. */
export function shareFallen(runs: Runs, sizer: Sizer, pick: (figures: FortnightFigures) => number): number {
  return Math.round((1 - pick(runs[sizer]) / pick(runs.original)) * 1000) / 1000;
}

/** OOM kills of containers that have none with the original sizes, and so are caused by the sizer. */
export function newKills(runs: Runs, sizer: Sizer): number {
  const killed = new Set(runs.original.tallies.filter(({ oomKills }) => oomKills > 0).map(({ workload }) => workload));
  return runs[sizer].tallies.filter(({ workload }) => !killed.has(workload)).reduce((sum, { oomKills }) => sum + oomKills, 0);
}
