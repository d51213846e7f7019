import type { Session as SessionRecord } from '../../apis/http/types.generated.ts';
import { isoTime } from '#kube/time/iso-time';
import type { Caller } from './authentication.ts';

/** What clients show or hide; the server checks each request by its own rules. */
export const SESSION_CAPABILITIES = ['view', 'operate', 'administer', 'manage-keys'] as const;

/** The caller of every request while authentication is off, where its changes are accepted. */
const AUTHENTICATION_OFF: SessionRecord = {
  authenticated: false,
  email: null,
  name: null,
  role: 'admin',
  namespaces: ['*'],
  capabilities: ['view', 'operate', 'administer'],
  expiresAt: null,
  authEnabled: false,
};

/** A caller without a valid credential. */
const NOT_SIGNED_IN: SessionRecord = {
  ...AUTHENTICATION_OFF,
  role: null,
  namespaces: [],
  capabilities: [],
  authEnabled: true,
};

/** `/auth/session` while authentication is off. @param acceptsChanges whether changes from this client's address are accepted */
export function anonymousSessionRecord(acceptsChanges: boolean): SessionRecord {
  if (acceptsChanges) return AUTHENTICATION_OFF;
  // `administer` stays: reads are open to every client, and the page shows the cards of admins by it.
  const capabilities = AUTHENTICATION_OFF.capabilities.filter((capability) => capability !== 'operate');
  return { ...AUTHENTICATION_OFF, capabilities };
}

/** `/auth/session` of a caller; null: no valid credential. */
export function sessionRecord(caller: Caller | null): SessionRecord {
  if (caller === null) return NOT_SIGNED_IN;
  const { email, keyId, session, grant } = caller;
  const isAdmin = grant?.role === 'admin';
  const allowed = {
    view: grant !== null,
    operate: keyId === null && grant !== null && grant.role !== 'viewer',
    administer: keyId === null && isAdmin,
    'manage-keys': session !== null && isAdmin,
  };
  return {
    authenticated: true,
    email,
    name: session?.name ?? null,
    role: grant?.role ?? null,
    namespaces: isAdmin ? ['*'] : (grant?.namespaces ?? []).map(({ text }) => text),
    capabilities: SESSION_CAPABILITIES.filter((capability) => allowed[capability]),
    expiresAt: session === null ? null : isoTime(session.endsAt),
    authEnabled: true,
  };
}
