// Resizes that the node would not or could not carry out: written back, because the scheduler and quotas reserve what a
// pod asks for even while it cannot have it, and remembered, because trying again in vain would reserve it again.

import type { PodRecord } from '../../model/pod.ts';
import type { OptionalResources, Resources } from '../../model/resources.ts';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '../../model/units.ts';
import { raisesAnything, sameValues, type Values } from '../model/container-values.ts';
import type { ContainerChange } from '../model/resize-step.ts';
import { refusalCode } from '../model/refusal-code.ts';
import type { FailedResize } from '../model/situation.ts';

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

/** As many as the schema holds. */
const MOST_FAILURES = 32;

/** What our own sum calls free the kubelet may not: a request that it defers again reserves room for nothing. */
const ROOM_SETTLES_MS: DurationMs = 10 * MINUTE_MS;

/** Want of a permission is no fault of the pod's, and a person mends it at any moment. */
const RETRY_UNPERMITTED_AFTER_MS: DurationMs = 2 * MINUTE_MS;
/** A write-back that is due, and what to remember of it. */
export interface WriteBack {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  readonly failure: FailedResize;
}

/** null while the pod's last resize is done, still has time, or its node has not told what is in force. */
export function writeBackOf(pod: PodRecord, now: Instant): WriteBack | null {
  const { since } = pod.resize;
  if (pod.resize.state === 'none') return null;
  // A node that never comes to an end has failed as much as one that says so.
  const endless = pod.resize.state === 'in-progress';
  const state = pod.resize.state === 'in-progress' ? 'error' : pod.resize.state;
  const message = endless
    ? `its node has not finished in 10 minutes${pod.resize.message && `: ${pod.resize.message}`}`
    : pod.resize.message;
  if (now - (since ?? now) < PATIENCE_MS[state]) return null;
  const containers = pod.containers.flatMap((container): ContainerChange[] => {
    const from = { requests: container.requests, limits: container.limits };
    return container.actual === null || sameValues(from, container.actual) ? [] : [{ name: container.name, from, to: container.actual }];
  });
  if (containers.length === 0) return null;
  const values: Values = new Map(containers.map(({ name, from }) => [name, from]));
  const failure: FailedResize = { pod: pod.name, uid: pod.uid, state, since: now, code: refusalCode(state, message), message, values };
  return { pod, containers, failure };
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

/** As many as are remembered for long, the newest of a storm: what is left out is older than all of them. */
export function newestFailures(failures: readonly FailedResize[]): readonly FailedResize[] {
  if (failures.length <= MOST_FAILURES) return failures;
  const kept = new Set(failures.toSorted((a, b) => b.since - a.since).slice(0, MOST_FAILURES));
  return failures.filter((failure) => kept.has(failure));
}

/**
 * What is remembered of a pod. Where more have failed than are remembered, the oldest of these speaks for the pods that were
 * there already: they may have failed too, and no later.
 */
export function failureOf(
  { uid, createdAt }: Pick<PodRecord, 'uid' | 'createdAt'>,
  failures: readonly FailedResize[],
): FailedResize | undefined {
  const own = failures.find((each) => each.uid === uid);
  if (own !== undefined || failures.length < MOST_FAILURES) return own;
  const oldest = failures.reduce((first, each) => (each.since < first.since ? each : first));
  return createdAt <= oldest.since ? oldest : undefined;
}

/** The failure that forbids these changes for now; null: they may be tried. What asks for less than what failed may. */
export function forbiddingFailure(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  failures: readonly FailedResize[],
  now: Instant,
  freeOnNodes: ReadonlyMap<string, Resources> = new Map(),
): FailedResize | null {
  const failure = failureOf(pod, failures);
  if (failure === undefined || now >= retryAt(failure) || hasRoomNow(pod, containers, failure, now, freeOnNodes)) return null;
  // What the server itself refused it refuses whichever way it goes. So does a node that said no to less than the pod has:
  // its reason is another than room (static CPU management, say).
  if (failure.state === 'error' || asksForNoMore(pod, failure)) return failure;
  if (!containers.some(({ from, to }) => raisesAnything(from, to))) return null;
  const asksForLess = containers.every(({ name, to }) => {
    const tried = failure.values.get(name);
    return tried === undefined || (!raisesAnything(tried, to) && !sameValues(tried, to));
  });
  return asksForLess ? null : failure;
}

/** Whether what failed was to raise nothing over what the pod has in force. */
function asksForNoMore({ containers }: PodRecord, { values }: FailedResize): boolean {
  return containers.every((container) => {
    const tried = values.get(container.name);
    return tried === undefined || !raisesAnything(container.actual ?? container, tried);
  });
}

/** A node that was short of room has enough of it by now: no reason to wait out the hour. */
function hasRoomNow(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  failure: FailedResize,
  now: Instant,
  freeOnNodes: ReadonlyMap<string, Resources>,
): boolean {
  const free = freeOnNodes.get(pod.node ?? '');
  if (failure.state !== 'deferred' || free === undefined || now - failure.since < ROOM_SETTLES_MS) return false;
  const more = (of: (amounts: OptionalResources) => number | null): number =>
    containers.reduce((sum, { from, to }) => sum + Math.max(0, (of(to.requests) ?? 0) - (of(from.requests) ?? 0)), 0);
  return more(({ cpuMillicores }) => cpuMillicores) <= free.cpuMillicores && more(({ memoryBytes }) => memoryBytes) <= free.memoryBytes;
}

/** When the pod may be tried again. */
export function retryAt(failure: FailedResize): Instant {
  return failure.since + (failure.code === 'permission' ? RETRY_UNPERMITTED_AFTER_MS : RETRY_AFTER_MS[failure.state]);
}
