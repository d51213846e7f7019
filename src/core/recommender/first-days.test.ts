import { describe, expect, test } from '@jest/globals';
import { aContainer, aPodRecord } from '../../../test/builders/rightsizing.ts';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES, type Goal, type Pace } from './advice.ts';
import type { ContainerAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';
import { stripStartUp } from './start-up.ts';

const SETTLE_MS = 31_000;
const SPIKE_HOUR = 10;
const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];

/** Steady, except for a spike of 5 minutes on the first day, 20 times as high. */
function usageAt(slot: number): { readonly cpu: number; readonly memory: number } {
  const isSpike = slot === SPIKE_HOUR * 12 + 3;
  return { cpu: isSpike ? 2000 : 100, memory: isSpike ? 4000 : 200 };
}

/** Varying usage with occasional peaks. */
function varyingAt(slot: number): { readonly cpu: number; readonly memory: number } {
  const swing = ((slot * 7919) % 1009) / 1009;
  return { cpu: 100 + 400 * swing ** 6, memory: 200 + 400 * swing ** 6 };
}

/** Advice of each goal, in the order of `GOALS`. */
function advicesAfter(hours: number, at = usageAt, pace: Pace = 'Daily'): (ContainerAdvice | null)[] {
  const model = new ContainerModel();
  for (let slot = 0; slot < hours * 12; slot++) {
    const { cpu, memory } = at(slot);
    model.observe('p', aSample(MONDAY + (slot + 1) * FIVE_MINUTES, cpu, memory));
  }
  const now = MONDAY + hours * HOUR_MS + SETTLE_MS;
  return GOALS.map((goal) => model.advise('app', now, { ...RULES, pace, cpu: { ...RULES.cpu, goal }, memory: { ...RULES.memory, goal } }));
}

describe('in the first hour', () => {
  /** A container that is ready after a minute and uses much CPU for two more, with a sample every half minute. */
  function started(minutes: number): ContainerModel {
    const model = new ContainerModel();
    const pod = aPodRecord({ readySince: MONDAY + MINUTE_MS, containers: [{ ...aContainer({ name: 'app' }), startedAt: MONDAY }] });
    for (let at = MONDAY + MINUTE_MS / 2; at <= MONDAY + minutes * MINUTE_MS; at += MINUTE_MS / 2) {
      const sample = stripStartUp(pod, 'app', aSample(at, at <= MONDAY + 3 * MINUTE_MS ? 3000 : 100, 200));
      if (sample !== null) model.observe('p', sample);
    }
    return model;
  }

  test('nothing is recommended, and after it CPU of the start-up does not count', () => {
    expect(started(59).advise('app', MONDAY + 59 * MINUTE_MS, RULES)).toMatchObject({ enoughHistory: false });
    const advice = started(66).advise('app', MONDAY + 66 * MINUTE_MS, RULES);
    expect(advice).toMatchObject({ enoughHistory: true, cpu: { target: 115 } });
  });

  test('a burst after the start sizes only the rest of the day', () => {
    const bursts = (slot: number) => ({ cpu: slot < 4 ? 2000 : 100, memory: 200 });
    expect(advicesAfter(2, bursts)[1]).toMatchObject({ enoughHistory: true, cpu: { target: 2300 } });
    expect(advicesAfter(26, bursts)[1]?.cpu?.target).toBeLessThan(150);
  });

  test('confidence is far too low for a reduction, for more than four days', () => {
    const confidenceAfter = (hours: number) => advicesAfter(hours, () => ({ cpu: 100, memory: 200 }))[1]?.confidence ?? 0;
    expect(confidenceAfter(2)).toBeLessThan(0.02);
    expect(confidenceAfter(4 * 24)).toBeLessThan(0.6);
    expect(confidenceAfter(5 * 24)).toBeGreaterThan(0.6);
  });
});

describe('in the first days', () => {
  test('a single spike of CPU sizes only the first day', () => {
    expect(advicesAfter(20)[1]?.cpu?.target).toBeGreaterThan(2000);
    expect(advicesAfter(26)[1]?.cpu?.target).toBeLessThan(150);
  });

  test('memory is sized by its peak for two days: a second spike would be an OOM kill', () => {
    expect(advicesAfter(32)[1]?.memory?.target).toBeGreaterThan(4000 * MiB);
  });

  test('every goal requests as much as Safe for two days', () => {
    const targetsAfter = (hours: number) => advicesAfter(hours, varyingAt, 'Hourly').map((advice) => advice?.cpu?.target);
    const [savings, balanced, safe] = targetsAfter(40);
    expect([savings, balanced]).toEqual([safe, safe]);
    const [later, , laterSafe] = targetsAfter(96);
    expect(later).toBeLessThan(laterSafe ?? 0);
  });
});
