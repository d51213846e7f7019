// The roles grant exactly the permissions that the code declares.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CONTROLLER_PERMISSIONS, KUBELET_READER_PERMISSIONS } from '../../src/adapters/kubernetes/access/permissions.ts';
import { UNINSTALL_PERMISSIONS } from '../../src/cli/uninstall/permissions.ts';
import { BY_DEFAULT, declared, forbiddenIn, grantsOf, manifestsOf, parseManifests, ROOT } from './rules.ts';

const ROLES = [...manifestsOf('config/rbac/clusterrole.yaml'), ...manifestsOf('config/rbac/role.yaml')];
const AUTH = manifestsOf('config/auth/rbac.yaml');
const AUTH_UNINSTALL = manifestsOf('config/auth-uninstall/rbac.yaml');
const UNINSTALL = manifestsOf('config/uninstall/rbac.yaml');

describe.each([
  { of: 'controller', name: 'evenkeel-controller', manifests: ROLES, permissions: CONTROLLER_PERMISSIONS },
  { of: 'reader of kubelets', name: 'evenkeel-kubelet-reader', manifests: ROLES, permissions: KUBELET_READER_PERMISSIONS },
  { of: 'uninstall', name: 'evenkeel-uninstall', manifests: UNINSTALL, permissions: UNINSTALL_PERMISSIONS },
])('The roles of the $of', ({ name, manifests, permissions }) => {
  test('are the declared permissions, rule by rule', () => {
    expect(grantsOf(manifests, name)).toEqual(declared(permissions, BY_DEFAULT));
  });

  test('grant nothing twice', () => {
    const grants = grantsOf(manifests, name);
    expect(grants.filter((grant, index) => grants.indexOf(grant) !== index)).toEqual([]);
  });

  test('come from code that is there', () => {
    expect(permissions.filter(({ by }) => !existsSync(join(ROOT, by)))).toEqual([]);
  });
});

test('The roles of config/auth and config/auth-uninstall are the permissions declared for auth.enabled', () => {
  expect(grantsOf(AUTH, 'evenkeel-access')).toEqual(declared(CONTROLLER_PERMISSIONS, ['config.auth.enabled']));
  expect(grantsOf(AUTH_UNINSTALL, 'evenkeel-uninstall-access')).toEqual(declared(UNINSTALL_PERMISSIONS, ['config.auth.enabled']));
});

describe('No role', () => {
  test('grants a wildcard, exec into pods, the node proxy, or cluster-wide secrets', () => {
    expect(forbiddenIn([...ROLES, ...AUTH, ...AUTH_UNINSTALL, ...UNINSTALL])).toEqual([]);
  });

  test.each([
    ['a wildcard', `rules: [{ apiGroups: ['*'], resources: [pods], verbs: [get] }]`],
    ['nodes/proxy', `rules: [{ apiGroups: [''], resources: [nodes/proxy], verbs: [get] }]`],
    ['pods/exec', `rules: [{ apiGroups: [''], resources: [pods/exec], verbs: [create] }]`],
    ['secrets', `rules: [{ apiGroups: [''], resources: [secrets], verbs: [get] }]`],
    ['tokens of any ServiceAccount', `rules: [{ apiGroups: [''], resources: [serviceaccounts/token], verbs: [create] }]`],
    ['escalate', `rules: [{ apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate] }]`],
  ])('would get by with %s', (_what, rules) => {
    expect(forbiddenIn(parseManifests(`kind: ClusterRole\nmetadata: { name: r }\n${rules}`))).not.toEqual([]);
  });
});
