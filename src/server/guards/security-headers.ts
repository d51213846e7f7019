import type { Response } from 'express';

/** Browsers use TLS for the host for a year after each answer. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** Sets the security headers of every answer. @param needsTls browsers are told to use TLS for this host from now on */
export function setSecurityHeaders(response: Response, needsTls: boolean): void {
  if (needsTls) response.setHeader('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
  response.setHeader('Content-Security-Policy', NOTHING);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
}

/** Content security policy of what is no page: data and errors, should a browser show them as one. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Content security policy of HTML: only content of this server. `styleHash` allows one inline style sheet by SHA-256. */
export function contentSecurityPolicy(styleHash?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styleHash === undefined ? '' : ` 'sha256-${styleHash}'`}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
