// Bounds of a pod's total requests: LimitRanges of type Pod, and the free capacity of the nodes on which it may be scheduled.

import { formatCpu, formatMemory } from '#kube/quantity';
import { FIELD, RESOURCES } from '../../model/container-values.ts';
import { withinPodBounds } from './pod-bounds.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** The plans with targets inside the bounds of a pod. */
export function withinPodCaps(
  plans: readonly ContainerPlan[],
  { limitRanges, freeForPod }: Pick<WorkloadSituation, 'limitRanges' | 'freeForPod'>,
): readonly ContainerPlan[] {
  let capped = plans;
  for (const resource of RESOURCES) {
    const field = FIELD[resource];
    const format = (amount: number): string => (resource === 'cpu' ? formatCpu(amount) : formatMemory(amount));
    const bound = (step: 'limit-range' | 'node', least: number, greatest: number, reason: string): void => {
      capped = withinPodBounds(capped, { resource, container: null, least, greatest, step, reason });
    };
    if (freeForPod !== null) {
      const room = freeForPod[field];
      // The present request is kept: a node pool that is scaled to zero now may come back.
      const present = plans.reduce((sum, { inForce }) => sum + (inForce.requests[field] ?? 0), 0);
      bound(
        'node',
        0,
        Math.max(room, present),
        `no node that accepts this pod has more than ${format(room)} free for it besides DaemonSets`,
      );
    }
    for (const { name, podMin, podMax } of limitRanges) {
      const [least, greatest] = [podMin?.[field] ?? null, podMax?.[field] ?? null];
      if (greatest !== null) bound('limit-range', 0, greatest, `LimitRange ${name} allows at most ${format(greatest)} per pod`);
      if (least !== null)
        bound('limit-range', least, Number.POSITIVE_INFINITY, `LimitRange ${name} requires at least ${format(least)} per pod`);
    }
  }
  return capped;
}
