import { ACCESS_REQUEST_STATES, MAX_REQUESTED_NAMESPACES, MAX_REQUESTS } from '../../../core/access/access-request.ts';
import { ROLES } from '../../../core/access/grant.ts';
import { PASSWORD_LENGTH } from '../../../runtime/passwords/password-hash.ts';
import { SESSION_CAPABILITIES } from '../../auth/session-record.ts';
import type { OperationSpec, ParameterSpec } from '../operation.ts';
import { durationQuery, enumFilter, textFilter } from '../parameters.ts';
import { anything, array, boolean, integer, nullable, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

const EMAIL = { minLength: 3, maxLength: 254, examples: ['ana@example.com'] };
const LABEL = string('What the key is for.', { minLength: 1, maxLength: 100, examples: ['grafana'] });
const KEY_ID = string('Public part of the key.', { pattern: '^[a-z0-9]{12}$', examples: ['k3v9x0q2m7ab'] });

const OUTCOMES = ['allowed', 'denied', 'error'];
const VIA = ['session', 'api-key', 'proxy', 'anonymous'];
const REVOKED =
  'Answered once every replica has confirmed it, or after ten seconds with the warning `replica_not_confirmed`: no later request is allowed on any replica.';
const GLOB = string(undefined, { minLength: 1, maxLength: 253, examples: ['shop', 'team-*'] });
const NAMESPACES = array(GLOB, 'Names or globs; `*` is all, and an admin needs none.', { maxItems: 256 });
const DOMAIN_ROLES = ['operator', 'viewer'];
const GRANT_EMAIL = string('In lower case; once in the policy.', EMAIL);
const EXPIRES_AT = nullable(time('End of the grant; null: never.'));
const NOTE = nullable(string('Reason of the grant.', { maxLength: 1000 }));
const DOMAIN = string('Domain in lower case, without its subdomains.', { minLength: 1, maxLength: 253, examples: ['example.com'] });
const REQUEST_ID = string('Id of the request.', { minLength: 1, maxLength: 64, examples: ['k3v9x0q2m7ab'] });
const REQUESTED_NAMESPACES = array(
  string(undefined, { minLength: 1, maxLength: 63, examples: ['shop'] }),
  'Names or globs; an admin needs none.',
  {
    maxItems: MAX_REQUESTED_NAMESPACES,
  },
);

const stateQuery = (fallback?: readonly string[]): ParameterSpec => {
  const items = array(oneOf(ACCESS_REQUEST_STATES), undefined, { maxItems: 50 });
  const schema = fallback === undefined ? items : { ...items, default: fallback };
  return { name: 'state', in: 'query', description: 'Only requests in these states. Repeatable.', schema };
};

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
  AccessGrant: object({ email: GRANT_EMAIL, role: oneOf(ROLES), namespaces: NAMESPACES, expiresAt: EXPIRES_AT, note: NOTE }, undefined, [
    'namespaces',
    'expiresAt',
    'note',
  ]),
  DomainGrant: object({ domain: DOMAIN, role: oneOf(DOMAIN_ROLES), namespaces: NAMESPACES }, undefined, ['namespaces']),
  AccessPolicy: object({
    grants: array(ref('AccessGrant')),
    autoApprove: array(ref('DomainGrant'), 'What signed-in addresses of a domain may do that have no grant of their own.'),
    resourceVersion: nullable(string('Version of the AccessPolicy, for a change of it; null: it does not exist.')),
  }),
  AccessPolicyBody: object(
    {
      grants: array(ref('AccessGrant'), 'All grants: an omitted one is removed.', { maxItems: 2000 }),
      autoApprove: array(ref('DomainGrant'), 'All domains: an omitted one is removed.', { maxItems: 64 }),
      resourceVersion: nullable(string('The one that was read with the grants. 409 without it, and where the policy has changed since.')),
    },
    undefined,
    ['autoApprove', 'resourceVersion'],
  ),
  AccessRequest: object({
    id: REQUEST_ID,
    email: string('Address of the requester.'),
    name: nullable(string('null where the sign-in gives none.')),
    reason: string(),
    requestedRole: oneOf(ROLES),
    requestedNamespaces: array(string()),
    requestedAt: time(),
    state: oneOf(ACCESS_REQUEST_STATES),
    decidedBy: nullable(string('The admin who decided; null for a pending request, and for the requester.')),
    decidedAt: nullable(time()),
  }),
  AccessRequestBody: object(
    {
      role: oneOf(ROLES),
      namespaces: REQUESTED_NAMESPACES,
      reason: string('For the admin who decides.', { maxLength: 300 }),
    },
    undefined,
    ['namespaces', 'reason'],
  ),
  AccessApprovalBody: object(
    {
      id: REQUEST_ID,
      role: oneOf(ROLES, 'At most the requested role; omitted: that one.'),
      namespaces: array(GLOB, 'Within the requested namespaces; omitted: all of them.', { maxItems: 256 }),
      expiresAt: EXPIRES_AT,
    },
    undefined,
    ['role', 'namespaces', 'expiresAt'],
  ),
  AccessDenialBody: object({ id: REQUEST_ID }),
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
  AccessEvent: object(
    {
      id: string('Unique; names the event in the results of a verification.'),
      time: time(),
      actor: object({
        email: nullable(string('null: no verified address.')),
        via: oneOf(VIA, '`anonymous`: without a valid credential, or while `auth.enabled` is false.'),
        keyId: nullable(string('Id of the API key.')),
      }),
      action: string('Operation of this API, such as `setBounds`. `dropAccessEvents` and `countDeniedRequests` are Evenkeel’s own.'),
      target: string('`Kind/namespace/name`, or method and path of a request that names no object.'),
      outcome: oneOf(OUTCOMES),
      before: anything('What was changed, before. Secrets are removed, and long values cut.'),
      after: anything(
        'What was changed, afterwards. Of a request that was not allowed `{ code }`: the error code of its answer, or why a sign-in was refused.',
      ),
      requestId: string(),
      address: string('Address of the client.'),
      hash: string('SHA-256 of the event and `previousHash`.'),
      previousHash: string('Hash of the event before in the chain of the writer.'),
      writer: string('The process that wrote it.'),
    },
    'A change, a sign-in or a denied request.',
  ),
  AccessEventSummary: object({
    verification: nullable(
      object(
        {
          state: oneOf(
            ['intact', 'unsigned', 'broken'],
            '`unsigned`: no fault was found, but the end of a chain is not signed, so that a rewritten chain would not be found.',
          ),
          events: integer('Verified events, of all chains and the whole retention.'),
          chains: integer('One for each process that wrote events.'),
          faults: array(
            object({
              kind: oneOf(['changed', 'removed', 'inserted', 'reordered', 'head'], '`head`: the record of the end of a chain.'),
              writer: string(),
              id: nullable(string('null: the event is missing.')),
              message: string(),
            }),
            'At most 20 of each chain. The first of a chain shows from where on it is wrong.',
          ),
        },
        'null without `verify`.',
      ),
    ),
  }),
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
    description: `Ends the session on every replica and removes the cookie. Without a session nothing happens. ${REVOKED}`,
    access: 'open',
    beforeReady: true,
    answer: { status: 200, description: 'The caller afterwards.', data: ref('Session') },
  },
  {
    id: 'getAccessPolicy',
    method: 'get',
    path: '/access-policy',
    tag: 'Access',
    title: 'Grants of the AccessPolicy in effect',
    answer: { status: 200, description: 'The policy.', data: ref('AccessPolicy') },
  },
  {
    id: 'replaceAccessPolicy',
    method: 'put',
    path: '/access-policy',
    tag: 'Access',
    title: 'Replace the grants of the AccessPolicy',
    description: `Send what was read, with the changes. 409 where the policy has changed since it was read, and where the change would leave no admin with a grant that has not expired, or remove your own role admin. ${REVOKED}`,
    body: ref('AccessPolicyBody'),
    answer: { status: 200, description: 'The policy.', data: ref('AccessPolicy') },
  },
  {
    id: 'listAccessRequests',
    method: 'get',
    path: '/access-requests',
    tag: 'Access',
    title: 'Access requests, pending ones by default',
    list: { defaultSort: '-requestedAt', namespaced: false, filters: [stateQuery(['pending'])] },
    answer: { status: 200, description: 'A page of requests.', data: array(ref('AccessRequest')) },
  },
  {
    id: 'listOwnAccessRequests',
    method: 'get',
    path: '/access-requests/own',
    tag: 'Access',
    title: 'Access requests of the caller',
    list: { defaultSort: '-requestedAt', namespaced: false, filters: [stateQuery()] },
    answer: { status: 200, description: 'A page of requests.', data: array(ref('AccessRequest')) },
  },
  {
    id: 'requestAccess',
    method: 'post',
    path: '/access-requests',
    tag: 'Access',
    title: 'Request access',
    description: `For a signed-in caller without a grant. Each has one pending request: the same one again is answered as it is stored, another one with 409, as is any while ${MAX_REQUESTS} are pending.`,
    body: ref('AccessRequestBody'),
    answer: { status: 201, description: 'The request.', data: ref('AccessRequest') },
  },
  {
    id: 'approveAccessRequest',
    method: 'post',
    path: '/access-requests/approve',
    tag: 'Access',
    title: 'Approve an access request',
    description:
      'Adds a grant with the requested role and namespaces, or less. 400 for more than was requested, 409 for an address that has a grant.',
    body: ref('AccessApprovalBody'),
    answer: { status: 200, description: 'The request.', data: ref('AccessRequest') },
  },
  {
    id: 'denyAccessRequest',
    method: 'post',
    path: '/access-requests/deny',
    tag: 'Access',
    title: 'Deny an access request',
    body: ref('AccessDenialBody'),
    answer: { status: 200, description: 'The request.', data: ref('AccessRequest') },
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
    description: REVOKED,
    parameters: [{ name: 'id', in: 'path', required: true, description: 'Id of the key.', schema: KEY_ID }],
    answer: { status: 200, description: 'The revoked key.', data: ref('RevokedApiKey') },
  },
  {
    id: 'listAccessEvents',
    method: 'get',
    path: '/access-events',
    tag: 'Access',
    title: 'Trail of changes, sign-ins and denied requests',
    description:
      'Every change and every sign-in has an event. Of denied requests, at most ten a minute for each reason have one; the others are counted. Each process writes a chain in which an event has the hash of the one before; `verify` compares all of them. A warning names the first event that was changed, removed, inserted or moved.',
    parameters: [
      durationQuery('90d'),
      { name: 'verify', in: 'query', description: 'Verify all chains, and answer the result as `meta.summary`.', schema: boolean() },
    ],
    list: {
      defaultSort: '-time',
      namespaced: false,
      filters: [
        textFilter('actor', 'Only events of these e-mail addresses.'),
        textFilter('action', 'Only these actions.'),
        enumFilter('outcome', OUTCOMES, 'Only these outcomes.'),
      ],
    },
    answer: {
      status: 200,
      description: 'A page of events.',
      data: array(ref('AccessEvent')),
      summary: ref('AccessEventSummary'),
      isSummaryInTag: true,
    },
  },
];
