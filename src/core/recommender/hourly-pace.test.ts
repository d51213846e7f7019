import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES, type RecommenderRules, type ResourceAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const HOURLY: RecommenderRules = { ...RULES, pace: 'Hourly' };
const SLOTS_PER_DAY = 288;

/** CPU advice of the last day after each 5 minutes, by minutes since its midnight. */
function lastDay(days: number, usage: (day: number) => number, rules = HOURLY): ReadonlyMap<number, ResourceAdvice> {
  const model = new ContainerModel();
  const advised = new Map<number, ResourceAdvice>();
  for (let slot = 1; slot <= days * SLOTS_PER_DAY; slot++) {
    const at: Instant = MONDAY + slot * FIVE_MINUTES;
    model.observe('p', aSample(at, usage((slot - 1) / SLOTS_PER_DAY), 100));
    const cpu = slot < (days - 1) * SLOTS_PER_DAY ? null : model.advise('app', at + 31_000, rules)?.cpu;
    if (cpu) advised.set((at - MONDAY - (days - 1) * DAY_MS) / MINUTE_MS, cpu);
  }
  return advised;
}

/** 100m at night, 1000m from 8 to 20 o'clock. */
const ramp = (day: number) => (day % 1 >= 8 / 24 - 1e-9 && day % 1 < 20 / 24 - 1e-9 ? 1000 : 100);
const minutes = (hour: number, minute: number) => hour * 60 + minute;

describe('CPU at pace Hourly', () => {
  test('is raised for a learnt ramp 20 minutes before its hour, and no earlier', () => {
    const advised = lastDay(10, ramp);
    for (const minute of [0, 5, 20, 30, 35]) expect(advised.get(minutes(7, minute))?.target).toBeLessThan(200);
    for (const minute of [40, 45, 55]) {
      const cpu = advised.get(minutes(7, minute));
      expect(cpu?.target).toBeGreaterThanOrEqual(1000);
      expect(cpu?.increase).toBeNull();
      // The raise is urgent: after a cool-down it would be later than the ramp.
      expect(cpu?.lowerBound).toBeGreaterThan(200);
      expect(cpu?.steps.at(-1)?.total).toBe(cpu?.target);
    }
    expect(advised.get(minutes(8, 0))?.target).toBe(advised.get(minutes(7, 40))?.target);
  });

  test('depends only on earlier usage', () => {
    const cut = 9 + 7 / 24 + 50 / 1440 + 1e-9;
    const [usual, changed] = [lastDay(10, ramp), lastDay(10, (day) => (day > cut ? 3000 : ramp(day)))];
    for (let minute = 0; minute <= minutes(7, 50); minute += 5) expect(changed.get(minute)?.target).toBe(usual.get(minute)?.target);
  });

  test('is not raised before a ramp that no earlier day has', () => {
    const advised = lastDay(10, (day) => (day < 9 ? 100 : ramp(day)));
    for (const minute of [40, 55]) expect(advised.get(minutes(7, minute))?.target).toBeLessThan(200);
  });

  test('falls once the forecast hour has passed without the ramp', () => {
    const advised = lastDay(10, (day) => (day < 9 ? ramp(day) : 100));
    expect(advised.get(minutes(7, 40))?.target).toBeGreaterThanOrEqual(1000);
    const falls = [...advised].filter(([minute, { target }]) => target < (advised.get(minute - 5)?.target ?? 0));
    for (const [minute] of falls) expect(minute % 60).toBe(0);
  });

  test('is the same from a checkpoint', () => {
    const original = new ContainerModel();
    let restored: ContainerModel | null = null;
    const ends = MONDAY + 9 * DAY_MS + 7 * HOUR_MS + 55 * MINUTE_MS;
    for (let slot = 1; MONDAY + slot * FIVE_MINUTES <= ends; slot++) {
      const at = MONDAY + slot * FIVE_MINUTES;
      const sample = aSample(at, ramp((slot - 1) / SLOTS_PER_DAY), 100);
      original.observe('p', sample);
      restored?.observe('p', sample);
      if (at === ends - 10 * MINUTE_MS) restored = ContainerModel.restore(original.checkpoint());
    }
    const [before, after] = [original, restored].map((model) => model?.advise('app', ends + 31_000, HOURLY)?.cpu);
    expect(before?.base).toBeGreaterThanOrEqual(1000);
    expect([after?.target, after?.base, after?.steps]).toEqual([before?.target, before?.base, before?.steps]);
  });

  test('at pace Daily nothing is raised ahead', () => {
    const advised = lastDay(10, (day) => (day < 9 ? 100 : ramp(day)), RULES);
    for (const minute of [35, 40, 55]) expect(advised.get(minutes(7, minute))?.target).toBe(advised.get(0)?.target);
  });
});
