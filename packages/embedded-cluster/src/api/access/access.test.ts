import { describe, expect, test } from '@jest/globals';
import { ApiWorld, type Wire } from '../../../testing/api-world.ts';
import type { UserInfo } from './user.ts';

const BOB: UserInfo = { username: 'bob', groups: ['system:authenticated'] };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const messageOf = (response: { readonly body: unknown }): string => (response.body as { message: string }).message;

async function withReader(): Promise<ApiWorld> {
  const world = new ApiWorld();
  const rules = [
    { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
    { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['public'] },
  ];
  await world.post(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'reader' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
  const subjects = [
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' },
    { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
  ];
  await world.post(`${RBAC}/namespaces/default/rolebindings`, { metadata: { name: 'reader' }, roleRef, subjects });
  return world;
}

describe('authorization', () => {
  test.each([
    ['GET', '/api/v1/namespaces/default/pods', 200],
    ['GET', '/api/v1/namespaces/kube-system/pods', 403],
    ['GET', '/api/v1/pods', 403],
    ['POST', '/api/v1/namespaces/default/pods', 403],
    ['GET', '/api/v1/namespaces/default/configmaps/public', 404],
    ['GET', '/api/v1/namespaces/default/configmaps/secret', 403],
    ['GET', '/apis', 200],
    ['GET', '/metrics', 403],
  ] as const)('a reader asking %s %s gets %i', async (method, path, status) => {
    const world = await withReader();
    expect((await world.as(BOB).request({ method, path })).status).toBe(status);
  });

  test('an error names user, verb and resource', async () => {
    const refused = await new ApiWorld().as(BOB).request({ method: 'GET', path: '/api/v1/namespaces/default/pods/p/log' });
    expect(messageOf(refused)).toBe(
      'pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "default"',
    );
  });

  test('cluster roles apply to all namespaces, aggregated ones through their parts', async () => {
    const world = new ApiWorld();
    const part = {
      metadata: { name: 'part', labels: { to: 'whole' } },
      rules: [{ verbs: ['list'], apiGroups: ['apps'], resources: ['*'] }],
    };
    await world.post(`${RBAC}/clusterroles`, part);
    await world.post(`${RBAC}/clusterroles`, {
      metadata: { name: 'whole' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'whole' } }] },
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'whole' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }];
    await world.post(`${RBAC}/clusterrolebindings`, { metadata: { name: 'all' }, roleRef, subjects });
    expect((await world.as(BOB).request({ method: 'GET', path: '/apis/apps/v1/deployments' })).status).toBe(200);
  });

  test('a token is reviewed with the permissions of its user', async () => {
    const world = await withReader();
    await world.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const issued = await world.post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
    const { token } = (issued.body as Wire).status;
    const list = (plural: string) => ({ verb: 'list', resource: { group: '', plural, subresource: '', namespace: 'default', name: null } });
    expect(world.server.reviewToken(token, list('pods'))).toBe('allowed');
    expect(world.server.reviewToken(token, list('secrets'))).toBe('denied');
    expect(world.server.reviewToken('nonsense', list('pods'))).toBe('unknown');
    expect(world.server.reviewToken('', list('pods'))).toBe('unknown');
  });

  test('a review of oneself has the name of the user and the time of the cluster', async () => {
    const world = new ApiWorld();
    const self = await world.as(BOB).request({ method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {} });
    expect(self.body).toMatchObject({
      metadata: { creationTimestamp: `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z` },
      status: { userInfo: { username: 'bob' } },
    });
  });

  test('reviews are correct, for the caller and for other users', async () => {
    const world = await withReader();
    const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'default' };
    const self = await world.as(BOB).request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: { spec: { resourceAttributes: { ...resourceAttributes, verb: 'delete' } } },
    });
    expect(self.body).toMatchObject({ status: { allowed: false } });
    const other = await world.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: 'bob', resourceAttributes } });
    expect(other.body).toMatchObject({
      status: { allowed: true, reason: 'RBAC: allowed by RoleBinding "reader/default" of Role "reader" to User "bob"' },
    });
    const rules = await world.as(BOB).request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      body: { spec: { namespace: 'default' } },
    });
    expect((rules.body as Wire).status.resourceRules).toContainEqual({
      verbs: ['get', 'list'],
      apiGroups: [''],
      resources: ['pods', 'pods/log'],
    });
  });
});

describe('authentication', () => {
  test('authenticates the admin by the token of this run, and no user by another token', () => {
    const { server } = new ApiWorld();
    const as = (token: string): string | undefined => server.authenticate(`Bearer ${token}`, { user: undefined, groups: [] })?.username;
    expect(as(server.authenticator.adminToken)).toBe('kubernetes-admin');
    expect(as('guess')).toBeUndefined();
    expect(server.authenticate(undefined, { user: undefined, groups: [] })).toBeUndefined();
    expect(new ApiWorld().server.authenticator.adminToken).not.toBe(server.authenticator.adminToken);
  });

  test('tokens of ServiceAccounts are valid until they expire or the account is deleted', async () => {
    const world = await withReader();
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await world.post(accounts, { metadata: { name: 'robot' } });
    const issued = await world.post(`${accounts}/robot/token`, { spec: { expirationSeconds: 600 } });
    const { token, expirationTimestamp } = (issued.body as Wire).status;
    expect(expirationTimestamp).toBe('2026-01-01T00:10:00Z');
    const user = world.server.authenticate(`Bearer ${token}`, { user: undefined, groups: [] });
    expect(user?.username).toBe('system:serviceaccount:default:robot');
    expect((await world.as(user!).request({ method: 'GET', path: '/api/v1/namespaces/default/pods' })).status).toBe(200);
    expect(world.server.authenticate(`Bearer ${token.slice(0, -2)}xx`, { user: undefined, groups: [] })).toBeUndefined();
    await world.machine.advance(600_000);
    expect(world.server.authenticate(`Bearer ${token}`, { user: undefined, groups: [] })).toBeUndefined();
    expect((await world.post(`${accounts}/robot/token`, { spec: { expirationSeconds: 1 } })).status).toBe(422);
  });

  test('only a user with the verb impersonate acts as another user', async () => {
    const { server } = await withReader();
    const asBob = server.authenticate(`Bearer ${server.authenticator.adminToken}`, { user: 'bob', groups: ['dev'] });
    expect(asBob).toEqual({ username: 'bob', groups: ['dev', 'system:authenticated'] });
  });
});
