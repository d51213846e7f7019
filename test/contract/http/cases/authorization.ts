// Authentication, authorization and the review APIs.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';

interface Robot {
  readonly namespace: string;
  readonly user: string;
  readonly token: string;
}

/** A ServiceAccount of the case with a token and a role with these rules in its namespace. */
async function robot(given: CaseContext, rules: readonly Json[] = []): Promise<Robot> {
  const namespace = await given.namespace();
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await given.create(accounts, { metadata: { name: 'robot' } });
  if (rules.length > 0) {
    await given.create(`${RBAC}/namespaces/${namespace}/roles`, { metadata: { name: 'robot' }, rules });
    await given.create(`${RBAC}/namespaces/${namespace}/rolebindings`, {
      metadata: { name: 'robot' },
      roleRef: { apiGroup: API_GROUP, kind: 'Role', name: 'robot' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
    });
  }
  const made = await given.client.post(`${accounts}/robot/token`, { spec: { expirationSeconds: 3600 } });
  succeeded(made, 'asking for a token');
  const self: Robot = { namespace, user: `system:serviceaccount:${namespace}:robot`, token: made.body.status.token };
  // The authorizer and authenticator of a real server learn about new objects from watches.
  await given.eventually(
    'the token is accepted: the authenticator’s cache follows every write',
    async () => (await given.client.get('/version', {}, self)).status === 200,
  );
  const [first] = rules;
  if (first !== undefined) {
    const [verb, group, resource] = [first.verbs[0], first.apiGroups[0], first.resources[0]];
    await given.eventually('the role is in force: the authorizer’s cache follows every write', async () => {
      const review = await accessReview(given, self.token, { namespace, verb, group, resource, name: first.resourceNames?.[0] });
      return review.status.allowed === true;
    });
  }
  return self;
}

async function accessReview(given: CaseContext, token: string, resourceAttributes: Json): Promise<Json> {
  const answer = await given.client.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { resourceAttributes } }, { token });
  succeeded(answer, 'selfsubjectaccessreview');
  return answer.body;
}

const READ_SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] };

export const AUTHORIZATION_CASES = area('authorization', {
  'without a permission: 403 with user, verb, resource and namespace': async (given) => {
    const { token, user, namespace } = await robot(given);
    const answer = await given.client.get(`/api/v1/namespaces/${namespace}/secrets`, {}, { token });
    expectRefusal(
      answer,
      403,
      'Forbidden',
      `secrets is forbidden: User "${user}" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`,
    );
    expect(answer.body.details).toEqual({ kind: 'secrets' });
  },
  'a 403 about one object names it': async (given) => {
    const { token, user, namespace } = await robot(given);
    const answer = await given.client.delete(`/apis/apps/v1/namespaces/${namespace}/deployments/web`, { token });
    expectRefusal(
      answer,
      403,
      'Forbidden',
      `deployments.apps "web" is forbidden: User "${user}" cannot delete resource "deployments" in API group "apps" in the namespace "${namespace}"`,
    );
    expect(answer.body.details).toEqual({ name: 'web', group: 'apps', kind: 'deployments' });
  },
  'a 403 about a cluster-scoped resource names the cluster scope': async (given) => {
    const { token, user } = await robot(given);
    const answer = await given.client.get('/api/v1/nodes', {}, { token });
    expectRefusal(
      answer,
      403,
      'Forbidden',
      `nodes is forbidden: User "${user}" cannot list resource "nodes" in API group "" at the cluster scope`,
    );
  },
  'a 403 about a subresource names it': async (given) => {
    const { token, user, namespace } = await robot(given);
    const answer = await given.client.patch(`/api/v1/namespaces/${namespace}/pods/web/resize`, 'merge', {}, { token });
    expectRefusal(
      answer,
      403,
      'Forbidden',
      `User "${user}" cannot patch resource "pods/resize" in API group "" in the namespace "${namespace}"`,
    );
  },
  'a role allows what it lists, in its namespace': async (given) => {
    const { token, namespace } = await robot(given, [READ_SECRETS]);
    expect((await given.client.get(`/api/v1/namespaces/${namespace}/secrets`, {}, { token })).status).toBe(200);
    expectRefusal(
      await given.client.post(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: 'a' } }, { token }),
      403,
      'Forbidden',
      'cannot create resource "secrets"',
    );
    expect((await given.client.get('/api/v1/namespaces/default/secrets', {}, { token })).status).toBe(403);
    expect((await given.client.get('/api/v1/secrets', {}, { token })).status).toBe(403);
  },
  'a role with resource names allows only those': async (given) => {
    const { token, namespace } = await robot(given, [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['mine'] }]);
    const collection = `/api/v1/namespaces/${namespace}/secrets`;
    await given.create(collection, { metadata: { name: 'mine' } });
    await given.create(collection, { metadata: { name: 'theirs' } });
    expect((await given.client.get(`${collection}/mine`, {}, { token })).status).toBe(200);
    expect((await given.client.get(`${collection}/theirs`, {}, { token })).status).toBe(403);
    expect((await given.client.get(collection, {}, { token })).status).toBe(403);
  },
  'a subresource needs a separate permission': async (given) => {
    const { token, namespace } = await robot(given, [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }]);
    const scale = await given.client.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`, {}, { token });
    expectRefusal(scale, 403, 'Forbidden', 'cannot get resource "deployments/scale" in API group "apps"');
    expect((await given.client.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web`, {}, { token })).status).toBe(404);
  },
  'a cluster role that a RoleBinding grants applies in its namespace only': async (given) => {
    const { token, namespace } = await robot(given);
    await given.create(`${RBAC}/clusterroles`, { metadata: { name: `read-secrets-${given.id}` }, rules: [READ_SECRETS] });
    await given.create(`${RBAC}/namespaces/${namespace}/rolebindings`, {
      metadata: { name: 'by-cluster-role' },
      roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: `read-secrets-${given.id}` },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
    });
    await given.eventually(
      'the binding is in force: the authorizer’s cache follows every write',
      async () => (await given.client.get(`/api/v1/namespaces/${namespace}/secrets`, {}, { token })).status === 200,
    );
    expect((await given.client.get('/api/v1/secrets', {}, { token })).status).toBe(403);
  },
  'a cluster role binding applies to all namespaces, also for a group': async (given) => {
    const { token, namespace } = await robot(given);
    await given.create(`${RBAC}/clusterroles`, { metadata: { name: `read-secrets-${given.id}` }, rules: [READ_SECRETS] });
    await given.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name: `read-secrets-${given.id}` },
      roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: `read-secrets-${given.id}` },
      subjects: [{ kind: 'Group', apiGroup: API_GROUP, name: `system:serviceaccounts:${namespace}` }],
    });
    await given.eventually(
      'the binding is in force: the authorizer’s cache follows every write',
      async () => (await given.client.get('/api/v1/secrets', {}, { token })).status === 200,
    );
  },
  'discovery and version are open to all authenticated users': async (given) => {
    const { token } = await robot(given);
    for (const path of ['/api', '/apis', '/apis/apps/v1', '/openapi/v3', '/version', '/healthz'])
      expect([path, (await given.client.get(path, {}, { token })).status]).toEqual([path, 200]);
  },
  'paths that are not granted are 403': async (given) => {
    const { token, user } = await robot(given);
    const answer = await given.client.get('/metrics', {}, { token });
    expectRefusal(answer, 403, 'Forbidden', `forbidden: User "${user}" cannot get path "/metrics"`);
  },
  'SelfSubjectAccessReview: an administrator is allowed everything': async (given) => {
    const review = await accessReview(given, given.client.target.token, { verb: 'delete', resource: 'nodes', name: 'n1' });
    expect(review).toMatchObject({ kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: { allowed: true } });
  },
  'SelfSubjectAccessReview: a ServiceAccount is allowed what its role grants': async (given) => {
    const { token, namespace } = await robot(given, [READ_SECRETS]);
    const allowed = await accessReview(given, token, { namespace, verb: 'list', resource: 'secrets' });
    expect(allowed.status.allowed).toBe(true);
    expect(allowed.status.reason).toContain('RBAC: allowed by RoleBinding "robot/');
    expect((await accessReview(given, token, { namespace, verb: 'delete', resource: 'secrets' })).status.allowed).toBe(false);
    expect((await accessReview(given, token, { verb: 'list', resource: 'secrets' })).status.allowed).toBe(false);
  },
  'SelfSubjectAccessReview: paths': async (given) => {
    const { token } = await robot(given);
    const ask = async (path: string): Promise<boolean> => {
      const spec = { nonResourceAttributes: { path, verb: 'get' } };
      return (await given.client.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec }, { token })).body.status.allowed;
    };
    expect([await ask('/version'), await ask('/metrics')]).toEqual([true, false]);
  },
  'SelfSubjectAccessReview: neither resource nor path is 422': async ({ client }) => {
    expectRefusal(
      await client.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: {} }),
      422,
      'Invalid',
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  },
  'SubjectAccessReview: an administrator reviews another user': async (given) => {
    const { namespace, user } = await robot(given, [READ_SECRETS]);
    const ask = async (verb: string): Promise<boolean> => {
      const spec = { user, groups: ['system:serviceaccounts'], resourceAttributes: { namespace, verb, resource: 'secrets' } };
      return (await given.client.post(`${AUTHORIZATION}/subjectaccessreviews`, { spec })).body.status.allowed;
    };
    expect([await ask('get'), await ask('create')]).toEqual([true, false]);
  },
  'SelfSubjectRulesReview lists the rules of a namespace': async (given) => {
    const { token, namespace } = await robot(given, [READ_SECRETS]);
    const { status, body } = await given.client.post(`${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: { namespace } }, { token });
    expect([status, body.kind, body.status.incomplete]).toEqual([201, 'SelfSubjectRulesReview', false]);
    expect(body.status.resourceRules).toEqual(expect.arrayContaining([expect.objectContaining(READ_SECRETS)]));
    expect(body.status.nonResourceRules.flatMap((rule: Json) => rule.nonResourceURLs)).toEqual(
      expect.arrayContaining(['/version', '/healthz']),
    );
  },
  'SelfSubjectReview: who I am': async (given) => {
    const { token, user, namespace } = await robot(given);
    const { body } = await given.client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { token });
    expect(body.status.userInfo.username).toBe(user);
    expect(body.status.userInfo.groups).toEqual(['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']);
  },
  'TokenReview: the user of a token': async (given) => {
    const { token, user } = await robot(given);
    const { body } = await given.client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    expect(body.status).toMatchObject({ authenticated: true, user: { username: user } });
  },
  'TokenReview: an unknown token': async ({ client }) => {
    const { body } = await client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'no-such-token' } });
    expect(body.status.authenticated ?? false).toBe(false);
  },
  'a token becomes invalid with its ServiceAccount': async (given) => {
    const { token, namespace } = await robot(given);
    succeeded(await given.client.delete(`/api/v1/namespaces/${namespace}/serviceaccounts/robot`), 'delete');
    await given.eventually(
      'the token is refused: its ServiceAccount is deleted',
      async () => (await given.client.get('/version', {}, { token })).status === 401,
    );
  },
  'a token is valid for at least ten minutes': async (given) => {
    const { namespace } = await robot(given);
    const answer = await given.client.post(`/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`, {
      spec: { expirationSeconds: 60 },
    });
    expectRefusal(answer, 422, 'Invalid', 'spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes');
  },
  'impersonation: an administrator as another user': async (given) => {
    const { user, namespace } = await robot(given, [READ_SECRETS]);
    const headers = { 'impersonate-user': user };
    expect((await given.client.get(`/api/v1/namespaces/${namespace}/secrets`, {}, { headers })).status).toBe(200);
    expectRefusal(
      await given.client.get('/api/v1/nodes', {}, { headers }),
      403,
      'Forbidden',
      `User "${user}" cannot list resource "nodes"`,
    );
  },
  'impersonation needs a separate permission': async (given) => {
    const { token, user } = await robot(given);
    const answer = await given.client.get('/version', {}, { token, headers: { 'impersonate-user': 'alice' } });
    expectRefusal(answer, 403, 'Forbidden', `User "${user}" cannot impersonate`);
  },
  'a user cannot grant a permission that they lack': async (given) => {
    const rules = [{ apiGroups: [API_GROUP], resources: ['roles'], verbs: ['create'] }];
    const { token, namespace } = await robot(given, rules);
    const answer = await given.client.post(
      `${RBAC}/namespaces/${namespace}/roles`,
      { metadata: { name: 'more' }, rules: [READ_SECRETS] },
      { token },
    );
    expectRefusal(answer, 403, 'Forbidden', 'is attempting to grant RBAC permissions not currently held');
  },
  'the roleRef of a binding is immutable': async (given) => {
    const { namespace } = await robot(given, [READ_SECRETS]);
    const answer = await given.client.patch(`${RBAC}/namespaces/${namespace}/rolebindings/robot`, 'merge', { roleRef: { name: 'other' } });
    expectRefusal(answer, 422, 'Invalid', 'cannot change roleRef');
  },
});
