import { DRIFTS } from '../../core/resource-audit/drift.ts';
import type { OperationSpec, ParameterSpec } from './operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from './parameters.ts';
import { BULK_MAX_ITEMS } from './recommendation-records.ts';
import { array, boolean, integer, map, nullable, object, oneOf, ref, string, type Schema } from './schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const name = string(undefined, { minLength: 1, maxLength: 253 });
const reason = string('Kept beside the change: in its Event and the audit.', { maxLength: 1000 });
const heldFor = string('No automatic change for this long: a duration from 1m to 90d.', { maxLength: 64, default: '24h' });

const DRIFT_WORDS =
  '`none`: every pod has what the template gives it. `resized`: every pod has the same values of Evenkeel’s, and they are still what is recommended. `stale`: every pod has the same values of Evenkeel’s, and by now others are recommended. `partial`: pods differ among each other (a change or a roll-out is under way or stopped half-way). `manual`: a pod has a value that neither the template nor Evenkeel gave it. A request that is missing beside a limit counts as that limit, and what a LimitRange fills in counts as the template’s.';

export const RESOURCE_AUDIT_SCHEMAS: Readonly<Record<string, Schema>> = {
  PodSizes: object(
    { pod: string(), requests: ref('OptionalResources'), limits: ref('OptionalResources') },
    'What one pod asks for, by its spec.',
  ),
  AuditedContainer: object({
    name: string(),
    template: nullable(ref('RequestsAndLimits')),
    recommendation: nullable(ref('RequestsAndLimits')),
    pods: array(ref('PodSizes')),
    drift: oneOf(DRIFTS, DRIFT_WORDS),
  }),
  ResourceAudit: object(
    {
      workload: ref('WorkloadRef'),
      drift: oneOf(DRIFTS, 'Of its containers the one that asks for most attention.'),
      containers: array(ref('AuditedContainer'), 'Those of the template, then those that admission adds (`template` null).'),
      annotations: map(string(), 'Those under `evenkeel.io/` as they stand.'),
      restartRequired: boolean('What is due cannot be done in place: only new pods bring it.'),
      resetPending: boolean('A reset was asked for and is not carried out yet.'),
    },
    'The template against what is recommended against what runs.',
  ),
  ResetBody: object({ for: heldFor, reason }, undefined, ['for', 'reason']),
  ResourceAuditBulkBody: object(
    {
      action: oneOf(['reset-to-deploy', 'delete-recommendation', 'strip-annotations']),
      items: array(
        object({ namespace: name, kind: string(undefined, { minLength: 1, maxLength: 63 }), name }, undefined, ['kind']),
        undefined,
        {
          minItems: 1,
          maxItems: BULK_MAX_ITEMS,
        },
      ),
      for: { ...heldFor, description: 'For reset-to-deploy. No automatic change for this long: a duration from 1m to 90d.' },
      reason,
    },
    undefined,
    ['for', 'reason'],
  ),
};

export const RESOURCE_AUDIT_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listResourceAudit',
    method: 'get',
    path: '/resource-audit',
    tag: 'Resource audit',
    title: 'Template, recommendation and live pods of every workload',
    description: DRIFT_WORDS,
    list: {
      defaultSort: 'workload.namespace',
      namespaced: true,
      filters: [
        enumFilter('drift', DRIFTS, 'Only workloads whose drift is one of these.'),
        textFilter('kind', 'Only workloads of these kinds.'),
      ],
    },
    answer: { status: 200, description: 'A page of workloads.', data: array(ref('ResourceAudit')) },
  },
  {
    id: 'bulkResourceAudit',
    method: 'post',
    path: '/resource-audit/bulk',
    tag: 'Resource audit',
    title: 'One action on up to 500 workloads',
    description: 'Each item by itself: a failing one is named and never stops the others.',
    body: ref('ResourceAuditBulkBody'),
    answer: {
      status: 200,
      description: 'One result an item, in order.',
      data: array(ref('BulkResult')),
      summary: object({ succeeded: integer(), failed: integer() }),
    },
  },
  {
    id: 'getResourceAudit',
    method: 'get',
    path: '/resource-audit/{ns}/{name}',
    tag: 'Resource audit',
    title: 'Template, recommendation and live pods of one workload',
    description: 'Its ETag is what `If-Match` of the mutations below takes.',
    parameters: workload,
    answer: { status: 200, description: 'The workload.', data: ref('ResourceAudit') },
  },
  {
    id: 'resetToDeploy',
    method: 'post',
    path: '/resource-audit/{ns}/{name}/reset-to-deploy',
    tag: 'Resource audit',
    title: 'Go back to what was deployed',
    description:
      'Restarts the pods by `kubectl.kubernetes.io/restartedAt` on the template, deletes the Recommendation, removes the annotations about sizes (`floor`, `ceiling`, `mode`, `exclude`, `resized`, `idle` and the notes on them, whoever wrote them), and sets `evenkeel.io/held-until`: no automatic change before. The hold begins at once; the rest is written on the workload as `evenkeel.io/reset-to-deploy`, and the leader carries it out, once, as soon as the kill switch and budgets let it (one that waits until its hold is over lapses). While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true. 422 `not_feasible` for kinds that do not roll out a changed template (Job, CronJob, bare pods, ReplicaSets), for kinds that are not Kubernetes’ own, such as Rollouts of Argo Rollouts (the message says how to restart them), for paused Deployments and for the update strategy OnDelete.',
    parameters: workload,
    body: ref('ResetBody'),
    answer: { status: 202, description: 'The workload as it now is; the reset is pending.', data: ref('ResourceAudit') },
  },
  {
    id: 'deleteRecommendation',
    method: 'delete',
    path: '/resource-audit/{ns}/{name}/recommendation',
    tag: 'Resource audit',
    title: 'Delete the Recommendation of one workload',
    description:
      'With all that it remembers: approvals, rejections, what was applied, what could be rolled back to. What was learnt of usage stays; a new one is made from it unless the mode publishes none.',
    parameters: workload,
    answer: { status: 200, description: 'The workload without it.', data: ref('ResourceAudit') },
  },
  {
    id: 'stripAnnotations',
    method: 'delete',
    path: '/resource-audit/{ns}/{name}/annotations',
    tag: 'Resource audit',
    title: 'Remove the annotations about sizes from one workload',
    description:
      '`floor`, `ceiling`, `mode`, `exclude`, `held-until`, `resized`, `idle` and the notes on them, whoever wrote them. Protections such as `do-not-disrupt` stay.',
    parameters: workload,
    answer: { status: 200, description: 'The workload without them.', data: ref('ResourceAudit') },
  },
];
