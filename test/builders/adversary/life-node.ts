// Nodes of a workload's life: their capacity, and the answers of their kubelets to a resize.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { Resources } from '#kube/records/resources';
import type { Bytes, Instant } from '#kube/units';
import { FIELD, RESOURCES, hasSameValues } from '../../../src/core/resize/model/container-values.ts';

/** A node and the resizes that its kubelet refuses. */
export interface LifeNode {
  readonly name: string;
  readonly allocatable: Resources;
  /** Resource that its kubelet cannot resize in place; left out when it can resize both. */
  readonly refuses?: 'cpu' | 'memory';
}

/** The measured container of a pod of such a life. Throws when there is none. */
export function mainOf(pod: PodRecord): ContainerRecord {
  const [main] = pod.containers;
  if (main === undefined) throw new Error(`${pod.name} has no container`);
  return main;
}

export function withMain(pod: PodRecord, change: Partial<ContainerRecord>): PodRecord {
  return { ...pod, containers: [{ ...mainOf(pod), ...change }, ...pod.containers.slice(1)] };
}

/** Capacity that is not requested, when the other pods of the node request a fixed share of it. */
export function freeOn({ allocatable }: LifeNode, pod: PodRecord, freeRatio: number): Resources {
  const { requests } = inForce(pod);
  const free = (field: keyof Resources): number => Math.floor((allocatable[field] - (requests[field] ?? 0)) * freeRatio);
  return { cpuMillicores: free('cpuMillicores'), memoryBytes: free('memoryBytes') };
}

/**
 * The pod as its kubelet reports it after it has seen the requested resize.
 * https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ @param freeRatio share of the node's capacity beside
 * this pod that no other pod requests, 0 to 1
 */
export function resizeByNode(node: LifeNode, pod: PodRecord, usedBytes: Bytes, freeRatio: number, now: Instant): PodRecord {
  const main = mainOf(pod);
  const { requests, limits } = main;
  const actual = inForce(pod);
  const answered = (state: PodRecord['resize']['state'], message: string): PodRecord => ({
    ...pod,
    resize: { state, message, since: pod.resize.state === state ? pod.resize.since : now },
  });
  if (hasSameValues(actual, { requests, limits })) return { ...pod, resize: { state: 'none', message: '', since: null } };
  const refused = refusal(node, pod);
  if (refused !== null) return answered('infeasible', refused);
  const free = freeOn(node, pod, freeRatio);
  for (const resource of RESOURCES) {
    const field = FIELD[resource];
    const more = (requests[field] ?? 0) - (actual.requests[field] ?? 0);
    if (more > 0 && more > free[field]) return answered('deferred', `Node didn't have enough resource: ${resource}, requested: ${more}`);
  }
  const fallen = limits.memoryBytes !== null && limits.memoryBytes < (actual.limits.memoryBytes ?? 0);
  if (fallen && limits.memoryBytes <= usedBytes) return answered('in-progress', 'attempting to set pod memory limit below current usage');
  return { ...withMain(pod, { actual: { requests, limits }, allocated: requests }), resize: { state: 'none', message: '', since: null } };
}

function inForce(pod: PodRecord): NonNullable<ContainerRecord['actual']> {
  const main = mainOf(pod);
  return main.actual ?? main;
}

/** The kubelet's message for an infeasible resize; null when the resize is feasible. */
function refusal({ allocatable, refuses }: LifeNode, pod: PodRecord): string | null {
  const { requests, limits } = mainOf(pod);
  const actual = inForce(pod);
  const isChanged = (field: keyof Resources): boolean =>
    requests[field] !== actual.requests[field] || limits[field] !== actual.limits[field];
  if (refuses === 'cpu' && pod.qosClass === 'Guaranteed' && isChanged('cpuMillicores')) {
    return 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
  }
  // A container whose memory request equals its limit does not swap.
  const maySwap = requests.memoryBytes !== limits.memoryBytes || actual.requests.memoryBytes !== actual.limits.memoryBytes;
  if (refuses === 'memory' && maySwap && requests.memoryBytes !== actual.requests.memoryBytes) {
    return 'In-place resize of containers with swap is not supported.';
  }
  for (const resource of RESOURCES) {
    const [requested, capacity] = [requests[FIELD[resource]] ?? 0, allocatable[FIELD[resource]]];
    if (requested > capacity) return `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
  }
  return null;
}
