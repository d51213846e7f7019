import type { Instant } from './units.ts';

/** RFC 3339 in UTC with milliseconds. */
export function isoTime(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function isoTimeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : isoTime(instant);
}

/** Reads a time as objects hold it; null where it is absent or unreadable. */
export function instantOf(text: string | undefined): Instant | null {
  if (text === undefined) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
