// What a pod requests in all, as the scheduler counts it. The one place where requests of containers become those of a pod.

import { addResources, NO_RESOURCES, type OptionalResources, type Resources } from './resources.ts';

/** A plain init container: it runs alone, beside the sidecars that were started before it. */
export interface InitContainerRecord {
  readonly requests: OptionalResources;
  /** How many of the pod's sidecars start before it. A number: names of thousands of them would be repeated for each of thousands. */
  readonly sidecarsBefore: number;
}

interface RequestingContainer {
  readonly sidecar: boolean;
}

export interface RequestingPod<C extends RequestingContainer> {
  /** Main containers and sidecars, these in the order in which they start. */
  readonly containers: readonly C[];
  /** Absent: none. */
  readonly initContainers?: readonly InitContainerRecord[];
  /** Of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources;
}

/** max(init containers, main containers and sidecars) + overhead, each resource by itself. @param requestsOf what a container counts with */
export function podRequests<C extends RequestingContainer>(
  { containers, initContainers = [], overhead }: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  let most = NO_RESOURCES;
  /** Requests of the first sidecars: of none, of one, and so on. */
  const ofSidecars = [NO_RESOURCES];
  for (const container of containers) {
    const requests = requestsOf(container);
    most = addResources(most, requests);
    if (container.sidecar && initContainers.length > 0) ofSidecars.push(addResources(ofSidecars.at(-1) ?? NO_RESOURCES, requests));
  }
  for (const { requests, sidecarsBefore } of initContainers) {
    const alone = addResources(ofSidecars[sidecarsBefore] ?? NO_RESOURCES, requests);
    most = {
      cpuMillicores: Math.max(most.cpuMillicores, alone.cpuMillicores),
      memoryBytes: Math.max(most.memoryBytes, alone.memoryBytes),
    };
  }
  return overhead === undefined ? most : addResources(most, overhead);
}

/** What a pod requests beyond its main containers and sidecars. */
export function requestsBesideContainers<C extends RequestingContainer>(
  pod: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  if (pod.initContainers === undefined && pod.overhead === undefined) return NO_RESOURCES;
  const all = podRequests(pod, requestsOf);
  const own = podRequests({ containers: pod.containers }, requestsOf);
  return { cpuMillicores: all.cpuMillicores - own.cpuMillicores, memoryBytes: all.memoryBytes - own.memoryBytes };
}
