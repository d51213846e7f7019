// Who calls: from the session cookie or the API key of a request to its scope, anew for every request.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { parseApiKey } from '../../core/access/api-key.ts';
import { findGrant, type Grant } from '../../core/access/grant.ts';
import { NO_CREDENTIAL, scopeOf } from '../../core/access/scope-of-grant.ts';
import type { Scope } from '../../core/access/scope.ts';
import { MINUTE_MS, type Instant } from '#kube/units';
import type { AccessStore, StoredApiKey } from '../../ports/access-store.ts';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import type { RequestRates } from '../guards/request-rates.ts';
import { isMutation, type Operation } from '../openapi/operation.ts';
import { Problem } from '../problem.ts';
import { readCredential, setCookie } from './credential.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { needsRenewal, openSession, sealSession, SESSION_MS, type Session } from './session-cookie.ts';

export interface AuthenticationDependencies {
  readonly store: AccessStore;
  /** Domain time, by which grants expire. */
  readonly clock: Clock;
  /** Real time, by which sessions expire. */
  readonly now: () => Instant;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** External URL of the dashboard; null: not set. */
  readonly publicUrl: string | null;
  /** `auth.local.enabled` */
  readonly isLocalEnabled: boolean;
  readonly rates: Pick<RequestRates, 'limitCredential'>;
  /** `rateLimit.failedAuthenticationsPerMinute` */
  readonly maxFailuresPerMinute: number;
}

/** A verified caller. */
export interface Caller {
  readonly email: string;
  /** Id of the API key; null: another credential. */
  readonly keyId: string | null;
  /** null: an API key. */
  readonly session: Session | null;
  /** null: none, or it has expired. */
  readonly grant: Grant | null;
}

/** One text for every reason, so that an answer does not reveal which keys exist. */
const INVALID_KEY = 'The API key is not valid: it is mistyped, revoked, or of another cluster. Ask an admin for a new one.';

/** Verifies the credentials of requests. */
export class Authentication {
  /** Of any kind. Only invalid credentials are refused for them: a valid one of the address stays valid. */
  readonly failures: FailedAttempts;
  /** Wrong passwords, after which no password of the address is checked. Invalid API keys, such as a script's, do not lock out users. */
  readonly passwordFailures: FailedAttempts;
  readonly #dependencies: AuthenticationDependencies;

  constructor(dependencies: AuthenticationDependencies) {
    this.#dependencies = dependencies;
    this.failures = new FailedAttempts(dependencies.maxFailuresPerMinute, dependencies.timer);
    this.passwordFailures = new FailedAttempts(dependencies.maxFailuresPerMinute, dependencies.timer);
  }

  /**
   * The scope of a request for an operation. @throws Problem for an invalid API key, and for a valid one on a change; AccessUnconfirmedError
   */
  async scopeOf(request: Request, response: Response, operation: Operation): Promise<Scope> {
    // Open operations identify the caller themselves, since they also answer where that fails.
    const isOpen = operation.access === 'open';
    if (isOpen && (!isMutation(operation) || readCredential(request, this.isSecure(request)).kind !== 'bearer')) return NO_CREDENTIAL;
    const caller = await this.identify(request);
    if (caller === null) return NO_CREDENTIAL;
    // All sessions of a user count together, so that signing in again gives no further requests.
    this.#dependencies.rates.limitCredential(caller.keyId ?? caller.email, request);
    if (caller.session === null && isMutation(operation)) {
      throw new Problem('api_key_read_only', 'An API key only reads. Sign in to the dashboard to make changes.');
    }
    if (caller.session !== null) await this.#renew(caller.session, request, response);
    return scopeOf({ email: caller.email, session: caller.session !== null }, caller.grant);
  }

  /** The caller; null without a credential or with a session that has ended. @throws Problem for an invalid API key; AccessUnconfirmedError */
  async identify(request: Request): Promise<Caller | null> {
    const { store, clock, now } = this.#dependencies;
    const credential = readCredential(request, this.isSecure(request));
    if (credential.kind === 'none') return null;
    if (credential.kind === 'bearer') {
      const key = await this.#findKey(credential.token, request);
      return { email: key.email, keyId: key.id, session: null, grant: findGrant(await store.grants(), key.email, clock.now()) };
    }
    const session = openSession(credential.value, await store.sessionKeys(), now());
    if (session === null || (await store.endedSessions()).has(session.id)) return null;
    return { email: session.email, keyId: null, session, grant: findGrant(await store.grants(), session.email, clock.now()) };
  }

  /** The scope that an open stream has now; null: its credential is no longer valid, or that cannot be confirmed. */
  async currentScope(request: Request): Promise<Scope | null> {
    try {
      const caller = await this.identify(request);
      return caller === null ? null : scopeOf({ email: caller.email, session: caller.session !== null }, caller.grant);
    } catch {
      return null;
    }
  }

  /** Sends the session with the answer. */
  async send(session: Session, request: Request, response: Response): Promise<void> {
    const { store, now } = this.#dependencies;
    const keys = await store.sessionKeys();
    if (keys.length === 0) {
      throw new Problem('not_ready', 'The session key does not exist yet; the leader creates it. Try again shortly.', {
        headers: { 'retry-after': '5' },
      });
    }
    const seconds = Math.max(1, Math.floor((session.createdAt + SESSION_MS - now()) / 1000));
    response.setHeader('Set-Cookie', setCookie(sealSession(session, keys), seconds, this.isSecure(request)));
  }

  /** Whether the client's connection is encrypted, to Evenkeel or to the proxy that serves the public URL. */
  isSecure(request: Request): boolean {
    const { publicUrl } = this.#dependencies;
    if (request.secure) return true;
    if (publicUrl === null) return false;
    const { protocol, host } = new URL(publicUrl);
    return protocol === 'https:' && request.get('host')?.toLowerCase() === host;
  }

  async #findKey(token: string, request: Request): Promise<StoredApiKey> {
    const { store } = this.#dependencies;
    const parsed = parseApiKey(token);
    const keys = await store.apiKeys();
    const stored = parsed === null ? undefined : keys.get(parsed.id);
    // Compared also without a stored key, so that the time does not reveal whether the id exists.
    const isKnown = isHash(createHash('sha256').update(token).digest(), stored?.hash ?? '');
    if (stored === undefined || !isKnown) throw this.#invalidKey(request);
    this.#recordUse(stored);
    return stored;
  }

  #invalidKey(request: Request): Problem {
    const client = addressGroup(request.ip ?? '');
    const waitSeconds = this.failures.waitSeconds(client);
    if (waitSeconds !== null) return tooManyFailures(waitSeconds);
    this.failures.add(client);
    return new Problem('unauthenticated', INVALID_KEY, { headers: { 'www-authenticate': 'Bearer' } });
  }

  /** Once a minute for each key. A failure loses only the time of use. */
  #recordUse({ id, lastUsedAt }: StoredApiKey): void {
    const { store, now, logger } = this.#dependencies;
    const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    if (this.#usedAt.get(id) === minute || (lastUsedAt !== null && lastUsedAt >= minute)) return;
    this.#usedAt.set(id, minute);
    void store.recordUse(id, minute).catch((err: unknown) => logger.warn('Failed to record the use of an API key', { id, err }));
  }

  readonly #usedAt = new Map<string, Instant>();

  async #renew(session: Session, request: Request, response: Response): Promise<void> {
    const now = this.#dependencies.now();
    if (needsRenewal(session, now)) await this.send({ ...session, seenAt: now }, request, response);
  }
}

/** 429 until the oldest counted failure is a minute old. */
export function tooManyFailures(waitSeconds: number): Problem {
  return new Problem('rate_limited', `Too many failed sign-ins from this address. Try again in ${waitSeconds} s.`, {
    headers: { 'retry-after': String(waitSeconds) },
  });
}

function isHash(digest: Buffer, hex: string): boolean {
  const expected = Buffer.alloc(digest.length);
  const isComplete = expected.write(hex, 'hex') === digest.length;
  return timingSafeEqual(digest, expected) && isComplete;
}
