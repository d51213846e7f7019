import { describe, expect, test } from '@jest/globals';
import { METHODS } from '../../src/core/backtest/methods.ts';
import type { Figures } from '../../src/core/backtest/score.ts';
import { against, type OverallFigures } from '../../src/cli/backtest/summary.ts';
import { judge } from './rightsizing-goals.ts';

const VPA: Figures = {
  slack: 0.5,
  sparePerUsed: 1,
  overrun: 0.02,
  worstDecileOverrun: 0.05,
  unserved: 0.03,
  episodesPerWeek: 1,
  changesPerDay: 0.4,
  costJ: 2,
};

function overall(ours: Partial<Figures>): OverallFigures {
  const methods = Object.fromEntries(METHODS.map((method) => [method, VPA])) as Record<(typeof METHODS)[number], Figures>;
  methods.evenkeel = { ...VPA, ...ours };
  return { workloads: 1, scoredDays: 1, methods, againstVpa: against(methods.evenkeel, VPA) };
}

function reached(
  set: string,
  setting: { goal: 'Savings' | 'Balanced' | 'Safe'; calm: boolean },
  ours: Partial<Figures>,
  resource: 'cpu' | 'memory' = 'cpu',
) {
  return Object.fromEntries(
    judge(set, resource, setting, overall(ours)).map((judged) => [`${judged.goalOf}: ${judged.of}`, judged.reached]),
  );
}

const BALANCED = { goal: 'Balanced', calm: false } as const;

describe('the goals of right-sizing', () => {
  test('a figure that only equals VPA reaches "no higher", and not "lower"', () => {
    expect(reached('bitbrains-rnd', { goal: 'Savings', calm: false }, {})).toEqual({
      'CPU, long-running services: slack': false,
      'CPU, long-running services: overrun': true,
      'CPU, long-running services: worstDecileOverrun': true,
      'CPU, long-running services: unserved': true,
      'CPU, long-running services: sparePerUsed': false,
    });
  });

  test('the one default setting is held to J everywhere, and to slack on the first two sets', () => {
    const ours = { costJ: 1.3, slack: 0.44 };
    expect(reached('cloud-pools', BALANCED, ours)).toMatchObject({ 'CPU, one default setting for everything: costJ': true });
    expect(reached('google-borg-2011', BALANCED, ours)).toMatchObject({
      'CPU, one default setting for everything: costJ': true,
      'CPU, one default setting for everything: slack': true,
      'CPU, long-running services: slack': false,
    });
    expect(reached('google-borg-2011', BALANCED, { costJ: 1.31, slack: 0.45 })).toMatchObject({
      'CPU, one default setting for everything: costJ': false,
      'CPU, one default setting for everything: slack': false,
    });
  });

  test('memory may cost a tenth more would-be OOM kills, and no more', () => {
    expect(reached('bitbrains-rnd', BALANCED, { slack: 0.475, episodesPerWeek: 1.1 }, 'memory')).toEqual({
      'memory: slack': true,
      'memory: episodesPerWeek': true,
    });
    expect(reached('google-borg-2011', BALANCED, { slack: 0.41, episodesPerWeek: 1.11 }, 'memory')).toEqual({
      'memory: slack': false,
      'memory: episodesPerWeek': false,
    });
  });

  test('calm is held to its changes a day', () => {
    expect(reached('bitbrains-rnd', { goal: 'Balanced', calm: true }, { changesPerDay: 4.1, slack: 0.46, overrun: 0.012 })).toEqual({
      'calm mode: slack': true,
      'calm mode: overrun': true,
      'calm mode: changesPerDay': false,
    });
  });
});
