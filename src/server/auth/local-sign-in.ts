import type { Request } from 'express';
import { parseEmail } from '../../core/access/grant.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { FairShare } from '../../runtime/clients/fair-share.ts';
import { isPassword } from '../../runtime/passwords/password-hash.ts';
import { Problem } from '../problem.ts';
import { tooManyFailures, type Authentication, type AuthenticationDependencies } from './authentication.ts';
import type { SignIns, VerifiedUser } from './sign-ins.ts';

/** Sign-ins that wait: each verification takes 32 MiB and a third of a second, so they run one at a time. */
const MAX_WAITING = 8;

/** Verifies the password of the local admin. */
export class LocalSignIn {
  readonly #authentication: Authentication;
  readonly #dependencies: AuthenticationDependencies;
  readonly #signIns: SignIns;
  readonly #share = new FairShare(MAX_WAITING);
  #last: Promise<unknown> = Promise.resolve();

  constructor(authentication: Authentication, dependencies: AuthenticationDependencies, signIns: SignIns) {
    this.#authentication = authentication;
    this.#dependencies = dependencies;
    this.#signIns = signIns;
  }

  /** The user whose password it is. @throws Problem where it is refused; AccessUnconfirmedError */
  async verify(request: Request, body: { readonly email: string; readonly password: string }): Promise<VerifiedUser> {
    const { store, isLocalEnabled } = this.#dependencies;
    if (!isLocalEnabled) throw new Problem('feature_disabled', 'Signing in with a password is disabled: auth.local.enabled is false.');
    const client = addressGroup(request.ip ?? '');
    const { failures, passwordFailures } = this.#authentication;
    const waitSeconds = passwordFailures.waitSeconds(client);
    if (waitSeconds !== null) throw tooManyFailures(waitSeconds);
    // Counted before the outcome is known: otherwise attempts sent together would all pass the check above.
    const undo = passwordFailures.add(client);
    const email = parseEmail(body.email);
    const verify = async (): Promise<boolean> => {
      const admin = await store.localAdmin();
      // The same work for an unknown address, so that the time does not reveal which one is known.
      const hash = admin !== null && admin.email === email ? admin.passwordHash : '';
      return isPassword(body.password, hash);
    };
    const isValid = await this.#inTurn(client, verify).catch((err: unknown) => {
      // Not verified: neither a wrong password nor a right one.
      undo();
      throw err;
    });
    if (!isValid || email === null) {
      failures.add(client);
      this.#signIns.refuse('local', 'wrong-password', request);
      throw new Problem(
        'unauthenticated',
        'The e-mail address or the password is wrong. `evenkeel password EMAIL` sets the password of the local admin.',
      );
    }
    undo();
    return { email, name: null, via: 'local' };
  }

  /** One after the other. A client has at most a quarter of the turns, so that a flood from one address does not keep out others. */
  async #inTurn<T>(client: string, run: () => Promise<T>): Promise<T> {
    const displaced = Promise.withResolvers<never>();
    const release = this.#share.take(client, 1, () => displaced.reject(tooManyWaiting()));
    if (typeof release === 'string') throw tooManyWaiting();
    const turn = this.#last.then(run, run);
    this.#last = turn.catch(() => undefined);
    try {
      return await Promise.race([turn, displaced.promise]);
    } finally {
      release();
    }
  }
}

function tooManyWaiting(): Problem {
  return new Problem('rate_limited', 'Too many sign-ins at once. Try again in 5 s.', { headers: { 'retry-after': '5' } });
}
