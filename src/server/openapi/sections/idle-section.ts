import type { OperationSpec } from '../operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from '../parameters.ts';
import { array, integer, nullable, number, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

export const IDLE_SCHEMAS: Readonly<Record<string, Schema>> = {
  IdleWorkload: object(
    {
      workload: ref('WorkloadRef'),
      state: oneOf(['idled', 'waking'], 'waking: it is being restored to its natural size.'),
      idleSince: time('When it was reduced to its idle size.'),
      idle: ref('Resources'),
      natural: ref('Resources'),
      replicas: integer('Replicas while idled.'),
      naturalReplicas: integer('Replicas at its natural size.'),
      projectedSavings: ref('Resources'),
      projectedSavingsPerMonthUsd: nullable(number('The same at the prices of its nodes; null where none of its pods is on a node.')),
      realizedSavings: ref('Resources'),
      realizedSavingsPerMonthUsd: nullable(number('The same at the prices of its nodes; null where none of its pods is on a node.')),
      wakesOn: string('Description of the wake triggers.'),
    },
    '`idle` and `natural` are requests of one replica, all containers together; `projectedSavings` is natural less idle over the replicas of each, `realizedSavings` natural less the current requests of its pods. Limits are unchanged.',
  ),
  IdleTotals: object({
    projectedSavings: ref('Resources'),
    projectedSavingsPerMonthUsd: number('Sum of the known values.'),
    realizedSavings: ref('Resources'),
    realizedSavingsPerMonthUsd: number('Sum of the known values.'),
  }),
  WakeBody: object({ reason: string('Recorded in the Event and the audit.', { maxLength: 1000 }) }, undefined, ['reason']),
};

export const IDLE_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listIdleWorkloads',
    method: 'get',
    path: '/idle-workloads',
    tag: 'Idle workloads',
    title: 'Idled workloads: reduced to their idle size while unused',
    description:
      'Enabled by `spec.idle.enabled` of a PodResizePolicy in mode Auto. While the setting `features.idleWorkloads` is off, the list is empty, `meta.warnings` has code `feature_disabled`, and `features.idleWorkloads` of `GET /mode` is false.',
    list: {
      defaultSort: '-projectedSavings.cpuMillicores',
      namespaced: true,
      filters: [
        enumFilter('state', ['idled', 'waking'], 'Only workloads in these states.'),
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
    title: 'Restore an idled workload to its natural size now',
    description:
      'Written as `spec.wake` on its Recommendation; the leader acts at once, outside windows and cool-downs. It is idled again only after another idle period of `idle.after`. 409 where it is not idled. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true. `If-Match` takes the ETag of `GET /recommendations/{ns}/{name}`.',
    parameters: [namespacePath, namePath, kindQuery],
    body: ref('WakeBody'),
    answer: { status: 200, description: 'The workload while it wakes.', data: ref('IdleWorkload') },
  },
];
