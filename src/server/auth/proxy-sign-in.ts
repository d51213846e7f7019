import type { Request, Response } from 'express';
import type { MachineTimer } from '../../ports/clock.ts';
import { RateLimiter } from '../../runtime/clients/rate-limit.ts';
import type { Caller } from './authentication.ts';
import type { SignIns } from './sign-ins.ts';

/** Sessions that one user may begin. A client that keeps no cookie would otherwise sign in with each request. */
const SESSIONS = { perSecond: 1 / 6, burst: 10 };

/** Begins sessions of users whom a trusted proxy has identified. */
export class ProxySignIn {
  readonly #signIns: SignIns;
  readonly #limiter: RateLimiter;

  constructor(signIns: SignIns, timer: MachineTimer) {
    this.#signIns = signIns;
    this.#limiter = new RateLimiter(SESSIONS, timer);
  }

  /** The caller with a session, which begins where it has none. Without one where that is not possible: the user is identified all the same. */
  async begin(caller: Caller, request: Request, response: Response): Promise<Caller> {
    if (caller.session !== null || this.#limiter.take(caller.email) !== null) return caller;
    return this.#signIns.complete({ email: caller.email, name: null, via: 'proxy' }, request, response).catch(() => caller);
  }
}
