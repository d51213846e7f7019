import { isGlobMatch } from '../model/names/glob.ts';
import type { Grant } from './grant.ts';
import { ANONYMOUS, type Credential, type Scope } from './scope.ts';

/** An identified caller. */
export interface Identity {
  readonly email: string;
  /** The credential is a browser session, not an API key. */
  readonly session: boolean;
  /** null or absent: the sign-in gave none. */
  readonly name?: string | null;
  readonly credential: Credential;
}

/** The scope of a request without a valid credential while authentication is enabled. */
export const NO_CREDENTIAL: Scope = {
  identified: false,
  viewer: false,
  operator: false,
  admin: false,
  session: false,
  actor: 'anonymous',
  credential: ANONYMOUS,
  key: 'none',
  canView: () => false,
  canOperate: () => false,
};

/** The permissions of a caller. @param grant null: the address has no grant in effect */
export function scopeOf({ email, session, name = null, credential }: Identity, grant: Grant | null): Scope {
  const identity = { identified: true, session, actor: email, ...(name === null ? {} : { name }), credential };
  if (grant === null) {
    return { ...NO_CREDENTIAL, ...identity, key: 'no-grant' };
  }
  const { role, namespaces } = grant;
  if (role === 'admin') {
    return { ...identity, viewer: true, operator: true, admin: true, key: 'admin', canView: () => true, canOperate: () => true };
  }
  const canView = (namespace: string): boolean => namespaces.some((glob) => isGlobMatch(glob, namespace));
  const operator = role === 'operator';
  return {
    ...identity,
    viewer: true,
    operator,
    admin: false,
    key: `${role}:${namespaces.map(({ text }) => text).join(',')}`,
    canView,
    canOperate: operator ? canView : () => false,
  };
}
