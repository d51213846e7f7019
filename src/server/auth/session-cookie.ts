// The session as a cookie: sealed by a key that all replicas share, so that any of them opens it and none stores it.

import { randomBytes } from 'node:crypto';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { isObject } from '#kube/json';
import { parseEmail } from '../../core/access/grant.ts';
import { SESSION_MS } from '../../core/access/session-keys.ts';
import type { SessionKey } from '../../ports/access-store.ts';
import { openText, sealText } from './sealed-text.ts';

/** A session without a request for this long has ended. */
export const IDLE_MS: DurationMs = HOUR_MS;
/** The time of the last request is renewed in the cookie at this interval, not with every answer. */
const RENEW_EVERY_MS: DurationMs = MINUTE_MS;
/** Clocks of replicas differ: a session of a faster one is valid. */
export const CLOCK_DIFFERENCE_MS: DurationMs = MINUTE_MS;

/** How users sign in. */
const SIGN_IN_METHODS = ['local', 'oidc', 'proxy'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** One sign-in. */
export interface Session {
  readonly id: string;
  readonly email: string;
  /** null: the sign-in gave none. */
  readonly name: string | null;
  readonly via: SignInMethod;
  readonly createdAt: Instant;
  /** Time of the last request, to the minute. */
  readonly seenAt: Instant;
}

/** A session that begins now, with a random id. */
export function newSession(
  email: string,
  now: Instant,
  { via, name }: Pick<Session, 'via' | 'name'> = { via: 'local', name: null },
): Session {
  return { id: randomBytes(16).toString('base64url'), email, name, via, createdAt: now, seenAt: now };
}

/** Seals the session, with the time of its last request as the present. @throws RangeError without a key */
export function sealSession(session: Session, keys: readonly SessionKey[]): string {
  return sealText(JSON.stringify(session), 'session', keys, session.seenAt);
}

/** Opens a cookie with the key that sealed it; null where it is not a session of these keys, or has expired. */
export function openSession(value: string, keys: readonly SessionKey[], now: Instant): Session | null {
  const session = parseSession(openText(value, 'session', keys));
  if (session === null) return null;
  const { createdAt, seenAt } = session;
  const isCurrent = now < createdAt + SESSION_MS && now < seenAt + IDLE_MS && seenAt <= now + CLOCK_DIFFERENCE_MS;
  return isCurrent ? session : null;
}

/** Whether the cookie needs the time of this request. */
export function needsRenewal({ seenAt }: Session, now: Instant): boolean {
  return now - seenAt >= RENEW_EVERY_MS;
}

function parseSession(text: string | null): Session | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  if (!isObject(value)) return null;
  const { id, email, name, createdAt, seenAt } = value;
  const via = SIGN_IN_METHODS.find((method) => method === value['via']);
  if (typeof id !== 'string' || typeof createdAt !== 'number' || typeof seenAt !== 'number' || via === undefined) return null;
  if (name !== null && typeof name !== 'string') return null;
  return typeof email === 'string' && parseEmail(email) === email ? { id, email, name, via, createdAt, seenAt } : null;
}
