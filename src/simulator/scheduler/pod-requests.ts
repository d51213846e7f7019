import { PodSum, type AmountRules } from '../../core/model/pod-sum.ts';
import { parseCpuMillicores, parseQuantity } from '../../core/model/quantity.ts';
import type { Amounts } from '../../core/scheduling/scheduling-model.ts';
import type { ContainerStatus, Pod, ResourceList, WireContainer, WireResources } from '../actors/wire/pod.ts';

type Sums = Map<string, number>;

const NANO_PER_THOUSANDTH = 1_000_000n;

/**
 * What a pod takes of its node: the sum of its containers, or what is requested for the pod as a whole (KEP-2837), plus overhead. For a pod that runs, each container counts with
 * the greatest of what its spec asks for (unless that is Infeasible), what its node has allocated and what is in force
 * (KEP-1287, "Scheduler and API Server Interaction").
 */
export function schedulingRequests(pod: Pod): Amounts {
  const { spec } = pod;
  const inForce = findInForce(pod);
  const requests = sumContainers(spec, inForce);
  if (spec.resources !== undefined)
    for (const [resource, amount] of wholeRequests(pod, spec.resources, inForce)) requests.set(resource, amount);
  addAll(requests, amounts(spec.overhead));
  return whole(requests);
}

const SUMS: AmountRules<Sums, Amounts> = { zero: () => new Map(), add: addAll, raise: raiseAll };

function sumContainers(spec: Pod['spec'], inForce: InForce | null): Sums {
  const sum = new PodSum(SUMS);
  for (const container of spec.containers) sum.addMain(containerRequests(container, inForce));
  for (const init of spec.initContainers ?? []) {
    if (init.restartPolicy === 'Always') sum.addSidecar(containerRequests(init, inForce));
    // It is over before the kubelet could resize it.
    else sum.addInit(amounts(init.resources?.requests));
  }
  return sum.total();
}

/** What the kubelet reports of containers that run; null for a pod without a node, which nobody has resized. */
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

function containerRequests(container: WireContainer, inForce: InForce | null): Sums {
  const status = inForce?.statuses.get(container.name);
  const desired = amounts(container.resources?.requests);
  if (inForce === null || status?.resources === undefined) return desired;
  return greatest(inForce, desired, status.resources.requests, status.allocatedResources);
}

function greatest({ infeasible }: InForce, desired: Amounts, actual: ResourceList | undefined, allocated: ResourceList | undefined): Sums {
  const requests: Sums = new Map(infeasible ? [] : desired);
  raiseAll(requests, amounts(actual));
  raiseAll(requests, amounts(allocated));
  return requests;
}

/**
 * What stands for the pod as a whole instead of the sum of its containers. CPU, memory and huge pages alone can be stated so.
 * Where limits are stated, the API fills in requests: from what the containers' specs ask for, else from the limits.
 */
function wholeRequests({ spec, status }: Pod, { requests, limits }: WireResources, inForce: InForce | null): Sums {
  const stated = amounts(requests);
  if (hasWholeLimits(spec)) {
    for (const [resource, amount] of sumContainers(spec, null)) {
      if ((resource === 'cpu' || resource === 'memory') && !stated.has(resource)) stated.set(resource, amount);
    }
    for (const [resource, amount] of amounts(limits)) if (!stated.has(resource)) stated.set(resource, amount);
  }
  const reported = (status as Pod['status'] | undefined)?.['resources'] as WireResources | undefined;
  const allocated = (status as Pod['status'] | undefined)?.['allocatedResources'] as ResourceList | undefined;
  const resized = inForce === null || reported === undefined ? null : greatest(inForce, stated, reported.requests, allocated);
  const sums: Sums = new Map();
  for (const [resource, amount] of stated)
    if (canBeWhole(resource)) sums.set(resource, resized === null ? amount : (resized.get(resource) ?? 0));
  return sums;
}

/** Limits of containers for huge pages become the pod's when anything is stated for the pod. */
function hasWholeLimits({ resources, containers, initContainers }: Pod['spec']): boolean {
  const states = (list: ResourceList | undefined): boolean => Object.keys(list ?? {}).length > 0;
  if (states(resources?.limits)) return true;
  const usesHugePages = [...containers, ...(initContainers ?? [])].some((container) =>
    Object.keys(container.resources?.limits ?? {}).some((resource) => resource.startsWith('hugepages-')),
  );
  return states(resources?.requests) && usesHugePages;
}

function canBeWhole(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
}

/** Amounts in the units of `Amounts`, rounded up, as the scheduler reads what a node has. */
export function wholeAmounts(list: ResourceList): Amounts {
  return whole(amounts(list));
}

function amounts(list: ResourceList | undefined): Sums {
  return new Map(Object.entries(list ?? {}).map(([resource, text]) => [resource, amountOf(resource, text)]));
}

/** 0 for text that is no quantity. To the thousandth, for sums are rounded up at their end, not part by part. */
function amountOf(resource: string, text: string): number {
  if (resource === 'cpu') {
    const cpu = parseCpuMillicores(text);
    return cpu.ok ? cpu.value : 0;
  }
  const parsed = parseQuantity(text);
  return parsed.ok ? Number((parsed.value.nano + NANO_PER_THOUSANDTH - 1n) / NANO_PER_THOUSANDTH) / 1000 : 0;
}

function whole(sums: Sums): Amounts {
  for (const [resource, amount] of sums) if (!Number.isInteger(amount)) sums.set(resource, Math.ceil(Math.round(amount * 1000) / 1000));
  return sums;
}

function addAll(into: Sums, more: Amounts): Sums {
  for (const [resource, amount] of more) into.set(resource, (into.get(resource) ?? 0) + amount);
  return into;
}

function raiseAll(into: Sums, more: Amounts): Sums {
  for (const [resource, amount] of more) if (amount > (into.get(resource) ?? -1)) into.set(resource, amount);
  return into;
}
