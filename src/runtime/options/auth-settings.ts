// The settings of authentication, without those of one way to sign in.

import { parseEmail } from '../../core/access/grant.ts';
import type { SettingsOf, SettingTable } from './setting.ts';

/** Settings by dotted path. */
export const AUTH_SETTINGS = {
  'auth.enabled': {
    type: 'boolean',
    default: false,
    help: 'Require a credential on the API of the dashboard: the session of a signed-in user, or an API key. The AccessPolicy default gives each address its role and namespaces.',
  },
  'auth.initialAdmin': {
    type: 'string',
    default: '',
    help: 'E-mail address of the first admin. While auth.enabled is true and no AccessPolicy default exists, the leader creates it with this grant.',
  },
  'auth.local.enabled': {
    type: 'boolean',
    default: true,
    help: 'While auth.enabled is true: let the local admin sign in, whose password the command `evenkeel password` sets.',
  },
  'auth.session.lifetime': {
    type: 'duration',
    default: '12h',
    shortest: '15m',
    longest: '1d',
    help: 'Time after the sign-in at which a session ends, however active it is. A shorter one applies also to sessions that have begun.',
  },
  'auth.session.idleTimeout': {
    type: 'duration',
    default: '1h',
    shortest: '15m',
    longest: '1d',
    help: 'Time without a request after which a session ends. An open page of an admin sends requests by itself.',
  },
} as const satisfies SettingTable;

/** Reports values that cannot apply. */
export function checkAuthSettings(
  settings: SettingsOf<typeof AUTH_SETTINGS>,
  report: (path: keyof typeof AUTH_SETTINGS, problem: string) => void,
): void {
  const { 'auth.initialAdmin': admin } = settings;
  if (admin !== '' && parseEmail(admin) !== admin) {
    report('auth.initialAdmin', 'must be an e-mail address in lower case, such as ana@example.com');
  }
}
