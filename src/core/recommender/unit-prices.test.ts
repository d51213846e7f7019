import { expect, test } from '@jest/globals';
import { GiB } from '../model/units.ts';
import { meanUnitPrices, requestsCostPerMonth } from './unit-prices.ts';

test('unit prices of a workload are the mean over its nodes', () => {
  const [cheap, dear] = [
    { perCoreHourUsd: 0.03, perGiBHourUsd: 0.004 },
    { perCoreHourUsd: 0.05, perGiBHourUsd: 0.006 },
  ];
  expect(meanUnitPrices([cheap, dear])).toEqual({ perCoreHourUsd: 0.04, perGiBHourUsd: 0.005 });
  expect(meanUnitPrices([])).toBeNull();
});

test('requests cost their CPU and memory for the 730 hours of a month; an unset request costs nothing', () => {
  const prices = { perCoreHourUsd: 0.03, perGiBHourUsd: 0.004 };
  expect(requestsCostPerMonth({ cpuMillicores: 500, memoryBytes: 2 * GiB }, prices)).toBeCloseTo(730 * (0.5 * 0.03 + 2 * 0.004), 9);
  expect(requestsCostPerMonth({ cpuMillicores: null, memoryBytes: null }, prices)).toBe(0);
});
