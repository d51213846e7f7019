import { OVERRIDABLE_KINDS, POLICY_KINDS } from '../../core/policies/policy-kinds.ts';
import type { OperationSpec, ParameterSpec } from './operation.ts';
import { enumFilter } from './parameters.ts';
import { anyObject, anything, array, integer, map, nullable, object, oneOf, ref, string, time, type Schema } from './schema.ts';

const KINDS = POLICY_KINDS.map(({ kind }) => kind);

export const POLICY_SCHEMAS: Readonly<Record<string, Schema>> = {
  Policy: object({
    kind: oneOf(KINDS),
    namespace: nullable(string('null for a cluster-scoped kind.')),
    name: string(),
    createdAt: nullable(time()),
    generation: nullable(integer()),
    spec: anyObject('As it stands on the object.'),
    status: nullable(
      anyObject('As it stands on the object; of a PodResizePolicy `waitingForNodeCapacity` counts the raises that wait for node capacity.'),
    ),
    effective: map(
      object({ value: anything(), source: oneOf(['policy', 'override', 'setting', 'default']) }),
      'Each value in force by dotted field, with where it comes from.',
    ),
  }),
  PolicyOverride: object(
    {
      kind: oneOf(OVERRIDABLE_KINDS),
      name: string(),
      field: string('Dotted path inside `spec`.'),
      value: anything('In force.'),
      specValue: anything('What the spec itself says; null where it leaves the field out.'),
      setBy: nullable(string('null where it was written by hand without saying.')),
      setAt: nullable(time()),
      expiresAt: nullable(time('From this moment on it has no effect; null: until it is removed.')),
      reason: nullable(string()),
    },
    'A field of a policy that a person has overridden for a while.',
  ),
  PolicyOverrideBody: object(
    {
      field: string('Dotted path inside the kind’s `spec`, such as `cooldown` or `cpu.min`.', { minLength: 1, maxLength: 253 }),
      value: anything('By the field’s schema; an object or a list replaces the field as a whole. null takes the override away.'),
      expiresIn: string('Duration such as 2h or 7d, at most 3650d; left out: until it is removed.', { maxLength: 64 }),
      reason: string('Why, for whoever finds it.', { minLength: 1, maxLength: 500 }),
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
    description: `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1) ?? ''}, or a plural of them, in any case.`,
    schema: string(undefined, { minLength: 1, maxLength: 63, pattern: '^[A-Za-z]+$' }),
  },
  {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the policy.',
    schema: string(undefined, { minLength: 1, maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' }),
  },
];

const namespaceQuery: ParameterSpec = {
  name: 'namespace',
  in: 'query',
  description: 'Namespace of the policy, for kinds in namespaces.',
  schema: string(undefined, { minLength: 1, maxLength: 63 }),
};

export const POLICY_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listPolicies',
    method: 'get',
    path: '/policies',
    tag: 'Policies',
    title: 'Policies with the values in force',
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
    title: 'One policy with the values in force',
    description: 'Its ETag is what `If-Match` of an override takes.',
    parameters: [...policyPath(KINDS), namespaceQuery],
    answer: { status: 200, description: 'The policy.', data: ref('Policy') },
  },
  {
    id: 'listPolicyOverrides',
    method: 'get',
    path: '/policy-overrides',
    tag: 'Policies',
    title: 'Overrides of policies that are in force',
    description:
      'Read from the annotation `evenkeel.io/overrides` of each policy. One that has ended is not among them from that moment on; one that cannot be read is ignored and named in `meta.warnings`.',
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
    title: 'Override a field of a policy for a while',
    description:
      'Written as the annotation `evenkeel.io/overrides`, so that kubectl shows it and whoever manages the spec does not fight it. The value is checked against the kind’s schema, and the spec as it would then be by a server-side dry run. `dryRun` and `paused` can only be overridden to true, `respectPDB` never. null takes an override away. Answers the policy. `If-Match` takes the ETag of `GET /policies/{kind}/{name}`.',
    parameters: policyPath(OVERRIDABLE_KINDS),
    body: ref('PolicyOverrideBody'),
    answer: { status: 200, description: 'The policy with the values in force.', data: ref('Policy') },
  },
];
