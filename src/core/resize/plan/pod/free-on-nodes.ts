import type { NodeRecord } from '#kube/records/node';
import { podRequests } from '#kube/records/pod-requests';
import { countedRequests, type PodRecord } from '#kube/records/pod';
import { NO_RESOURCES, addResources, type Resources } from '#kube/records/resources';

/**
 * Free capacity of a node: allocatable minus requests. A pod counts with the greater of its desired requests and those that its node
 * has allocated, as for the scheduler.
 */
export function freeOnNode({ allocatable }: Pick<NodeRecord, 'allocatable'>, pods: Iterable<PodRecord>): Resources {
  let taken: Resources = NO_RESOURCES;
  for (const pod of pods) {
    if (pod.phase === 'Succeeded' || pod.phase === 'Failed') continue;
    taken = addResources(taken, podRequests(pod, countedRequests));
  }
  return {
    cpuMillicores: Math.max(0, allocatable.cpuMillicores - taken.cpuMillicores),
    memoryBytes: Math.max(0, allocatable.memoryBytes - taken.memoryBytes),
  };
}
