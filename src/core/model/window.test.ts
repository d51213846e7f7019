import { describe, expect, test } from '@jest/globals';
import { findNextOpening, findOpening, parseWindow, type Window, type WindowText } from './window.ts';
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
    expect(findOpening([nights], opening.start)).toEqual(opening);
    expect(findOpening([nights], opening.end - 1)).toEqual(opening);
    expect(findOpening([nights], opening.end)).toBeNull();
    expect(findOpening([nights], opening.start - 1)).toBeNull();
  });

  test('keeps its length across a daylight saving change', () => {
    const opening = findOpening([nights], at('2026-10-25T00:00Z'));
    expect(opening && opening.end - opening.start).toBe(8 * HOUR_MS);
  });

  test('of several open windows the one that closes last counts; the next opening is the earliest', () => {
    const day = window({ start: '0 0 * * *', duration: '1d' });
    const now = at('2026-11-21T02:00Z');
    expect(findOpening([nights, day], now)?.end).toBe(at('2026-11-22T00:00Z'));
    expect(findNextOpening([nights, day], now)?.start).toBe(at('2026-11-21T21:00Z'));
  });

  test('a window longer than its period is always open', () => {
    const always = window({ start: '0 * * * *', duration: '2h' });
    for (let now = at('2026-11-21T00:00Z'); now < at('2026-11-21T00:00Z') + DAY_MS; now += 17 * 60_000) {
      expect(findOpening([always], now)).not.toBeNull();
    }
  });

  test.each([
    [{ start: '0 25 * * *', duration: '1h' }, 'start: '],
    [{ start: '0 1 * * *', duration: '1 hour' }, 'duration: '],
    [{ start: '0 1 * * *', duration: '1h', timeZone: 'Nowhere' }, 'timeZone: '],
  ])('names the invalid field in %j', (text, field) => {
    expect(parseWindow(text)).toEqual({ ok: false, message: expect.stringMatching(new RegExp(`^${field}`)) });
  });
});
