// Five-field cron in an IANA time zone. cron-parser parses the fields; the calendar is walked here, so that an occurrence skipped
// by a daylight saving change runs at the next existing minute, and a repeated one runs once.

import { CronExpressionParser } from 'cron-parser';
import { parsed, refused, type Parsed } from '../parsed.ts';
import { TimeZone, type LocalTime } from './time-zone.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from '../units.ts';

// Letters are only names of months and days: cron-parser's `H` would be a random minute.
const FIELD = String.raw`(?:\*|\d{1,2}|[A-Za-z]{3})(?:-(?:\d{1,2}|[A-Za-z]{3}))?(?:/\d{1,2})?`;
const LIST = `${FIELD}(?:,${FIELD})*`;
const FIELDS = new RegExp(`^${LIST}(?: +${LIST}){4}$`);
/** Search range: 29 February can be eight years away. */
const FARTHEST_DAYS = 8 * 366 + 2;
/** Largest backward change of a zone since 1970, except across the date line. */
const MAX_OVERLAP_MS = 3 * HOUR_MS;

interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether both kinds of day are restricted, so that either matches (cron's rule). */
  readonly eitherDay: boolean;
}

/** A parsed cron expression. */
export class CronSchedule {
  readonly timeZone: TimeZone;
  readonly #fields: CronFields;

  private constructor(timeZone: TimeZone, fields: CronFields) {
    this.timeZone = timeZone;
    this.#fields = fields;
  }

  /** Parses an expression. @param text minute, hour, day of month, month, day of week. @param timeZone IANA name */
  static parse(text: string, timeZone: string): Parsed<CronSchedule> {
    const zone = TimeZone.parse(timeZone);
    if (!zone.ok) return zone;
    const fields = parseFields(text);
    return fields.ok ? parsed(new CronSchedule(zone.value, fields.value)) : fields;
  }

  /** The first occurrence after `after`; null: none within eight years (30 February). */
  next(after: Instant): Instant | null {
    const local = this.timeZone.localAt(after);
    for (const candidate of this.#walk(Math.floor(local / MINUTE_MS) * MINUTE_MS, 1)) {
      const instant = this.timeZone.instantOf(candidate);
      if (instant > after) return instant;
    }
    return null;
  }

  /** The last occurrence at or before `at`; null: none within eight years. */
  previous(at: Instant): Instant | null {
    const local = this.timeZone.localAt(at);
    // In a repeated hour, later minutes have already occurred the first time.
    const wentBack = this.timeZone.localAt(at - MAX_OVERLAP_MS) > local - MAX_OVERLAP_MS;
    const from = Math.floor((local + (wentBack ? MAX_OVERLAP_MS : 0)) / MINUTE_MS) * MINUTE_MS;
    for (const candidate of this.#walk(from, -1)) {
      const instant = this.timeZone.instantOf(candidate);
      if (instant <= at) return instant;
    }
    return null;
  }

  /** Matching wall-clock minutes from `from` (inclusive), forwards or backwards. */
  *#walk(from: LocalTime, step: 1 | -1): Generator<LocalTime> {
    const { hours, minutes } = this.#fields;
    const ordered = (values: readonly number[]): readonly number[] => (step === 1 ? values : values.toReversed());
    const firstDay = Math.floor(from / DAY_MS) * DAY_MS;
    for (let days = 0; days < FARTHEST_DAYS; days += 1) {
      const day = firstDay + step * days * DAY_MS;
      if (!this.#isMatchingDay(day)) continue;
      for (const hour of ordered(hours)) {
        if ((day + (hour + step) * HOUR_MS - from) * step < 0) continue;
        for (const minute of ordered(minutes)) {
          const local = day + hour * HOUR_MS + minute * MINUTE_MS;
          if ((local - from) * step >= 0) yield local;
        }
      }
    }
  }

  #isMatchingDay(day: LocalTime): boolean {
    const date = new Date(day);
    const { months, daysOfMonth, daysOfWeek, eitherDay } = this.#fields;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const byMonth = daysOfMonth.has(date.getUTCDate());
    const byWeek = daysOfWeek.has(date.getUTCDay());
    return eitherDay ? byMonth || byWeek : byMonth && byWeek;
  }
}

function parseFields(text: string): Parsed<CronFields> {
  const trimmed = text.trim();
  if (!FIELDS.test(trimmed)) {
    return refused(
      `'${text}' is not a cron expression; write five fields: minute, hour, day of month, month, day of week, such as '0 22 * * 1-5'`,
    );
  }
  try {
    const { fields } = CronExpressionParser.parse(trimmed, { currentDate: new Date(0), tz: 'UTC' });
    const numbers = (values: readonly (number | string)[]): number[] => values.map(Number);
    const value: CronFields = {
      minutes: numbers(fields.minute.values),
      hours: numbers(fields.hour.values),
      daysOfMonth: new Set(numbers(fields.dayOfMonth.values)),
      months: new Set(numbers(fields.month.values)),
      daysOfWeek: new Set(numbers(fields.dayOfWeek.values).map((day) => day % 7)),
      eitherDay: !fields.dayOfMonth.isWildcard && !fields.dayOfWeek.isWildcard,
    };
    // Extensions such as `L` give values that are not numbers.
    const all = [...value.minutes, ...value.hours, ...value.daysOfMonth, ...value.months, ...value.daysOfWeek];
    if (all.every((number) => Number.isInteger(number))) return parsed(value);
    return refused(`'${text}': only numbers, names, lists, ranges, steps and * are allowed`);
  } catch (error) {
    return refused(`'${text}' is not a cron expression: ${error instanceof Error ? error.message : String(error)}`);
  }
}
