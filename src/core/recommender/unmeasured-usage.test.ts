import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES } from './advice.ts';
import { ContainerModel } from './container-model.ts';

/** A model after a day with both resources and some hours with one. */
function modelAfter(hours: number, unmeasured: 'cpu' | 'memory'): ContainerModel {
  const model = new ContainerModel();
  const measuredUntil = MONDAY + DAY_MS;
  const end = measuredUntil + hours * HOUR_MS;
  for (let at = MONDAY + FIVE_MINUTES; at <= end; at += FIVE_MINUTES) {
    const isMeasured = (resource: 'cpu' | 'memory'): boolean => at <= measuredUntil || resource !== unmeasured;
    model.observe('web-1', aSample(at, isMeasured('cpu') ? 100 : null, isMeasured('memory') ? 200 : null));
  }
  return model;
}

function adviseAfter(hours: number, unmeasured: 'cpu' | 'memory', model = modelAfter(hours, unmeasured)) {
  return model.advise('app', MONDAY + DAY_MS + hours * HOUR_MS + 31_000, RULES);
}

/** Paths of all numbers that JSON cannot represent. */
function nonFinite(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => nonFinite(entry, `${path}.${key}`));
}

function measuredForADay(): ContainerModel {
  const model = new ContainerModel();
  for (let at = MONDAY + FIVE_MINUTES; at <= MONDAY + DAY_MS; at += FIVE_MINUTES) model.observe('web-1', aSample(at, 100, 200));
  return model;
}

describe.each(['cpu', 'memory'] as const)('Advice on %s', (resource) => {
  test.each([1, 3, 24 * 8])('has finite numbers after %i hours without a measurement of it', (hours) => {
    const advice = adviseAfter(hours, resource);
    expect(advice?.[resource]).not.toBeNull();
    expect(nonFinite(advice)).toEqual([]);
  });

  const other = resource === 'cpu' ? 'memory' : 'cpu';
  test(`has confidence 0 after an hour with measurements of ${other} only`, () => {
    const advice = adviseAfter(1, resource);
    expect(advice?.[resource]?.confidence).toBe(0);
    expect(advice?.[other]?.confidence).toBeGreaterThan(0);
    expect(advice?.confidenceText).toContain('no usage for 1.0 h');
  });

  test('has none after a restart in such an hour: the restart measures nothing', () => {
    const restored = ContainerModel.restore(modelAfter(1, resource).checkpoint())!;
    expect(adviseAfter(1, resource, restored)?.[resource]).toMatchObject({ confidence: 0, isMeasured: false });
  });

  test('has confidence after a restart', () => {
    const restored = ContainerModel.restore(measuredForADay().checkpoint());
    expect(restored?.advise('app', MONDAY + DAY_MS + 31_000, RULES)?.[resource]?.confidence).toBeGreaterThan(0);
  });
});
