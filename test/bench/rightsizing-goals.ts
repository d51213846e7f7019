// The figures that right-sizing is to reach, as rules over what a backtest says: each names its goal and whether the
// figures reach it.

import type { Goal } from '../../src/core/rightsizing/advice.ts';
import type { Resource } from '../../src/core/backtest/time-grid.ts';
import type { Figures } from '../../src/core/backtest/score.ts';
import type { OverallFigures } from '../../src/cli/backtest/summary.ts';

export interface BenchSetting {
  readonly goal: Goal;
  readonly calm: boolean;
}

/** One figure held to its goal. */
export interface JudgedFigure {
  readonly goalOf: string;
  readonly of: string;
  readonly value: number | null;
  readonly vpa: number;
  /** Evenkeel's figure over VPA's, less 1; null where VPA's is 0. */
  readonly change: number | null;
  readonly goal: string;
  readonly reached: boolean;
}

interface Rule {
  readonly goalOf: string;
  readonly sets: readonly string[];
  readonly resource: Resource;
  readonly figure: keyof Figures;
  readonly applies: (setting: BenchSetting) => boolean;
  readonly goal: (set: string) => { readonly text: string; readonly reached: (ours: number, vpa: number) => boolean };
}

const LONG_RUNNING = ['bitbrains-rnd', 'google-borg-2011'];
const BURSTY = ['nab-aws', 'crane-dsp', 'cloud-pools'];

/** The setting of a policy that says nothing. */
export function isDefault({ goal, calm }: BenchSetting): boolean {
  return goal === 'Balanced' && !calm;
}

const hourly = ({ calm }: BenchSetting): boolean => !calm;
const calm = ({ calm }: BenchSetting): boolean => calm;

const lower = (share: number) => ({
  text: `at least ${share * 100} % lower than VPA + updater`,
  reached: (ours: number, vpa: number) => ours <= vpa * (1 - share),
});
const atMost = (factor: number) => ({
  text: factor === 1 ? 'no higher than VPA + updater' : `at most ${factor} × VPA + updater`,
  reached: (ours: number, vpa: number) => ours <= vpa * factor,
});

function rules(
  goalOf: string,
  sets: readonly string[],
  resource: Resource,
  applies: Rule['applies'],
  goals: Partial<Record<keyof Figures, Rule['goal']>>,
): Rule[] {
  return Object.entries(goals).map(([figure, goal]) => ({ goalOf, sets, resource, applies, figure: figure as keyof Figures, goal }));
}

const RULES: readonly Rule[] = [
  ...rules('CPU, long-running services', LONG_RUNNING, 'cpu', hourly, {
    slack: () => lower(0.25),
    overrun: () => atMost(1),
    worstDecileOverrun: () => atMost(1),
    unserved: () => atMost(1),
    sparePerUsed: (set) => lower(set === 'bitbrains-rnd' ? 0.5 : 0.35),
  }),
  ...rules('CPU, bursty or shifting', BURSTY, 'cpu', hourly, {
    overrun: () => lower(0.35),
    unserved: () => lower(0.6),
    slack: () => atMost(1.05),
  }),
  ...rules('CPU, one default setting for everything', [...LONG_RUNNING, ...BURSTY], 'cpu', isDefault, { costJ: () => lower(0.35) }),
  ...rules('CPU, one default setting for everything', LONG_RUNNING, 'cpu', isDefault, { slack: () => lower(0.12) }),
  ...rules('memory', LONG_RUNNING, 'memory', hourly, {
    slack: (set) => lower(set === 'bitbrains-rnd' ? 0.05 : 0.2),
    episodesPerWeek: () => atMost(1.1),
  }),
  ...rules('calm mode', ['bitbrains-rnd'], 'cpu', calm, {
    slack: () => lower(0.08),
    overrun: () => lower(0.4),
    changesPerDay: () => ({ text: 'at most 4 a day', reached: (ours) => ours <= 4 }),
  }),
];

/** What the goals ask of this set at this setting. */
export function judge(set: string, resource: Resource, setting: BenchSetting, overall: OverallFigures): JudgedFigure[] {
  const { evenkeel, vpa } = overall.methods;
  return RULES.filter((rule) => rule.sets.includes(set) && rule.resource === resource && rule.applies(setting)).map((rule) => {
    const { text, reached } = rule.goal(set);
    const [ours, theirs] = [evenkeel[rule.figure], vpa[rule.figure]];
    const change = overall.againstVpa[rule.figure];
    return { goalOf: rule.goalOf, of: rule.figure, value: ours, vpa: theirs, change, goal: text, reached: reached(ours, theirs) };
  });
}
