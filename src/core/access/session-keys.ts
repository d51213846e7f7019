// When keys that seal sessions are added and removed. Names of keys are times, so that each replica derives the same from them.

import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { CLOCK_DIFFERENCE_MS } from './session-limits.ts';

/** A key seals for a week: what one that leaked opens is bounded. */
export const ROTATE_EVERY_MS: DurationMs = 7 * DAY_MS;
/** A new key opens from the start, and seals only once every replica has read it. */
const SEALS_AFTER_MS: DurationMs = MINUTE_MS;

/** A key is removed this long after the name of its successor, when every session that it sealed has ended. */
export function sessionKeyKeptMs(lifetimeMs: DurationMs): DurationMs {
  return lifetimeMs + SEALS_AFTER_MS + CLOCK_DIFFERENCE_MS;
}

/** The name of a key that is added now. Names sort by age. */
export function sessionKeyName(now: Instant): string {
  return isoTime(now).replaceAll(/[-:.]/g, '');
}

/** The time in a name, such as `20261127T093000000Z`; null: a user chose another name, or a time that is far in the future. */
function timeOfSessionKey(name: string, now: Instant): Instant | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(name);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milliseconds = 0] = match.slice(1).map(Number);
  const time = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  return time > now + HOUR_MS ? null : time;
}

/** The key that seals: the newest that every replica has read, else the oldest; undefined where there is none. @param keys oldest first */
export function sealingKey<Key extends { readonly id: string }>(keys: readonly Key[], now: Instant): Key | undefined {
  return keys.findLast(({ id }) => (timeOfSessionKey(id, now) ?? 0) + SEALS_AFTER_MS <= now) ?? keys[0];
}

/** What the leader does with the keys. */
export interface KeyRotation {
  /** Name of a key to add; null: none. */
  readonly add: string | null;
  /** Names of keys whose sessions have all ended. */
  readonly remove: readonly string[];
}

/** The rotation that is due. @param names sorted, of valid keys @param lifetimeMs of sessions */
export function dueRotation(names: readonly string[], now: Instant, lifetimeMs: DurationMs): KeyRotation {
  const newest = names.at(-1);
  const next = sessionKeyName(now);
  const isDue = newest === undefined || (timeOfSessionKey(newest, now) ?? 0) + ROTATE_EVERY_MS <= now;
  return {
    // A name that sorts after the present time stays the newest: a user rotates that one.
    add: isDue && (newest === undefined || newest < next) ? next : null,
    remove: names.filter((_name, index) => {
      const successor = names[index + 1];
      const stoppedAt = successor === undefined ? null : timeOfSessionKey(successor, now);
      return stoppedAt !== null && stoppedAt + sessionKeyKeptMs(lifetimeMs) <= now;
    }),
  };
}
