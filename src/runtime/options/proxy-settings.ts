// The settings of sign-in by a reverse proxy.

import { isAddressRange } from '../clients/address-ranges.ts';
import type { SettingsOf, SettingTable } from './setting.ts';

/** Settings by dotted path. */
export const PROXY_SETTINGS = {
  'auth.proxy.header': {
    type: 'string',
    default: '',
    help: 'While auth.enabled is true: header in which a reverse proxy sends the e-mail address of the user that it has signed in, such as X-Forwarded-Email. Empty: none.',
  },
  'auth.proxy.addresses': {
    type: 'list',
    items: { type: 'string' },
    default: [],
    help: 'Addresses or ranges (10.0.0.0/8) of connections on which that header is trusted. Every client with such an address can be any user.',
  },
} as const satisfies SettingTable;

/** Reports what is missing or cannot work. */
export function checkProxySettings(
  settings: SettingsOf<typeof PROXY_SETTINGS>,
  report: (path: keyof typeof PROXY_SETTINGS, problem: string) => void,
): void {
  const { 'auth.proxy.header': header, 'auth.proxy.addresses': addresses } = settings;
  if (header !== '' && !isIdentityHeader(header)) {
    report('auth.proxy.header', 'must be the name of a header that has no other meaning, such as X-Forwarded-Email');
  }
  if (!addresses.every(isAddressRange)) {
    report('auth.proxy.addresses', 'must be IP addresses or ranges such as 10.0.0.0/24, and not every address');
  }
  if ((header === '') !== (addresses.length === 0)) {
    report(header === '' ? 'auth.proxy.header' : 'auth.proxy.addresses', 'must be set as well: one of auth.proxy has no effect alone');
  }
}

/** Headers that have a meaning of their own, so that their value is not the address of a user. */
const OTHER_MEANING =
  /^(authorization|cookie|host|origin|referer|user-agent|forwarded|from|via|x-forwarded-(for|host|proto|port)|x-real-ip|x-request-id|idempotency-key|connection|keep-alive|te|trailer|upgrade|expect|range|date|pragma|cache-control|last-event-id|(accept|content|if|sec|proxy|transfer)(-.*)?)$/i;

/** Whether the text is the name of a header in which a proxy can send the address of a user. */
function isIdentityHeader(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(name) && !OTHER_MEANING.test(name);
}
