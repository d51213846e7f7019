// The one duration format of custom resources, settings, bodies and queries: `1h30m`, `14d`, `500ms`.

import { parsed, refused, type Parsed } from '#kube/parsed';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';

const UNIT_MS = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS, ms: 1 } as const;
type Unit = keyof typeof UNIT_MS;

const SHAPE = /^([1-9][0-9]*(ms|s|m|h|d|w))+$/;
const PART = /([1-9][0-9]*)(ms|s|m|h|d|w)/g;
const MAX_TEXT = 64;

/** Milliseconds of a duration. Units descend, each at most once; a day is 24 hours. */
export function parseDuration(text: string): Parsed<DurationMs> {
  if (text.length > MAX_TEXT || !SHAPE.test(text)) {
    return refused(
      `'${text.slice(0, MAX_TEXT)}' is not a duration; write whole numbers with units w, d, h, m, s, ms, such as 90s or 1h30m`,
    );
  }
  let total = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const [, count, unit] of text.matchAll(PART)) {
    const size = UNIT_MS[unit as Unit];
    if (size >= previous) return refused(`'${text}': units must descend, each at most once, in the order w, d, h, m, s, ms`);
    previous = size;
    total += Number(count) * size;
  }
  return Number.isSafeInteger(total) ? parsed(total) : refused(`'${text}' is too long a duration`);
}

/** The shortest text in days and smaller that reads back as the same. @param durationMs 0 (written `0s`, for people only) or greater */
export function formatDuration(durationMs: DurationMs): string {
  let rest = Math.round(durationMs);
  if (!(rest >= 0)) throw new RangeError(`formatting a duration of ${durationMs} ms: it must be 0 or greater`);
  if (rest === 0) return '0s';
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / UNIT_MS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * UNIT_MS[unit];
  }
  return text;
}
