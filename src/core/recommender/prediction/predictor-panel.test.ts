import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PredictorPanel, type PredictorPanelRules } from './predictor-panel.ts';

/** Two constant predictors, 100 and 400. */
const forecasts = Float64Array.of(100, 400);
const RULES: PredictorPanelRules = { margins: [1], lossHalfLifeHours: 48, prices: { shortfall: 1, overrun: 0 }, raisesOnOverrun: false };

function panelAfter(hours: readonly (readonly number[])[], rules: Partial<PredictorPanelRules> = {}): PredictorPanel {
  const panel = new PredictorPanel(2, { ...RULES, ...rules });
  for (const points of hours) panel.addLoss(forecasts, points);
  return panel;
}

/** Index of the forecast with the lower loss. */
function preferred(panel: PredictorPanel, weight: number): number | undefined {
  return panel.decide(forecasts, weight)?.chosen[0];
}

describe('PredictorPanel', () => {
  test('prefers low overage, and with a high weight low shortfall', () => {
    // 100: overage 50, shortfall 50; 400: overage 600.
    const panel = panelAfter([[50, 150]]);
    expect(preferred(panel, 10.9)).toBe(0);
    expect(preferred(panel, 11.1)).toBe(1);
  });

  test('counts only the shortfall before the raise where usage raises the request at once', () => {
    // 100: overage 50 + 10 + 40, shortfall 100; 400: overage 350 + 200 + 190 + 220.
    const panel = panelAfter([[50, 200, 210, 180]], { raisesOnOverrun: true });
    expect(preferred(panel, 8.5)).toBe(0);
    expect(preferred(panel, 8.7)).toBe(1);
  });

  test('counts each overrun by the mean usage, however small', () => {
    // 100: overage 50, three overruns at 2 × 100; 400: overage 1200.
    const panel = panelAfter([[50, 101, 101, 148]], { prices: { shortfall: 0, overrun: 2 } });
    expect(preferred(panel, 1.91)).toBe(0);
    expect(preferred(panel, 1.92)).toBe(1);
  });

  test('discounts old losses', () => {
    const busy = Array.from({ length: 10 }, () => [390]);
    const quiet = (hours: number) => Array.from({ length: hours }, () => [90]);
    expect(preferred(panelAfter([...busy, ...quiet(24)]), 9)).toBe(1);
    expect(preferred(panelAfter([...busy, ...quiet(600)]), 9)).toBe(0);
  });

  test('returns null while every forecast is NaN, and ignores single ones that are', () => {
    const panel = panelAfter([[50]]);
    expect(panel.decide(Float64Array.of(NaN, NaN), 9)).toBeNull();
    expect(panel.decide(Float64Array.of(NaN, 400), 9)?.value).toBe(400);
  });

  test('decides within the range of its predictors', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 12 }), { maxLength: 30 }), (hours) => {
        const value = panelAfter(hours).decide(forecasts, 19)?.value ?? 0;
        return value >= 100 && value <= 400;
      }),
    );
  });
});
