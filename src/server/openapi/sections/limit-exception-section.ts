import { LIMIT_EXCEPTION_STATES, LIMIT_EXCEPTION_TYPES } from '../../../core/resize/model/limit-exception.ts';
import type { OperationSpec, ParameterSpec } from '../operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from '../parameters.ts';
import { array, boolean, integer, map, nullable, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const RESOURCES = ['cpu', 'memory'] as const;
const BOUNDS = ['limit', 'ceiling'] as const;
const amount = (description: string): Schema => integer(`${description} In \`unit\`.`, { minimum: 0 });

const decided: OperationSpec['answer'] = {
  status: 200,
  description: 'The current limit exceptions of the workload.',
  data: array(ref('LimitException')),
};

export const LIMIT_EXCEPTION_SCHEMAS: Readonly<Record<string, Schema>> = {
  LimitException: object(
    {
      namespace: string(),
      name: string(),
      kind: string(),
      container: string(),
      resource: oneOf(RESOURCES),
      type: oneOf(LIMIT_EXCEPTION_TYPES, 'Types in order of severity, which only increases while open.'),
      bound: oneOf(BOUNDS, 'The exceeded bound, which an approval raises: the limit of the pods, or the ceiling of the request.'),
      unit: oneOf(['millicores', 'bytes']),
      limit: amount('Value of the exceeded bound.'),
      observed: amount('Maximum observed, or requested by the recommendation.'),
      proposed: nullable(amount('Proposed value; null where LimitRange or node size allow no greater one.')),
      state: oneOf(LIMIT_EXCEPTION_STATES, 'A decision applies as soon as it is stored; `settled` is true once it is carried out.'),
      applied: boolean('A temporary limit is in effect, or is still to be reverted.'),
      appliedValue: nullable(amount('The temporary limit.')),
      appliedUntil: nullable(time('When the temporary limit is reverted.')),
      openedAt: time(),
      lastSeenAt: time('Time of the last occurrence.'),
      closedAt: nullable(time('When it was approved, rejected or resolved.')),
      occurrences: integer('Number of occurrences while open.', { minimum: 0 }),
      evidence: string('Description of the evidence.'),
      approvedValue: nullable(amount('The approved value.')),
      decidedBy: nullable(string('User who approved or rejected it.')),
      settled: boolean('The decision is carried out: the approved value is in effect, or the former one again.'),
    },
    'Demand above a container’s limit or ceiling.',
  ),
  LimitExceptionCounts: object(
    {
      open: integer(),
      approved: integer(),
      rejected: integer(),
      resolved: integer(),
      applied: integer('With a temporary limit in effect.'),
      byType: map(integer()),
    },
    'Counts of all matching items, not only this page.',
  ),
  LimitExceptionBody: object(
    {
      container: string('Omitted: every container.', { minLength: 1, maxLength: 253 }),
      resource: oneOf(RESOURCES, 'Omitted: both.'),
      value: {
        description:
          'For approval of a single exception: a value that replaces the proposed one, as a quantity (`512Mi`, `750m`) or a whole number in `unit`.',
        anyOf: [string(undefined, { minLength: 1, maxLength: 32 }), integer(undefined, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER })],
      },
      reason: string('Recorded with the decision, in its Event and the audit.', { maxLength: 1000 }),
    },
    'Without container and resource: all open exceptions of the workload.',
    ['container', 'resource', 'value', 'reason'],
  ),
};

export const LIMIT_EXCEPTION_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listLimitExceptions',
    method: 'get',
    path: '/limit-exceptions',
    tag: 'Limit exceptions',
    title: 'Demand above the limits or ceilings of workloads',
    description:
      'Opened where a recommendation cannot satisfy the demand: a limit that Evenkeel does not manage, a ceiling, or a mode that applies nothing. One per container and resource. Closed exceptions are listed for 7 days.',
    list: {
      defaultSort: '-openedAt',
      namespaced: true,
      filters: [
        enumFilter('state', LIMIT_EXCEPTION_STATES, 'Only exceptions in these states.'),
        enumFilter('type', LIMIT_EXCEPTION_TYPES, 'Only exceptions of these types.'),
        enumFilter('resource', RESOURCES, 'Only these resources.'),
        enumFilter('bound', BOUNDS, 'Only exceptions with these bounds.'),
        textFilter('container', 'Only containers with these names.'),
        textFilter('kind', 'Only workloads of these kinds.'),
      ],
    },
    answer: {
      status: 200,
      description: 'A page of limit exceptions.',
      data: array(ref('LimitException')),
      summary: ref('LimitExceptionCounts'),
    },
  },
  {
    id: 'approveLimitException',
    method: 'post',
    path: '/limit-exceptions/{ns}/{name}/approve',
    tag: 'Limit exceptions',
    title: 'Approve as the new baseline',
    description:
      'The limit, or the annotation `evenkeel.io/ceiling`, is set to the proposed value or to the one in the body. Repeating an approval changes nothing. 409 where it is no longer open, and in a mode that applies nothing; 422 where LimitRange or node size do not allow the value. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true. `If-Match` takes the ETag of `GET /recommendations/{ns}/{name}`.',
    parameters: workload,
    body: ref('LimitExceptionBody'),
    answer: decided,
  },
  {
    id: 'rejectLimitException',
    method: 'post',
    path: '/limit-exceptions/{ns}/{name}/reject',
    tag: 'Limit exceptions',
    title: 'Reject and revert',
    description:
      'A temporary limit is reverted, pod by pod and never below current usage. The same exception is not opened again for 7 days unless demand grows by another 20 %. While the setting `controller.dryRun` or the workload’s policy is in dry run, a rejection that reverts a temporary limit is validated and not stored. `If-Match` takes the ETag of `GET /recommendations/{ns}/{name}`.',
    parameters: workload,
    body: ref('LimitExceptionBody'),
    answer: decided,
  },
];
