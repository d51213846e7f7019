import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ExpertPanel } from './expert-panel.ts';
import type { ExpertPanelParts } from './expert-panel.ts';

/** Two forecasters: one says 100 whatever comes, one says 400. */
const forecasts = Float64Array.of(100, 400);
const PARTS: ExpertPanelParts = { bases: 2, multipliers: [1], halfLifeHours: 48, prices: { missed: 1, overrun: 0 }, reactionRatio: null };

function panelAfter(hours: readonly (readonly number[])[], parts: Partial<ExpertPanelParts> = {}): ExpertPanel {
  const panel = new ExpertPanel({ ...PARTS, ...parts });
  for (const points of hours) panel.charge(forecasts, points);
  return panel;
}

describe('ExpertPanel', () => {
  test('charges what an expert left unused and what it missed', () => {
    const { unused, harm } = panelAfter([[50, 150]]).dump();
    expect([...unused]).toEqual([50, 600]);
    expect([...harm]).toEqual([50, 0]);
  });

  test('charges no harm after usage has lifted the request, and what that leaves unused', () => {
    const { unused, harm } = panelAfter([[50, 200, 210, 180]], { reactionRatio: 1.1 }).dump();
    expect(unused[0]).toBeCloseTo(50 + 10 + 40, 3);
    expect(harm[0]).toBeCloseTo(100, 3);
  });

  test('charges each overrun by the mean usage, however little was missed', () => {
    const { harm } = panelAfter([[50, 101, 101, 148]], { prices: { missed: 0, overrun: 2 } }).dump();
    expect(harm[0]).toBeCloseTo(3 * 2 * 100, 3);
  });

  test('believes the cheapest first, and dear harm makes it careful', () => {
    const panel = panelAfter(Array.from({ length: 24 }, (_, hour) => (hour % 8 === 0 ? [50, 300] : [50, 60])));
    expect(panel.decide(forecasts, 1)?.council[0]?.base).toBe(0);
    expect(panel.decide(forecasts, 999)?.council[0]?.base).toBe(1);
  });

  test('forgets old charges, and at once what is faded', () => {
    const busy = Array.from({ length: 10 }, () => [390]);
    const quiet = (hours: number) => Array.from({ length: hours }, () => [90]);
    expect(panelAfter([...busy, ...quiet(600)]).decide(forecasts, 9)?.council[0]?.base).toBe(0);
    expect(panelAfter([...busy, ...quiet(24)]).decide(forecasts, 9)?.council[0]?.base).toBe(1);
    const faded = panelAfter(busy);
    faded.fade(0.01);
    for (const points of quiet(24)) faded.charge(forecasts, points);
    expect(faded.decide(forecasts, 9)?.council[0]?.base).toBe(0);
  });

  test('says nothing while no forecaster does, and leaves out those that do not', () => {
    const panel = panelAfter([[50]]);
    expect(panel.decide(Float64Array.of(NaN, NaN), 9)).toBeNull();
    expect(panel.decide(Float64Array.of(NaN, 400), 9)?.value).toBe(400);
  });

  test('decides within the range of its experts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 12 }), { maxLength: 30 }), (hours) => {
        const value = panelAfter(hours).decide(forecasts, 19)?.value ?? 0;
        return value >= 100 && value <= 400;
      }),
    );
  });
});
