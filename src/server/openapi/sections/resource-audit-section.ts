import { DRIFTS } from '../../../core/resource-audit/drift.ts';
import type { OperationSpec, ParameterSpec } from '../operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from '../parameters.ts';
import { BULK_MAX_ITEMS, heldFor } from './recommendation-records.ts';
import { array, boolean, integer, map, nullable, object, oneOf, ref, string, type Schema } from '../schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const name = string(undefined, { minLength: 1, maxLength: 253 });
const reason = string('Recorded with the change, in its Event and the audit.', { maxLength: 1000 });

const DRIFT_DESCRIPTION =
  '`none`: every pod has the template’s values. `resized`: every pod has the same values set by Evenkeel, and they are still recommended. `stale`: every pod has the same values set by Evenkeel, and others are recommended now. `partial`: pods differ (a change or rollout is in progress or has stopped). `manual`: a pod has a value that neither the template nor Evenkeel set. A missing request beside a limit counts as that limit, and LimitRange defaults count as the template’s values.';

export const RESOURCE_AUDIT_SCHEMAS: Readonly<Record<string, Schema>> = {
  PodSizes: object(
    { pod: string(), requests: ref('OptionalResources'), limits: ref('OptionalResources') },
    'Requests and limits in one pod’s spec.',
  ),
  AuditedContainer: object({
    name: string(),
    template: nullable(ref('RequestsAndLimits')),
    recommendation: nullable(ref('RequestsAndLimits')),
    pods: array(ref('PodSizes')),
    drift: oneOf(DRIFTS, DRIFT_DESCRIPTION),
  }),
  ResourceAudit: object(
    {
      workload: ref('WorkloadRef'),
      drift: oneOf(DRIFTS, 'The most severe drift of its containers.'),
      containers: array(ref('AuditedContainer'), 'Containers of the template, then those added by admission (`template` null).'),
      annotations: map(string(), 'Annotations under `evenkeel.io/`.'),
      restartRequired: boolean('The pending change cannot be made in place: it needs new pods.'),
      resetPending: boolean('A requested reset is not carried out yet.'),
    },
    'Comparison of template, recommendation and running pods.',
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
      for: { ...heldFor, description: 'For reset-to-deploy: time without automatic changes, a duration from 1m to 90d.' },
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
    description: DRIFT_DESCRIPTION,
    list: {
      defaultSort: 'workload.namespace',
      namespaced: true,
      filters: [enumFilter('drift', DRIFTS, 'Only workloads with these drifts.'), textFilter('kind', 'Only workloads of these kinds.')],
    },
    answer: { status: 200, description: 'A page of workloads.', data: array(ref('ResourceAudit')) },
  },
  {
    id: 'bulkResourceAudit',
    method: 'post',
    path: '/resource-audit/bulk',
    tag: 'Resource audit',
    title: 'One action on up to 500 workloads',
    description: 'Items are independent: a failing item is reported and does not stop the others.',
    body: ref('ResourceAuditBulkBody'),
    answer: {
      status: 200,
      description: 'One result per item, in order.',
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
    description: '`If-Match` of the mutations below takes its ETag.',
    parameters: workload,
    answer: { status: 200, description: 'The workload.', data: ref('ResourceAudit') },
  },
  {
    id: 'resetToDeploy',
    method: 'post',
    path: '/resource-audit/{ns}/{name}/reset-to-deploy',
    tag: 'Resource audit',
    title: 'Reset to the deployed values',
    description:
      'Restarts the pods by `kubectl.kubernetes.io/restartedAt` on the template, deletes the Recommendation, removes the annotations about sizes (`floor`, `ceiling`, `mode`, `exclude`, `resized`, `idle` and their notes, regardless of author), and sets `evenkeel.io/held-until`, which blocks automatic changes until then. `held-until` applies at once; the reset is stored on the workload as `evenkeel.io/reset-to-deploy`, and the leader carries it out once, as soon as pause and budgets allow it (a reset that still waits when `held-until` has passed expires). While the setting `controller.dryRun` or the workload’s policy is in dry run, it is validated and not stored: `meta.dryRun` is true. 422 `not_feasible` for kinds that do not roll out a changed template (Job, CronJob, bare pods, ReplicaSets), for kinds that are not built into Kubernetes, such as Rollouts of Argo Rollouts (the message says how to restart them), for paused Deployments and for the update strategy OnDelete.',
    parameters: workload,
    body: ref('ResetBody'),
    answer: { status: 202, description: 'The current workload; the reset is pending.', data: ref('ResourceAudit') },
  },
  {
    id: 'deleteRecommendation',
    method: 'delete',
    path: '/resource-audit/{ns}/{name}/recommendation',
    tag: 'Resource audit',
    title: 'Delete the Recommendation of one workload',
    description:
      'Including its approvals, rejections, applied values and rollback target. Usage history stays; a new Recommendation is created from it unless the mode publishes none.',
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
      '`floor`, `ceiling`, `mode`, `exclude`, `held-until`, `resized`, `idle` and their notes, regardless of author. Protections such as `do-not-disrupt` stay.',
    parameters: workload,
    answer: { status: 200, description: 'The workload without them.', data: ref('ResourceAudit') },
  },
];
