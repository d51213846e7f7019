// A time zone's offsets, from the engine's own IANA database. `Intl` is part of the language; nothing here reads a clock.

import { parsed, refused, type Parsed } from '../parsed.ts';
import { DAY_MS, MINUTE_MS, type Instant } from '../units.ts';

/** Wall-clock time, as the milliseconds that the same reading would be in UTC. */
export type LocalTime = number;

/** An IANA time zone. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat | null;

  private constructor(format: Intl.DateTimeFormat | null) {
    this.#format = format;
  }

  /** @param name IANA name such as `Europe/Vienna`, or `UTC` */
  static parse(name: string): Parsed<TimeZone> {
    if (name === 'UTC' || name === 'Etc/UTC') return parsed(new TimeZone(null));
    // Offsets such as +02:00 are known to the engine too, but never follow a clock change: not what a schedule means.
    if (/^[A-Za-z]/.test(name)) {
      try {
        return parsed(new TimeZone(formatOf(name)));
      } catch {
        // Unknown to the engine: refused below.
      }
    }
    return refused(`'${name}' is not a time zone; write an IANA name such as Europe/Vienna or UTC`);
  }

  /** What a clock on the wall shows. */
  localAt(instant: Instant): LocalTime {
    if (this.#format === null) return Number(instant);
    const field: Record<string, number> = {};
    for (const part of this.#format.formatToParts(instant)) field[part.type] = Number(part.value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = field;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  }

  /**
   * When a clock on the wall shows `local`: the first time where it shows it twice; where a clock change skips it, the
   * moment of that change, which is the next minute that exists.
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
