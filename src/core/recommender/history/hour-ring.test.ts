import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HourRing } from './hour-ring.ts';
import { decodeValue, encodeValue } from './log-scale.ts';

const RING_HOURS = 672;

describe('log scale', () => {
  test('keeps order, and values to within 0.04 %', () => {
    const value = fc.double({ min: 0.01, max: 1e15, noNaN: true });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(Math.abs(decodeValue(encodeValue(a)) / a - 1)).toBeLessThan(4e-4);
        return a <= b ? encodeValue(a) <= encodeValue(b) : encodeValue(a) >= encodeValue(b);
      }),
    );
    expect(decodeValue(encodeValue(0))).toBe(0);
    expect(decodeValue(encodeValue(NaN))).toBeNaN();
  });
});

describe('HourRing', () => {
  test('gives the same window maxima as a plain list, with gaps', () => {
    const hours = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 5000 })), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 1, max: 400 }), (steps, window) => {
        const ring = new HourRing(RING_HOURS, 168);
        const list = new Map<number, number>();
        let hour = 1000;
        for (const [gap, value] of steps) {
          hour += gap;
          ring.push(hour, value, value / 2);
          list.set(hour, value);
        }
        const known = [...list].filter(([at]) => at > hour - window && at <= hour && at > hour - RING_HOURS).map(([, value]) => value);
        const exact = known.length === 0 ? NaN : Math.max(...known);
        const into = new Float64Array(2);
        ring.maxPeaks(hour + 1, [window, window + 24], (index, peak) => (into[index] = peak));
        expect(ring.maxPeak(hour + 1, window)).toBe(into[0]);
        if (Number.isNaN(exact)) expect(into[0]).toBeNaN();
        else expect(into[0]).toBeCloseTo(exact, -1);
        expect(into[1]! >= into[0]!).toBe(true);
      }),
    );
  });

  test('drops hours older than four weeks and returns NaN for them', () => {
    const ring = new HourRing(RING_HOURS, 168);
    ring.push(1000, 900, 800);
    ring.push(1000 + RING_HOURS, 5, 4);
    expect(ring.peakAt(1000)).toBeNaN();
    expect(ring.maxPeak(1001 + RING_HOURS, 10_000)).toBeCloseTo(5, 1);
    expect(ring.upperAt(999)).toBeNaN();
  });
});
