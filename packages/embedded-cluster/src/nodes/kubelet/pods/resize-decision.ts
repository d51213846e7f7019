// Decision of the kubelet about an in-place resize (KEP-1287). Pure, so that the table of cases can be tested completely.

import type { RequestsAndLimits, Resources } from '#kube/records/resources';
import type { Bytes, Instant } from '#kube/units';

export type ResizeVerdict =
  /** The spec equals the allocation. */
  | { readonly kind: 'settled' }
  /** The node has capacity: it allocates the resize, then actuates it. */
  | { readonly kind: 'allocate' }
  /** Fits the node but not now: retried when capacity is freed. */
  | { readonly kind: 'deferred'; readonly message: string }
  /** Never fits this node: not retried until the spec changes. */
  | { readonly kind: 'infeasible'; readonly message: string };

export interface ResizeQuestion {
  /** Total of the pod's spec. */
  readonly desired: Resources;
  /** Whether every container's desired values are allocated already. */
  readonly settled: boolean;
  /** Allocated to the node's other pods that have not ended. */
  readonly othersAllocated: Resources;
  readonly nodeAllocatable: Resources;
}

/** A pod's resize is admitted as a whole or not at all. Messages are the kubelet's: cpu in millicores, memory in bytes. */
export function decideResize(question: ResizeQuestion): ResizeVerdict {
  const { desired, othersAllocated, nodeAllocatable } = question;
  if (question.settled) return { kind: 'settled' };
  if (desired.memoryBytes > nodeAllocatable.memoryBytes) {
    return { kind: 'infeasible', message: capacityMessage('memory', desired.memoryBytes, nodeAllocatable.memoryBytes) };
  }
  if (desired.cpuMillicores > nodeAllocatable.cpuMillicores) {
    return { kind: 'infeasible', message: capacityMessage('cpu', desired.cpuMillicores, nodeAllocatable.cpuMillicores) };
  }
  const short = findShortage(desired, othersAllocated, nodeAllocatable);
  return short === null ? { kind: 'allocate' } : { kind: 'deferred', message: short };
}

/** Reason why a pod does not fit with the others, with the kubelet's message; null when it fits. */
export function findShortage(wanted: Resources, used: Resources, allocatable: Resources): string | null {
  if (used.cpuMillicores + wanted.cpuMillicores > allocatable.cpuMillicores) {
    return resourceMessage('cpu', wanted.cpuMillicores, used.cpuMillicores, allocatable.cpuMillicores);
  }
  if (used.memoryBytes + wanted.memoryBytes > allocatable.memoryBytes) {
    return resourceMessage('memory', wanted.memoryBytes, used.memoryBytes, allocatable.memoryBytes);
  }
  return null;
}

function capacityMessage(resource: string, requested: number, capacity: number): string {
  return `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
}

function resourceMessage(resource: string, requested: number, used: number, capacity: number): string {
  return `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
}

/** A deferred resize in the order of retries. */
export interface DeferredResize {
  readonly increases: boolean;
  readonly priority: number;
  readonly qosClass: string;
  readonly since: Instant;
}

/** Retry order: resizes without an increase first, then priority, then QoS class, then the longest wait. */
export function compareDeferred(a: DeferredResize, b: DeferredResize): number {
  if (a.increases !== b.increases) return a.increases ? 1 : -1;
  if (a.priority !== b.priority) return b.priority - a.priority;
  const qos = qosRank(a.qosClass) - qosRank(b.qosClass);
  return qos !== 0 ? qos : a.since - b.since;
}

function qosRank(qosClass: string): number {
  return qosClass === 'Guaranteed' ? 0 : qosClass === 'Burstable' ? 1 : 2;
}

/** Effect of new values on one running container. */
export type ContainerActuation =
  | { readonly kind: 'update' }
  | { readonly kind: 'restart' }
  /** The new memory limit is below the usage: the kernel would kill the container, so the kubelet waits. */
  | { readonly kind: 'refuse'; readonly message: string };

export interface ActuationQuestion {
  readonly container: string;
  readonly from: RequestsAndLimits;
  readonly to: RequestsAndLimits;
  readonly restartOn: { readonly cpu: boolean; readonly memory: boolean };
  readonly usedMemoryBytes: Bytes;
}

export function decideActuation(question: ActuationQuestion): ContainerActuation {
  const { from, to, restartOn } = question;
  if (restartOn.cpu && isDifferent(from, to, 'cpuMillicores')) return { kind: 'restart' };
  if (restartOn.memory && isDifferent(from, to, 'memoryBytes')) return { kind: 'restart' };
  const limit = to.limits.memoryBytes;
  const lowered = limit !== null && (from.limits.memoryBytes === null || limit < from.limits.memoryBytes);
  if (!lowered || question.usedMemoryBytes <= limit) return { kind: 'update' };
  const used = Math.round(question.usedMemoryBytes);
  return {
    kind: 'refuse',
    message: `attempting to set container "${question.container}" memory limit (${limit}) below current usage (${used})`,
  };
}

function isDifferent(a: RequestsAndLimits, b: RequestsAndLimits, resource: 'cpuMillicores' | 'memoryBytes'): boolean {
  return a.requests[resource] !== b.requests[resource] || a.limits[resource] !== b.limits[resource];
}
