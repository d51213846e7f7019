/** Values of one sign-in that its answer must match. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE (RFC 7636), of which the issuer gets the hash first. */
  readonly codeVerifier: string;
  /** Where the issuer sends the browser back to. */
  readonly redirectUri: string;
}

/** A user as the issuer names them. */
export interface IssuedIdentity {
  /** null: the issuer sent none. */
  readonly email: string | null;
  /** Whether the issuer states that the address is the user's. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/**
 * Why the answer of an issuer is refused. `denied`: the issuer or the user declined. `code`: it is used, expired or of another client. `client`:
 * the issuer refuses Evenkeel's own credentials. `clock`: the clocks differ too much. `answer`: it is not of this sign-in or of this issuer.
 */
export type IssuerRefusal = 'denied' | 'code' | 'client' | 'clock' | 'answer';

/** A sign-in that is refused. The message has no token, code or secret. */
export class IssuerRefusedError extends Error {
  override readonly name = 'IssuerRefusedError';
  readonly reason: IssuerRefusal;

  constructor(reason: IssuerRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** An issuer of OpenID Connect. */
export interface IdentityProvider {
  /** As the button to sign in names it. */
  readonly displayName: string;
  /** Random values for a new sign-in. */
  createChecks(redirectUri: string): SignInChecks;
  /** The issuer's page to sign in. @throws UnavailableError */
  authorizationUrl(checks: SignInChecks): Promise<URL>;
  /**
   * Exchanges the code of the browser's answer for the user's identity. @throws IssuerRefusedError; UnavailableError
   * @param answer query parameters with which the browser returned
   */
  redeem(answer: URLSearchParams, checks: SignInChecks): Promise<IssuedIdentity>;
  /** The issuer's page to sign out, which then opens the URL; null where it has none, or is not known yet. */
  signOutUrl(returnUrl: string): URL | null;
}
