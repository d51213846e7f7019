// The callers of the access test: every credential that a request can have, with and without a grant.

import type { AccessPolicy } from '../../../src/apis/v1alpha1/index.ts';

type GrantEntry = NonNullable<AccessPolicy['spec']['grants']>[number];

/** The namespace of the objects that the requests name. */
export const TARGET_NAMESPACE = 'shop';
/** A namespace that exists, and whose objects only some callers may read. */
export const OTHER_NAMESPACE = 'pay';

/** Workloads of other callers' namespaces, one that does not exist there, and one of a namespace that does not exist. */
export const FOREIGN = {
  [TARGET_NAMESPACE]: [
    [OTHER_NAMESPACE, 'ledger'],
    [OTHER_NAMESPACE, 'no-such-workload'],
    ['no-such-namespace', 'ledger'],
  ],
  [OTHER_NAMESPACE]: [
    [TARGET_NAMESPACE, 'checkout'],
    [TARGET_NAMESPACE, 'no-such-workload'],
    ['no-such-namespace', 'checkout'],
  ],
} as const;

/** A request's credential and origin. */
export interface AccessCaller {
  /** Column of the table. */
  readonly name: string;
  readonly authEnabled: boolean;
  readonly credential: 'none' | 'session' | 'ended session' | 'API key' | 'revoked key' | 'header of a proxy';
  /** null: no address. */
  readonly email: string | null;
  /** null: no grant in effect. */
  readonly grant: Pick<GrantEntry, 'role' | 'namespaces'> | null;
  readonly page: 'own page' | 'page of another site' | 'other origin';
  /** Whether the request also has the session of an admin, over which an API key prevails. */
  readonly hasAdminSession: boolean;
}

/** Addresses with a grant in effect, by name. */
const GRANTS = {
  admin: { role: 'admin' },
  operator: { role: 'operator', namespaces: [TARGET_NAMESPACE] },
  viewer: { role: 'viewer', namespaces: [TARGET_NAMESPACE] },
  'glob viewer': { role: 'viewer', namespaces: ['sh*'] },
  'viewer of *': { role: 'viewer', namespaces: ['*'] },
  'operator of *': { role: 'operator', namespaces: ['*'] },
  'viewer elsewhere': { role: 'viewer', namespaces: [OTHER_NAMESPACE] },
  'operator elsewhere': { role: 'operator', namespaces: [OTHER_NAMESPACE] },
} as const satisfies Readonly<Record<string, AccessCaller['grant']>>;

type Granted = keyof typeof GRANTS;

const ANONYMOUS: AccessCaller = {
  name: 'no credential',
  authEnabled: true,
  credential: 'none',
  email: null,
  grant: null,
  page: 'own page',
  hasAdminSession: false,
};

const emailOf = (name: string): string => `${name.replaceAll(/[^a-z]+/g, '-')}@example.com`;
const byGrant = (name: Granted): AccessCaller => ({
  ...ANONYMOUS,
  name,
  credential: 'session',
  email: emailOf(name),
  grant: GRANTS[name],
});
const byProxy = (name: Granted): AccessCaller => ({ ...byGrant(name), name: `${name} by proxy`, credential: 'header of a proxy' });
const keyOf = (name: Granted): AccessCaller => ({ ...byGrant(name), name: `key of ${name}`, credential: 'API key' });

/** Addresses whose sessions and keys are valid, and whose grants are not in effect. */
const UNGRANTED = { none: emailOf('no-grant'), expired: emailOf('expired-grant') };

export const ACCESS_CALLERS: readonly AccessCaller[] = [
  ANONYMOUS,
  { ...byGrant('admin'), name: 'ended session', credential: 'ended session', grant: null },
  { ...ANONYMOUS, name: 'no grant', credential: 'session', email: UNGRANTED.none },
  { ...ANONYMOUS, name: 'expired grant', credential: 'session', email: UNGRANTED.expired },
  byGrant('viewer'),
  byGrant('glob viewer'),
  byGrant('viewer of *'),
  byGrant('operator'),
  byGrant('operator of *'),
  byGrant('admin'),
  byGrant('viewer elsewhere'),
  byGrant('operator elsewhere'),
  byProxy('viewer'),
  byProxy('operator'),
  byProxy('admin'),
  keyOf('viewer'),
  keyOf('operator'),
  keyOf('viewer of *'),
  keyOf('admin'),
  keyOf('viewer elsewhere'),
  { ...keyOf('viewer'), name: 'key of viewer with session of admin', hasAdminSession: true },
  { ...keyOf('viewer'), name: 'key without a grant', email: UNGRANTED.none, grant: null },
  { ...keyOf('viewer'), name: 'revoked key', credential: 'revoked key', email: null, grant: null },
  { ...byGrant('admin'), name: 'admin on another site', page: 'page of another site' },
  { ...byGrant('admin'), name: 'admin of another origin', page: 'other origin' },
  { ...ANONYMOUS, name: 'auth off', authEnabled: false },
  { ...ANONYMOUS, name: 'auth off, on another site', authEnabled: false, page: 'page of another site' },
];

/** The grants of the AccessPolicy in which these callers have theirs. */
export function policyGrants(expired: string): readonly GrantEntry[] {
  const inEffect = Object.entries(GRANTS).map(([name, grant]): GrantEntry => {
    const { role } = grant;
    return 'namespaces' in grant ? { email: emailOf(name), role, namespaces: [...grant.namespaces] } : { email: emailOf(name), role };
  });
  return [...inEffect, { email: UNGRANTED.expired, role: 'admin', expiresAt: expired }];
}

/** The caller with a grant for all namespaces that is no admin: what it reads is what a scoped caller of all namespaces may read. */
export const VIEWER_OF_ALL: AccessCaller = byGrant('viewer of *');
export const ADMIN: AccessCaller = byGrant('admin');

/** Whether the caller may read a namespace. */
export function canRead({ grant, authEnabled }: AccessCaller, namespace: string): boolean {
  if (!authEnabled || grant?.role === 'admin') return true;
  return (grant?.namespaces ?? []).some((glob) => new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(namespace));
}
