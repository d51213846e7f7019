import { createHash } from 'node:crypto';
import { PREFIX } from '../apis/annotations.ts';
import { instantOf, isoTime } from '../core/model/iso-time.ts';
import { DAY_MS, type Instant } from '../core/model/units.ts';

/**
 * Where repeats are known by, on the object that a request changed, so that any replica knows them: JSON of the key's
 * hash and when it came. Hashed, because the key is the caller's business.
 */
export const IDEMPOTENCY_ANNOTATION = `${PREFIX}idempotency-keys`;

const KEPT_MS = DAY_MS;
/** A ring: more than this many distinct requests on one object in a day is no retry. */
const KEPT_AT_MOST = 32;

type Seen = Readonly<Record<string, string>>;

/** Whether this key has come for this action within 24 hours. */
export function isRepeat(annotation: string | undefined, action: string, key: string | null, now: Instant): boolean {
  return key !== null && hashOf(action, key) in fresh(annotation, now);
}

/** The annotation with this key added and old ones dropped; null where no key was given. */
export function withKey(annotation: string | undefined, action: string, key: string | null, now: Instant): string | null {
  if (key === null) return null;
  const kept = Object.entries(fresh(annotation, now)).slice(-(KEPT_AT_MOST - 1));
  return JSON.stringify({ ...Object.fromEntries(kept), [hashOf(action, key)]: isoTime(now) });
}

function fresh(annotation: string | undefined, now: Instant): Seen {
  if (annotation === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(annotation);
    if (typeof parsed !== 'object' || parsed === null) return {};
    const entries = Object.entries(parsed).filter((entry): entry is [string, string] => {
      const at = typeof entry[1] === 'string' ? instantOf(entry[1]) : null;
      return at !== null && now - at < KEPT_MS;
    });
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

function hashOf(action: string, key: string): string {
  return createHash('sha256').update(`${action}\n${key}`).digest('base64url').slice(0, 22);
}
