import { expect, test } from '@jest/globals';
import { GiB } from '#kube/units';
import { splitNodePrice } from './node-price.ts';
import { meanRequestPrice, requestCost } from './request-cost.ts';

const price = { perCoreHourUsd: 0.03, perGiBHourUsd: 0.004 };

test('requests cost their CPU and memory for the hours; an unset request costs nothing', () => {
  expect(requestCost({ cpuMillicores: 500, memoryBytes: 2 * GiB }, price, 730)).toBeCloseTo(730 * (0.5 * 0.03 + 2 * 0.004), 9);
  expect(requestCost({ cpuMillicores: 500, memoryBytes: null }, price, 1)).toBeCloseTo(0.015, 12);
  expect(requestCost({ cpuMillicores: null, memoryBytes: null }, price, 730)).toBe(0);
});

test('a reduction has a negative cost', () => {
  expect(requestCost({ cpuMillicores: -500, memoryBytes: 0 }, price, 1)).toBeCloseTo(-0.015, 12);
});

test('requests of half of a node cost half of its price', () => {
  const half = { cpuMillicores: 2000, memoryBytes: 8 * GiB };
  expect(requestCost(half, splitNodePrice(0.2, { cpuMillicores: 4000, memoryBytes: 16 * GiB }, 7.46), 1)).toBeCloseTo(0.1, 9);
});

test('the price of several nodes is their mean; null without nodes', () => {
  expect(meanRequestPrice([price, { perCoreHourUsd: 0.05, perGiBHourUsd: 0.006 }])).toEqual({ perCoreHourUsd: 0.04, perGiBHourUsd: 0.005 });
  expect(meanRequestPrice([])).toBeNull();
});
