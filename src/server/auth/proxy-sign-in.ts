import type { Request, Response } from 'express';
import type { Caller } from './authentication.ts';
import type { SignIns } from './sign-ins.ts';

/**
 * The caller whom a trusted proxy has identified, with a session, which begins where it has none. Without one where that is not possible, as
 * for a client that keeps no cookie and has begun too many: the user is identified all the same.
 */
export async function beginProxySession(signIns: SignIns, caller: Caller, request: Request, response: Response): Promise<Caller> {
  if (caller.session !== null) return caller;
  return signIns.complete({ email: caller.email, name: null, via: 'proxy' }, request, response).catch(() => caller);
}
