import { RECOMMENDATION_STATES, RESIZE_MODES } from '../../../apis/conditions.ts';
import type { OperationSpec, ParameterSpec } from '../operation.ts';
import { durationQuery, enumFilter, kindQuery, namePath, namespacePath, stepQuery, textFilter } from '../parameters.ts';
import { RISKS } from './recommendation-records.ts';
import { array, integer, object, ref } from '../schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const changed: OperationSpec['answer'] = { status: 200, description: 'The current recommendation.', data: ref('Recommendation') };

export const RECOMMENDATION_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listRecommendations',
    method: 'get',
    path: '/recommendations',
    tag: 'Recommendations',
    title: 'Current and recommended requests of every workload',
    description:
      'Computed once and cached for 60 s (`meta.cachedAt`), filtered for each caller. An approval, rejection, rollback, mode change or trigger clears the cache.',
    list: {
      defaultSort: '-savingsPerMonthUsd',
      namespaced: true,
      filters: [
        enumFilter('state', RECOMMENDATION_STATES, 'Only recommendations in these states.'),
        textFilter('reason', 'Only recommendations that wait or are blocked for these reasons, such as `approval` or `window`.'),
        enumFilter('mode', RESIZE_MODES, 'Only workloads in these modes.'),
        enumFilter('risk', RISKS, 'Only recommendations of this risk.'),
        textFilter('kind', 'Only workloads of these kinds.'),
        textFilter('policy', 'Only workloads under these policies.'),
        textFilter('package', 'Only workloads of these packages.'),
      ],
    },
    answer: {
      status: 200,
      description: 'A page of recommendations.',
      data: array(ref('Recommendation')),
      summary: ref('RecommendationTotals'),
    },
  },
  {
    id: 'bulkRecommendations',
    method: 'post',
    path: '/recommendations/bulk',
    tag: 'Recommendations',
    title: 'Approve, reject, roll back or set the mode of up to 500 workloads',
    body: ref('BulkBody'),
    answer: {
      status: 200,
      description: 'One result per item, in order.',
      data: array(ref('BulkResult')),
      summary: object({ succeeded: integer(), failed: integer() }),
    },
  },
  {
    id: 'getRecommendation',
    method: 'get',
    path: '/recommendations/{ns}/{name}',
    tag: 'Recommendations',
    title: 'One recommendation with its audit',
    description: 'Every input, each step from usage to value, the history of applied values, and what would change the recommendation.',
    parameters: workload,
    answer: { status: 200, description: 'The recommendation and its audit.', data: ref('RecommendationDetail') },
  },
  {
    id: 'approveRecommendation',
    method: 'post',
    path: '/recommendations/{ns}/{name}/approve',
    tag: 'Recommendations',
    title: 'Approve the displayed values',
    description:
      'Carried out in mode Approve as soon as no other blocker remains. 409 where the values are no longer recommended, and in every other mode: Auto needs no approval, the others apply nothing. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true.',
    parameters: workload,
    body: ref('ApproveBody'),
    answer: changed,
  },
  {
    id: 'rejectRecommendation',
    method: 'post',
    path: '/recommendations/{ns}/{name}/reject',
    tag: 'Recommendations',
    title: 'Reject the values',
    description: 'The values are not recommended again for 7 days unless they change.',
    parameters: workload,
    body: ref('RejectBody'),
    answer: changed,
  },
  {
    id: 'rollbackRecommendation',
    method: 'post',
    path: '/recommendations/{ns}/{name}/rollback',
    tag: 'Recommendations',
    title: 'Roll back to the values before the last change',
    description:
      'Automatic changes are then blocked for 24 hours. 409 in mode Off, and where nothing was changed yet. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true.',
    parameters: workload,
    body: ref('RollbackBody'),
    answer: changed,
  },
  {
    id: 'setRecommendationMode',
    method: 'put',
    path: '/recommendations/{ns}/{name}/mode',
    tag: 'Recommendations',
    title: 'Set the mode of one workload',
    description: 'Written as the annotation `evenkeel.io/mode`; null restores the policy’s mode.',
    parameters: workload,
    body: ref('ModeBody'),
    answer: changed,
  },
  {
    id: 'holdWorkload',
    method: 'put',
    path: '/recommendations/{ns}/{name}/hold',
    tag: 'Recommendations',
    title: 'Hold one workload for a time',
    description: 'Written as the annotation `evenkeel.io/held-until`: no change starts before it, and the change under way ends.',
    parameters: workload,
    body: ref('HoldBody'),
    answer: changed,
  },
  {
    id: 'endHold',
    method: 'delete',
    path: '/recommendations/{ns}/{name}/hold',
    tag: 'Recommendations',
    title: 'End the hold of one workload',
    description:
      'Ends the hold of a user, and that of a roll-back. The annotation `evenkeel.io/held-until` is removed, or set to the present time where a roll-back holds the workload.',
    parameters: workload,
    answer: changed,
  },
  {
    id: 'listResizeStats',
    method: 'get',
    path: '/resize-stats',
    tag: 'Recommendations',
    title: 'The last 100 resize cycles',
    list: { defaultSort: '-startedAt', namespaced: false },
    answer: { status: 200, description: 'Cycles.', data: array(ref('ResizeCycle')) },
  },
  {
    id: 'triggerResizeCycle',
    method: 'post',
    path: '/resize-cycle/trigger',
    tag: 'Recommendations',
    title: 'Request a resize cycle now',
    description:
      'Written as the annotation `evenkeel.io/trigger` on the PodResizePolicies, except those that select only kube-system and Evenkeel’s namespace; the leader runs the cycle. A pending cycle is joined. 403 where no other policy exists. In dry run the cycle runs and changes nothing; `meta.dryRun` is true where this applies to every policy.',
    answer: { status: 202, description: 'The cycle will run.', data: ref('TriggeredCycle') },
  },
  {
    id: 'getWorkloadUsage',
    method: 'get',
    path: '/workloads/{ns}/{name}/usage',
    tag: 'Recommendations',
    title: 'CPU and memory of one workload over time',
    description: 'Per container `used` with the current request and recommendation, and the replicas. Values are means of one replica.',
    parameters: [...workload, durationQuery('24h'), stepQuery],
    answer: { status: 200, description: 'Series by container.', data: ref('SeriesSet') },
  },
];
