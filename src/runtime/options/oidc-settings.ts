// The settings of sign-in by OpenID Connect.

import { isLoopbackHost } from '../loopback.ts';
import type { SettingsOf, SettingTable } from './setting.ts';

/** Settings by dotted path. */
export const OIDC_SETTINGS = {
  'auth.oidc.issuer': {
    type: 'string',
    default: '',
    help: 'URL of an OpenID Connect issuer at which users sign in, such as https://accounts.google.com; https, or http on loopback. Empty: no sign-in by OpenID Connect.',
  },
  'auth.oidc.clientId': {
    type: 'string',
    default: '',
    help: 'Client id with which Evenkeel is registered with the issuer. The redirect URI is dashboard.publicUrl with /auth/callback.',
  },
  'auth.oidc.clientSecretFile': {
    type: 'string',
    default: '',
    help: "File with the client's secret, read for each sign-in. Empty: a public client, protected by PKCE alone.",
  },
  'auth.oidc.scopes': {
    type: 'list',
    items: { type: 'string', pattern: { regex: '^[!#-\\[\\]-~]+$', form: 'a scope of OAuth such as email' } },
    default: ['openid', 'email', 'profile'],
    help: 'Scopes of each sign-in. openid is required, and the issuer must send the claims email and email_verified.',
  },
  'auth.oidc.caFile': {
    type: 'string',
    default: '',
    help: "PEM file with the CA that signed the issuer's certificate, read for each sign-in. Empty: the CAs of Node.js.",
  },
  'auth.oidc.displayName': {
    type: 'string',
    default: 'single sign-on',
    help: 'Name of the issuer on the button to sign in: "Sign in with …".',
  },
} as const satisfies SettingTable;

/** Reports what is missing or cannot work. */
export function checkOidcSettings(
  settings: SettingsOf<typeof OIDC_SETTINGS>,
  report: (path: keyof typeof OIDC_SETTINGS, problem: string) => void,
): void {
  const { 'auth.oidc.issuer': issuer, 'auth.oidc.clientId': clientId, 'auth.oidc.scopes': scopes } = settings;
  if (issuer !== '' && !isIssuer(issuer)) {
    report('auth.oidc.issuer', 'must be the https URL of an issuer, without /.well-known, such as https://accounts.google.com');
  }
  if (issuer !== '' && clientId === '') report('auth.oidc.clientId', 'must be the client id that the issuer gave Evenkeel');
  if (!scopes.includes('openid')) report('auth.oidc.scopes', 'must be a list with openid, which makes the issuer send an ID token');
}

/** Its own form is that of the `iss` of its tokens: with anything more, no token would match. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash, pathname } = new URL(text);
  const isPlain = username === '' && password === '' && search === '' && hash === '' && !pathname.includes('/.well-known/');
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)));
}
