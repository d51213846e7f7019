import type { Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import { findCondition, isTrue } from '../nodes/conditions.ts';
import { fromTimestamp } from '../../api/timestamp.ts';
import type { Pod } from '../wire/pod.ts';

/** Succeeded or Failed: its containers will never run again. */
export function isTerminal(pod: Pod): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Counts towards its workload's replicas. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod);
}

export function isReady(pod: Pod): boolean {
  return isTrue(pod.status.conditions, 'Ready');
}

/** Time of readiness; NaN when the pod is not ready. */
export function readySince(pod: Pod): Instant {
  return isReady(pod) ? fromTimestamp(findCondition(pod.status.conditions, 'Ready')?.lastTransitionTime) : Number.NaN;
}

/** Whether the pod has been ready for `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: Instant): boolean {
  if (!isReady(pod)) return false;
  return minReadySeconds === 0 || readySince(pod) + minReadySeconds * SECOND_MS <= now;
}

/** Time at which the next of these ready pods becomes available; undefined when none is waiting. */
export function nextAvailableAt(pods: readonly Pod[], minReadySeconds: number, now: Instant): Instant | undefined {
  const waiting = pods.map((pod) => readySince(pod) + minReadySeconds * SECOND_MS).filter((at) => at > now);
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

export function restartsOf(pod: Pod): number {
  return (pod.status.containerStatuses ?? []).reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
}
