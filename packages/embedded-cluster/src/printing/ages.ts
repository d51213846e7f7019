import type { DurationMs, Instant } from '#kube/units';

const SECOND = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A duration as kubectl prints it: two units at most, and fewer the longer it is (`90s`, `5m30s`, `3h`, `2d4h`, `400d`). */
export function humanDuration(duration: DurationMs): string {
  const seconds = Math.trunc(duration / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return twoUnits(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return twoUnits(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return twoUnits(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return twoUnits(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.floor(seconds / YEAR)}y`;
}

/** Time since a timestamp of the wire; `<unknown>` without one. */
export function ageOf(timestamp: unknown, now: Instant): string {
  if (typeof timestamp !== 'string') return '<unknown>';
  const instant = Date.parse(timestamp);
  return Number.isNaN(instant) ? '<invalid>' : humanDuration(now - instant);
}

function twoUnits(seconds: number, major: number, majorName: string, minor: number, minorName: string): string {
  const rest = Math.floor((seconds % major) / minor);
  return `${Math.floor(seconds / major)}${majorName}${rest === 0 ? '' : `${rest}${minorName}`}`;
}
