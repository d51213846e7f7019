// Figures of right-sizing that the regression check compares at one setting.

import type { Goal, Pace } from '../../src/core/recommender/advice.ts';
import type { MethodTotals } from '../../src/core/backtest/score.ts';
import type { Resource } from '../../src/core/backtest/time-grid.ts';
import type { OverallTotals } from '../../src/cli/backtest/report/summary.ts';
import type { Figure } from './figures.ts';
import type { BenchSetting } from './rightsizing-goals.ts';

const GOALS: readonly Goal[] = ['Balanced', 'Savings', 'Safe'];
const PACES: readonly Pace[] = ['Daily', 'Hourly'];

/** Every goal with every pace, the default of a policy first. */
export const SETTINGS: readonly BenchSetting[] = PACES.flatMap((pace) => GOALS.map((goal) => ({ goal, pace })));

/** Figures that are compared with VPA and its updater; each is worse when it grows. */
const AGAINST_VPA = ['slack', 'sparePerUsed', 'overrun', 'unserved', 'costJ'] as const satisfies readonly (keyof MethodTotals)[];
/** An overrun of memory is a few slots, of which one more would be a tenth. */
const OF_MEMORY: readonly (keyof MethodTotals)[] = ['slack', 'costJ'];
/** CPU figures that are compared with VPA in place, which also raises within the hour. */
const AGAINST_IN_PLACE = ['overrun', 'refusedOverrun'] as const satisfies readonly (keyof MethodTotals)[];

/** Ratio of Evenkeel's figure to that of VPA in place, minus 1; null when the latter is 0. */
export function againstVpaInPlace({
  methods: { evenkeel, vpaInPlace },
}: Pick<OverallTotals, 'methods'>): Readonly<Record<(typeof AGAINST_IN_PLACE)[number], number | null>> {
  const change = (figure: keyof MethodTotals) => (vpaInPlace[figure] > 0 ? evenkeel[figure] / vpaInPlace[figure] - 1 : null);
  return { overrun: change('overrun'), refusedOverrun: change('refusedOverrun') };
}

/** Figures of a set at one setting, as figures.json records them. */
export function recordedFigures(
  about: { readonly set: string; readonly resource: Resource; readonly setting: BenchSetting; readonly input: string },
  overall: Pick<OverallTotals, 'methods' | 'againstVpa'>,
): readonly Figure[] {
  const { set, resource, setting, input } = about;
  const figures: Figure[] = [];
  const record = (name: string, value: number | null, unit: Figure['unit']) => {
    const id = `rightsizing/${set}/${resource}/${setting.goal}-${setting.pace}/${name}`;
    if (value !== null) figures.push({ id, value: Number(value.toFixed(4)), unit, input });
  };
  for (const figure of AGAINST_VPA) {
    if (resource === 'cpu' || OF_MEMORY.includes(figure)) record(figure, overall.againstVpa[figure], 'changeAgainstVpa');
  }
  if (resource === 'memory') return figures;
  const inPlace = againstVpaInPlace(overall);
  for (const figure of AGAINST_IN_PLACE) record(`inPlace/${figure}`, inPlace[figure], 'changeAgainstVpa');
  record('changesPerDay', overall.methods.evenkeel.changesPerDay, 'ratio');
  return figures;
}
