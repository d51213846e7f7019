import { OVERRIDABLE_KINDS, POLICY_KINDS } from '../../../core/policies/policy-kinds.ts';
import type { OperationSpec, ParameterSpec } from '../operation.ts';
import { enumFilter } from '../parameters.ts';
import { anyObject, anything, array, integer, map, nullable, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

const KINDS = POLICY_KINDS.map(({ kind }) => kind);

export const POLICY_SCHEMAS: Readonly<Record<string, Schema>> = {
  Policy: object({
    kind: oneOf(KINDS),
    namespace: nullable(string('null for a cluster-scoped kind.')),
    name: string(),
    createdAt: nullable(time()),
    generation: nullable(integer()),
    spec: anyObject('The object’s spec.'),
    status: nullable(
      anyObject('The object’s status; in a PodResizePolicy `waitingForNodeCapacity` counts increases that wait for node capacity.'),
    ),
    effective: map(
      object({ value: anything(), source: oneOf(['policy', 'override', 'setting', 'default']) }),
      'Effective value and its source by dotted field.',
    ),
  }),
  PolicyOverride: object(
    {
      kind: oneOf(OVERRIDABLE_KINDS),
      name: string(),
      field: string('Dotted path inside `spec`.'),
      value: anything('Effective value.'),
      specValue: anything('Value of the spec; null where the field is unset.'),
      setBy: nullable(string('null where it was written without this API and without a user.')),
      setAt: nullable(time()),
      expiresAt: nullable(time('When the override ends; null: when it is removed.')),
      reason: nullable(string()),
    },
    'A policy field that a user has temporarily overridden.',
  ),
  PolicyOverrideBody: object(
    {
      field: string('Dotted path inside the kind’s `spec`, such as `cooldown` or `cpu.min`.', { minLength: 1, maxLength: 253 }),
      value: anything('Value by the field’s schema; an object or list replaces the whole field. null removes the override.'),
      expiresIn: string('Duration such as 2h or 7d, at most 3650d; omitted: until it is removed.', { maxLength: 64 }),
      reason: string('Reason, shown with the override.', { minLength: 1, maxLength: 500 }),
    },
    undefined,
    ['expiresIn'],
  ),
};

const policyPath = (kinds: readonly string[]): readonly ParameterSpec[] => [
  {
    name: 'kind',
    in: 'path',
    required: true,
    description: `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1) ?? ''}, or its plural, case-insensitive.`,
    schema: string(undefined, { minLength: 1, maxLength: 63, pattern: '^[A-Za-z]+$', examples: [kinds[0] ?? ''] }),
  },
  {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the policy.',
    schema: string(undefined, { minLength: 1, maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$', examples: ['default'] }),
  },
];

const namespaceQuery: ParameterSpec = {
  name: 'namespace',
  in: 'query',
  description: 'Namespace of the policy, for namespaced kinds.',
  schema: string(undefined, { minLength: 1, maxLength: 63 }),
};

export const POLICY_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listPolicies',
    method: 'get',
    path: '/policies',
    tag: 'Policies',
    title: 'Policies with their effective values',
    list: {
      defaultSort: 'kind',
      namespaced: true,
      filters: [enumFilter('kind', KINDS, 'Only these kinds.')],
    },
    answer: { status: 200, description: 'A page of policies.', data: array(ref('Policy')) },
  },
  {
    id: 'getPolicy',
    method: 'get',
    path: '/policies/{kind}/{name}',
    tag: 'Policies',
    title: 'One policy with its effective values',
    description: '`If-Match` of an override takes its ETag.',
    parameters: [...policyPath(KINDS), namespaceQuery],
    answer: { status: 200, description: 'The policy.', data: ref('Policy') },
  },
  {
    id: 'listPolicyOverrides',
    method: 'get',
    path: '/policy-overrides',
    tag: 'Policies',
    title: 'Overrides of policies in effect',
    description:
      'Read from the annotation `evenkeel.io/overrides` of each policy. Ended overrides are not listed; an invalid one is ignored and reported in `meta.warnings`.',
    list: {
      defaultSort: 'kind',
      namespaced: false,
      filters: [enumFilter('kind', OVERRIDABLE_KINDS, 'Only these kinds.')],
    },
    answer: { status: 200, description: 'A page of overrides.', data: array(ref('PolicyOverride')) },
  },
  {
    id: 'setPolicyOverride',
    method: 'put',
    path: '/policy-overrides/{kind}/{name}',
    tag: 'Policies',
    title: 'Temporarily override a field of a policy',
    description:
      'Written as the annotation `evenkeel.io/overrides`, so that kubectl shows it and a tool that manages the spec does not revert it. The value is validated by the kind’s schema, and the resulting spec by a server-side dry run. `dryRun` and `paused` can only be overridden to true, `respectPDB` not at all. null removes an override. Answers with the policy. `If-Match` takes the ETag of `GET /policies/{kind}/{name}`.',
    parameters: policyPath(OVERRIDABLE_KINDS),
    body: ref('PolicyOverrideBody'),
    answer: { status: 200, description: 'The policy with its effective values.', data: ref('Policy') },
  },
];
