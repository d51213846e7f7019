import { describe, expect, test } from '@jest/globals';
import { isoSeconds, isoTime } from './iso-time.ts';
import { DAY_MS } from '../units.ts';

describe('formatted timestamps', () => {
  test.each([
    0,
    1,
    999,
    -1,
    -86_400_000,
    Date.UTC(2026, 0, 5),
    Date.UTC(2024, 1, 29, 23, 59, 59, 999),
    Date.UTC(1969, 6, 20, 20, 17, 40, 1),
    Date.UTC(9999, 11, 31, 23, 59, 59, 999),
    Date.UTC(12_000, 0, 1),
    Date.UTC(-5, 5, 6, 7, 8, 9, 10),
    1_767_571_200_000.7,
    -0.5,
  ])('%d formats as Date does', (instant) => {
    const text = new Date(instant).toISOString();
    expect(isoTime(instant)).toBe(text);
    expect(isoSeconds(instant)).toBe(text.slice(0, -5));
  });

  test('every day of two centuries formats correctly, in any order', () => {
    const instantOn = (day: number): number => (((day * 7919) % 73_000) - 36_500) * DAY_MS + ((day * 86_399) % DAY_MS);
    const wrong = Array.from({ length: 73_000 }, (_, day) => instantOn(day)).filter((at) => isoTime(at) !== new Date(at).toISOString());
    expect(wrong).toEqual([]);
  });

  test.each([NaN, Infinity, 8.7e15])('%d is refused', (instant) => {
    expect(() => isoTime(instant)).toThrow(RangeError);
  });
});
