// Decides whether a workload may be idled now. A blocker is only reported for a workload that would be idle otherwise: one that is in
// use, or always this small, is no candidate.

import type { AwaitingReason } from '../../../../apis/conditions.ts';
import { HPA_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS, type Instant } from '#kube/units';
import type { WorkloadSituation } from '../../model/situation.ts';
import { AFTER_OOM_MS, requiredIdleMs, wakeThreshold } from '../../policy/idle-rules.ts';
import { findHold, awaitWindow } from '../../plan/blockers/blockers.ts';

export type IdleCandidacy =
  /** In use, always small, of a kind that is never idled, or without idle mode. */
  | { readonly kind: 'no' }
  | { readonly kind: 'blocked'; readonly reason: AwaitingReason; readonly message: string; readonly until: Instant | null }
  | { readonly kind: 'yes'; readonly belowThresholdSince: Instant };

/**
 * Kinds that are never idled: pods of a Job end by themselves, those of a DaemonSet serve a node that is in use, and a bare pod has no
 * owner whose template keeps its natural size.
 */
const NEVER: ReadonlySet<string> = new Set(['Job', 'CronJob', 'DaemonSet', 'Pod']);

const NO: IdleCandidacy = { kind: 'no' };

/** Whether the workload may be idled now. */
export function checkIdleCandidacy(situation: WorkloadSituation): IdleCandidacy {
  const { now, workload, policy, memory, gateState } = situation;
  if (!policy.idle.enabled || gateState.idleWorkloads !== true || NEVER.has(workload.kind)) return NO;
  const belowThresholdSince = noLoadSince(situation);
  const needed = requiredIdleMs(policy.idle, memory.lastIdle?.shortIdlePeriods ?? 0);
  if (now - belowThresholdSince < needed || !hasUsageOfAllPods(situation) || !isInUse(situation)) return NO;
  if (isRecentlyKilled(situation) || memory.limitExceptions.some(({ state }) => state === 'open')) return NO;
  const idleBlocker = findIdleBlocker(
    situation,
    `no load for ${formatDuration(Math.floor((now - belowThresholdSince) / MINUTE_MS) * MINUTE_MS)}`,
  );
  return idleBlocker ?? { kind: 'yes', belowThresholdSince };
}

/** Start of the idle time; time before the last waking does not count again. */
function noLoadSince({ activity, memory }: WorkloadSituation): Instant {
  return Math.max(activity?.belowThresholdSince ?? Number.POSITIVE_INFINITY, memory.lastIdle?.wokenAt ?? 0);
}

/** Whether every running pod reports samples: missing samples are no evidence of idleness. */
function hasUsageOfAllPods({ pods, unreadPods, activity }: WorkloadSituation): boolean {
  const running = pods.filter(({ phase }) => phase === 'Running');
  return running.length > 0 && unreadPods.size === 0 && running.every(({ name }) => activity?.reported.has(name) === true);
}

/** Whether the workload was ever in use. One that never was is small, not idle, and is right-sized instead. */
function isInUse({ policy, advice, activity, pods }: WorkloadSituation): boolean {
  const wake = wakeThreshold(policy.idle);
  if ((activity?.maxCpuMillicores ?? 0) >= wake) return true;
  const peaks = advice.reduce((sum, { cpu }) => sum + (cpu?.peak ?? 0), 0);
  return peaks * Math.max(1, pods.length) >= wake;
}

function isRecentlyKilled({ now, advice, policy }: WorkloadSituation): boolean {
  const since = Math.max(AFTER_OOM_MS, policy.idle.afterMs);
  return advice.some(({ lastOomAt }) => lastOomAt !== null && now - lastOomAt < since);
}

/** Blocker of idling; null: none. */
function findIdleBlocker(situation: WorkloadSituation, idleFor: string): IdleCandidacy | null {
  const { now, workload, gateState } = situation;
  const idleBlocker = (reason: AwaitingReason, why: string, until: Instant | null = null): IdleCandidacy => ({
    kind: 'blocked',
    reason,
    message: `idle, ${idleFor}; not reduced: ${why}`,
    until,
  });
  const hold = findHold(situation);
  if (hold !== null) return idleBlocker(hold.reason, hold.message, hold.until);
  if (workload.rolloutInProgress) return idleBlocker('rollout', 'a roll-out is in progress');
  const never = situation.hpas.find(({ annotations }) => annotations[HPA_ANNOTATIONS.idle] === 'never');
  if (never !== undefined)
    return idleBlocker('hpa', `HorizontalPodAutoscaler ${never.name} has the annotation ${HPA_ANNOTATIONS.idle}: never`);
  if (gateState.warmUpUntil !== null && gateState.warmUpUntil > now) {
    return idleBlocker('warm-up', 'warm-up after a start or an outage', gateState.warmUpUntil);
  }
  const closed = awaitWindow(situation);
  return closed === null ? null : idleBlocker('window', closed.message, closed.until);
}

/** Why the requests may not be lowered; null: they may. An autoscaler that measures utilization against them would add replicas. */
export function findInPlaceBlocker({
  hpas,
  policy,
  pods,
}: WorkloadSituation): { readonly reason: AwaitingReason; readonly why: string } | null {
  if (policy.apply === 'OnRestart') return { reason: 'restart', why: 'the policy sizes pods only at creation (apply: OnRestart)' };
  if (pods.some(({ qosClass }) => qosClass === 'Guaranteed'))
    return { reason: 'restart', why: 'its pods are Guaranteed: requests equal limits, which idle mode does not change' };
  for (const hpa of hpas) {
    const name = `HorizontalPodAutoscaler ${hpa.name}`;
    const measured = hpa.resourceMetrics.find(({ targetUtilizationRatio }) => targetUtilizationRatio !== null);
    if (measured !== undefined) {
      return { reason: 'hpa', why: `${name} measures ${measured.resource} against the request and would add replicas` };
    }
    if (hpa.desiredReplicas !== hpa.currentReplicas) return { reason: 'hpa', why: `${name} is changing the replicas` };
  }
  return null;
}
