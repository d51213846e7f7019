// What Evenkeel must still have when the browser returns from the issuer, sealed in a cookie: any replica may get the answer.

import { isObject } from '#kube/json';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { SessionKey } from '../../../ports/access-store.ts';
import type { SignInChecks } from '../../../ports/identity-provider.ts';
import { cookieHeader } from '../credential.ts';
import { openText, sealText } from '../sealed-text.ts';
import { CLOCK_DIFFERENCE_MS } from '../../../core/access/session-limits.ts';

/** A user has this long at the issuer. */
export const TRANSACTION_MS: DurationMs = 10 * MINUTE_MS;

/** A sign-in that has begun. */
export interface SignInTransaction extends SignInChecks {
  /** A path of the dashboard, see `isSafeReturnPath`. Empty: its start page. */
  readonly returnTo: string;
  readonly startedAt: Instant;
}

export function transactionCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-evenkeel-sign-in' : 'evenkeel-sign-in';
}

/** The Set-Cookie header of a transaction. @throws RangeError without a key */
export function setTransactionCookie(transaction: SignInTransaction, keys: readonly SessionKey[], isSecure: boolean): string {
  const value = sealText(JSON.stringify(transaction), 'sign-in', keys, transaction.startedAt);
  return cookieHeader(transactionCookieName(isSecure), value, TRANSACTION_MS / SECOND_MS, isSecure);
}

/** The Set-Cookie header that removes the transaction. */
export function endTransactionCookie(isSecure: boolean): string {
  return cookieHeader(transactionCookieName(isSecure), '', 0, isSecure);
}

/** Opens the cookie; null where it is not of these keys, or ten minutes old. */
export function openTransaction(value: string, keys: readonly SessionKey[], now: Instant): SignInTransaction | null {
  const text = openText(value, 'sign-in', keys);
  const fields: unknown = text === null ? null : JSON.parse(text);
  if (!isObject(fields)) return null;
  const { state, nonce, codeVerifier, redirectUri, returnTo, startedAt } = fields;
  if (typeof state !== 'string' || typeof nonce !== 'string' || typeof codeVerifier !== 'string') return null;
  if (typeof redirectUri !== 'string' || typeof returnTo !== 'string' || typeof startedAt !== 'number') return null;
  const isCurrent = now < startedAt + TRANSACTION_MS && startedAt <= now + CLOCK_DIFFERENCE_MS;
  return isCurrent ? { state, nonce, codeVerifier, redirectUri, returnTo, startedAt } : null;
}
