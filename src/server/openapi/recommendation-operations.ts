import { RECOMMENDATION_STATES, RESIZE_MODES } from '../../apis/conditions.ts';
import type { OperationSpec, ParameterSpec } from './operation.ts';
import { durationQuery, enumFilter, kindQuery, namePath, namespacePath, stepQuery, textFilter } from './parameters.ts';
import { RISKS } from './recommendation-records.ts';
import { array, integer, object, ref } from './schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const changed: OperationSpec['answer'] = { status: 200, description: 'The recommendation as it now is.', data: ref('Recommendation') };

export const RECOMMENDATION_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listRecommendations',
    method: 'get',
    path: '/recommendations',
    tag: 'Recommendations',
    title: 'What every workload asks for and what it should ask for',
    description:
      'Computed once and kept for 60 s (`meta.cachedAt`), filtered for each caller; any approval, rejection, roll-back, mode or trigger clears it.',
    list: {
      defaultSort: '-savingsPerMonthUsd',
      namespaced: true,
      filters: [
        enumFilter('state', RECOMMENDATION_STATES, 'Only recommendations in these states.'),
        textFilter('reason', 'Only what waits or is blocked for these reasons, such as `approval` or `window`.'),
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
      description: 'One result an item, in order.',
      data: array(ref('BulkResult')),
      summary: object({ succeeded: integer(), failed: integer() }),
    },
  },
  {
    id: 'getRecommendation',
    method: 'get',
    path: '/recommendations/{ns}/{name}',
    tag: 'Recommendations',
    title: 'One recommendation with the audit behind it',
    description: 'Every input, each arithmetic step from usage to value, the history of applied values, and what would change it.',
    parameters: workload,
    answer: { status: 200, description: 'The recommendation and its audit.', data: ref('RecommendationDetail') },
  },
  {
    id: 'approveRecommendation',
    method: 'post',
    path: '/recommendations/{ns}/{name}/approve',
    tag: 'Recommendations',
    title: 'Approve the values seen',
    description:
      'Carried out in mode Approve, as soon as nothing else holds it. Refused with 409 where the values are no longer what is recommended, and in every other mode: Auto needs no approval, the others apply nothing. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true.',
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
    description: 'They are not offered again for 7 days unless they move.',
    parameters: workload,
    body: ref('RejectBody'),
    answer: changed,
  },
  {
    id: 'rollbackRecommendation',
    method: 'post',
    path: '/recommendations/{ns}/{name}/rollback',
    tag: 'Recommendations',
    title: 'Go back to the values before the last change',
    description:
      'Then nothing is changed by itself for 24 hours. Refused with 409 in mode Off, and where nothing was changed yet. While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true.',
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
    description: 'Written as the annotation `evenkeel.io/mode`; null goes back to the policy’s.',
    parameters: workload,
    body: ref('ModeBody'),
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
    title: 'Ask for a resize cycle now',
    description:
      'Written as the annotation `evenkeel.io/trigger` on the PodResizePolicies, but for those that select only kube-system and Evenkeel’s own namespace; the leader acts. A cycle that is still due is joined. Refused (403) where no other policy is there. Under dry run the cycle runs and changes nothing; `meta.dryRun` is true where that holds for every policy asked.',
    answer: { status: 202, description: 'It will run.', data: ref('TriggeredCycle') },
  },
  {
    id: 'getWorkloadUsage',
    method: 'get',
    path: '/workloads/{ns}/{name}/usage',
    tag: 'Recommendations',
    title: 'CPU and memory of one workload over time',
    description: 'Per container `used`, with what is requested and recommended now, and the replicas. Values are for one replica (mean).',
    parameters: [...workload, durationQuery('24h'), stepQuery],
    answer: { status: 200, description: 'Series by container.', data: ref('SeriesSet') },
  },
];
