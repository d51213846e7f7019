// What a pod requests by its spec: containers, init containers, the pod as a whole, and overhead.

import { addAmounts, readAmounts, roundUp, SUM_RULES, type Amounts, type Sums } from '../amounts.ts';
import { PodSum } from './pod-sum.ts';
import { objectAt, objectsAt, type Wire } from '../wire.ts';

/** What a container counts with: by its spec, or by what is in force. */
export type RequestsOf = (container: Wire) => Amounts;

/** Sum of the containers, as they run beside and after each other. @param requestsOf of main containers and sidecars. @throws WireError */
export function sumContainers(spec: Wire, requestsOf: RequestsOf, requestsOfInit: RequestsOf): Sums {
  const sum = new PodSum(SUM_RULES);
  for (const container of objectsAt(spec, 'containers', 'spec.containers')) sum.addMain(requestsOf(container));
  for (const init of objectsAt(spec, 'initContainers', 'spec.initContainers')) {
    if (init['restartPolicy'] === 'Always') sum.addSidecar(requestsOf(init));
    // It is over before the kubelet could resize it.
    else sum.addInit(requestsOfInit(init));
  }
  return sum.total();
}

/** @param counts which resources; left out: all. @throws WireError */
export function readRequests(container: Wire, counts?: (resource: string) => boolean): Sums {
  return readAmounts(objectAt(objectAt(container, 'resources'), 'requests'), counts);
}

/**
 * What is requested for the pod as a whole (KEP-2837), which counts instead of the sum of its containers. CPU, memory and huge
 * pages alone can be stated so. Where limits are stated, the API fills in requests: from what the containers' specs ask for, else from the limits.
 *
 * @throws WireError
 */
export function readWholeRequests(spec: Wire): Amounts {
  const resources = objectAt(spec, 'resources', 'spec.resources');
  const limits = objectAt(resources, 'limits', 'spec.resources.limits');
  const requests = objectAt(resources, 'requests', 'spec.resources.requests');
  const stated = readAmounts(requests, canBeWhole);
  if (!hasWholeLimits(spec, limits, requests)) return stated;
  for (const [resource, amount] of sumContainers(spec, readRequests, readRequests)) {
    if ((resource === 'cpu' || resource === 'memory') && !stated.has(resource)) stated.set(resource, amount);
  }
  for (const [resource, amount] of readAmounts(limits, canBeWhole)) if (!stated.has(resource)) stated.set(resource, amount);
  return stated;
}

/** Limits of containers for huge pages become the pod's when anything is stated for the pod. */
function hasWholeLimits(spec: Wire, limits: Wire, requests: Wire): boolean {
  if (Object.keys(limits).length > 0) return true;
  if (Object.keys(requests).length === 0) return false;
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].some(limitsHugePages);
}

function limitsHugePages(container: Wire): boolean {
  return Object.keys(objectAt(objectAt(container, 'resources'), 'limits')).some((resource) => resource.startsWith('hugepages-'));
}

function canBeWhole(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
}

/** @param counts which resources; left out: all. @throws WireError */
export function readOverhead(spec: Wire, counts?: (resource: string) => boolean): Amounts {
  return readAmounts(objectAt(spec, 'overhead', 'spec.overhead'), counts);
}

/** Everything but CPU and memory (devices, storage, huge pages), which no resize in place changes. @throws WireError */
export function readOtherRequests(spec: Wire): Amounts {
  const requestsOf = (container: Wire): Amounts => readRequests(container, isOther);
  const sums = sumContainers(spec, requestsOf, requestsOf);
  if (Object.keys(objectAt(spec, 'resources', 'spec.resources')).length > 0) {
    for (const [resource, amount] of readWholeRequests(spec)) if (isOther(resource)) sums.set(resource, amount);
  }
  return roundUp(addAmounts(sums, readOverhead(spec, isOther)));
}

function isOther(resource: string): boolean {
  return resource !== 'cpu' && resource !== 'memory';
}
