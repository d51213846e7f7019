import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CronSchedule } from './cron.ts';
import { DAY_MS, MINUTE_MS } from '../units.ts';

function cron(text: string, timeZone = 'UTC'): CronSchedule {
  const schedule = CronSchedule.parse(text, timeZone);
  if (!schedule.ok) throw new Error(schedule.message);
  return schedule.value;
}

const at = (text: string): number => Date.parse(text);
const format = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString().slice(0, 16));

describe('cron', () => {
  test.each([
    ['0 22 * * 1-5', 'UTC', '2026-11-20T23:00Z', '2026-11-23T22:00'],
    ['*/15 * * * *', 'UTC', '2026-11-21T00:00Z', '2026-11-21T00:15'],
    ['0 9 * * THU', 'America/New_York', '2026-11-21T00:00Z', '2026-11-26T14:00'],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', '2028-02-29T00:00'],
    ['30 6 1 * MON', 'UTC', '2026-11-21T00:00Z', '2026-11-23T06:30'],
    ['0 0 * * 7', 'UTC', '2026-11-21T00:00Z', '2026-11-22T00:00'],
    ['15 3 * * *', 'Asia/Kathmandu', '2026-11-21T00:00Z', '2026-11-21T21:30'],
  ])('%s in %s after %s is %s', (text, zone, after, expected) => {
    expect(format(cron(text, zone).next(at(after)))).toBe(expected);
  });

  test('a start skipped by a daylight saving change runs once, at the next existing minute', () => {
    const schedule = cron('30 2 * * *', 'Europe/Vienna');
    expect(format(schedule.next(at('2026-03-28T12:00Z')))).toBe('2026-03-29T01:00');
    expect(format(schedule.next(at('2026-03-29T01:00Z')))).toBe('2026-03-30T00:30');
    expect(format(schedule.previous(at('2026-03-29T20:00Z')))).toBe('2026-03-29T01:00');
  });

  test('a start that occurs twice runs once, at the first occurrence', () => {
    const schedule = cron('30 2 * * *', 'Europe/Vienna');
    expect(format(schedule.next(at('2026-10-24T12:00Z')))).toBe('2026-10-25T00:30');
    expect(format(schedule.next(at('2026-10-25T00:30Z')))).toBe('2026-10-26T01:30');
    expect(format(schedule.previous(at('2026-10-25T01:15Z')))).toBe('2026-10-25T00:30');
  });

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '61 * * * *',
    '0 24 * * *',
    '0 0 L * *',
    '0 0 ? * *',
    'H * * * *',
    '0 0 30 2 *',
    '0 0 * FOO *',
    '5/0 * * * *',
    '1-0 * * * *',
  ])('refuses %j', (text) => {
    expect(CronSchedule.parse(text, 'UTC')).toEqual({ ok: false, message: expect.stringContaining(`'${text}'`) });
  });

  test.each(['', 'Mars/Olympus', '+02:00', 'Europe/Wien2'])('refuses time zone %j', (zone) => {
    expect(CronSchedule.parse('0 0 * * *', zone)).toEqual({ ok: false, message: expect.stringContaining('is not a time zone') });
  });

  test('next and previous are inverse', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2025-01-01'), max: at('2028-01-01') }),
        fc.constantFrom('*/7 * * * *', '0 2 * * *', '30 1,2,3 * * *', '0 0 1 * *', '15 23 * 3,10 SUN', '5 4 13 * 5'),
        fc.constantFrom('UTC', 'Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'America/St_Johns'),
        (instant, text, zone) => {
          const schedule = cron(text, zone);
          const next = schedule.next(instant);
          if (next === null) throw new Error('no next occurrence');
          expect(next).toBeGreaterThan(instant);
          expect(next % MINUTE_MS).toBe(0);
          expect(schedule.previous(next)).toBe(next);
          const previous = schedule.previous(instant);
          if (previous === null) throw new Error('no previous occurrence');
          expect(previous).toBeLessThanOrEqual(instant);
          expect(schedule.next(previous)).toBe(next);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a daily start occurs once on each local day, across daylight saving changes', () => {
    for (const zone of ['Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe']) {
      const schedule = cron('30 2 * * *', zone);
      let count = 0;
      let instant = at('2026-01-01T00:00Z');
      for (;;) {
        const next = schedule.next(instant);
        if (next === null || next >= at('2026-01-01T00:00Z') + 365 * DAY_MS) break;
        instant = next;
        count += 1;
      }
      expect(count).toBe(365);
    }
  });
});
