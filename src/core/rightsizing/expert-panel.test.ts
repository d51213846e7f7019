import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExpertPanel } from './expert-panel.ts';

/** Two forecasters: one says 100 whatever comes, one says 400. */
const forecasts = Float64Array.of(100, 400);

function panelAfter(hours: readonly (readonly number[])[]): ExpertPanel {
  const panel = new ExpertPanel(2, [1], 48);
  for (const points of hours)
    panel.charge(
      forecasts,
      points.toSorted((a, b) => a - b),
    );
  return panel;
}

describe('ExpertPanel', () => {
  test('charges what an expert left unused and what it missed', () => {
    const { unused, missed } = panelAfter([[50, 150]]).dump();
    expect([...unused]).toEqual([50, 600]);
    expect([...missed]).toEqual([50, 0]);
  });

  test('believes the cheapest first, and a dear shortage makes it careful', () => {
    const panel = panelAfter(Array.from({ length: 24 }, (_, hour) => (hour % 8 === 0 ? [50, 300] : [50, 60])));
    expect(panel.decide(forecasts, 0.5)?.council[0]?.base).toBe(0);
    expect(panel.decide(forecasts, 0.999)?.council[0]?.base).toBe(1);
  });

  test('forgets old charges', () => {
    const panel = panelAfter([...Array.from({ length: 10 }, () => [390]), ...Array.from({ length: 600 }, () => [90])]);
    expect(panel.decide(forecasts, 0.9)?.council[0]?.base).toBe(0);
  });

  test('says nothing while no forecaster does, and leaves out those that do not', () => {
    const panel = panelAfter([[50]]);
    expect(panel.decide(Float64Array.of(NaN, NaN), 0.9)).toBeNull();
    expect(panel.decide(Float64Array.of(NaN, 400), 0.9)?.value).toBe(400);
  });

  test('decides within the range of its experts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 12 }), { maxLength: 30 }), (hours) => {
        const value = panelAfter(hours).decide(forecasts, 0.95)?.value ?? 0;
        return value >= 100 && value <= 400;
      }),
    );
  });
});
