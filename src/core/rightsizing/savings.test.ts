import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aSeries, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, GiB, MiB } from '../model/units.ts';
import { DEFAULT_RECOMMENDER_RULES } from './advice.ts';
import type { ContainerAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';
import { meanUnitPrices, potentialSavingsPerMonth, requestsCostPerMonth, riskOf, worstRisk } from './savings.ts';

const PRICES = { perCoreHourUsd: 0.03, perGiBHourUsd: 0.004 };
const ask = (cpuMillicores: number | null, memoryMiB: number | null) => ({
  cpuMillicores,
  memoryBytes: memoryMiB === null ? null : memoryMiB * MiB,
});

describe('potential savings', () => {
  test('are requests in force less requests recommended, over all replicas, per 730 hours', () => {
    const change = { current: { cpuMillicores: 1000, memoryBytes: 2 * GiB }, recommended: { cpuMillicores: 500, memoryBytes: 1 * GiB } };
    expect(potentialSavingsPerMonth([change], 2, PRICES)).toBeCloseTo(2 * 730 * (0.5 * 0.03 + 0.004), 9);
  });

  test('are negative where more is needed', () => {
    expect(potentialSavingsPerMonth([{ current: ask(100, 100), recommended: ask(300, 100) }], 1, PRICES)).toBeLessThan(0);
  });

  test('of a whole are the sum of its parts, and turn round with the change', () => {
    const any = fc.record({ cpuMillicores: fc.integer({ min: 0, max: 9000 }), memoryBytes: fc.integer({ min: 0, max: 9 * GiB }) });
    fc.assert(
      fc.property(any, any, fc.integer({ min: 0, max: 50 }), (current, recommended, replicas) => {
        const there = potentialSavingsPerMonth([{ current, recommended }], replicas, PRICES);
        const back = potentialSavingsPerMonth([{ current: recommended, recommended: current }], replicas, PRICES);
        expect(there + back).toBeCloseTo(0, 6);
        expect(
          potentialSavingsPerMonth(
            [
              { current, recommended },
              { current, recommended },
            ],
            replicas,
            PRICES,
          ),
        ).toBeCloseTo(2 * there, 6);
        expect(there).toBeCloseTo((requestsCostPerMonth(current, PRICES) - requestsCostPerMonth(recommended, PRICES)) * replicas, 6);
      }),
    );
  });
});

describe('risk', () => {
  function advised(cpu: number, memoryMiB: number, killedAtMiB: number | null = null): ContainerAdvice {
    const model = new ContainerModel();
    for (const sample of aSeries(
      3,
      () => cpu,
      () => memoryMiB,
    ))
      model.observe('p', sample);
    if (killedAtMiB !== null) model.observeOom(MONDAY + 3 * DAY_MS, killedAtMiB * MiB);
    const advice = model.advise('app', MONDAY + 3 * DAY_MS + 31_000, DEFAULT_RECOMMENDER_RULES);
    if (advice === null) throw new Error('no advice');
    return advice;
  }

  test.each([
    ['none where requests cover usage', advised(100, 100), ask(200, 200), ask(null, 400), 'none'],
    ['high where memory is near its limit', advised(100, 390), ask(200, 395), ask(null, 400), 'high'],
    ['high after an OOM kill while the limit still stands', advised(100, 100, 200), ask(200, 200), ask(null, 200), 'high'],
    ['no longer high once the limit was raised', advised(100, 100, 200), ask(200, 250), ask(null, 400), 'none'],
    ['medium where memory passes its request', advised(100, 300), ask(200, 200), ask(null, null), 'medium'],
    ['medium where CPU often passes its request', advised(300, 100), ask(200, 200), ask(null, null), 'medium'],
    ['low without a request', advised(100, 100), ask(null, 200), ask(null, null), 'low'],
  ])('is %s', (_, advice, requests, limits, level) => {
    const risk = riskOf(advice, requests, limits);
    expect(risk.level).toBe(level);
    expect(risk.reason).not.toBe('');
  });

  test('of several is the worst', () => {
    expect(
      worstRisk([
        { level: 'low', reason: 'a' },
        { level: 'high', reason: 'b' },
        { level: 'medium', reason: 'c' },
      ]),
    ).toEqual({ level: 'high', reason: 'b' });
    expect(worstRisk([]).level).toBe('none');
  });
});

test('unit prices of a workload are the mean over its nodes', () => {
  expect(meanUnitPrices([PRICES, { perCoreHourUsd: 0.05, perGiBHourUsd: 0.006 }])).toEqual({ perCoreHourUsd: 0.04, perGiBHourUsd: 0.005 });
  expect(meanUnitPrices([])).toBeNull();
});
