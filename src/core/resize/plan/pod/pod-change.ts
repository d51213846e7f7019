// Computes the resize of one pod from the values of its workload, or the reason why it cannot be done in place.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import {
  FIELD,
  hasReduction,
  qosOf,
  hasIncrease,
  RESOURCES,
  hasSameValues,
  withAmount,
  type Values,
} from '../../model/container-values.ts';
import type { ContainerChange } from '../../model/resize-step.ts';
import { isOlder } from './node-support.ts';

/** The change from a pod's values to the wanted ones. */
export type PodFit =
  | { readonly kind: 'fits' }
  | { readonly kind: 'change'; readonly containers: readonly ContainerChange[]; readonly lowers: boolean; readonly raises: boolean }
  /** The change requires a restart or a new pod. */
  | {
      readonly kind: 'restart';
      readonly message: string;
      /** A new pod can be created with the values. */
      readonly newPodFits: boolean;
    };

/** Caches fill and heaps grow in the first hour, so memory limits of younger pods are not lowered. */
const YOUNG_FOR_MS: DurationMs = HOUR_MS;

/** First kubelet version that lowers memory limits without a restart. */
const MEMORY_LIMIT_FALLS_SINCE = [1, 34] as const;

/**
 * The change from a pod's values to the wanted ones.
 * @param values wanted values; containers that are not named keep theirs
 * @param now keeps the memory limit of a young pod, whose usage while starting is often its highest. Omitted: limits fall at any age
 */
export function fitPod(pod: PodRecord, values: Values, kubeletVersion: string, now: Instant = Number.POSITIVE_INFINITY): PodFit {
  const isMature = now - pod.createdAt >= YOUNG_FOR_MS;
  const changes: ContainerChange[] = [];
  const after: RequestsAndLimits[] = [];
  for (const container of pod.containers) {
    const from: RequestsAndLimits = { requests: container.requests, limits: container.limits };
    const wanted = values.get(container.name);
    const to =
      wanted === undefined ? from : shapeValues(pod, container, wanted, isMature && canLowerMemoryLimit(container, kubeletVersion));
    after.push(to);
    if (!hasSameValues(from, to)) changes.push({ name: container.name, from, to });
  }
  if (changes.length === 0) return { kind: 'fits' };
  const restart = findRestartReason(pod, changes, after);
  if (restart !== null) return { kind: 'restart', ...restart };
  return {
    kind: 'change',
    containers: changes,
    lowers: changes.some(({ from, to }) => hasReduction(from, to)),
    raises: changes.some(({ from, to }) => hasIncrease(from, to)),
  };
}

/** Whether a kubelet lowers memory limits in place. A version that cannot be parsed counts as old. */
export function canLowerMemoryLimit(container: ContainerRecord, kubeletVersion: string): boolean {
  return isOlder(kubeletVersion, MEMORY_LIMIT_FALLS_SINCE) === false && container.resizePolicy.memory === 'NotRequired';
}

/** Whether a pod can be resized now: it runs, and at least one of its containers does. */
export function isResizable(pod: PodRecord): boolean {
  return (
    pod.phase === 'Running' &&
    pod.node !== null &&
    pod.deletionAt === null &&
    pod.containers.some((container) => container.state === 'running')
  );
}

/** Whether a resize can take effect in a pod, also where all containers have crashed and wait to be restarted with the new values. */
export function isReachable(pod: PodRecord): boolean {
  if (isResizable(pod)) return true;
  const crashed = pod.containers.some(hasCrashed);
  return crashed && pod.phase === 'Running' && pod.node !== null && pod.deletionAt === null;
}

/** Whether a container has terminated and will be restarted. */
export function hasCrashed({ state, waitingReason }: ContainerRecord): boolean {
  return state === 'terminated' || (state === 'waiting' && waitingReason === 'CrashLoopBackOff');
}

// A pod of another revision may have limits other than those for which the values were computed: a missing limit is not added, and a
// limit is kept at or above the request.
function shapeValues(pod: PodRecord, container: ContainerRecord, wanted: RequestsAndLimits, memoryLimitFalls: boolean): RequestsAndLimits {
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

function findRestartReason(
  pod: PodRecord,
  changes: readonly ContainerChange[],
  after: readonly RequestsAndLimits[],
): { readonly message: string; readonly newPodFits: boolean } | null {
  const never = (message: string): { readonly message: string; readonly newPodFits: boolean } => ({ message, newPodFits: false });
  if (pod.windows) return never('pods on Windows nodes cannot be resized in place');
  if (pod.sizedAsWhole === true) return never('the pod has pod-level resources (spec.resources)');
  if (pod.qosClass === 'BestEffort') return never('requests cannot be added in place to a BestEffort pod; set requests in the template');
  const qos = qosOf(after);
  if (qos !== pod.qosClass) return never(`an in-place resize would change the QoS class from ${pod.qosClass} to ${qos}`);
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
