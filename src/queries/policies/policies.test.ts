import { describe, expect, test } from '@jest/globals';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { CONTROLLER_PERMISSIONS } from '../../adapters/kubernetes/access/permissions.ts';
import { ownResource } from '../../adapters/kubernetes/resources.ts';
import { POLICY_SPEC_SCHEMAS } from '../../apis/v1alpha1/policy-schemas.generated.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import { POLICY_KINDS, type PolicyKindRegistration } from '../../core/policies/policy-kinds.ts';
import { PolicyQueries } from './policies.ts';

test('a registered kind is served beside the others', () => {
  const world = dashboardWorld();
  const registration: PolicyKindRegistration = {
    kind: 'AccessPolicy',
    plural: 'accesspolicies',
    namespaced: false,
    overridable: false,
    gatesEffects: false,
  };
  // Overrides of a kind that is not overridable are not read.
  const annotations = { 'evenkeel.io/overrides': '{"paused":{"value":true}}' };
  world.cluster.own.set('accesspolicies', [{ kind: 'AccessPolicy', metadata: { name: 'team', annotations }, spec: { paused: false } }]);
  const listed = (kinds: readonly PolicyKindRegistration[]): readonly unknown[] => {
    const page = new PolicyQueries(world.sources, kinds).list(EVERYONE_IS_ADMIN, { limit: 10, sort: 'kind', format: 'json' });
    if (page.kind !== 'page') throw new Error(page.kind);
    return page.items.map(({ kind, name, effective }) => [kind, name, effective['paused']?.value]);
  };
  const served = listed([...POLICY_KINDS, registration]);
  expect(served).toContainEqual(['AccessPolicy', 'team', false]);
  expect(served).toHaveLength(listed(POLICY_KINDS).length + 1);
});

describe.each(POLICY_KINDS)('The kind $kind', ({ kind, plural, namespaced, overridable }) => {
  test('is a resource with a schema', () => {
    expect(ownResource(plural)).toMatchObject({ kind, namespaced });
    expect(POLICY_SPEC_SCHEMAS).toHaveProperty(kind);
  });

  test('may be annotated where it is overridable, which only cluster-scoped kinds are', () => {
    const isPatched = CONTROLLER_PERMISSIONS.some(
      ({ resource, subresource, verbs }) => resource.plural === plural && subresource === undefined && verbs.includes('patch'),
    );
    expect([isPatched, namespaced && overridable]).toEqual([overridable, false]);
  });
});
