// What a pod requests in all, as the scheduler counts it.

import { PodSum, type AmountRules } from '../pod-spec/pod-sum.ts';
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
  /** In the order in which they start; absent: none. */
  readonly initContainers?: readonly InitContainerRecord[];
  /** Of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources;
}

type MutableResources = { -readonly [Field in keyof Resources]: Resources[Field] };

/** CPU and memory; an absent amount counts as nothing. Sums are written in place: there are a few for each of 150,000 pods. */
export const RESOURCE_AMOUNTS: AmountRules<MutableResources, OptionalResources> = {
  zero: () => ({ cpuMillicores: 0, memoryBytes: 0 }),
  add: (sum, { cpuMillicores, memoryBytes }) => {
    sum.cpuMillicores += cpuMillicores ?? 0;
    sum.memoryBytes += memoryBytes ?? 0;
    return sum;
  },
  raise: (sum, { cpuMillicores, memoryBytes }) => {
    sum.cpuMillicores = Math.max(sum.cpuMillicores, cpuMillicores);
    sum.memoryBytes = Math.max(sum.memoryBytes, memoryBytes);
    return sum;
  },
};

/** What a pod takes of its node, with its overhead. @param requestsOf what a container counts with */
export function podRequests<C extends RequestingContainer>(
  { containers, initContainers = [], overhead }: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  const sum = new PodSum(RESOURCE_AMOUNTS);
  const inits = [...initContainers].reverse();
  let sidecars = 0;
  for (const container of containers) {
    if (!container.sidecar) {
      sum.addMain(requestsOf(container));
      continue;
    }
    addInits(sum, inits, sidecars);
    sum.addSidecar(requestsOf(container));
    sidecars += 1;
  }
  addInits(sum, inits, sidecars);
  return overhead === undefined ? sum.total() : addResources(sum.total(), overhead);
}

/** Adds those that run before the next sidecar starts. @param left that are not added yet, the last first */
function addInits(sum: PodSum<Resources, OptionalResources>, left: InitContainerRecord[], sidecars: number): void {
  for (let init = left.at(-1); init !== undefined && init.sidecarsBefore <= sidecars; init = left.at(-1)) {
    sum.addInit(init.requests);
    left.pop();
  }
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
