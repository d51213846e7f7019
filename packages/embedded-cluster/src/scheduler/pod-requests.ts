import { addAmounts, raiseAmounts, readAmounts, roundUp, type Amounts, type Sums } from '#kube/amounts';
import { readOverhead, readRequests, readWholeRequests, sumContainers } from '#kube/pod-spec/pod-amounts';
import type { Wire } from '#kube/wire';
import type { ContainerStatus, Pod, ResourceList, WireResources } from '../controllers/wire/pod.ts';

/**
 * Requests of a pod on its node: the sum of its containers, or its pod-level requests (KEP-2837), plus overhead. For a running pod, each
 * container counts with the greatest of its spec (unless Infeasible), its allocation and the resources in force (KEP-1287, "Scheduler and
 * API Server Interaction").
 */
export function schedulingRequests(pod: Pod): Amounts {
  const { spec } = pod;
  const inForce = findInForce(pod);
  const requests = sumContainers(spec, (container) => containerRequests(container, inForce), readRequests);
  if (spec.resources !== undefined) for (const [resource, amount] of wholeRequests(pod, inForce)) requests.set(resource, amount);
  return roundUp(addAmounts(requests, readOverhead(spec)));
}

/** Container statuses of the kubelet; null for a pod without a node, which cannot be resized. */
interface InForce {
  readonly infeasible: boolean;
  readonly statuses: ReadonlyMap<string, ContainerStatus>;
}

function findInForce({ spec, status }: Pod): InForce | null {
  if ((spec.nodeName ?? '') === '' || (status as Pod['status'] | undefined) === undefined) return null;
  const pending = status.conditions?.find(({ type }) => type === 'PodResizePending');
  const statuses = new Map<string, ContainerStatus>();
  const initStatuses = (status['initContainerStatuses'] ?? []) as readonly ContainerStatus[];
  for (const each of [...(status.containerStatuses ?? []), ...initStatuses]) statuses.set(each.name, each);
  return { infeasible: pending?.reason === 'Infeasible', statuses };
}

function containerRequests(container: Wire, inForce: InForce | null): Sums {
  const status = inForce?.statuses.get(String(container['name']));
  const desired = readRequests(container);
  if (inForce === null || status?.resources === undefined) return desired;
  return greatest(inForce, desired, status.resources.requests, status.allocatedResources);
}

function greatest({ infeasible }: InForce, desired: Amounts, actual: ResourceList = {}, allocated: ResourceList = {}): Sums {
  const requests: Sums = new Map(infeasible ? [] : desired);
  raiseAmounts(requests, readAmounts(actual));
  return raiseAmounts(requests, readAmounts(allocated));
}

/** Pod-level requests, which replace the sum of the containers. */
function wholeRequests({ spec, status }: Pod, inForce: InForce | null): Amounts {
  const stated = readWholeRequests(spec);
  const reported = (status as Pod['status'] | undefined)?.['resources'] as WireResources | undefined;
  const allocated = (status as Pod['status'] | undefined)?.['allocatedResources'] as ResourceList | undefined;
  if (inForce === null || reported === undefined) return stated;
  const resized = greatest(inForce, stated, reported.requests, allocated);
  return new Map([...stated.keys()].map((resource) => [resource, resized.get(resource) ?? 0]));
}
