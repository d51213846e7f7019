import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS } from '../model/units.ts';
import { DEFAULT_RECOMMENDER_RULES as RULES } from './advice.ts';
import { ContainerModel } from './container-model.ts';

/** A day in which both were measured, then hours in which one was not. */
function adviseAfter(hours: number, unmeasured: 'cpu' | 'memory') {
  const model = new ContainerModel();
  const measuredUntil = MONDAY + DAY_MS;
  const end = measuredUntil + hours * HOUR_MS;
  for (let at = MONDAY + FIVE_MINUTES; at <= end; at += FIVE_MINUTES) {
    const isMeasured = (resource: 'cpu' | 'memory'): boolean => at <= measuredUntil || resource !== unmeasured;
    model.observe('web-1', aSample(at, isMeasured('cpu') ? 100 : null, isMeasured('memory') ? 200 : null));
  }
  return model.advise('app', end + 31_000, RULES);
}

/** Paths of all numbers in a value that JSON cannot hold. */
function nonFinite(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => nonFinite(each, `${path}.${key}`));
}

describe.each(['cpu', 'memory'] as const)('Advice on %s', (resource) => {
  test.each([1, 3, 24 * 8])('holds numbers after %i hours without a measurement of it', (hours) => {
    const advice = adviseAfter(hours, resource);
    expect(advice?.[resource]).not.toBeNull();
    expect(nonFinite(advice)).toEqual([]);
  });
});
