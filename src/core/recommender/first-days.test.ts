import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { HOUR_MS, MiB } from '../model/units.ts';
import { DEFAULT_RECOMMENDER_RULES as RULES, type Goal, type Pace } from './advice.ts';
import type { ContainerAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const SETTLE_MS = 31_000;
const SPIKE_HOUR = 10;
const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];

/** Steady but for a spike of 5 minutes in its first day, 20 times as high. */
function usageAt(slot: number): { readonly cpu: number; readonly memory: number } {
  const spikes = slot === SPIKE_HOUR * 12 + 3;
  return { cpu: spikes ? 2000 : 100, memory: spikes ? 4000 : 200 };
}

/** Higher now and then, never the same. */
function restlessAt(slot: number): { readonly cpu: number; readonly memory: number } {
  const swing = ((slot * 7919) % 1009) / 1009;
  return { cpu: 100 + 400 * swing ** 6, memory: 200 + 400 * swing ** 6 };
}

/** What each goal would ask for, least careful first. */
function advicesAfter(hours: number, at = usageAt, pace: Pace = 'Daily'): (ContainerAdvice | null)[] {
  const model = new ContainerModel();
  for (let slot = 0; slot < hours * 12; slot++) {
    const { cpu, memory } = at(slot);
    model.observe('p', aSample(MONDAY + (slot + 1) * FIVE_MINUTES, cpu, memory));
  }
  const now = MONDAY + hours * HOUR_MS + SETTLE_MS;
  return GOALS.map((goal) => model.advise('app', now, { ...RULES, pace, cpu: { ...RULES.cpu, goal }, memory: { ...RULES.memory, goal } }));
}

describe('in the first days', () => {
  test('a lone spike of CPU sizes the first day, and no longer than that', () => {
    expect(advicesAfter(20)[1]?.cpu?.target).toBeGreaterThan(2000);
    expect(advicesAfter(26)[1]?.cpu?.target).toBeLessThan(150);
  });

  test('memory is sized by its highest for two: a spike that comes again would kill', () => {
    expect(advicesAfter(32)[1]?.memory?.target).toBeGreaterThan(4000 * MiB);
  });

  test('every goal asks for as much as the most careful one, for two days', () => {
    const targetsAfter = (hours: number) => advicesAfter(hours, restlessAt, 'Hourly').map((advice) => advice?.cpu?.target);
    const [savings, balanced, safe] = targetsAfter(40);
    expect([savings, balanced]).toEqual([safe, safe]);
    const [later, , laterSafe] = targetsAfter(96);
    expect(later).toBeLessThan(laterSafe ?? 0);
  });
});
