import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS, MiB, type Instant } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES, type ResourceAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const SLOTS_PER_HOUR = 12;
const SLOTS_PER_DAY = 288;

interface Moment {
  readonly at: Instant;
  readonly cpu: ResourceAdvice;
  readonly memory: ResourceAdvice;
}

/** Advice after every slot from `fromDay` on. @param usage by days since the start; memory in MiB */
function adviceOver(
  days: number,
  fromDay: number,
  usage: (day: number) => { readonly cpu: number; readonly memory?: number },
  rules = RULES,
): readonly Moment[] {
  const model = new ContainerModel();
  const moments: Moment[] = [];
  for (let slot = 1; slot <= days * SLOTS_PER_DAY; slot++) {
    const at = MONDAY + slot * FIVE_MINUTES;
    const { cpu, memory = 100 } = usage((slot - 1) / SLOTS_PER_DAY);
    model.observe('p', aSample(at, cpu, memory));
    if (slot < fromDay * SLOTS_PER_DAY) continue;
    const advice = model.advise('app', at + 31_000, rules);
    if (advice?.cpu && advice.memory) moments.push({ at, cpu: advice.cpu, memory: advice.memory });
  }
  return moments;
}

/** 115m at night, 1100m from 8 to 20 o'clock. */
const dayAndNight = (day: number) => ({ cpu: day % 1 >= 8 / 24 && day % 1 < 20 / 24 ? 1100 : 115 });

/** 100m to 120m. */
const noisy = (day: number) => 100 + 20 * (((Math.round(day * SLOTS_PER_DAY) * 7919) % 1009) / 1009);

describe('CPU at pace Daily', () => {
  test('the base covers the daily peak also at night', () => {
    for (const { cpu } of adviceOver(12, 9, dayAndNight)) expect(cpu.base).toBeGreaterThanOrEqual(1000);
  });

  test('the base falls at most once in 24 hours, and rises at once', () => {
    const falling = adviceOver(16, 7, (day) => ({ cpu: day < 8 ? 1000 : 1000 / (1 + (day - 8) * 2) }));
    const falls = falling.filter(({ cpu }, index) => cpu.base < (falling[index - 1]?.cpu.base ?? 0));
    expect(falls.length).toBeGreaterThan(3);
    for (const [index, { at }] of falls.entries()) expect(at - (falls[index - 1]?.at ?? -Infinity)).toBeGreaterThanOrEqual(DAY_MS);
    const rising = adviceOver(9, 7.9, (day) => ({ cpu: day < 8 ? 100 : 400 }));
    const loweredBy = rising.find(({ cpu }) => cpu.base >= 400)?.at ?? Infinity;
    expect(loweredBy).toBeLessThanOrEqual(MONDAY + 8 * DAY_MS + 3 * HOUR_MS);
  });

  test('a sample above the request raises it to 1.1 times the sample, until 3 hours after the last above the base', () => {
    const spike = 9 + 2 / 24;
    const moments = adviceOver(9.5, 9, (day) => ({ cpu: Math.abs(day - spike) < 0.001 ? 500 : noisy(day) }));
    const raised = moments.filter(({ cpu }) => cpu.increase !== null);
    expect(raised.length).toBe(3 * SLOTS_PER_HOUR);
    expect(raised[0]?.cpu.target).toBe(550);
    expect(raised[0]?.cpu.base).toBeLessThan(150);
    const until = (raised[0]?.at ?? 0) + 3 * HOUR_MS;
    for (const { cpu } of raised) expect(cpu.increase?.until).toBe(until);
    expect(raised[0]?.cpu.lowerBound).toBeGreaterThanOrEqual(500);
    expect(moments.at(-1)?.cpu.target).toBe(moments.at(-1)?.cpu.base);
    const steps = raised[0]?.cpu.steps ?? [];
    expect(steps.map(({ step }) => step)).toContain('increase');
    expect(steps.at(-1)?.total).toBe(550);
  });

  test('the end of an increase does not lower the base', () => {
    const moments = adviceOver(9.5, 9, (day) => ({ cpu: Math.abs(day - 9.1) < 0.001 ? 500 : noisy(day) }));
    expect(moments.filter(({ cpu }, index) => cpu.base < (moments[index - 1]?.cpu.base ?? 0))).toEqual([]);
  });
});

describe('memory', () => {
  test('is never below the highest of 7 days and of the same weekday a week ago', () => {
    // 938 MiB in one hour of day 3, otherwise 549 MiB.
    const moments = adviceOver(14, 4, (day) => ({ cpu: 100, memory: Math.abs(day - 3.5) < 0.02 ? 938 : 549 }));
    for (const { at, memory } of moments) {
      const day = (at - MONDAY) / DAY_MS;
      if (day < 11) expect(memory.target).toBeGreaterThanOrEqual(938 * 1.06 * MiB);
    }
    expect(moments.at(-1)?.memory.target).toBeLessThan(600 * MiB);
  });

  test.each([
    ['the margin of the goal', null, 1.06],
    ['a margin of the policy', 0.3, 1.3],
  ])('is no lower under a fixed percentile with %s', (_case, margin, ratio) => {
    const rules = { ...RULES, memory: { ...RULES.memory, percentile: 0.5, margin } };
    const moments = adviceOver(14, 4, (day) => ({ cpu: 100, memory: Math.abs(day - 3.5) < 0.02 ? 938 : 549 }), rules);
    for (const { at, memory } of moments) {
      if ((at - MONDAY) / DAY_MS < 11) expect(memory.target).toBeGreaterThanOrEqual(938 * ratio * MiB);
    }
  });

  test('falls at most once a day, by more than 10 %', () => {
    const moments = adviceOver(20, 9, (day) => ({ cpu: 100, memory: 900 - 30 * Math.min(day, 19) }));
    const falls = moments.filter(({ memory }, index) => memory.target < (moments[index - 1]?.memory.target ?? 0));
    expect(falls.length).toBeGreaterThan(1);
    for (const [index, { at }] of falls.entries()) expect(at - (falls[index - 1]?.at ?? -Infinity)).toBeGreaterThanOrEqual(DAY_MS);
  });
});
