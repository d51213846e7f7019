// What idle mode saves: the difference between natural and idle requests, over the replicas of each.

import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import type { IdleMemory, Sizes } from '../../model/idle-memory.ts';

/** Requests of one replica, all containers together. */
export function requestsOfReplica(sizes: Sizes): Resources {
  return [...sizes.values()].reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES);
}

/** Requests that are free now: less than projected while pods still have their natural size. */
export function realizedSavings(
  { natural, replicas, idleReplicas }: IdleMemory,
  pods: { readonly count: number; readonly requested: Resources },
): Resources {
  const before = requestsOfReplica(natural);
  // Replicas that others add or take are neither our merit nor our fault.
  const without = idleReplicas === null ? pods.count : replicas;
  return {
    cpuMillicores: before.cpuMillicores * without - pods.requested.cpuMillicores,
    memoryBytes: before.memoryBytes * without - pods.requested.memoryBytes,
  };
}

/** Requests that are free while it is idle, which other pods may use. */
export function idleSavings({ natural, sizes, replicas, idleReplicas }: IdleMemory): Resources {
  const [before, now] = [requestsOfReplica(natural), requestsOfReplica(sizes)];
  const kept = idleReplicas ?? replicas;
  return {
    cpuMillicores: before.cpuMillicores * replicas - now.cpuMillicores * kept,
    memoryBytes: before.memoryBytes * replicas - now.memoryBytes * kept,
  };
}
