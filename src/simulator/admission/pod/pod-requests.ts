import type { Quantity } from '../../../core/model/quantity.ts';
import type { Pod, WireContainer } from '../../actors/wire/pod.ts';
import { findCondition } from '../../actors/conditions.ts';
import { addAmounts, amountOf, greaterAmount } from '../amounts.ts';
import { isSidecar } from './pod-containers.ts';

/**
 * What a pod takes of a resource: the containers together with the sidecars, or the greediest start-up step if that is
 * more, and the overhead of its runtime. While a resize is on its way the greater of old and new counts for requests, unless
 * the node has said that it never can.
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

  const main = sum(spec.containers.map(amount));
  let sidecars: Quantity | undefined;
  let starting: Quantity | undefined;
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) sidecars = addAmounts(sidecars, amount(container));
    // A plain init container runs beside the sidecars that were started before it.
    else starting = greaterAmount(starting, addAmounts(sidecars, amount(container)));
  }
  const total = greaterAmount(addAmounts(main, sidecars), starting);
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

function sum(amounts: readonly (Quantity | undefined)[]): Quantity | undefined {
  return amounts.reduce<Quantity | undefined>(addAmounts, undefined);
}
