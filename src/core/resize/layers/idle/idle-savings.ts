// Savings of idle mode: the difference between natural and idle requests over all replicas.

import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import type { IdleMemory, Sizes } from '../../model/evidence/idle-memory.ts';

/** Sum of the requests of one replica's containers. */
export function requestsOfReplica(sizes: Sizes): Resources {
  return [...sizes.values()].reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES);
}

/** Requests saved now: less than projected while pods still have their natural size. */
export function realizedSavings(
  { natural, replicas, idleReplicas }: IdleMemory,
  pods: { readonly count: number; readonly requested: Resources },
): Resources {
  const before = requestsOfReplica(natural);
  // Replicas that another manager adds or removes do not count.
  const without = idleReplicas === null ? pods.count : replicas;
  return {
    cpuMillicores: before.cpuMillicores * without - pods.requested.cpuMillicores,
    memoryBytes: before.memoryBytes * without - pods.requested.memoryBytes,
  };
}

/** Projected requests saved while the workload is idle. */
export function idleSavings({ natural, sizes, replicas, idleReplicas }: IdleMemory): Resources {
  const [before, now] = [requestsOfReplica(natural), requestsOfReplica(sizes)];
  const remainingReplicas = idleReplicas ?? replicas;
  return {
    cpuMillicores: before.cpuMillicores * replicas - now.cpuMillicores * remainingReplicas,
    memoryBytes: before.memoryBytes * replicas - now.memoryBytes * remainingReplicas,
  };
}
