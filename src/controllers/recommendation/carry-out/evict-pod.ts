// Evicts the pod that a decision names through the eviction API, which enforces disruption budgets.

import { EVENT_REASON } from '../../../apis/conditions.ts';
import { REDUCTION, type Effect } from '../../../core/effects/effect.ts';
import { namespacedRef, podRef } from '../../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import type { WorkloadRecord } from '#kube/records/workload';
import type { PolicyRules } from '../../../core/resize/policy/policy-rules.ts';
import type { RecommendationPorts } from '../ports.ts';
import type { RecommendationMetrics } from '../publish/metrics.ts';

const TOO_MANY_REQUESTS = 429;

/** @returns the message of the disruption budget that refused the eviction; null where none did */
export async function evictPod(
  ports: Pick<RecommendationPorts, 'gate' | 'events' | 'logger'>,
  metrics: RecommendationMetrics,
  workload: WorkloadRecord,
  policy: PolicyRules,
  pod: PodRecord,
  signal: AbortSignal,
): Promise<string | null> {
  const because = pod.resize.message === '' ? 'it cannot be resized in place' : `its node cannot resize it: ${pod.resize.message}`;
  const { apiVersion, kind, namespace, name, uid } = workload;
  const effect: Effect = {
    kind: 'evict',
    target: podRef(pod),
    uid: pod.uid,
    owner: namespacedRef(workload),
    // An eviction ends a running pod, so it waits for the budget of reductions.
    ...REDUCTION,
    change: 'evict, so that a pod of the recommended size replaces it',
    reason: because,
    dryRun: policy.dryRun,
  };
  const outcome = await ports.gate.carryOut(effect, signal);
  const isBudget = outcome.kind === 'refused' && outcome.status === TOO_MANY_REQUESTS;
  metrics.countEviction(isBudget ? 'budget' : outcome.kind);
  const subject = { apiVersion, kind, namespace, name, uid };
  if (outcome.kind === 'done') {
    const message = `Evicted pod ${pod.name}, so that a pod of the recommended size replaces it: ${because}`;
    ports.events.record({ subject, type: 'Normal', reason: EVENT_REASON.evicted, action: 'Evict', message });
  }
  // The gate logs every other outcome.
  if (outcome.kind === 'blocked')
    ports.logger.info('Eviction is blocked', { object: `${pod.namespace}/${pod.name}`, why: outcome.message });
  return isBudget ? outcome.message : null;
}
