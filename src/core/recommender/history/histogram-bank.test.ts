import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HistogramBank } from './histogram-bank.ts';

const values = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 200 });

describe('HistogramBank', () => {
  test('gives percentiles to within half a bucket', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (samples, percentile) => {
        const bank = new HistogramBank([24]);
        for (const sample of samples) bank.add(sample);
        const exact = samples.toSorted((a, b) => a - b)[Math.ceil(percentile * samples.length - 1e-6) - 1] ?? 0;
        return exact === 0 ? bank.percentile(0, percentile) === 0 : Math.abs(bank.percentile(0, percentile) / exact - 1) < 0.026;
      }),
    );
  });

  test('never lowers a percentile when usage is higher', () => {
    fc.assert(
      fc.property(
        values,
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (samples, more, percentile) => {
          const [low, high] = [new HistogramBank([8, 24]), new HistogramBank([8, 24])];
          for (const sample of samples) {
            low.add(sample);
            high.add(sample + more);
          }
          return [0, 1].every((index) => high.percentile(index, percentile) >= low.percentile(index, percentile));
        },
      ),
    );
  });

  test('decays by half-life: the shorter one weighs yesterday less', () => {
    const bank = new HistogramBank([2, 24]);
    for (let sample = 0; sample < 12; sample++) bank.add(1000);
    bank.decay(24);
    for (let sample = 0; sample < 12; sample++) bank.add(10);
    expect(bank.percentile(0, 0.9)).toBeLessThan(20);
    expect(bank.percentile(1, 0.9)).toBeGreaterThan(900);
    expect(bank.weight(1)).toBeCloseTo(18, 5);
  });

  test('returns NaN while empty', () => {
    expect(new HistogramBank([24]).percentile(0, 0.5)).toBeNaN();
  });
});
