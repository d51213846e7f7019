// Memory of pods that were created with more than the values to apply, while these no longer suffice: the raise may wait, for example for an
// approval, an autoscaler or capacity, and a pod must not fall below the memory in use meanwhile. This is also kept above a policy's `max`:
// the raise, once made, brings the pod to its values.

import { greaterAmount } from '#kube/records/resources';
import type { PodRecord } from '#kube/records/pod';
import type { ContainerPlan } from '../../model/container-plan.ts';
import { withAmount, type Values } from '../../model/container-values.ts';

/**
 * Containers whose values request less memory than the highest usage of the history window, although more is recommended. Where `max` or a
 * ceiling keeps the recommendation below that usage, they request less than the recommendation. The limit in force is no such bound: after
 * an OOM kill a pod has more than it.
 */
export function containersShortOfMemory(plans: readonly ContainerPlan[], values: Values): readonly string[] {
  return plans.flatMap(({ name, advice }) => {
    const wanted = values.get(name)?.requests.memoryBytes ?? null;
    const memory = advice?.memory ?? null;
    return wanted !== null && memory !== null && wanted < Math.min(memory.target, memory.peak) ? [name] : [];
  });
}

/** Values with the pod's own memory of some containers, where it is greater. */
export function keepMemory(values: Values, pod: PodRecord, containers: readonly string[]): Values {
  if (containers.length === 0) return values;
  const result = new Map(values);
  for (const name of containers) {
    const wanted = result.get(name);
    const present = pod.containers.find((container) => container.name === name);
    if (wanted === undefined || present === undefined) continue;
    result.set(name, {
      requests: withAmount(wanted.requests, 'memory', greaterAmount(wanted.requests.memoryBytes, present.requests.memoryBytes)),
      limits: withAmount(wanted.limits, 'memory', greaterAmount(wanted.limits.memoryBytes, present.limits.memoryBytes)),
    });
  }
  return result;
}
