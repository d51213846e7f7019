// All commands by their operation names.

import { approveAccessRequest, denyAccessRequest } from '../commands/access/decide-request.ts';
import { replaceAccessPolicy } from '../commands/access/replace-policy.ts';
import { requestAccess } from '../commands/access/request-access.ts';
import { createApiKey, deleteApiKey } from '../commands/access/api-keys.ts';
import { approveRecommendation } from '../commands/recommendations/approve-recommendation.ts';
import { bulkOverrides } from '../commands/workloads/bulk-overrides.ts';
import { bulkRecommendations } from '../commands/recommendations/bulk-recommendations.ts';
import { bulkResourceAudit } from '../commands/workloads/bulk-resource-audit.ts';
import { approveLimitException, rejectLimitException } from '../commands/recommendations/decide-limit-exceptions.ts';
import { deleteRecommendation } from '../commands/recommendations/delete-recommendation.ts';
import type { ChangedRecommendation } from '../commands/recommendations/recommendation-intent.ts';
import { rejectRecommendation } from '../commands/recommendations/reject-recommendation.ts';
import { resetToDeploy } from '../commands/workloads/reset-to-deploy.ts';
import { rollbackRecommendation } from '../commands/recommendations/rollback-recommendation.ts';
import { removeBounds, setBounds } from '../commands/workloads/set-bounds.ts';
import { setExclusion } from '../commands/workloads/set-exclusion.ts';
import { setPolicyOverride } from '../commands/set-policy-override.ts';
import { endHold, holdWorkload } from '../commands/workloads/set-hold.ts';
import { setWorkloadMode } from '../commands/workloads/set-workload-mode.ts';
import { stripAnnotations } from '../commands/workloads/strip-annotations.ts';
import { triggerResizeCycle } from '../commands/trigger-resize-cycle.ts';
import { wakeWorkload } from '../commands/recommendations/wake-workload.ts';
import type { BulkResult } from '../apis/http/types.generated.ts';
import type { Scope } from '../core/access/scope.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { accessPolicyRecord } from '../queries/access/access-policy.ts';
import { accessRequestRecord } from '../queries/access/access-requests.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { actionOf, answered } from './action.ts';

interface OnTarget {
  readonly target: WorkloadTarget;
}

const RECOMMENDATION = {
  current: ({ recommendations }: ReadModels, scope: Scope, { target }: OnTarget) => recommendations.get(scope, target),
  answer: ({ recommendations }: ReadModels, { workload, recommendation }: ChangedRecommendation) =>
    answered(recommendations.record(workload, recommendation)),
} as const;

const LIMIT_EXCEPTIONS = {
  current: RECOMMENDATION.current,
  answer: ({ limitExceptions }: ReadModels, { workload, recommendation }: ChangedRecommendation) =>
    answered(limitExceptions.of(workload, recommendation)),
} as const;

const WORKLOAD = {
  current: RECOMMENDATION.current,
  answer: ({ recommendations }: ReadModels, workload: WorkloadRecord) => answered(recommendations.record(workload)),
} as const;

const OVERRIDES = {
  current: ({ overrides }: ReadModels, scope: Scope, { target }: OnTarget) => overrides.get(scope, target),
  answer: ({ overrides }: ReadModels, workload: WorkloadRecord) => answered(overrides.record(workload)),
} as const;

const RESOURCE_AUDIT = {
  current: ({ resourceAudit }: ReadModels, scope: Scope, { target }: OnTarget) => resourceAudit.get(scope, target),
  answer: ({ resourceAudit }: ReadModels, workload: WorkloadRecord) => answered(resourceAudit.record(workload)),
} as const;

const BULK = { answer: (_models: ReadModels, results: readonly BulkResult[]) => answered(results) } as const;

export const COMMANDS = {
  approveRecommendation: actionOf(approveRecommendation, RECOMMENDATION),
  rejectRecommendation: actionOf(rejectRecommendation, RECOMMENDATION),
  rollbackRecommendation: actionOf(rollbackRecommendation, RECOMMENDATION),
  setRecommendationMode: actionOf(setWorkloadMode, WORKLOAD),
  holdWorkload: actionOf(holdWorkload, WORKLOAD),
  endHold: actionOf(endHold, WORKLOAD),
  bulkRecommendations: actionOf(bulkRecommendations, BULK),
  triggerResizeCycle: actionOf(triggerResizeCycle, { answer: (_models, cycle) => answered(cycle) }),
  setBounds: actionOf(setBounds, OVERRIDES),
  removeBounds: actionOf(removeBounds, OVERRIDES),
  setExclusion: actionOf(setExclusion, OVERRIDES),
  bulkOverrides: actionOf(bulkOverrides, BULK),
  approveLimitException: actionOf(approveLimitException, LIMIT_EXCEPTIONS),
  rejectLimitException: actionOf(rejectLimitException, LIMIT_EXCEPTIONS),
  wakeWorkload: actionOf(wakeWorkload, {
    current: RECOMMENDATION.current,
    answer: ({ idleWorkloads }, { recommendation }) => {
      const record = idleWorkloads.record(recommendation);
      return record === null ? { kind: 'conflict', message: 'The workload is no longer idle.' } : answered(record);
    },
  }),
  setPolicyOverride: actionOf(setPolicyOverride, {
    current: ({ policies }, _scope, { target }) => policies.get(target),
    answer: ({ policies }, policy) => answered(policies.record(policy.kind, policy)),
  }),
  resetToDeploy: actionOf(resetToDeploy, RESOURCE_AUDIT),
  deleteRecommendation: actionOf(deleteRecommendation, {
    current: RESOURCE_AUDIT.current,
    answer: ({ resourceAudit }, workload) => answered(resourceAudit.record(workload, null)),
  }),
  stripAnnotations: actionOf(stripAnnotations, RESOURCE_AUDIT),
  bulkResourceAudit: actionOf(bulkResourceAudit, BULK),
  replaceAccessPolicy: actionOf(replaceAccessPolicy, {
    current: ({ accessPolicy }) => accessPolicy.get(),
    answer: (_models, policy) => answered(accessPolicyRecord(policy)),
  }),
  requestAccess: actionOf(requestAccess, { answer: (_models, request) => answered(accessRequestRecord(request)) }),
  approveAccessRequest: actionOf(approveAccessRequest, { answer: (_models, request) => answered(accessRequestRecord(request)) }),
  denyAccessRequest: actionOf(denyAccessRequest, { answer: (_models, request) => answered(accessRequestRecord(request)) }),
  createApiKey: actionOf(createApiKey, { answer: (_models, key) => answered(key) }),
  deleteApiKey: actionOf(deleteApiKey, { answer: (_models, key) => answered(key) }),
} as const;
