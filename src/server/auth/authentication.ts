// Who calls: from the API key, the proxy's header or the session cookie of a request to its scope, anew for every request.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { parseApiKey } from '../../core/access/api-key.ts';
import { findGrant, findGrantOfUser, type Grant } from '../../core/access/grant.ts';
import { NO_CREDENTIAL, scopeOf, type Identity } from '../../core/access/scope-of-grant.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { SessionLimits } from '../../core/access/session-limits.ts';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { AccessStore, SessionKey, StoredApiKey } from '../../ports/access-store.ts';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { RateLimiter } from '../../runtime/clients/rate-limit.ts';
import type { RequestRates } from '../guards/request-rates.ts';
import { isSecure } from '../guards/secure-connection.ts';
import { isMutation, type Operation } from '../openapi/operation.ts';
import { notReady, Problem } from '../problem.ts';
import { requestFactsOf } from '../request-context.ts';
import { readCredential, setCookie } from './credential.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { ProxyIdentity, type IdentityProxy } from './proxy-identity.ts';
import { needsRenewal, openSession, sealSession, type Session } from './session-cookie.ts';

export interface AuthenticationDependencies {
  readonly store: AccessStore;
  /** Domain time, by which grants expire. */
  readonly clock: Clock;
  /** Real time, by which sessions expire. */
  readonly now: () => Instant;
  /** `auth.session` */
  readonly sessions: SessionLimits;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** External URL of the dashboard; null: not set. */
  readonly publicUrl: string | null;
  /** `auth.local.enabled` */
  readonly isLocalEnabled: boolean;
  /** null: no proxy identifies users. */
  readonly proxy: IdentityProxy | null;
  readonly rates: Pick<RequestRates, 'limitCredential'>;
  /** `rateLimit.failedAuthenticationsPerMinute` */
  readonly maxFailuresPerMinute: number;
}

/** A verified caller. */
export interface Caller {
  readonly email: string;
  readonly via: 'session' | 'api-key' | 'proxy';
  /** Id of the API key; null: another credential. */
  readonly keyId: string | null;
  /** null: an API key, or a user of the proxy whose session has not begun. */
  readonly session: Session | null;
  /** Whether the request has a cookie that is not a session of this caller. */
  readonly hasForeignCookie: boolean;
  /** null: none, or it has expired. */
  readonly grant: Grant | null;
}

/**
 * Changes of one user that need no grant, such as requests for access. Every user whom the issuer identifies may send them, each of which
 * reads from the API server and is recorded.
 */
const CHANGES_WITHOUT_GRANT = { perSecond: 1 / 6, burst: 10 };

/** How long the header that began a stream identifies its user. */
const IDENTITY_MS: DurationMs = HOUR_MS;

/** One text for every reason, so that an answer does not reveal which keys exist. */
const INVALID_KEY = 'The API key is not valid: it is mistyped, revoked, or of another cluster. Ask an admin for a new one.';

/** Verifies the credentials of requests. */
export class Authentication {
  /** Of any kind. Only invalid credentials are refused for them: a valid one of the address stays valid. */
  readonly failures: FailedAttempts;
  /** Wrong passwords, after which no password of the address is checked. Invalid API keys, such as a script's, do not lock out users. */
  readonly passwordFailures: FailedAttempts;
  /** Answers of the issuer that were refused, after which none of the address is verified. */
  readonly issuerFailures: FailedAttempts;
  readonly #changes: RateLimiter;
  readonly #dependencies: AuthenticationDependencies;
  readonly #proxy: ProxyIdentity | null;
  /** When the proxy has identified the user of a request, of which streams are open for long. */
  readonly #identifiedAt = new WeakMap<Request, Instant>();

  constructor(dependencies: AuthenticationDependencies) {
    this.#dependencies = dependencies;
    this.#proxy = dependencies.proxy === null ? null : new ProxyIdentity(dependencies.proxy, dependencies.logger);
    this.failures = new FailedAttempts(dependencies.maxFailuresPerMinute, dependencies.timer);
    this.passwordFailures = new FailedAttempts(dependencies.maxFailuresPerMinute, dependencies.timer);
    this.#changes = new RateLimiter(CHANGES_WITHOUT_GRANT, dependencies.timer);
    this.issuerFailures = new FailedAttempts(dependencies.maxFailuresPerMinute, dependencies.timer);
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
    const scope = scopeOf(identityOf(caller), caller.grant);
    requestFactsOf(request).scope = scope;
    // All sessions of a user count together, so that signing in again gives no further requests.
    this.#dependencies.rates.limitCredential(caller.keyId ?? caller.email, request);
    // The requirement of an admin's session refuses every key with the reason.
    if (caller.keyId !== null && isMutation(operation) && operation.access !== 'admin-session') {
      throw new Problem('api_key_read_only', 'An API key only reads. Sign in to the dashboard to make changes.');
    }
    if (operation.access === 'identified' && isMutation(operation)) this.#limitChange(caller);
    if (caller.session !== null) await this.#renew(caller.session, request, response);
    else if (caller.hasForeignCookie) response.setHeader('Set-Cookie', setCookie('', 0, this.isSecure(request)));
    return scope;
  }

  /**
   * The caller; null without a credential or with a session that has ended. An API key wins over the header of the proxy, and that over the
   * cookie. @throws Problem for an invalid API key or header; AccessUnconfirmedError
   */
  async identify(request: Request): Promise<Caller | null> {
    const { store, clock } = this.#dependencies;
    const credential = readCredential(request, this.isSecure(request));
    const withGrant = async (caller: Omit<Caller, 'grant'>): Promise<Caller> => {
      // The role of a domain is for users: an API key needs a grant of its address.
      const find = caller.keyId === null ? findGrantOfUser : findGrant;
      return { ...caller, grant: find(await store.grants(), caller.email, clock.now()) };
    };
    if (credential.kind === 'bearer') {
      const { email, id } = await this.#findKey(credential.token, request);
      return withGrant({ email, via: 'api-key', keyId: id, session: null, hasForeignCookie: false });
    }
    const email = this.#proxy?.emailOf(request) ?? null;
    const session = credential.kind === 'cookie' ? await this.#findSession(credential.value, this.#dependencies.sessions) : null;
    if (email === null) {
      // The session of a proxy's user needs the header: the proxy decides how long the user is signed in.
      if (session === null || session.via === 'proxy') return null;
      return withGrant({ email: session.email, via: 'session', keyId: null, session, hasForeignCookie: false });
    }
    if (!this.#identifiedAt.has(request)) this.#identifiedAt.set(request, this.#dependencies.now());
    const ofUser = session?.email === email ? session : null;
    const hasForeignCookie = credential.kind === 'cookie' && ofUser === null;
    return withGrant({ email, via: 'proxy', keyId: null, session: ofUser, hasForeignCookie });
  }

  /** The scope that an open stream has now; null: its credential is no longer valid, or that cannot be confirmed. */
  async currentScope(request: Request): Promise<Scope | null> {
    try {
      const caller = await this.identify(request);
      if (caller === null || this.#isIdentityOld(request)) return null;
      return scopeOf(identityOf(caller), caller.grant);
    } catch {
      return null;
    }
  }

  /** The keys of which one seals. @throws Problem where the leader has not created one yet; AccessUnconfirmedError */
  async sealingKeys(): Promise<readonly SessionKey[]> {
    const keys = await this.#dependencies.store.sessionKeys();
    if (keys.length === 0) throw notReady('The session key does not exist yet; the leader creates it. Try again shortly.');
    return keys;
  }

  /** Sends the session with the answer. */
  async send(session: Session, request: Request, response: Response): Promise<void> {
    const { now } = this.#dependencies;
    const keys = await this.sealingKeys();
    const seconds = Math.max(1, Math.floor((session.endsAt - now()) / 1000));
    response.setHeader('Set-Cookie', setCookie(sealSession(session, keys), seconds, this.isSecure(request)));
  }

  /** Whether the client's connection is encrypted, to Evenkeel or to the proxy that serves the public URL. */
  isSecure(request: Request): boolean {
    return isSecure(request, this.#dependencies.publicUrl);
  }

  /**
   * The session of a request's cookie, also one that is idle or has ended by the settings of this replica: another one may have other
   * settings, or get them. null: none, or it was ended. @throws AccessUnconfirmedError
   */
  async sealedSession(request: Request): Promise<Session | null> {
    const credential = readCredential(request, this.isSecure(request));
    return credential.kind === 'cookie' ? this.#findSession(credential.value, null) : null;
  }

  async #findSession(value: string, limits: SessionLimits | null): Promise<Session | null> {
    const { store, now } = this.#dependencies;
    const session = openSession(value, await store.sessionKeys(), now(), limits);
    return session === null || (await store.endedSessions()).has(session.id) ? null : session;
  }

  /** A stream of a proxy's user ends after an hour, and its client comes back through the proxy, which may have blocked the user. */
  #isIdentityOld(request: Request): boolean {
    const identifiedAt = this.#identifiedAt.get(request);
    return identifiedAt !== undefined && this.#dependencies.now() - identifiedAt >= IDENTITY_MS;
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

  #limitChange({ email }: Caller): void {
    const waitSeconds = this.#changes.take(email);
    if (waitSeconds === null) return;
    throw new Problem('rate_limited', `Too many requests for access. Try again in ${waitSeconds} s.`, {
      headers: { 'retry-after': String(waitSeconds) },
    });
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

function identityOf({ email, via, session, keyId }: Caller): Identity {
  return { email, session: session !== null, name: session?.name ?? null, credential: { via, keyId } };
}

function isHash(digest: Buffer, hex: string): boolean {
  const expected = Buffer.alloc(digest.length);
  const isComplete = expected.write(hex, 'hex') === digest.length;
  return timingSafeEqual(digest, expected) && isComplete;
}
