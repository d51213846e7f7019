import type { PodRecord } from '#kube/records/pod';
import { sumKnown, UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';

/** Sum of the usage of a pod's containers; null for a resource of which no container's usage is known. */
export function podUsage(pod: PodRecord, usageOf: (container: string) => OptionalResources | null): OptionalResources {
  return sumKnown(pod.containers.map((container) => usageOf(container.name) ?? UNSET_RESOURCES));
}
