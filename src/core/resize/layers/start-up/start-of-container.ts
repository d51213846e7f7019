// When the start of a container is over, as far as more CPU would help it.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';

/** What takes longer to become ready is not starting, but how it is. */
const MAX_START_MS: DurationMs = 10 * MINUTE_MS;
/** A start that is over sooner is not worth two resizes. */
const WORTH_IT_MS: DurationMs = 10 * SECOND_MS;
/** So many restarts, each after a try that died young, are a crash loop: more CPU does not end it, and two resizes a try would never end. */
const CRASH_LOOP_RESTARTS = 3;

/**
 * `durationMs` after the pod became ready, and never later than that after the longest start: what never becomes ready,
 * and what turns unready again later, keeps no CPU that is meant for starting.
 */
export function startEndsAt(pod: PodRecord, container: ContainerRecord, durationMs: DurationMs): Instant {
  const startedAt = container.startedAt ?? container.lastTermination?.finishedAt ?? pod.createdAt;
  const latest = startedAt + MAX_START_MS + durationMs;
  if (!pod.ready) return latest;
  return Math.min(latest, Math.max(pod.readySince ?? startedAt, startedAt) + durationMs);
}

/** Whether a container that has not more CPU yet should get it. Pods that end by themselves, and sidecars, have no start to be helped with. */
export function isWorthBoosting(pod: PodRecord, container: ContainerRecord, durationMs: DurationMs, now: Instant): boolean {
  if (pod.restartPolicy !== 'Always' || container.sidecar || container.state !== 'running') return false;
  if (isCrashLooping(pod, container)) return false;
  return startEndsAt(pod, container, durationMs) - now >= WORTH_IT_MS;
}

/** Whether a container that has more CPU should keep it. */
export function isStillStarting(pod: PodRecord, container: ContainerRecord, durationMs: DurationMs, now: Instant): boolean {
  return !isCrashLooping(pod, container) && now < startEndsAt(pod, container, durationMs);
}

function isCrashLooping({ ready }: PodRecord, { restarts, lastTermination }: ContainerRecord): boolean {
  if (ready || restarts < CRASH_LOOP_RESTARTS) return false;
  const { startedAt = null, finishedAt = null } = lastTermination ?? {};
  return startedAt !== null && finishedAt !== null && finishedAt - startedAt < MAX_START_MS;
}
