import type { OperationSpec } from './operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from './parameters.ts';
import { array, integer, nullable, number, object, oneOf, ref, string, time, type Schema } from './schema.ts';

export const IDLE_SCHEMAS: Readonly<Record<string, Schema>> = {
  IdleWorkload: object(
    {
      workload: ref('WorkloadRef'),
      state: oneOf(['idled', 'waking'], 'waking: it is being given its natural size back.'),
      idleSince: time('When it was made small.'),
      idle: ref('Resources'),
      natural: ref('Resources'),
      replicas: integer('While it is idle.'),
      naturalReplicas: integer('When it is not.'),
      projectedSavings: ref('Resources'),
      projectedSavingsPerMonthUsd: nullable(number('The same at the prices of its nodes; null where no pod of it is on a node.')),
      realizedSavings: ref('Resources'),
      realizedSavingsPerMonthUsd: nullable(number('The same at the prices of its nodes; null where no pod of it is on a node.')),
      wakesOn: string('What wakes it, in words.'),
    },
    '`idle` and `natural` are requests of one replica, all containers together; `projectedSavings` is natural less idle over the replicas of each, `realizedSavings` natural less what its pods request at this moment. Limits stay as they are.',
  ),
  IdleTotals: object({
    projectedSavings: ref('Resources'),
    projectedSavingsPerMonthUsd: number('Sum of what is known.'),
    realizedSavings: ref('Resources'),
    realizedSavingsPerMonthUsd: number('Sum of what is known.'),
  }),
  WakeBody: object({ reason: string('Kept beside the request: in its Event and the audit.', { maxLength: 1000 }) }, undefined, ['reason']),
};

export const IDLE_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listIdleWorkloads',
    method: 'get',
    path: '/idle-workloads',
    tag: 'Idle workloads',
    title: 'Idled workloads: reduced to their idle size while unused',
    description:
      'A PodResizePolicy asks for it by `spec.idle.enabled`, in mode Auto. While the setting `features.idleWorkloads` is off the list is empty, `meta.warnings` says so with the code `feature_disabled`, and `features.idleWorkloads` of `GET /mode` is false.',
    list: {
      defaultSort: '-projectedSavings.cpuMillicores',
      namespaced: true,
      filters: [
        enumFilter('state', ['idled', 'waking'], 'Only those in these states.'),
        textFilter('kind', 'Only workloads of these kinds.'),
      ],
    },
    answer: { status: 200, description: 'A page of idle workloads.', data: array(ref('IdleWorkload')), summary: ref('IdleTotals') },
  },
  {
    id: 'wakeWorkload',
    method: 'post',
    path: '/idle-workloads/{ns}/{name}/wake',
    tag: 'Idle workloads',
    title: 'Give an idle workload its natural size back now',
    description:
      'Written as `spec.wake` on its Recommendation; the leader acts at once, outside windows and cool-downs. It falls idle again only after having been quiet for `idle.after` anew. 409 where it is not idle. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true. `If-Match` takes the ETag of `GET /recommendations/{ns}/{name}`.',
    parameters: [namespacePath, namePath, kindQuery],
    body: ref('WakeBody'),
    answer: { status: 200, description: 'The workload as it is while it wakes.', data: ref('IdleWorkload') },
  },
];
