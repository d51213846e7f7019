// The session as a cookie: sealed by a key that all replicas share, so that any of them opens it and none stores it.

import { randomBytes } from 'node:crypto';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { isObject } from '#kube/json';
import { parseEmail } from '../../core/access/grant.ts';
import { CLOCK_DIFFERENCE_MS, DEFAULT_SESSION_LIMITS, type SessionLimits } from '../../core/access/session-limits.ts';
import type { SessionKey } from '../../ports/access-store.ts';
import { openText, sealText } from './sealed-text.ts';

/** The time of the last request is renewed in the cookie at this interval, not with every answer. */
const RENEW_EVERY_MS: DurationMs = MINUTE_MS;

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
  /** Time at which it ends for this replica, however active it is. */
  readonly endsAt: Instant;
  /** Time at which it ends for every replica, also for one with a longer lifetime. */
  readonly sealedEndsAt: Instant;
  /** Time of the last request, to the minute. */
  readonly seenAt: Instant;
}

/** A session that begins now, with a random id. */
export function newSession(
  email: string,
  now: Instant,
  options: Partial<Pick<Session, 'via' | 'name'> & Pick<SessionLimits, 'lifetimeMs'>> = {},
): Session {
  const { via = 'local', name = null, lifetimeMs = DEFAULT_SESSION_LIMITS.lifetimeMs } = options;
  const endsAt = now + lifetimeMs;
  return { id: randomBytes(16).toString('base64url'), email, name, via, createdAt: now, endsAt, sealedEndsAt: endsAt, seenAt: now };
}

/** Seals the session, with the time of its last request as the present. @throws RangeError without a key */
export function sealSession(session: Session, keys: readonly SessionKey[]): string {
  return sealText(JSON.stringify(session), 'session', keys, session.seenAt);
}

/**
 * Opens a cookie with the key that sealed it; null where it is not a session of these keys, or has expired. A shorter lifetime applies to
 * sessions that have begun, a longer one only to new ones. @param limits null: what another replica may accept, by its settings
 */
export function openSession(value: string, keys: readonly SessionKey[], now: Instant, limits: SessionLimits | null): Session | null {
  const { lifetimeMs, idleMs } = limits ?? { lifetimeMs: Infinity, idleMs: Infinity };
  const session = parseSession(openText(value, 'session', keys));
  if (session === null) return null;
  const { createdAt, seenAt, sealedEndsAt } = session;
  const endsAt = Math.min(sealedEndsAt, createdAt + lifetimeMs);
  const isCurrent = now < endsAt && now < seenAt + idleMs && seenAt <= now + CLOCK_DIFFERENCE_MS;
  return isCurrent ? { ...session, endsAt } : null;
}

/** Whether the cookie needs the time of this request. */
export function needsRenewal({ seenAt }: Session, now: Instant): boolean {
  return now - seenAt >= RENEW_EVERY_MS;
}

function parseSession(text: string | null): Session | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  if (!isObject(value)) return null;
  const { id, email, name, createdAt, sealedEndsAt, seenAt } = value;
  const via = SIGN_IN_METHODS.find((method) => method === value['via']);
  if (typeof id !== 'string' || via === undefined) return null;
  if (typeof createdAt !== 'number' || typeof sealedEndsAt !== 'number' || typeof seenAt !== 'number') return null;
  if (name !== null && typeof name !== 'string') return null;
  return typeof email === 'string' && parseEmail(email) === email
    ? { id, email, name, via, createdAt, endsAt: sealedEndsAt, sealedEndsAt, seenAt }
    : null;
}
