import type { Response } from 'express';

/** On every answer, whatever it is. */
export function setSecurityHeaders(response: Response): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
}

/** For HTML: nothing but what this server itself serves. `styleHash` admits one inline style sheet by its SHA-256. */
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
