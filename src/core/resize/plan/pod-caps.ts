// What a pod as a whole may ask for: LimitRanges of type Pod, and the room on the nodes where it may land.

import { formatCpu, formatMemory } from '#kube/quantity';
import { FIELD, RESOURCES } from '../model/container-values.ts';
import { withinPodBounds } from './pod-bounds.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

export function withinPodCaps(
  plans: readonly ContainerPlan[],
  { limitRanges, freeForPod }: Pick<WorkloadSituation, 'limitRanges' | 'freeForPod'>,
): readonly ContainerPlan[] {
  let capped = plans;
  for (const resource of RESOURCES) {
    const field = FIELD[resource];
    const format = (amount: number): string => (resource === 'cpu' ? formatCpu(amount) : formatMemory(amount));
    const bound = (step: 'limit-range' | 'node', least: number, greatest: number, because: string): void => {
      capped = withinPodBounds(capped, { resource, container: null, least, greatest, step, because });
    };
    if (freeForPod !== null) {
      const room = freeForPod[field];
      // Nodes of a pool that is scaled to zero now come back: what a pod has stays.
      const present = plans.reduce((sum, { inForce }) => sum + (inForce.requests[field] ?? 0), 0);
      bound('node', 0, Math.max(room, present), `no node that takes this pod has more than ${format(room)} for it, DaemonSets aside`);
    }
    for (const { name, podMin, podMax } of limitRanges) {
      const [least, greatest] = [podMin?.[field] ?? null, podMax?.[field] ?? null];
      if (greatest !== null) bound('limit-range', 0, greatest, `LimitRange ${name} allows a pod no more than ${format(greatest)}`);
      if (least !== null)
        bound('limit-range', least, Number.POSITIVE_INFINITY, `LimitRange ${name} allows a pod no less than ${format(least)}`);
    }
  }
  return capped;
}
