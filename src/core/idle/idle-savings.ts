// What idle mode saves: the difference between natural and idle requests, over the replicas of each.

import { addResources, NO_RESOURCES, type Resources } from '../model/resources.ts';
import type { IdleMemory, Sizes } from './idle-memory.ts';

/** Requests of one replica, all containers together. */
export function requestsOfReplica(sizes: Sizes): Resources {
  return [...sizes.values()].reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES);
}

/** Requests that are free while it is idle: what nobody else may use otherwise. */
export function idleSavings({ natural, sizes, replicas, idleReplicas }: IdleMemory): Resources {
  const [before, now] = [requestsOfReplica(natural), requestsOfReplica(sizes)];
  const kept = idleReplicas ?? replicas;
  return {
    cpuMillicores: before.cpuMillicores * replicas - now.cpuMillicores * kept,
    memoryBytes: before.memoryBytes * replicas - now.memoryBytes * kept,
  };
}
