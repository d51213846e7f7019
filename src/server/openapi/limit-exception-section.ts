import { LIMIT_EXCEPTION_STATES, LIMIT_EXCEPTION_TYPES } from '../../core/resize/model/limit-exception.ts';
import type { OperationSpec, ParameterSpec } from './operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from './parameters.ts';
import { array, boolean, integer, map, nullable, object, oneOf, ref, string, time, type Schema } from './schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const RESOURCES = ['cpu', 'memory'] as const;
const BOUNDS = ['limit', 'ceiling'] as const;
const amount = (description: string): Schema => integer(`${description} In \`unit\`.`, { minimum: 0 });

const decided: OperationSpec['answer'] = {
  status: 200,
  description: 'The limit exceptions of the workload as they now are.',
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
      type: oneOf(LIMIT_EXCEPTION_TYPES, 'While it is open it only grows graver, in this order.'),
      bound: oneOf(BOUNDS, 'What is in the way, and what an approval moves: the limit of the pods, or the ceiling of the request.'),
      unit: oneOf(['millicores', 'bytes']),
      limit: amount('The limit or ceiling in the way.'),
      observed: amount('The most that was seen, or asked for by the recommendation.'),
      proposed: nullable(amount('What would be enough; null where LimitRange or node size leave nothing greater.')),
      state: oneOf(LIMIT_EXCEPTION_STATES, 'A decision counts from when it is stated; `settled` tells when it has been carried out.'),
      applied: boolean('Pods have more than their limit for the time being, or are still to be brought back.'),
      appliedValue: nullable(amount('What they have.')),
      appliedUntil: nullable(time('It is taken back from then on.')),
      openedAt: time(),
      lastSeenAt: time('The last time that counted as one more occurrence.'),
      closedAt: nullable(time('When it was approved, rejected or resolved.')),
      occurrences: integer('How often it was seen while it was open.', { minimum: 0 }),
      evidence: string('What it was concluded from, in words.'),
      approvedValue: nullable(amount('What was approved.')),
      decidedBy: nullable(string('Who approved or rejected it.')),
      settled: boolean('What was decided is in force: the approved value, or the earlier one again.'),
    },
    'Demand beyond what a container may have.',
  ),
  LimitExceptionCounts: object(
    {
      open: integer(),
      approved: integer(),
      rejected: integer(),
      resolved: integer(),
      applied: integer('With a temporary limit in force.'),
      byType: map(integer()),
    },
    'Over everything that matched, not over the page.',
  ),
  LimitExceptionBody: object(
    {
      container: string('Left out: every container.', { minLength: 1, maxLength: 253 }),
      resource: oneOf(RESOURCES, 'Left out: both.'),
      value: {
        description:
          'For approve, with one exception: the value in place of the proposed one, a quantity (`512Mi`, `750m`) or a whole number in `unit`.',
        anyOf: [string(undefined, { minLength: 1, maxLength: 32 }), integer(undefined, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER })],
      },
      reason: string('Kept beside the decision, in its Event and the audit.', { maxLength: 1000 }),
    },
    'Without container and resource: all open ones of the workload.',
    ['container', 'resource', 'value', 'reason'],
  ),
};

export const LIMIT_EXCEPTION_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listLimitExceptions',
    method: 'get',
    path: '/limit-exceptions',
    tag: 'Limit exceptions',
    title: 'Demand that passes what workloads may have',
    description:
      'Opened where the ordinary way cannot give what is needed: a limit that is not Evenkeel’s to move, a ceiling, a mode that applies nothing. One a container and resource. Closed ones stay for 7 days.',
    list: {
      defaultSort: '-openedAt',
      namespaced: true,
      filters: [
        enumFilter('state', LIMIT_EXCEPTION_STATES, 'Only exceptions in these states.'),
        enumFilter('type', LIMIT_EXCEPTION_TYPES, 'Only exceptions of these types.'),
        enumFilter('resource', RESOURCES, 'Only these resources.'),
        enumFilter('bound', BOUNDS, 'Only those that meet a limit, or a ceiling.'),
        textFilter('container', 'Only containers of these names.'),
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
    title: 'Approve as the new normal',
    description:
      'The limit, or the annotation `evenkeel.io/ceiling`, moves to the proposed value or to the one in the body. Stated once more it changes nothing. 409 where it is no longer open, and in a mode that applies nothing; 422 where LimitRange or node size leave no such value. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true. `If-Match` takes the ETag of `GET /recommendations/{ns}/{name}`.',
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
      'A temporary limit is taken back, one pod after the other and never under what is in use. The same exception stays shut for 7 days unless demand grows by another 20 %. While the setting `controller.dryRun` or the workload’s policy is in dry run, a rejection that takes a temporary limit back is validated and not stored. `If-Match` takes the ETag of `GET /recommendations/{ns}/{name}`.',
    parameters: workload,
    body: ref('LimitExceptionBody'),
    answer: decided,
  },
];
