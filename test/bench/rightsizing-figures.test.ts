import { describe, expect, test } from '@jest/globals';
import { type Method, METHODS } from '../../src/core/backtest/methods.ts';
import type { MethodTotals } from '../../src/core/backtest/score.ts';
import { someFigures } from '../builders/backtest.ts';
import { recordedFigures, SETTINGS } from './rightsizing-figures.ts';
import { isDefault } from './rightsizing-goals.ts';

function recorded(resource: 'cpu' | 'memory', ours: Partial<MethodTotals> = {}, inPlace: Partial<MethodTotals> = {}) {
  const methods = Object.fromEntries(METHODS.map((method) => [method, someFigures()])) as Record<Method, MethodTotals>;
  methods.evenkeel = someFigures(ours);
  methods.vpaInPlace = someFigures(inPlace);
  const againstVpa = { ...someFigures(), overrun: null };
  const about = { set: 'nab-aws', resource, setting: { goal: 'Safe', pace: 'Hourly' }, input: '17 workloads' } as const;
  return recordedFigures(about, { methods, againstVpa });
}

describe('the figures of right-sizing', () => {
  test('are measured at every goal and pace, the default first', () => {
    expect(SETTINGS.map(({ goal, pace }) => `${goal} ${pace}`)).toEqual([
      'Balanced Daily',
      'Savings Daily',
      'Safe Daily',
      'Balanced Hourly',
      'Savings Hourly',
      'Safe Hourly',
    ]);
    expect(SETTINGS.filter(isDefault)).toEqual([SETTINGS[0]]);
  });

  test('hold CPU to VPA with its updater, to VPA in place with and without refused raises, and to its changes a day', () => {
    const figures = recorded('cpu', { overrun: 0.01, refusedOverrun: 0.03, changesPerDay: 7.12345 });
    const values = Object.fromEntries(figures.map(({ id, value }) => [id, value]));
    const head = 'rightsizing/nab-aws/cpu/Safe-Hourly';
    expect(values).toEqual({
      [`${head}/slack`]: 0.5,
      [`${head}/sparePerUsed`]: 1,
      [`${head}/unserved`]: 0.03,
      [`${head}/costJ`]: 2,
      [`${head}/inPlace/overrun`]: -0.5,
      [`${head}/inPlace/refusedOverrun`]: 0.5,
      [`${head}/changesPerDay`]: 7.1235,
    });
    expect(figures.find(({ id }) => id.endsWith('changesPerDay'))).toMatchObject({ unit: 'ratio', input: '17 workloads' });
  });

  test('leave out what has nothing to compare with', () => {
    expect(recorded('cpu', {}, { overrun: 0 }).map(({ id }) => id.split('/').slice(4).join('/'))).not.toContain('inPlace/overrun');
  });

  test('hold memory to its slack and cost', () => {
    expect(recorded('memory').map(({ id }) => id.split('/').at(-1))).toEqual(['slack', 'costJ']);
  });
});
