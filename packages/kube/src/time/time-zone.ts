// Offsets of time zones from the IANA database of the JavaScript engine (`Intl`), without reading a clock.

import { parsed, refused, type Parsed } from '../parsed.ts';
import { DAY_MS, MINUTE_MS, type Instant } from '../units.ts';

/** Wall-clock time as milliseconds since the epoch as if it were UTC. */
export type LocalTime = number;

/** An IANA time zone. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat | null;

  private constructor(format: Intl.DateTimeFormat | null) {
    this.#format = format;
  }

  /** Parses an IANA name such as `Europe/Vienna`, or `UTC`. */
  static parse(name: string): Parsed<TimeZone> {
    if (name === 'UTC' || name === 'Etc/UTC') return parsed(new TimeZone(null));
    // The engine also accepts offsets such as +02:00, which have no daylight saving time and are refused.
    if (/^[A-Za-z]/.test(name)) {
      try {
        return parsed(new TimeZone(formatOf(name)));
      } catch {
        // Unknown name: refused below.
      }
    }
    return refused(`'${name}' is not a time zone; write an IANA name such as Europe/Vienna or UTC`);
  }

  /** Wall-clock time at an instant. */
  localAt(instant: Instant): LocalTime {
    if (this.#format === null) return Number(instant);
    const field: Record<string, number> = {};
    for (const part of this.#format.formatToParts(instant)) field[part.type] = Number(part.value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = field;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  }

  /**
   * Instant of a wall-clock time: the first of two for a repeated time, and the time of the change, which is the next existing
   * minute, for a skipped one.
   */
  instantOf(local: LocalTime): Instant {
    if (this.#format === null) return local;
    const before = this.#offsetAt(local - DAY_MS);
    const after = this.#offsetAt(local + DAY_MS);
    const earlier = local - Math.max(before, after);
    const later = local - Math.min(before, after);
    if (this.localAt(earlier) === local) return earlier;
    if (this.localAt(later) === local) return later;
    return this.#changeBetween(earlier, later);
  }

  #offsetAt(instant: Instant): number {
    return this.localAt(instant) - instant;
  }

  #changeBetween(from: Instant, to: Instant): Instant {
    const target = this.#offsetAt(to);
    let low = from;
    let high = to;
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      const probe = middle > low ? middle : low + MINUTE_MS;
      if (this.#offsetAt(probe) === target) high = probe;
      else low = probe;
    }
    return high;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
