// The credential of a request, as it was sent and not yet verified.

import type { Request } from 'express';
import { Problem } from '../problem.ts';

export type Credential =
  { readonly kind: 'none' } | { readonly kind: 'bearer'; readonly token: string } | { readonly kind: 'cookie'; readonly value: string };

/** Name of the session cookie. The prefix makes browsers refuse it from subdomains and without TLS. */
export function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-evenkeel' : 'evenkeel';
}

/**
 * Reads the credential. A bearer header wins over a cookie; another scheme, such as Basic of a proxy, is not Evenkeel's.
 * @throws Problem for two Authorization headers, of which a proxy may have checked the other
 */
export function readCredential(request: Request, isSecure: boolean): Credential {
  const authorizations = request.headersDistinct['authorization'] ?? [];
  if (authorizations.length > 1) {
    throw new Problem('invalid_request', 'The request has more than one Authorization header. Send one.');
  }
  const token = /^bearer(?: +(.*))?$/is.exec(authorizations[0] ?? '');
  if (token !== null) return { kind: 'bearer', token: token[1] ?? '' };
  const value = readCookie(request, cookieName(isSecure));
  return value === null ? { kind: 'none' } : { kind: 'cookie', value };
}

/** The value of a cookie. Null also where two have the name, of which another site of the domain may have set one. */
export function readCookie(request: Request, name: string): string | null {
  const values = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [value] = values;
  return value === undefined || values.length > 1 ? null : value;
}

/** The Set-Cookie header of a session. @param maxAgeSeconds 0 removes the cookie */
export function setCookie(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  return cookieHeader(cookieName(isSecure), value, maxAgeSeconds, isSecure);
}

/** A Set-Cookie header that scripts cannot read and other sites' requests do not send, except where the user follows a link. */
export function cookieHeader(name: string, value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${maxAgeSeconds}`, ...(isSecure ? ['Secure'] : [])];
  return `${name}=${value}; ${attributes.join('; ')}`;
}
