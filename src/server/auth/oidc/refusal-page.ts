// What the page says of a sign-in that did not succeed, and its status.

import type { IssuerRefusal } from '../../../ports/identity-provider.ts';

/** Codes of sign-ins by OpenID Connect that did not succeed; metrics and the log have them. */
export type OidcRefusal = IssuerRefusal | 'expired' | 'no-email' | 'unverified-email' | 'unavailable' | 'rate-limited';

interface RefusalText {
  readonly status: number;
  readonly title: string;
  /** @param issuer display name of the issuer */
  readonly message: (issuer: string) => string;
}

export const REFUSAL_PAGES: Readonly<Record<OidcRefusal, RefusalText>> = {
  expired: {
    status: 400,
    title: 'Sign-in has expired',
    message: () => 'This sign-in is complete already, took longer than ten minutes, or began in another browser. Start again.',
  },
  denied: { status: 403, title: 'Not signed in', message: (issuer) => `Signing in with ${issuer} was cancelled or denied.` },
  code: { status: 403, title: 'Not signed in', message: (issuer) => `The answer of ${issuer} has been used or has expired. Start again.` },
  client: {
    status: 403,
    title: 'Not signed in',
    message: (issuer) => `Evenkeel is not registered correctly with ${issuer}. An administrator finds the reason in Evenkeel’s log.`,
  },
  clock: {
    status: 403,
    title: 'Not signed in',
    message: (issuer) => `The clocks of Evenkeel and ${issuer} differ by more than a minute. An administrator must set them.`,
  },
  answer: {
    status: 403,
    title: 'Not signed in',
    message: (issuer) => `The answer of ${issuer} is not valid for this sign-in. Start again; Evenkeel’s log has the reason.`,
  },
  'no-email': {
    status: 403,
    title: 'No e-mail address',
    message: (issuer) =>
      `${issuer} sent no valid e-mail address, by which Evenkeel grants access. An administrator adds it to what ${issuer} sends.`,
  },
  'unverified-email': {
    status: 403,
    title: 'E-mail address not verified',
    message: (issuer) =>
      `${issuer} has not verified your e-mail address, and Evenkeel accepts only verified ones. Verify it there, then sign in again.`,
  },
  unavailable: {
    status: 503,
    title: 'Sign-in is not available',
    message: (issuer) => `${issuer} does not answer, so that signing in with it is not possible now. Try again shortly.`,
  },
  'rate-limited': {
    status: 429,
    title: 'Too many failed sign-ins',
    message: () => 'Too many sign-ins from this address have failed. Try again in a minute.',
  },
};
