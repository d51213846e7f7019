import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration.ts';

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['14d', 1_209_600_000],
    ['2w', 1_209_600_000],
    ['1w2d3h4m5s6ms', 788_645_006],
  ])('%s is %d ms', (text, value) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
  });

  test.each(['', '5', 'm', '0s', '01h', '-5m', '1.5h', '5 m', '1H', '1y', '5m ', '99999999999999999w'])('refuses %j', (text) => {
    expect(parseDuration(text).ok).toBe(false);
  });

  test.each(['30m1h', '1h1h', '1ms1s'])('refuses %s because its units do not descend', (text) => {
    expect(parseDuration(text)).toEqual({ ok: false, message: expect.stringContaining('units must descend') });
  });

  test('a formatted duration parses to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e13 }), (value) => {
        expect(parseDuration(formatDuration(value))).toEqual({ ok: true, value });
      }),
    );
  });
});
