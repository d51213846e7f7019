// The nodes of a workload's life: how much they have, and what their kubelets answer to a resize.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { Resources } from '#kube/records/resources';
import type { Bytes, Instant } from '#kube/units';
import { FIELD, RESOURCES, sameValues } from '../../src/core/resize/model/container-values.ts';

export interface LifeNode {
  readonly name: string;
  readonly allocatable: Resources;
  /** What its kubelet cannot resize in place at all; left out: nothing. */
  readonly refuses?: 'cpu' | 'memory';
}

/** One container is all that a pod of such a life has. */
export function mainOf(pod: PodRecord): ContainerRecord {
  const [main] = pod.containers;
  if (main === undefined) throw new Error(`${pod.name} has no container`);
  return main;
}

export function withMain(pod: PodRecord, change: Partial<ContainerRecord>): PodRecord {
  return { ...pod, containers: [{ ...mainOf(pod), ...change }] };
}

/** What is not requested of a node whose other pods take the same share of it, whatever this one has. */
export function freeOn({ allocatable }: LifeNode, pod: PodRecord, freeRatio: number): Resources {
  const { requests } = inForce(pod);
  const free = (field: keyof Resources): number => Math.floor((allocatable[field] - (requests[field] ?? 0)) * freeRatio);
  return { cpuMillicores: free('cpuMillicores'), memoryBytes: free('memoryBytes') };
}

/**
 * The pod as its kubelet reports it once it has looked at the requested resize.
 * https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
 * @param freeRatio share of the unrequested capacity of the node that no other pod takes, 0 to 1
 */
export function answeredBy(node: LifeNode, pod: PodRecord, usedBytes: Bytes, freeRatio: number, now: Instant): PodRecord {
  const main = mainOf(pod);
  const { requests, limits } = main;
  const actual = inForce(pod);
  const answered = (state: PodRecord['resize']['state'], message: string): PodRecord => ({
    ...pod,
    resize: { state, message, since: pod.resize.state === state ? pod.resize.since : now },
  });
  if (sameValues(actual, { requests, limits })) return { ...pod, resize: { state: 'none', message: '', since: null } };
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

/** Why the node never carries it out, in the kubelet's words; null: it may. */
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
