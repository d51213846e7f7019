import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Instant } from '../units.ts';

/** Formats a time as RFC 3339 in UTC with milliseconds. @throws RangeError for an invalid time */
export function isoTime(instant: Instant): string {
  const at = Math.trunc(instant);
  return `${isoSeconds(at)}.${String(at - Math.floor(at / SECOND_MS) * SECOND_MS).padStart(3, '0')}Z`;
}

/** The same to the second, without fraction and zone. @throws RangeError for an invalid time */
export function isoSeconds(instant: Instant): string {
  const at = Math.trunc(instant);
  const day = Math.floor(at / DAY_MS);
  const into = at - day * DAY_MS;
  return `${dayText(day)}T${twoDigits(into / HOUR_MS)}:${twoDigits((into % HOUR_MS) / MINUTE_MS)}:${twoDigits((into % MINUTE_MS) / SECOND_MS)}`;
}

/** Formats a time; null stays null. */
export function isoTimeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : isoTime(instant);
}

/** Parses a timestamp of an object; null: absent or invalid. */
export function instantOf(text: string | undefined): Instant | null {
  if (text === undefined) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}

/** Cached days: formatting the day is the slowest part, and almost all times are within a few days. */
const DAYS_KEPT = 64;
const days = Array.from({ length: DAYS_KEPT }, () => ({ day: Number.NaN, text: '' }));

function dayText(day: number): string {
  const place = days[((day % DAYS_KEPT) + DAYS_KEPT) % DAYS_KEPT];
  if (place?.day === day) return place.text;
  const text = new Date(day * DAY_MS).toISOString().slice(0, -'T00:00:00.000Z'.length);
  if (place !== undefined) {
    place.day = day;
    place.text = text;
  }
  return text;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

function twoDigits(value: number): string {
  return TWO_DIGITS[Math.floor(value)] ?? '';
}
