import type { OperationSpec } from '../operation.ts';
import { durationQuery, enumFilter, textFilter } from '../parameters.ts';
import { anything, array, boolean, nullable, number, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

const KINDS = ['scale-up', 'scale-down', 'consolidate', 'resize', 'rebalance', 'hpa', 'scheduled', 'interruption'];
const OUTCOMES = ['applied', 'deferred', 'infeasible', 'rejected', 'rolled-back', 'dry-run', 'failed'];

export const SCALING_SCHEMAS: Readonly<Record<string, Schema>> = {
  ScalingActivity: object(
    {
      time: time(),
      actor: string('`evenkeel`, or the user who requested it.'),
      kind: oneOf(KINDS, '`resize`: requests, replicas of an idle workload, evictions and restarts for a size. `hpa`: a changed target.'),
      object: object({
        namespace: nullable(string('null: cluster-scoped, visible only to administrators.')),
        kind: string(),
        name: string(),
        pod: nullable(string('The pod, where only one pod of a workload was changed.')),
      }),
      from: anything('Requests and limits by container, or `{ replicas }`; null where not applicable.'),
      to: anything('The same after the change, or a description of it.'),
      reason: string(),
      dryRun: boolean('Validated and not carried out.'),
      outcome: oneOf(OUTCOMES),
      durationSeconds: nullable(number('Time from the request to the API server’s answer; null where not measured.')),
      costDeltaPerHourUsd: nullable(number('Change of the cost of requests, at the node’s price; null where unknown.')),
    },
    'One applied or attempted change.',
  ),
};

export const SCALING_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listScaling',
    method: 'get',
    path: '/scaling',
    tag: 'Scaling',
    title: 'Timeline of changes with object, actor and reason',
    description:
      'The timeline is stored in history and survives restarts. `duration` is the length of the period. Entries of cluster-scoped objects are visible only to administrators.',
    parameters: [durationQuery('24h')],
    list: {
      defaultSort: '-time',
      namespaced: true,
      filters: [
        enumFilter('kind', KINDS, 'Only these kinds.'),
        enumFilter('outcome', OUTCOMES, 'Only entries with these outcomes.'),
        textFilter('actor', 'Only entries of these actors.'),
      ],
    },
    answer: { status: 200, description: 'A page of the timeline.', data: array(ref('ScalingActivity')) },
  },
];
