import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DecisionLine } from './decision-line.ts';
import { ResourceModel } from './resource-model.ts';
import { CPU_TUNING, GOALS, MEMORY_TUNING, PACES } from './resource-rules.ts';

const FIRST_SLOT = 500_004;
const SLOTS_PER_DAY = 288;

/** Three days of one value, and three of another. */
function moved(value: number, ratio: number): ResourceModel {
  const model = new ResourceModel(CPU_TUNING);
  for (let at = 0; at < 6 * SLOTS_PER_DAY; at++) model.addPoint(FIRST_SLOT + at, at < 3 * SLOTS_PER_DAY ? value : value * ratio);
  model.advanceTo(FIRST_SLOT + 6 * SLOTS_PER_DAY);
  return model;
}

describe('usage that stands still', () => {
  test.each([1, 1.04, 1.5, 0.5])('is covered, wherever it stands: moved × %d', (ratio) => {
    const shares = [41, 97].flatMap((value) => {
      const model = moved(value, ratio);
      return PACES.flatMap((pace) => GOALS.map((goal) => model.calibration(goal, pace).share));
    });
    expect(Math.min(...shares)).toBeGreaterThan(0.97);
  });

  test('lifts what stands below it for hours, however little', () => {
    const { held } = moved(41, 1.04).decisionFor('Balanced', 'hourly')!;
    expect(held / (41 * 1.04)).toBeGreaterThan(1 - CPU_TUNING.resolutionRatio);
  });
});

describe('coverage', () => {
  test.each([CPU_TUNING, MEMORY_TUNING])('is never overstated by more than the resolution of what is known: $unit', (tuning) => {
    const points = fc.array(fc.double({ min: 80, max: 120, noNaN: true }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(points, (hour) => {
        const line = new DecisionLine({ ...tuning.paces.calm, reacts: false }, 'Balanced');
        line.hold(100, false, false);
        line.score(0, hour, tuning);
        const most = 100 * (1 + tuning.resolutionRatio);
        const exact = hour.filter((point) => point <= 100).length / hour.length;
        const widest = hour.filter((point) => point <= most).length / hour.length;
        const { share } = line.calibration();
        expect(share).toBeGreaterThanOrEqual(exact - 0.002);
        expect(share).toBeLessThanOrEqual(widest + 0.002);
      }),
    );
    expect(tuning.resolutionRatio).toBeLessThanOrEqual(Math.sqrt(1.05) - 1 + 0.001);
  });
});
