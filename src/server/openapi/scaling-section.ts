import type { OperationSpec } from './operation.ts';
import { durationQuery, enumFilter, textFilter } from './parameters.ts';
import { anything, array, boolean, nullable, number, object, oneOf, ref, string, time, type Schema } from './schema.ts';

const KINDS = ['scale-up', 'scale-down', 'consolidate', 'resize', 'rebalance', 'hpa', 'scheduled', 'interruption'];
const OUTCOMES = ['applied', 'deferred', 'infeasible', 'rejected', 'rolled-back', 'dry-run', 'failed'];

export const SCALING_SCHEMAS: Readonly<Record<string, Schema>> = {
  ScalingActivity: object(
    {
      time: time(),
      actor: string('`evenkeel`, or the person who asked for it.'),
      kind: oneOf(
        KINDS,
        '`resize`: requests, replicas of an idle workload, evictions and restarts for a size. `hpa`: a target that was moved.',
      ),
      object: object({
        namespace: nullable(string('Null: cluster-scoped, for administrators alone.')),
        kind: string(),
        name: string(),
        pod: nullable(string('Where it was done to one pod of a workload.')),
      }),
      from: anything('Requests and limits by container, or `{ replicas }`; null where there is nothing to compare.'),
      to: anything('The same afterwards, or what was done in words.'),
      reason: string(),
      dryRun: boolean('Validated and not carried out.'),
      outcome: oneOf(OUTCOMES),
      durationSeconds: nullable(number('From asking to the API server’s answer; null where it was not measured.')),
      costDeltaPerHourUsd: nullable(
        number('What it adds to the cost of what is requested, at the node’s price; null where that is not known.'),
      ),
    },
    'One thing that was done, or tried.',
  ),
};

export const SCALING_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listScaling',
    method: 'get',
    path: '/scaling',
    tag: 'Scaling',
    title: 'What was done to which object, by whom and why',
    description:
      'The timeline as history remembers it: it survives a restart. `duration` says how far back. Entries of objects without a namespace are for administrators alone.',
    parameters: [durationQuery('24h')],
    list: {
      defaultSort: '-time',
      namespaced: true,
      filters: [
        enumFilter('kind', KINDS, 'Only these kinds.'),
        enumFilter('outcome', OUTCOMES, 'Only what came to this.'),
        textFilter('actor', 'Only what these did.'),
      ],
    },
    answer: { status: 200, description: 'A page of the timeline.', data: array(ref('ScalingActivity')) },
  },
];
