// Decides when a container's start is over, for start-up boosts.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';

/** Longest start: a container that is unready for longer gets no boost. */
const MAX_START_MS: DurationMs = 10 * MINUTE_MS;
/** A shorter remaining start is not worth two resizes. */
const MIN_BOOST_BENEFIT_MS: DurationMs = 10 * SECOND_MS;
/** Number of restarts that count as a crash loop, where the last run was short. A boost does not end it and would cause two resizes per run. */
const CRASH_LOOP_RESTARTS = 3;

/**
 * End of a boost: `durationMs` after the pod became ready, at the latest `durationMs` after the longest start, so that a pod that never
 * becomes ready does not keep it.
 */
export function startEndsAt(pod: PodRecord, container: ContainerRecord, durationMs: DurationMs): Instant {
  const startedAt = container.startedAt ?? container.lastTermination?.finishedAt ?? pod.createdAt;
  const latest = startedAt + MAX_START_MS + durationMs;
  if (!pod.ready) return latest;
  return Math.min(latest, Math.max(pod.readySince ?? startedAt, startedAt) + durationMs);
}

/** Whether a container without a boost should get one. Never for pods that end by themselves, and for sidecars. */
export function isWorthBoosting(pod: PodRecord, container: ContainerRecord, durationMs: DurationMs, now: Instant): boolean {
  if (pod.restartPolicy !== 'Always' || container.sidecar || container.state !== 'running') return false;
  if (isCrashLooping(pod, container)) return false;
  return startEndsAt(pod, container, durationMs) - now >= MIN_BOOST_BENEFIT_MS;
}

/** Whether a container should keep its boost. */
export function isStillStarting(pod: PodRecord, container: ContainerRecord, durationMs: DurationMs, now: Instant): boolean {
  return !isCrashLooping(pod, container) && now < startEndsAt(pod, container, durationMs);
}

function isCrashLooping({ ready }: PodRecord, { restarts, lastTermination }: ContainerRecord): boolean {
  if (ready || restarts < CRASH_LOOP_RESTARTS) return false;
  const { startedAt = null, finishedAt = null } = lastTermination ?? {};
  return startedAt !== null && finishedAt !== null && finishedAt - startedAt < MAX_START_MS;
}
