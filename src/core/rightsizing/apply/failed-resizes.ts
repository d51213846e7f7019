// Resizes that the node would not or could not carry out: written back, because the scheduler and quotas reserve what a
// pod asks for even while it cannot have it, and remembered, because trying again in vain would reserve it again.

import type { PodRecord } from '../../model/pod.ts';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '../../model/units.ts';
import { raisesAnything, sameValues, type Values } from './container-values.ts';
import type { ContainerChange } from './pod-change.ts';
import type { FailedResize } from './situation.ts';

/** How long a pod may wait for its node before its request is written back. */
const PATIENCE_MS: Readonly<Record<FailedResize['state'], DurationMs>> = {
  infeasible: 0,
  deferred: 30 * MINUTE_MS,
  error: 10 * MINUTE_MS,
};
/** How long the same is not tried again on the same pod. */
const RETRY_AFTER_MS: Readonly<Record<FailedResize['state'], DurationMs>> = {
  infeasible: 6 * HOUR_MS,
  deferred: HOUR_MS,
  error: HOUR_MS,
};

/** Want of a permission is no fault of the pod's, and a person mends it at any moment. */
const RETRY_UNPERMITTED_AFTER_MS: DurationMs = 2 * MINUTE_MS;
/** The authorizer's own words; quotas and webhooks refuse in others. */
const UNPERMITTED = /cannot \w+ resource "/;

/** A write-back that is due, and what to remember of it. */
export interface WriteBack {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  readonly failure: FailedResize;
}

/** null while the pod's last resize is done, still has time, or its node has not told what is in force. */
export function writeBackOf(pod: PodRecord, now: Instant): WriteBack | null {
  const { state, since, message } = pod.resize;
  if (state === 'none' || state === 'in-progress') return null;
  if (now - (since ?? now) < PATIENCE_MS[state]) return null;
  const containers = pod.containers.flatMap((container): ContainerChange[] => {
    const from = { requests: container.requests, limits: container.limits };
    return container.actual === null || sameValues(from, container.actual) ? [] : [{ name: container.name, from, to: container.actual }];
  });
  if (containers.length === 0) return null;
  const values: Values = new Map(containers.map(({ name, from }) => [name, from]));
  return { pod, containers, failure: { pod: pod.name, uid: pod.uid, state, since: now, message, values } };
}

/** Failures of pods that still exist, one a pod, the newest. */
export function rememberFailures(
  failures: readonly FailedResize[],
  added: readonly FailedResize[],
  pods: readonly PodRecord[],
): readonly FailedResize[] {
  const byPod = new Map([...failures, ...added].map((failure) => [failure.uid, failure]));
  return pods.flatMap((pod) => byPod.get(pod.uid) ?? []);
}

/** The failure that forbids these changes for now; null: they may be tried. What asks for less than what failed may. */
export function forbiddingFailure(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  failures: readonly FailedResize[],
  now: Instant,
): FailedResize | null {
  const failure = failures.find((each) => each.uid === pod.uid);
  if (failure === undefined || now >= retryAt(failure)) return null;
  // What the server itself refused it refuses whichever way it goes; a node is only ever short of room.
  if (failure.state === 'error') return failure;
  if (!containers.some(({ from, to }) => raisesAnything(from, to))) return null;
  const asksForLess = containers.every(({ name, to }) => {
    const tried = failure.values.get(name);
    return tried === undefined || (!raisesAnything(tried, to) && !sameValues(tried, to));
  });
  return asksForLess ? null : failure;
}

/** When the pod may be tried again. */
export function retryAt(failure: FailedResize): Instant {
  const unpermitted = failure.state === 'error' && UNPERMITTED.test(failure.message);
  return failure.since + (unpermitted ? RETRY_UNPERMITTED_AFTER_MS : RETRY_AFTER_MS[failure.state]);
}
