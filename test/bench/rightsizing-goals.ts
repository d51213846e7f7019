// Goals of right-sizing as rules over the totals of a backtest.

import type { Goal, Pace } from '../../src/core/recommender/advice.ts';
import type { Method } from '../../src/core/backtest/methods.ts';
import type { Resource } from '../../src/core/backtest/time-grid.ts';
import type { MethodTotals } from '../../src/core/backtest/score.ts';
import type { OverallTotals } from '../../src/cli/backtest/report/summary.ts';

export interface BenchSetting {
  readonly goal: Goal;
  readonly pace: Pace;
}

/** A figure compared with its goal. */
export interface JudgedFigure {
  readonly goalOf: string;
  readonly of: string;
  readonly value: number;
  /** The same figure of the method it is compared with. */
  readonly other: number;
  /** Ratio of Evenkeel's figure to the other's, minus 1; null when the other's is 0. */
  readonly change: number | null;
  readonly goal: string;
  readonly reached: boolean;
}

interface Compared {
  readonly text: string;
  readonly isReached: (ours: number, other: number) => boolean;
}

interface Rule {
  readonly goalOf: string;
  readonly sets: readonly string[];
  readonly resource: Resource;
  readonly isApplicable: (setting: BenchSetting) => boolean;
  readonly against: Method;
  /** The method of Evenkeel that is judged. */
  readonly of: Method;
  readonly figure: keyof MethodTotals;
  readonly goal: (set: string) => Compared;
}

const LONG_RUNNING = ['bitbrains-rnd', 'google-borg-2011'];
const BURSTY = ['nab-aws', 'crane-dsp', 'cloud-pools'];
const ALL = [...LONG_RUNNING, ...BURSTY];

/** Whether this is the setting of a policy without fields. */
export function isDefault({ goal, pace }: BenchSetting): boolean {
  return goal === 'Balanced' && pace === 'Daily';
}

function isHourly({ goal, pace }: BenchSetting): boolean {
  return goal === 'Balanced' && pace === 'Hourly';
}

const percent = (share: number) => Math.round(share * 1000) / 10;
const lower = (share: number): Compared => ({
  text: `at least ${percent(share)} % lower`,
  isReached: (ours, other) => ours <= other * (1 - share),
});
const atMost = (factor: number): Compared => ({
  text: factor === 1 ? 'no higher' : factor < 1 ? `at most ${factor} ×` : `at most ${percent(factor - 1)} % higher`,
  isReached: (ours, other) => ours <= other * factor,
});
const changesAtMost = (max: number): Compared => ({ text: `at most ${max} a day`, isReached: (ours) => ours <= max });

interface RuleHead extends Pick<Rule, 'goalOf' | 'sets' | 'resource' | 'isApplicable' | 'against'> {
  readonly of?: Method;
}

function rules(head: RuleHead, goals: Partial<Record<keyof MethodTotals, Rule['goal']>>): Rule[] {
  return Object.entries(goals).map(([figure, goal]) => ({ of: 'evenkeel', ...head, figure: figure as keyof MethodTotals, goal }));
}

const DAILY_SLACK: Readonly<Record<string, Compared>> = {
  'google-borg-2011': lower(0.12),
  'nab-aws': lower(0.05),
  'bitbrains-rnd': atMost(1.03),
  'crane-dsp': atMost(1.03),
  'cloud-pools': atMost(1.12),
};
const cpu = { resource: 'cpu', sets: ALL } as const;

const RULES: readonly Rule[] = [
  ...rules(
    { ...cpu, goalOf: 'CPU, pace Daily, against VPA + updater', isApplicable: isDefault, against: 'vpa' },
    {
      overrun: () => lower(0.55),
      unserved: () => lower(0.75),
      costJ: () => lower(0.12),
      slack: (set) => DAILY_SLACK[set] ?? atMost(1),
    },
  ),
  ...rules(
    {
      ...cpu,
      goalOf: 'CPU, pace Daily: changes',
      sets: ALL.filter((set) => set !== 'cloud-pools'),
      isApplicable: isDefault,
      against: 'vpa',
    },
    { changesPerDay: () => changesAtMost(5) },
  ),
  // Either less overrun at equal slack, or less slack at no more unserved usage.
  ...rules(
    {
      ...cpu,
      goalOf: 'CPU, pace Daily, against VPA in place',
      sets: ['bitbrains-rnd', 'crane-dsp', 'cloud-pools'],
      isApplicable: isDefault,
      against: 'vpaInPlace',
    },
    { overrun: () => lower(0.15), slack: (set) => atMost(set === 'cloud-pools' ? 1.07 : 1.01) },
  ),
  ...rules(
    {
      ...cpu,
      goalOf: 'CPU, pace Daily, against VPA in place',
      sets: ['google-borg-2011', 'nab-aws'],
      isApplicable: isDefault,
      against: 'vpaInPlace',
    },
    { slack: () => lower(0.12), unserved: () => atMost(1) },
  ),
  ...rules(
    {
      ...cpu,
      goalOf: 'CPU, pace Daily, raises refused for 90 min',
      isApplicable: isDefault,
      against: 'vpaInPlace',
    },
    { refusedOverrun: () => atMost(1) },
  ),
  ...rules(
    { ...cpu, goalOf: 'CPU with its gates', isApplicable: isDefault, of: 'evenkeelGated', against: 'vpa' },
    { overrun: () => atMost(1) },
  ),
  ...rules(
    { ...cpu, goalOf: 'CPU, pace Hourly, long-running services', sets: LONG_RUNNING, isApplicable: isHourly, against: 'vpa' },
    { slack: () => lower(0.25), overrun: () => atMost(1), worstDecileOverrun: () => atMost(1), unserved: () => atMost(1) },
  ),
  ...rules(
    { ...cpu, goalOf: 'CPU, pace Hourly, bursty or shifting', sets: BURSTY, isApplicable: isHourly, against: 'vpa' },
    { overrun: () => lower(0.35), unserved: () => lower(0.6), slack: () => atMost(1.05) },
  ),
  ...rules(
    { goalOf: 'memory', sets: LONG_RUNNING, resource: 'memory', isApplicable: isDefault, against: 'vpa' },
    { episodesPerWeek: () => atMost(0.75), slack: (set) => lower(set === 'bitbrains-rnd' ? 0.02 : 0.1) },
  ),
];

/** Compares a set at one setting with the goals that apply to it. */
export function judge(set: string, resource: Resource, setting: BenchSetting, { methods }: Pick<OverallTotals, 'methods'>): JudgedFigure[] {
  return RULES.filter((rule) => rule.sets.includes(set) && rule.resource === resource && rule.isApplicable(setting)).map((rule) => {
    const [value, other] = [methods[rule.of][rule.figure], methods[rule.against][rule.figure]];
    const { text, isReached } = rule.goal(set);
    const change = other > 0 ? value / other - 1 : null;
    return { goalOf: rule.goalOf, of: rule.figure, value, other, change, goal: text, reached: isReached(value, other) };
  });
}
