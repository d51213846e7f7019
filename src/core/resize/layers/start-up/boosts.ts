// Which pods have more CPU at this moment because they are starting, and what they have otherwise. Everything but the boost
// itself plans with pods `withoutBoosts`: a boost never counts as what is in force, as drift or as a saving.

import { POD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import type { ContainerRecord, PodRecord } from '../../../model/pod.ts';
import type { OptionalResources, RequestsAndLimits } from '../../../model/resources.ts';
import type { Values } from '../../model/container-values.ts';
import type { PlannedPod } from '../../model/planned-pod.ts';
import type { ResizeMemory, StartUpBoost } from '../../model/situation.ts';
import { readBoostAtCreation } from './boost-at-creation.ts';

/** What the boosted containers of a pod have otherwise; empty: none is boosted. */
export function usualValues(pod: PodRecord, { boosts, lastApplied }: Pick<ResizeMemory, 'boosts' | 'lastApplied'>): Values {
  const own = boosts.find(({ uid }) => uid === pod.uid);
  const base = own?.values ?? boostedAtCreation(pod, lastApplied?.values);
  const usual = pod.containers.flatMap((container) => {
    const values = base.get(container.name);
    return values === undefined || sameCpu(container, values) ? [] : [[container.name, values] as const];
  });
  return new Map(usual);
}

/** The pods as they would be without; those with a boost count as on their way, so that none of them proves anything. */
export function withoutBoosts(pods: readonly PodRecord[], memory: Pick<ResizeMemory, 'boosts' | 'lastApplied'>): readonly PlannedPod[] {
  return pods.map((pod): PlannedPod => {
    const usual = usualValues(pod, memory);
    if (usual.size === 0) return pod;
    const containers = pod.containers.map((container) => {
      const base = usual.get(container.name);
      return base === undefined ? container : withCpuOf(container, base);
    });
    return { ...pod, containers, resize: { state: 'in-progress', message: 'it has more CPU to start', since: null }, live: pod };
  });
}

/** The same values with the CPU of others. */
export function cpuOf(values: RequestsAndLimits, base: RequestsAndLimits): RequestsAndLimits {
  const from = (amounts: OptionalResources, of: OptionalResources): OptionalResources => ({ ...amounts, cpuMillicores: of.cpuMillicores });
  return { requests: from(values.requests, base.requests), limits: from(values.limits, base.limits) };
}

export function sameCpu(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return a.requests.cpuMillicores === b.requests.cpuMillicores && a.limits.cpuMillicores === b.limits.cpuMillicores;
}

/** Of pods that exist, those that may have more CPU; the others are forgotten. */
export function boostsOf(pods: readonly PodRecord[], boosts: readonly StartUpBoost[]): readonly StartUpBoost[] {
  const uids = new Set(pods.map(({ uid }) => uid));
  return boosts.filter(({ uid }) => uids.has(uid));
}

function withCpuOf(container: ContainerRecord, base: RequestsAndLimits): ContainerRecord {
  return {
    ...container,
    ...cpuOf(container, base),
    actual: container.actual === null ? null : cpuOf(container.actual, base),
    allocated: container.allocated === null ? null : { ...container.allocated, cpuMillicores: base.requests.cpuMillicores },
  };
}

/** A pod that admission gave more CPU at its creation says so itself, and is believed while it has exactly that. */
function boostedAtCreation(pod: PodRecord, inForce: Values | undefined): Values {
  const note = pod.annotations[POD_ANNOTATIONS.startUp];
  const base = new Map<string, RequestsAndLimits>();
  if (note === undefined) return base;
  for (const [name, created] of readBoostAtCreation(note)) {
    const container = pod.containers.find((each) => each.name === name);
    if (container === undefined || !sameCpu(container, created.boosted)) continue;
    const settled = inForce?.get(name);
    if (settled === undefined || !sameCpu(settled, created.boosted)) base.set(name, cpuOf(container, created.base));
  }
  return base;
}
