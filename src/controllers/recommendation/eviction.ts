// Evicts the pod that a decision names: through the eviction API, so that disruption budgets are kept.

import { EVENT_REASON } from '../../apis/conditions.ts';
import { REDUCTION, type Effect } from '../../core/effects/effect.ts';
import { namespacedRef, podRef } from '../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import type { WorkloadRecord } from '#kube/records/workload';
import type { PolicyRules } from '../../core/resize/policy/policy-rules.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RecommendationPorts } from './ports.ts';

const TOO_MANY_REQUESTS = 429;

export function evictionCounter(metrics: Metrics): (outcome: string) => void {
  const counter = metrics.counter({
    name: 'evenkeel_pod_evictions_total',
    help: 'Evictions asked for, by outcome (done, budget, refused, held, gone, conflict, dry-run).',
    labels: ['outcome'],
  });
  return (outcome) => counter.add(1, { outcome });
}

/** @returns what the disruption budget said; null: it did not forbid it */
export async function evict(
  ports: Pick<RecommendationPorts, 'gate' | 'events' | 'logger'>,
  count: (outcome: string) => void,
  workload: WorkloadRecord,
  policy: PolicyRules,
  pod: PodRecord,
  signal: AbortSignal,
): Promise<string | null> {
  const because = pod.resize.message === '' ? 'it cannot be resized where it is' : `its node cannot resize it: ${pod.resize.message}`;
  const { apiVersion, kind, namespace, name, uid } = workload;
  const effect: Effect = {
    kind: 'evict',
    target: podRef(pod),
    uid: pod.uid,
    owner: namespacedRef(workload),
    // It takes a pod away that runs.
    ...REDUCTION,
    change: 'evicted, to be created where there is room',
    reason: because,
    dryRun: policy.dryRun,
  };
  const outcome = await ports.gate.carryOut(effect, signal);
  const isBudget = outcome.kind === 'refused' && outcome.status === TOO_MANY_REQUESTS;
  count(isBudget ? 'budget' : outcome.kind);
  const subject = { apiVersion, kind, namespace, name, uid };
  if (outcome.kind === 'done') {
    const message = `${pod.name} was evicted, to be created anew with its size: ${because}`;
    ports.events.record({ subject, type: 'Normal', reason: EVENT_REASON.evicted, action: 'Evict', message });
  }
  // Everything else stands in the gate's own line.
  if (outcome.kind === 'blocked') ports.logger.info('An eviction waits', { object: `${pod.namespace}/${pod.name}`, why: outcome.message });
  return isBudget ? outcome.message : null;
}
