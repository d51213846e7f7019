// Total requests of a pod, as in kube-scheduler.

import { PodSum, type AmountRules } from '../pod-spec/pod-sum.ts';
import { addResources, NO_RESOURCES, type OptionalResources, type Resources } from './resources.ts';

/** A plain init container, which runs with the sidecars before it. */
export interface InitContainerRecord {
  readonly requests: OptionalResources;
  /** Count of the sidecars before it; their names would take quadratic memory. */
  readonly sidecarsBefore: number;
}

interface RequestingContainer {
  readonly sidecar: boolean;
}

/** The parts of a pod that its requests depend on. */
export interface RequestingPod<C extends RequestingContainer> {
  /** Main containers and sidecars; sidecars in order of their start. */
  readonly containers: readonly C[];
  /** In order of their start; absent: none. */
  readonly initContainers?: readonly InitContainerRecord[] | undefined;
  /** Overhead of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources | undefined;
}

type MutableResources = { -readonly [Field in keyof Resources]: Resources[Field] };

/** Arithmetic on CPU and memory; null counts as 0. Sums change in place, to avoid allocations for 150,000 pods. */
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

/** Requests of a pod on its node, with overhead. @param requestsOf requests of a container */
export function podRequests<C extends RequestingContainer>(
  { containers, initContainers = [], overhead }: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  const sum = new PodSum(RESOURCE_AMOUNTS);
  const remaining = [...initContainers].reverse();
  let sidecars = 0;
  for (const container of containers) {
    if (!container.sidecar) {
      sum.addMain(requestsOf(container));
      continue;
    }
    addInits(sum, remaining, sidecars);
    sum.addSidecar(requestsOf(container));
    sidecars += 1;
  }
  addInits(sum, remaining, sidecars);
  return overhead === undefined ? sum.total() : addResources(sum.total(), overhead);
}

/** Adds the init containers before the next sidecar. @param remaining those that are not added yet, last first */
function addInits(sum: PodSum<Resources, OptionalResources>, remaining: InitContainerRecord[], sidecars: number): void {
  for (let init = remaining.at(-1); init !== undefined && init.sidecarsBefore <= sidecars; init = remaining.at(-1)) {
    sum.addInit(init.requests);
    remaining.pop();
  }
}

/** Requests of a pod besides its main containers and sidecars. */
export function requestsBesideContainers<C extends RequestingContainer>(
  pod: RequestingPod<C>,
  requestsOf: (container: C) => OptionalResources,
): Resources {
  if (pod.initContainers === undefined && pod.overhead === undefined) return NO_RESOURCES;
  const total = podRequests(pod, requestsOf);
  const containers = podRequests({ containers: pod.containers }, requestsOf);
  return { cpuMillicores: total.cpuMillicores - containers.cpuMillicores, memoryBytes: total.memoryBytes - containers.memoryBytes };
}
