import { ROLES } from '../../../core/access/grant.ts';
import { PASSWORD_LENGTH } from '../../../runtime/passwords/password-hash.ts';
import { SESSION_CAPABILITIES } from '../../auth/session-record.ts';
import type { OperationSpec } from '../operation.ts';
import { array, boolean, nullable, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

const EMAIL = { minLength: 3, maxLength: 254, examples: ['ana@example.com'] };
const LABEL = string('What the key is for.', { minLength: 1, maxLength: 100, examples: ['grafana'] });
const KEY_ID = string('Public part of the key.', { pattern: '^[a-z0-9]{12}$', examples: ['k3v9x0q2m7ab'] });

const KEY_FIELDS = { id: KEY_ID, email: string('The address whose grant decides what the key may read.'), label: LABEL, createdAt: time() };

export const ACCESS_SCHEMAS: Readonly<Record<string, Schema>> = {
  Session: object({
    authenticated: boolean('Whether the request has a valid credential.'),
    email: nullable(string()),
    name: nullable(string('null where the sign-in gives none.')),
    role: nullable(oneOf(ROLES, 'null: no grant in effect.')),
    namespaces: array(string(), 'Granted namespaces, as names or globs; `*` is all.'),
    capabilities: array(oneOf(SESSION_CAPABILITIES), 'What the caller may do, for clients that hide the rest.'),
    expiresAt: nullable(time('End of the session; null for an API key.')),
    authEnabled: boolean('False: no credential is required, and every caller is an admin without a session.'),
  }),
  SignInBody: object({ email: string(undefined, EMAIL), password: string(undefined, { minLength: 1, maxLength: PASSWORD_LENGTH.max }) }),
  ApiKey: object({
    ...KEY_FIELDS,
    createdBy: string('Address of the admin who created it.'),
    lastUsedAt: nullable(time('To the minute; null: never used.')),
    role: nullable(oneOf(ROLES, 'Current role of the address; null: it has no grant, so that the key reads nothing.')),
    namespaces: array(string(), 'Namespaces currently granted to the address.'),
  }),
  ApiKeyBody: object({ email: string('An address with a grant.', EMAIL), label: LABEL }),
  CreatedApiKey: object({ ...KEY_FIELDS, key: string('The key, shown only in this answer. In a dry run it is not valid.') }),
  RevokedApiKey: object(KEY_FIELDS),
};

export const ACCESS_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'getSession',
    method: 'get',
    path: '/auth/session',
    tag: 'Access',
    title: 'Who the caller is',
    description:
      'Always answers 200, also without a credential. A permission that cannot be confirmed is not shown. Sets the session cookie of a user whom the proxy of `auth.proxy` has identified and who has no session.',
    access: 'open',
    beforeReady: true,
    answer: { status: 200, description: 'The caller.', data: ref('Session') },
  },
  {
    id: 'signIn',
    method: 'post',
    path: '/auth/local',
    tag: 'Access',
    title: 'Sign in with the password of the local admin',
    description:
      'Sets the session cookie (`__Host-evenkeel` over TLS, `evenkeel` on plain http): 12 hours, one hour without a request. 429 after 10 failures a minute from one address. 403 `feature_disabled` while `auth.enabled` or `auth.local.enabled` is false.',
    access: 'open',
    beforeReady: true,
    body: ref('SignInBody'),
    answer: { status: 200, description: 'The session.', data: ref('Session') },
  },
  {
    id: 'signOut',
    method: 'post',
    path: '/auth/logout',
    tag: 'Access',
    title: 'End the session',
    description: 'Ends the session on every replica and removes the cookie. Without a session nothing happens.',
    access: 'open',
    beforeReady: true,
    answer: { status: 200, description: 'The caller afterwards.', data: ref('Session') },
  },
  {
    id: 'listApiKeys',
    method: 'get',
    path: '/api-keys',
    tag: 'Access',
    title: 'API keys, without the keys themselves',
    list: { defaultSort: '-createdAt', namespaced: false },
    answer: { status: 200, description: 'A page of keys.', data: array(ref('ApiKey')) },
  },
  {
    id: 'createApiKey',
    method: 'post',
    path: '/api-keys',
    tag: 'Access',
    title: 'Create a read-only API key',
    description:
      'Sent as `Authorization: Bearer KEY`. It reads what the grant of its address allows at the time of each request. 422 `no_grant` for an address without a grant. A repeat creates another key: the key of an earlier answer cannot be read again.',
    body: ref('ApiKeyBody'),
    answer: { status: 201, description: 'The key.', data: ref('CreatedApiKey') },
  },
  {
    id: 'deleteApiKey',
    method: 'delete',
    path: '/api-keys/{id}',
    tag: 'Access',
    title: 'Revoke an API key',
    parameters: [{ name: 'id', in: 'path', required: true, description: 'Id of the key.', schema: KEY_ID }],
    answer: { status: 200, description: 'The revoked key.', data: ref('RevokedApiKey') },
  },
];
