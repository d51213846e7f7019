import type { Response } from 'express';

/** Headers of every answer. The policy is that of data and errors, should a browser show them as a page; pages have their own. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
/** Browsers use TLS for the host for a year after each answer. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** Sets the security headers. @param needsTls browsers must use TLS for this host from now on */
export function setSecurityHeaders(response: Response, needsTls: boolean): void {
  if (needsTls) response.setHeader('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}

/**
 * Content security policy of HTML: only content of this server.
 * @param styleHash SHA-256 of the one inline style sheet that is allowed
 * @param formTargets where forms may be sent, redirects of their answers included
 */
export function contentSecurityPolicy(styleHash?: string, formTargets: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styleHash === undefined ? '' : ` 'sha256-${styleHash}'`}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ');
}
