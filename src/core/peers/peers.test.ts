import { describe, expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MiB } from '#kube/units';
import { krrCpu, krrMemory } from './krr.ts';
import { VPA_FLOORS, VpaRecommender, isUpdatedByVpa } from './vpa.ts';

const T0 = 1_700_000_000_000;

describe('VPA', () => {
  test('recommends p90 and 15 % more, within a bucket, and at least its floor', () => {
    const vpa = new VpaRecommender('cpu');
    for (let sample = 0; sample < 288; sample++) vpa.observe(T0 + sample * 300_000, sample % 20 === 0 ? 800 : 200);
    expect(vpa.recommend()?.target).toBeGreaterThanOrEqual(200 * 1.15);
    expect(vpa.recommend()?.target).toBeLessThanOrEqual(200 * 1.15 * 1.11);
    const idle = new VpaRecommender('cpu');
    idle.observe(T0, 1);
    expect(idle.recommend()?.target).toBe(VPA_FLOORS.cpu);
    expect(new VpaRecommender('cpu').recommend()).toBeNull();
  });

  test('drops a daily peak after two full days', () => {
    const vpa = new VpaRecommender('memory');
    for (let day = 0; day < 6; day++) vpa.observe(T0 + day * DAY_MS, (day === 2 ? 4000 : 1000) * MiB);
    expect(vpa.recommend()?.target).toBeLessThan(1300 * MiB);
  });

  test('counts the peak of a day as one sample, which a higher peak replaces', () => {
    const rising = new VpaRecommender('memory');
    for (let hour = 0; hour < 24; hour++) rising.observe(T0 + hour * HOUR_MS, (500 + hour * 10) * MiB);
    const once = new VpaRecommender('memory');
    once.observe(T0, 730 * MiB);
    expect(rising.recommend()?.target).toBe(once.recommend()?.target);
  });

  test('raises memory after an OOM kill by a fifth or 100 MiB', () => {
    const vpa = new VpaRecommender('memory');
    vpa.observe(T0, 300 * MiB);
    vpa.observeOom(T0 + 1000, 400 * MiB);
    expect(vpa.recommend()?.target).toBeGreaterThanOrEqual(500 * 1.15 * MiB);
  });

  test('updates outside its bounds at once, and inside them after 12 hours with a difference of 10 %', () => {
    const recommendation = { target: 100, lowerBound: 80, upperBound: 130 };
    expect(isUpdatedByVpa(79, recommendation, 0)).toBe(true);
    expect(isUpdatedByVpa(131, recommendation, 0)).toBe(true);
    expect(isUpdatedByVpa(120, recommendation, 11 * HOUR_MS)).toBe(false);
    expect(isUpdatedByVpa(120, recommendation, 12 * HOUR_MS)).toBe(true);
    expect(isUpdatedByVpa(105, recommendation, 24 * HOUR_MS)).toBe(false);
  });
});

describe('KRR', () => {
  test('recommends p95 of CPU, and the maximum and 15 % more of memory, at least its floors', () => {
    expect(krrCpu(Array.from({ length: 100 }, (_, index) => index + 1))).toBeCloseTo(95.05, 9);
    expect(krrMemory([100 * MiB, 200 * MiB])).toBeCloseTo(230 * MiB, -1);
    expect(krrCpu([1])).toBe(10);
    expect(krrMemory([1])).toBe(100 * MiB);
    expect(krrCpu([])).toBeNull();
    expect(krrMemory([])).toBeNull();
  });
});
