// From the values that a workload should have to the patch of one pod: what in-place resize allows, or why it does not.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import { FIELD, lowersAnything, qosOf, raisesAnything, RESOURCES, sameValues, withAmount, type Values } from '../model/container-values.ts';
import type { ContainerChange } from '../model/resize-step.ts';
import { isOlder } from './node-support.ts';

/** The change from a pod's values to the wanted ones. */
export type PodFit =
  | { readonly kind: 'fits' }
  | { readonly kind: 'change'; readonly containers: readonly ContainerChange[]; readonly lowers: boolean; readonly raises: boolean }
  /** It cannot be done without a restart, in words. */
  | {
      readonly kind: 'restart';
      readonly message: string;
      /** It can be created with them. */
      readonly newPodFits: boolean;
    };

/** Caches fill and heaps grow in the first hour; only then it shows what a pod of today needs. */
const YOUNG_FOR_MS: DurationMs = HOUR_MS;

/** First kubelet that lowers a memory limit without a restart. */
const MEMORY_LIMIT_FALLS_SINCE = [1, 34] as const;

/**
 * @param values containers that are not named stay as they are
 * @param now the memory limit of a young pod stays for the time being: what it needs to start is often its most. Left out:
 *   it is given back what it had, whatever its age
 */
export function fitPod(pod: PodRecord, values: Values, kubeletVersion: string, now: Instant = Number.POSITIVE_INFINITY): PodFit {
  const grown = now - pod.createdAt >= YOUNG_FOR_MS;
  const changes: ContainerChange[] = [];
  const after: RequestsAndLimits[] = [];
  for (const container of pod.containers) {
    const from: RequestsAndLimits = { requests: container.requests, limits: container.limits };
    const wanted = values.get(container.name);
    const to = wanted === undefined ? from : shaped(pod, container, wanted, grown && mayLowerMemoryLimit(container, kubeletVersion));
    after.push(to);
    if (!sameValues(from, to)) changes.push({ name: container.name, from, to });
  }
  if (changes.length === 0) return { kind: 'fits' };
  const restart = whyRestart(pod, changes, after);
  if (restart !== null) return { kind: 'restart', ...restart };
  return {
    kind: 'change',
    containers: changes,
    lowers: changes.some(({ from, to }) => lowersAnything(from, to)),
    raises: changes.some(({ from, to }) => raisesAnything(from, to)),
  };
}

/** Whether a kubelet lowers memory limits in place. An unreadable version counts as old. */
export function mayLowerMemoryLimit(container: ContainerRecord, kubeletVersion: string): boolean {
  return isOlder(kubeletVersion, MEMORY_LIMIT_FALLS_SINCE) === false && container.resizePolicy.memory === 'NotRequired';
}

/** Whether a pod can be resized at this moment at all. */
export function isResizable(pod: PodRecord): boolean {
  return (
    pod.phase === 'Running' &&
    pod.node !== null &&
    pod.deletionAt === null &&
    pod.containers.some((container) => container.state === 'running')
  );
}

/** Whether a resize may reach a pod: also where each of its containers has crashed and waits to be started again, with more this time. */
export function isReachable(pod: PodRecord): boolean {
  if (isResizable(pod)) return true;
  const crashed = pod.containers.some(hasCrashed);
  return crashed && pod.phase === 'Running' && pod.node !== null && pod.deletionAt === null;
}

/** Whether a container has ended and is to be started again. */
export function hasCrashed({ state, waitingReason }: ContainerRecord): boolean {
  return state === 'terminated' || (state === 'waiting' && waitingReason === 'CrashLoopBackOff');
}

// A pod may have another shape than the values were made for (another revision): a limit that it lacks is not invented,
// one that it has is kept above the request.
function shaped(pod: PodRecord, container: ContainerRecord, wanted: RequestsAndLimits, memoryLimitFalls: boolean): RequestsAndLimits {
  let requests: OptionalResources = container.requests;
  let limits: OptionalResources = container.limits;
  for (const resource of RESOURCES) {
    const field = FIELD[resource];
    let request = wanted.requests[field] ?? container.requests[field];
    const has = container.limits[field];
    let limit = has === null ? null : (wanted.limits[field] ?? has);
    if (limit !== null && has !== null && resource === 'memory' && limit < has && !memoryLimitFalls) {
      if (request === limit && container.requests[field] === has) request = has;
      limit = has;
    }
    if (limit !== null && request !== null && limit < request) limit = request;
    if (pod.qosClass === 'Guaranteed') request = limit;
    requests = withAmount(requests, resource, request);
    limits = withAmount(limits, resource, limit);
  }
  return { requests, limits };
}

function whyRestart(
  pod: PodRecord,
  changes: readonly ContainerChange[],
  after: readonly RequestsAndLimits[],
): { readonly message: string; readonly newPodFits: boolean } | null {
  const never = (message: string): { readonly message: string; readonly newPodFits: boolean } => ({ message, newPodFits: false });
  if (pod.windows) return never('pods on Windows nodes cannot be resized in place');
  if (pod.sizedAsWhole === true) return never('its resources are set for the pod as a whole (spec.resources)');
  if (pod.qosClass === 'BestEffort') return never('a BestEffort pod cannot be given requests in place; give its template some');
  const qos = qosOf(after);
  if (qos !== pod.qosClass) return never(`in place the pod would change from ${pod.qosClass} to ${qos}`);
  for (const { name, from, to } of changes) {
    const container = pod.containers.find((each) => each.name === name);
    for (const resource of RESOURCES) {
      const field = FIELD[resource];
      const touched = from.requests[field] !== to.requests[field] || from.limits[field] !== to.limits[field];
      if (touched && container?.resizePolicy[resource] === 'RestartContainer')
        return { message: `container ${name} restarts when its ${resource} is resized (resizePolicy)`, newPodFits: true };
    }
  }
  return null;
}
