import type { Quantity } from '#kube/read-quantity';
import { PodSum, type AmountRules } from '#kube/pod-spec/pod-sum';
import type { Pod, WireContainer } from '../../controllers/wire/pod.ts';
import { findCondition } from '../../controllers/nodes/conditions.ts';
import { addAmounts, amountOf, greaterAmount } from '../amounts.ts';
import { isSidecar } from './pod-containers.ts';

/** Amount of one resource; undefined when it is not set. */
const EXACT_AMOUNTS: AmountRules<Quantity | undefined, Quantity | undefined> = {
  zero: () => undefined,
  add: addAmounts,
  raise: greaterAmount,
};

/**
 * Requests of a pod for one resource: the sum of its containers and the runtime's overhead, or its pod-level value. During a resize the
 * greater of the old and the new request counts, unless the resize is Infeasible.
 */
export function podAmount(pod: Pod, side: 'requests' | 'limits', resource: string): Quantity | undefined {
  const { spec } = pod;
  const stated = amountOf(spec.resources?.[side], resource);
  if (stated !== undefined) return addAmounts(stated, amountOf(spec.overhead, resource));
  const infeasible = findCondition(pod.status.conditions, 'PodResizePending')?.reason === 'Infeasible';
  const amount = (container: WireContainer): Quantity | undefined => {
    const desired = amountOf(container.resources?.[side], resource);
    if (side === 'limits') return desired;
    const allocated = allocatedAmount(pod, container.name, resource);
    return infeasible ? (allocated ?? desired) : greaterAmount(desired, allocated);
  };

  const sum = new PodSum(EXACT_AMOUNTS);
  for (const container of spec.containers) sum.addMain(amount(container));
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) sum.addSidecar(amount(container));
    else sum.addInit(amount(container));
  }
  const total = sum.total();
  const overhead = amountOf(spec.overhead, resource);
  return total === undefined && side === 'limits' ? undefined : addAmounts(total, overhead);
}

function allocatedAmount(pod: Pod, name: string, resource: string): Quantity | undefined {
  const lists = [pod.status.containerStatuses, pod.status['initContainerStatuses'] as Pod['status']['containerStatuses']];
  for (const statuses of lists) {
    const found = statuses?.find((status) => status.name === name);
    if (found !== undefined) return amountOf(found.allocatedResources, resource);
  }
  return undefined;
}
