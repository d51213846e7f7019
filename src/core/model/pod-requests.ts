// What a pod requests in all, as the scheduler counts it. The one place where requests of containers become those of a pod.

import { addResources, NO_RESOURCES, type OptionalResources, type Resources } from './resources.ts';

/** A plain init container: it runs alone, beside the sidecars that were started before it. */
export interface InitContainerRecord {
  readonly requests: OptionalResources;
  /** Names of the sidecars before it. */
  readonly sidecarsBefore: readonly string[];
}

export interface RequestingPod<C extends { readonly name: string }> {
  /** Main containers and sidecars. */
  readonly containers: readonly C[];
  /** Absent: none. */
  readonly initContainers?: readonly InitContainerRecord[];
  /** Of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources;
}

/** max(init containers, main containers and sidecars) + overhead, each resource by itself. @param requestsOf what a container counts with */
export function podRequests<C extends { readonly name: string }>(
  { containers, initContainers = [], overhead }: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  let most = containers.reduce((sum, container) => addResources(sum, requestsOf(container)), NO_RESOURCES);
  for (const { requests, sidecarsBefore } of initContainers) {
    const beside = containers.filter(({ name }) => sidecarsBefore.includes(name));
    const alone = beside.reduce((sum, container) => addResources(sum, requestsOf(container)), addResources(NO_RESOURCES, requests));
    most = {
      cpuMillicores: Math.max(most.cpuMillicores, alone.cpuMillicores),
      memoryBytes: Math.max(most.memoryBytes, alone.memoryBytes),
    };
  }
  return overhead === undefined ? most : addResources(most, overhead);
}

/** What a pod requests beyond its main containers and sidecars. */
export function requestsBesideContainers<C extends { readonly name: string }>(
  pod: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  if (pod.initContainers === undefined && pod.overhead === undefined) return NO_RESOURCES;
  const all = podRequests(pod, requestsOf);
  const own = podRequests({ containers: pod.containers }, requestsOf);
  return { cpuMillicores: all.cpuMillicores - own.cpuMillicores, memoryBytes: all.memoryBytes - own.memoryBytes };
}
