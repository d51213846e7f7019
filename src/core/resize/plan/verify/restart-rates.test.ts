import { describe, expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { isSignificantlyGreater } from './restart-rates.ts';

describe('a rate of restarts', () => {
  test.each([
    ['one in half an hour, and none in the day before', [1, HOUR_MS / 2], [0, DAY_MS], true],
    ['one in half an hour, and three in the day before', [1, HOUR_MS / 2], [3, DAY_MS], false],
    ['six in half an hour, and twelve in the day before', [6, HOUR_MS / 2], [12, DAY_MS], true],
    ['hundreds of pods in a crash loop, and hardly any before', [5000, 100 * DAY_MS], [10, 100 * DAY_MS], true],
    ['hundreds of pods in a crash loop, as before', [5000, 100 * DAY_MS], [5000, 100 * DAY_MS], false],
    ['nothing known of before', [1, HOUR_MS], [0, 0], false],
  ] as const)('of %s', (_case, [events, observedMs], [eventsBefore, observedBefore], isGreater) => {
    const before = { events: eventsBefore, observedMs: observedBefore };
    expect(isSignificantlyGreater({ events, observedMs }, before)).toBe(isGreater);
  });
});
