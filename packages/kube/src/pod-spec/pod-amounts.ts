// Requests of a pod spec: containers, init containers, pod-level resources, and overhead.

import { addAmounts, readAmounts, roundUp, SUM_RULES, type Amounts, type Sums } from '../amounts.ts';
import { PodSum } from './pod-sum.ts';
import { objectAt, objectsAt, type Wire } from '../wire.ts';

/** Requests of a container, by its spec or by its status. */
export type RequestsOf = (container: Wire) => Amounts;

/** Sum over the containers by the rules of `PodSum`. @param requestsOf for main containers and sidecars. @throws WireError */
export function sumContainers(spec: Wire, requestsOf: RequestsOf, requestsOfInit: RequestsOf): Sums {
  const sum = new PodSum(SUM_RULES);
  for (const container of objectsAt(spec, 'containers', 'spec.containers')) sum.addMain(requestsOf(container));
  for (const init of objectsAt(spec, 'initContainers', 'spec.initContainers')) {
    if (init['restartPolicy'] === 'Always') sum.addSidecar(requestsOf(init));
    // A plain init container is never resized.
    else sum.addInit(requestsOfInit(init));
  }
  return sum.total();
}

/** Parses the requests of a container. @param isCounted filters resources; absent: all. @throws WireError */
export function readRequests(container: Wire, isCounted?: (resource: string) => boolean): Sums {
  return readAmounts(objectAt(objectAt(container, 'resources'), 'requests'), isCounted);
}

/**
 * Parses pod-level requests (KEP-2837), which replace the sum over the containers, for CPU, memory and huge pages. With pod-level
 * limits the API server sets absent requests: from the containers' requests, otherwise from the limits.
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

/** Whether the pod has pod-level limits; container limits for huge pages become such with any pod-level request. */
function hasWholeLimits(spec: Wire, limits: Wire, requests: Wire): boolean {
  if (Object.keys(limits).length > 0) return true;
  if (Object.keys(requests).length === 0) return false;
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].some(hasHugePageLimit);
}

function hasHugePageLimit(container: Wire): boolean {
  return Object.keys(objectAt(objectAt(container, 'resources'), 'limits')).some((resource) => resource.startsWith('hugepages-'));
}

function canBeWhole(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
}

/** Parses the overhead of a pod. @param isCounted filters resources; absent: all. @throws WireError */
export function readOverhead(spec: Wire, isCounted?: (resource: string) => boolean): Amounts {
  return readAmounts(objectAt(spec, 'overhead', 'spec.overhead'), isCounted);
}

/** Requests of resources besides CPU and memory (devices, storage, huge pages), which an in-place resize cannot change. @throws WireError */
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
