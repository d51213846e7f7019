import type { NodeRecord } from '#kube/records/node';
import { podRequests } from '#kube/records/pod-requests';
import { countedRequests, type PodRecord } from '#kube/records/pod';
import { NO_RESOURCES, addResources, type Resources } from '#kube/records/resources';

/**
 * What is not requested of a node. A pod counts with the most of what it asks for and what its node has set aside for it,
 * as the scheduler counts.
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
