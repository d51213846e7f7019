import { describe, expect, test } from '@jest/globals';
import { nextOpening, openingAt, parseWindow, type Window, type WindowText } from './window.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';

function window(text: WindowText): Window {
  const outcome = parseWindow(text);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

const at = (text: string): number => Date.parse(text);

describe('windows', () => {
  const nights = window({ start: '0 22 * * *', duration: '8h', timeZone: 'Europe/Vienna' });

  test('is open from its start until its end, across midnight', () => {
    const opening = { start: at('2026-11-20T21:00Z'), end: at('2026-11-21T05:00Z') };
    expect(openingAt([nights], opening.start)).toEqual(opening);
    expect(openingAt([nights], opening.end - 1)).toEqual(opening);
    expect(openingAt([nights], opening.end)).toBeNull();
    expect(openingAt([nights], opening.start - 1)).toBeNull();
  });

  test('keeps its length across a clock change', () => {
    const opening = openingAt([nights], at('2026-10-25T00:00Z'));
    expect(opening && opening.end - opening.start).toBe(8 * HOUR_MS);
  });

  test('of several open ones, the one that stays open longest counts; the next is the earliest', () => {
    const day = window({ start: '0 0 * * *', duration: '1d' });
    const now = at('2026-11-21T02:00Z');
    expect(openingAt([nights, day], now)?.end).toBe(at('2026-11-22T00:00Z'));
    expect(nextOpening([nights, day], now)?.start).toBe(at('2026-11-21T21:00Z'));
  });

  test('a window longer than its period is always open', () => {
    const always = window({ start: '0 * * * *', duration: '2h' });
    for (let now = at('2026-11-21T00:00Z'); now < at('2026-11-21T00:00Z') + DAY_MS; now += 17 * 60_000) {
      expect(openingAt([always], now)).not.toBeNull();
    }
  });

  test.each([
    [{ start: '0 25 * * *', duration: '1h' }, 'start: '],
    [{ start: '0 1 * * *', duration: '1 hour' }, 'duration: '],
    [{ start: '0 1 * * *', duration: '1h', timeZone: 'Nowhere' }, 'timeZone: '],
  ])('names the field that is wrong in %j', (text, field) => {
    expect(parseWindow(text)).toEqual({ ok: false, message: expect.stringMatching(new RegExp(`^${field}`)) });
  });
});
