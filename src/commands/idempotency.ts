import { createHash } from 'node:crypto';
import { PREFIX } from '../apis/annotations.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { DAY_MS, type Instant } from '#kube/units';
import type { Caller } from './context.ts';
import type { CommandRefusal } from './outcome.ts';

/**
 * Annotation with the idempotency keys of an object's requests, so that every replica recognizes a repeat: JSON of hashed keys, each with
 * its time and the hash of its body. Keys are hashed because they may be confidential.
 */
export const IDEMPOTENCY_ANNOTATION = `${PREFIX}idempotency-keys`;

const RETENTION_MS = DAY_MS;
/** Keys per object; the oldest is dropped first. */
const MAX_KEYS = 32;

type StoredKeys = Readonly<Record<string, string>>;

/** The refusal of a key that belongs to another request: treating it as a repeat would drop the new request. */
export const KEY_OF_ANOTHER = {
  kind: 'conflict',
  message: 'This Idempotency-Key was used with another body within 24 hours, so nothing was changed. Use a new key for a new request.',
} as const satisfies CommandRefusal;

/** The meaning of a key: `new`, a `repeat` of the same request, or a key of `another` request. */
export type KeyMeaning = 'new' | 'repeat' | 'another';

/** Compares the caller's key and body with those of the action within the last 24 hours. */
export function meaningOfKey(annotation: string | undefined, action: string, caller: Caller, now: Instant): KeyMeaning {
  const { idempotencyKey: key, bodyHash } = caller;
  const entry = key === null ? undefined : readCurrentKeys(annotation, now)[hashOf(action, key)];
  if (entry === undefined) return 'new';
  const [, body] = entry.split(' ');
  return body === undefined || bodyHash === undefined || body === bodyHash ? 'repeat' : 'another';
}

/** The annotation with the caller's key added and expired keys removed; null where the caller has no key. */
export function withKey(annotation: string | undefined, action: string, caller: Caller, now: Instant): string | null {
  const { idempotencyKey: key, bodyHash } = caller;
  if (key === null) return null;
  const remaining = Object.entries(readCurrentKeys(annotation, now)).slice(-(MAX_KEYS - 1));
  const entry = bodyHash === undefined ? isoTime(now) : `${isoTime(now)} ${bodyHash}`;
  return JSON.stringify({ ...Object.fromEntries(remaining), [hashOf(action, key)]: entry });
}

/** A hash of the body that does not depend on the order of its fields. */
export function hashOfBody(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(withSortedFields(body ?? {})))
    .digest('base64url')
    .slice(0, 11);
}

function withSortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]) => [name, withSortedFields(child)]);
}

function readCurrentKeys(annotation: string | undefined, now: Instant): StoredKeys {
  if (annotation === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(annotation);
    if (typeof parsed !== 'object' || parsed === null) return {};
    const entries = Object.entries(parsed).filter((entry): entry is [string, string] => {
      const at = typeof entry[1] === 'string' ? instantOf(entry[1].split(' ')[0]) : null;
      return at !== null && now - at < RETENTION_MS;
    });
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

function hashOf(action: string, key: string): string {
  return createHash('sha256').update(`${action}\n${key}`).digest('base64url').slice(0, 22);
}
