// The one place that completes or refuses a sign-in of any kind: its session, its log line, and its listeners.

import type { Request, Response } from 'express';
import { findGrantOfUser } from '../../core/access/grant.ts';
import { EVERY_REPLICA_REPORTED, type ReplicaReports } from '../../core/access/replica-reports.ts';
import type { AccessWrite } from '../../ports/access-store.ts';
import { RateLimiter } from '../../runtime/clients/rate-limit.ts';
import { Problem } from '../problem.ts';
import type { Authentication, AuthenticationDependencies, Caller } from './authentication.ts';
import { setCookie } from './credential.ts';
import { newSession, type Session, type SignInMethod } from './session-cookie.ts';

/**
 * Sessions that one user may begin. Each that ends is stored until it would have expired, in one Secret for all users: without a limit, one
 * could fill it, and then no session could be ended.
 */
const SESSIONS = { perSecond: 1 / 300, burst: 20 };

/** A user whose identity was verified. */
export interface VerifiedUser {
  /** As grants are keyed, see `parseEmail`. */
  readonly email: string;
  /** null: the method gives none. */
  readonly name: string | null;
  readonly via: SignInMethod;
}

/** What became of a sign-in, or that a session ended by sign-out. */
export interface SignInEvent {
  readonly outcome: 'signed-in' | 'refused' | 'signed-out';
  readonly via: SignInMethod;
  /** null: not verified. */
  readonly email: string | null;
  /** Client address. */
  readonly address: string;
  /** Code of a refusal such as `wrong-password`; null otherwise. */
  readonly reason: string | null;
}

/** Completes sign-ins. Listeners get every outcome, for metrics and the audit. */
export class SignIns {
  readonly #authentication: Authentication;
  readonly #dependencies: AuthenticationDependencies;
  readonly #limiter: RateLimiter;
  readonly #listeners = new Set<(event: SignInEvent, request: Request) => void>();

  constructor(authentication: Authentication, dependencies: AuthenticationDependencies) {
    this.#authentication = authentication;
    this.#dependencies = dependencies;
    this.#limiter = new RateLimiter(SESSIONS, dependencies.timer);
  }

  /** Calls the listener after each outcome. Returns the function that ends it. */
  subscribe(listener: (event: SignInEvent, request: Request) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Begins a session of the user, and ends the one that the request has: a sign-in always has a new session id.
   * @throws Problem without a session key, and for a user who has begun too many; AccessUnconfirmedError
   */
  async complete(user: VerifiedUser, request: Request, response: Response): Promise<Caller> {
    const caller = await this.callerOf(user);
    const previous = await this.#findSession(request);
    this.#refuseTooMany(user);
    if (previous !== null) await this.#end(previous);
    await this.#authentication.send(caller.session, request, response);
    this.#report({ outcome: 'signed-in', via: user.via, email: user.email, address: request.ip ?? '', reason: null }, request);
    return caller;
  }

  /** The caller that the user would be after a sign-in. @throws AccessUnconfirmedError */
  async callerOf({ email, name, via }: VerifiedUser): Promise<Caller & { readonly session: Session }> {
    const { store, clock, now, sessions } = this.#dependencies;
    return {
      email,
      via: via === 'proxy' ? 'proxy' : 'session',
      keyId: null,
      session: newSession(email, now(), { via, name, lifetimeMs: sessions.lifetimeMs }),
      hasForeignCookie: false,
      grant: findGrantOfUser(await store.grants(), email, clock.now()),
    };
  }

  /** Reports a sign-in that was refused. @param detail for the log alone, without a token or secret */
  refuse(via: SignInMethod, reason: string, request: Request, detail?: string): void {
    this.#report({ outcome: 'refused', via, email: null, address: request.ip ?? '', reason }, request, detail);
  }

  /** Ends the session of the request and removes its cookie. Resolves once no replica accepts the session any longer. */
  async signOut(request: Request, response: Response): Promise<ReplicaReports> {
    // Refuses an invalid API key or header. A session that this replica takes for idle may be valid for another one.
    await this.#authentication.identify(request);
    const session = await this.#authentication.sealedSession(request);
    const removed = setCookie('', 0, this.#authentication.isSecure(request));
    if (session === null) {
      response.setHeader('Set-Cookie', removed);
      return EVERY_REPLICA_REPORTED;
    }
    const write = await this.#end(session);
    response.setHeader('Set-Cookie', removed);
    this.#report({ outcome: 'signed-out', via: session.via, email: session.email, address: request.ip ?? '', reason: null }, request);
    return this.#dependencies.store.untilEveryReplicaHas(write);
  }

  async #findSession(request: Request): Promise<Session | null> {
    // A bearer header wins over the cookie: its caller has no session.
    if (request.headers.authorization !== undefined) return null;
    return (await this.#authentication.identify(request))?.session ?? null;
  }

  #refuseTooMany({ email }: VerifiedUser): void {
    const waitSeconds = this.#limiter.take(email);
    if (waitSeconds === null) return;
    throw new Problem('rate_limited', `Too many sign-ins of ${email}. Keep the cookie of one, or try again in ${waitSeconds} s.`, {
      headers: { 'retry-after': String(waitSeconds) },
    });
  }

  #end({ id, sealedEndsAt }: Session): Promise<AccessWrite> {
    return this.#dependencies.store.endSession(id, sealedEndsAt);
  }

  #report(event: SignInEvent, request: Request, detail?: string): void {
    const { outcome, via, email, address, reason } = event;
    const { logger } = this.#dependencies;
    if (outcome === 'signed-in') logger.info('Signed in', { email, via, address });
    else if (outcome === 'signed-out') logger.info('Signed out', { email, via, address });
    else logger.warn('Sign-in failed', { via, reason, address, ...(detail === undefined ? {} : { detail }) });
    for (const listener of this.#listeners) listener(event, request);
  }
}
