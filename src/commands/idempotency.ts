import { createHash } from 'node:crypto';
import { PREFIX } from '../apis/annotations.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { DAY_MS, type Instant } from '#kube/units';
import type { Caller } from './context.ts';
import type { CommandRefusal } from './outcome.ts';

/**
 * Where repeats are known by, on the object that a request changed, so that any replica knows them: JSON of the key's
 * hash, and when it came with what. Hashed, because the key is the caller's business.
 */
export const IDEMPOTENCY_ANNOTATION = `${PREFIX}idempotency-keys`;

const KEPT_MS = DAY_MS;
/** A ring: more than this many distinct requests on one object in a day is no retry. */
const MAX_KEPT = 32;

type Seen = Readonly<Record<string, string>>;

/** For a key that was another request's: what is asked now would be lost with a yes. */
export const KEY_OF_ANOTHER = {
  kind: 'conflict',
  message: 'This Idempotency-Key has come with another body within 24 hours, so nothing was done. Use a new key for a new request.',
} as const satisfies CommandRefusal;

/** What a key means here: `new`, the same request once more (`repeat`), or a key that was `another` request's. */
export type KeyMeaning = 'new' | 'repeat' | 'another';

/** Whether the caller's key has come for this action within 24 hours, and with what. */
export function meaningOfKey(annotation: string | undefined, action: string, caller: Caller, now: Instant): KeyMeaning {
  const { idempotencyKey: key, bodyHash } = caller;
  const entry = key === null ? undefined : fresh(annotation, now)[hashOf(action, key)];
  if (entry === undefined) return 'new';
  const [, body] = entry.split(' ');
  return body === undefined || bodyHash === undefined || body === bodyHash ? 'repeat' : 'another';
}

/** The annotation with the caller's key added and old ones dropped; null where no key was given. */
export function withKey(annotation: string | undefined, action: string, caller: Caller, now: Instant): string | null {
  const { idempotencyKey: key, bodyHash } = caller;
  if (key === null) return null;
  const kept = Object.entries(fresh(annotation, now)).slice(-(MAX_KEPT - 1));
  const entry = bodyHash === undefined ? isoTime(now) : `${isoTime(now)} ${bodyHash}`;
  return JSON.stringify({ ...Object.fromEntries(kept), [hashOf(action, key)]: entry });
}

/** Tells bodies apart, whatever the order of their fields. */
export function hashOfBody(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inOrder(body ?? {})))
    .digest('base64url')
    .slice(0, 11);
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]) => [name, inOrder(child)]);
}

function fresh(annotation: string | undefined, now: Instant): Seen {
  if (annotation === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(annotation);
    if (typeof parsed !== 'object' || parsed === null) return {};
    const entries = Object.entries(parsed).filter((entry): entry is [string, string] => {
      const at = typeof entry[1] === 'string' ? instantOf(entry[1].split(' ')[0]) : null;
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
