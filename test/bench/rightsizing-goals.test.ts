import { describe, expect, test } from '@jest/globals';
import { type Method, METHODS } from '../../src/core/backtest/methods.ts';
import type { MethodTotals } from '../../src/core/backtest/score.ts';
import { someFigures } from '../builders/backtest.ts';
import { type BenchSetting, judge } from './rightsizing-goals.ts';

const PEER = someFigures();

const DAILY: BenchSetting = { goal: 'Balanced', pace: 'Daily' };
const HOURLY: BenchSetting = { goal: 'Balanced', pace: 'Hourly' };

/** Totals that are equal for all methods, except the given ones of Evenkeel. */
function isReached(set: string, setting: BenchSetting, ours: Partial<MethodTotals>, resource: 'cpu' | 'memory' = 'cpu') {
  const methods = Object.fromEntries(METHODS.map((method) => [method, PEER])) as Record<Method, MethodTotals>;
  methods.evenkeel = { ...PEER, ...ours };
  return Object.fromEntries(judge(set, resource, setting, { methods }).map((judged) => [`${judged.goalOf}: ${judged.of}`, judged.reached]));
}

describe('the goals of right-sizing', () => {
  test('a figure that only equals its peer reaches "no higher", and not "lower"', () => {
    expect(isReached('bitbrains-rnd', HOURLY, {})).toEqual({
      'CPU, pace Hourly, long-running services: slack': false,
      'CPU, pace Hourly, long-running services: overrun': true,
      'CPU, pace Hourly, long-running services: worstDecileOverrun': true,
      'CPU, pace Hourly, long-running services: unserved': true,
    });
  });

  test('the default pace is compared with VPA + updater, with VPA in place and under refused raises', () => {
    const ours = { overrun: 0.009, unserved: 0.007, costJ: 1.7, slack: 0.515, changesPerDay: 5 };
    expect(isReached('crane-dsp', DAILY, ours)).toEqual({
      'CPU, pace Daily, against VPA + updater: overrun': true,
      'CPU, pace Daily, against VPA + updater: unserved': true,
      'CPU, pace Daily, against VPA + updater: costJ': true,
      'CPU, pace Daily, against VPA + updater: slack': true,
      'CPU, pace Daily: changes: changesPerDay': true,
      'CPU, pace Daily, against VPA in place: overrun': true,
      'CPU, pace Daily, against VPA in place: slack': false,
      'CPU, pace Daily, raises refused for 90 min: refusedOverrun': true,
      'CPU with its gates: overrun': true,
    });
    expect(isReached('google-borg-2011', DAILY, { ...ours, slack: 0.45, refusedOverrun: 0.021 })).toMatchObject({
      'CPU, pace Daily, against VPA + updater: slack': false,
      'CPU, pace Daily, raises refused for 90 min: refusedOverrun': false,
    });
  });

  test('memory must have a quarter fewer would-be OOM kills at less slack', () => {
    expect(isReached('bitbrains-rnd', DAILY, { slack: 0.49, episodesPerWeek: 0.75 }, 'memory')).toEqual({
      'memory: episodesPerWeek': true,
      'memory: slack': true,
    });
    expect(isReached('google-borg-2011', DAILY, { slack: 0.46, episodesPerWeek: 0.76 }, 'memory')).toEqual({
      'memory: episodesPerWeek': false,
      'memory: slack': false,
    });
  });

  test('goals Savings and Safe are shown, but not compared', () => {
    expect(isReached('bitbrains-rnd', { goal: 'Savings', pace: 'Daily' }, {})).toEqual({});
  });
});
