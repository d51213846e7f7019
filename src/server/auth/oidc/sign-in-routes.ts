// Sign-in by OpenID Connect at /auth/login and /auth/callback, and sign-out at /auth/logout: pages for browsers, outside the API.

import { Router, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { parseEmail } from '../../../core/access/grant.ts';
import { AccessUnconfirmedError } from '../../../ports/access-store.ts';
import { IssuerRefusedError, type IdentityProvider, type IssuedIdentity } from '../../../ports/identity-provider.ts';
import { isUnavailable } from '../../../ports/unavailable-error.ts';
import { addressGroup } from '../../../runtime/clients/address-group.ts';
import { RETRY_AFTER_SECONDS } from '../../guards/share-problem.ts';
import { contentSecurityPolicy } from '../../guards/security-headers.ts';
import { Problem } from '../../problem.ts';
import { requestIdOf } from '../../request-context.ts';
import type { Authentication, AuthenticationDependencies } from '../authentication.ts';
import { readCookie } from '../credential.ts';
import type { SignIns, VerifiedUser } from '../sign-ins.ts';
import { REFUSAL_PAGES, type OidcRefusal } from './refusal-page.ts';
import { isSafeReturnPath } from './return-path.ts';
import { signInPageHtml, type SignInPage } from './sign-in-page.ts';
import {
  endTransactionCookie,
  openTransaction,
  setTransactionCookie,
  transactionCookieName,
  type SignInTransaction,
} from './sign-in-transaction.ts';

/** The start page of the dashboard, from `/auth/…`. */
const HOME = '../';
/** Parameter of the login page at the public address, to which another one has redirected. */
const REDIRECTED = 'redirected';

export interface SignInRoutesOptions {
  readonly authentication: Authentication;
  readonly dependencies: AuthenticationDependencies;
  readonly signIns: SignIns;
  /** null: `auth.oidc` is not set. */
  readonly provider: IdentityProvider | null;
  /** Limits requests in flight. */
  readonly admit: RequestHandler;
  /** Counts and records a refused request. */
  readonly report: (request: Request, problem: Problem) => void;
}

/** Serves the pages of sign-in and sign-out. */
export function signInRoutes(options: SignInRoutesOptions): Router {
  const pages = new SignInPages(options);
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/auth', options.admit, (_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  router.get('/auth/login', onlyGet, (request, response) => pages.begin(request, response));
  router.get('/auth/callback', onlyGet, (request, response) => pages.complete(request, response));
  router.get('/auth/logout', onlyGet, (request, response) => pages.confirmSignOut(request, response));
  router.post('/auth/logout', (request, response) => pages.signOut(request, response));
  router.use('/auth', (error: unknown, request: Request, response: Response, next: NextFunction) => {
    pages.sendProblem(error, request, response, next);
  });
  return router;
}

/** Where forms of a page may be sent: to this server, which may redirect to the issuer's page to sign out. */
export function signOutTargets(provider: IdentityProvider | null): readonly string[] {
  const url = provider?.signOutUrl('') ?? null;
  return ["'self'", ...(url === null ? [] : [url.origin])];
}

class SignInPages {
  readonly #options: SignInRoutesOptions;

  constructor(options: SignInRoutesOptions) {
    this.#options = options;
  }

  /** Sends the browser to the issuer. */
  async begin(request: Request, response: Response): Promise<void> {
    const { authentication, dependencies, provider } = this.#options;
    const given = parametersOf(request).get('returnTo') ?? '';
    const returnTo = isSafeReturnPath(given) ? given : '';
    if (provider === null) {
      response.redirect(303, returnTo === '' ? HOME : returnTo);
      return;
    }
    const elsewhere = this.#publicLogin(request, returnTo);
    if (elsewhere !== null) {
      response.redirect(303, elsewhere);
      return;
    }
    const keys = await authentication.sealingKeys();
    const checks = provider.createChecks(this.#urlOf('auth/callback', request));
    try {
      const url = await provider.authorizationUrl(checks);
      const transaction = { ...checks, returnTo, startedAt: dependencies.now() };
      response.append('Set-Cookie', setTransactionCookie(transaction, keys, authentication.isSecure(request)));
      response.redirect(303, url.href);
    } catch (err) {
      this.#refuseError(err, provider, request, response);
    }
  }

  /** Completes the sign-in with the issuer's answer. */
  async complete(request: Request, response: Response): Promise<void> {
    const { authentication, provider, signIns } = this.#options;
    if (provider === null) throw new Problem('not_found', 'Sign-in by OpenID Connect is not set up: auth.oidc.issuer is empty.');
    const client = addressGroup(request.ip ?? '');
    const waitSeconds = authentication.issuerFailures.waitSeconds(client);
    if (waitSeconds !== null) {
      response.setHeader('Retry-After', String(waitSeconds));
      this.#refuse('rate-limited', provider, request, response);
      return;
    }
    const transaction = await this.#transactionOf(request);
    if (transaction === null) {
      // Not a failed attempt: nothing was verified. Reloading the page of a complete sign-in also comes here.
      this.#refuse('expired', provider, request, response);
      return;
    }
    try {
      const user = userOf(await provider.redeem(parametersOf(request), transaction));
      if (typeof user === 'string') {
        this.#countFailure(client);
        this.#refuse(user, provider, request, response);
        return;
      }
      await signIns.complete(user, request, response);
      this.#endTransaction(request, response);
      response.redirect(303, transaction.returnTo === '' ? HOME : transaction.returnTo);
    } catch (err) {
      if (err instanceof IssuerRefusedError) this.#countFailure(client);
      this.#refuseError(err, provider, request, response);
    }
  }

  /** Asks first: other sites can link here. */
  async confirmSignOut(request: Request, response: Response): Promise<void> {
    const session = (await this.#options.authentication.identify(request))?.session ?? null;
    if (session === null) {
      response.redirect(303, HOME);
      return;
    }
    this.#send(200, response, {
      title: 'Sign out',
      message: `You are signed in as ${session.email}.`,
      action: { kind: 'form', href: 'logout', label: 'Sign out' },
      requestId: null,
    });
  }

  /** Ends the session, then the one at the issuer where it offers that. */
  async signOut(request: Request, response: Response): Promise<void> {
    const { authentication, provider, signIns } = this.#options;
    const session = (await authentication.identify(request))?.session ?? null;
    await signIns.signOut(request, response);
    const url = session?.via === 'oidc' ? (provider?.signOutUrl(this.#urlOf('', request)) ?? null) : null;
    response.redirect(303, url === null ? HOME : url.href);
  }

  /** A page for what the API would answer as JSON. */
  sendProblem(error: unknown, request: Request, response: Response, next: NextFunction): void {
    if (error instanceof Problem) {
      this.#options.report(request, error);
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
      this.#sendMessage(error.status, error.message, response);
    } else if (error instanceof AccessUnconfirmedError) {
      response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
      this.#sendMessage(503, 'Access could not be confirmed with the API server. Try again shortly.', response);
    } else next(error);
  }

  async #transactionOf(request: Request): Promise<SignInTransaction | null> {
    const { authentication, dependencies } = this.#options;
    const value = readCookie(request, transactionCookieName(authentication.isSecure(request)));
    return value === null ? null : openTransaction(value, await dependencies.store.sessionKeys(), dependencies.now());
  }

  #countFailure(client: string): void {
    const { failures, issuerFailures } = this.#options.authentication;
    failures.add(client);
    issuerFailures.add(client);
  }

  /** Each transaction has one answer. */
  #endTransaction(request: Request, response: Response): void {
    response.append('Set-Cookie', endTransactionCookie(this.#options.authentication.isSecure(request)));
  }

  #refuseError(err: unknown, provider: IdentityProvider, request: Request, response: Response): void {
    if (err instanceof IssuerRefusedError) this.#refuse(err.reason, provider, request, response, err.message);
    else if (!(err instanceof AccessUnconfirmedError) && isUnavailable(err)) {
      response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
      this.#refuse('unavailable', provider, request, response, (err as Error).message);
    } else throw err;
  }

  #refuse(reason: OidcRefusal, provider: IdentityProvider, request: Request, response: Response, detail?: string): void {
    this.#options.signIns.refuse('oidc', reason, request, detail);
    this.#endTransaction(request, response);
    const { status, title, message } = REFUSAL_PAGES[reason];
    this.#send(status, response, {
      title,
      message: message(provider.displayName),
      action: { kind: 'link', href: HOME, label: 'Back to sign-in' },
      requestId: requestIdOf(response),
    });
  }

  #sendMessage(status: number, message: string, response: Response): void {
    const action = { kind: 'link', href: HOME, label: 'Back to the dashboard' } as const;
    this.#send(status, response, { title: 'Not possible', message, action, requestId: requestIdOf(response) });
  }

  #send(status: number, response: Response, page: SignInPage): void {
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(undefined, signOutTargets(this.#options.provider)));
    response.status(status).type('html').send(signInPageHtml(page));
  }

  /**
   * The login page at the public address, where the issuer sends the browser back; null: the request came there, or none is set.
   * @throws Problem where the request came there, and a proxy has changed its Host
   */
  #publicLogin(request: Request, returnTo: string): string | null {
    const { publicUrl } = this.#options.dependencies;
    if (publicUrl === null) return null;
    const { host } = new URL(publicUrl);
    if (request.get('host')?.toLowerCase() === host) return null;
    if (parametersOf(request).has(REDIRECTED)) {
      // The cookie of the sign-in would lack TLS, and redirecting again would never end.
      throw new Problem('invalid_request', `The proxy in front of Evenkeel must pass on the Host ${host} of dashboard.publicUrl.`);
    }
    const url = new URL(this.#urlOf('auth/login', request));
    if (returnTo !== '') url.searchParams.set('returnTo', returnTo);
    url.searchParams.set(REDIRECTED, '');
    return url.href;
  }

  /** A URL of the dashboard as browsers reach it. @param path relative to the dashboard's start page */
  #urlOf(path: string, request: Request): string {
    const { publicUrl } = this.#options.dependencies;
    const start = publicUrl ?? `${request.protocol}://${request.get('host') ?? ''}`;
    return new URL(path, `${start.replace(/\/+$/, '')}/`).href;
  }
}

function userOf({ email: sent, isEmailVerified, name }: IssuedIdentity): VerifiedUser | OidcRefusal {
  const email = sent === null ? null : parseEmail(sent);
  if (email === null) return 'no-email';
  return isEmailVerified ? { email, name, via: 'oidc' } : 'unverified-email';
}

function parametersOf(request: Request): URLSearchParams {
  const at = request.url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1));
}

/** Express also routes HEAD to handlers of GET: it would use the one answer of a sign-in. */
function onlyGet(request: Request, _response: Response, next: NextFunction): void {
  if (request.method !== 'GET') throw new Problem('method_not_allowed', 'Use GET.', { headers: { allow: 'GET' } });
  next();
}
