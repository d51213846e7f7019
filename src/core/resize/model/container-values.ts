// Requests and limits by container: comparisons, and the QoS class that results.

import type { QosClass } from '#kube/records/pod';
import { greaterAmount, isSameResources, type OptionalResources, type RequestsAndLimits, type ResourceName } from '#kube/records/resources';

/** Requests and limits by container name. */
export type Values = ReadonlyMap<string, RequestsAndLimits>;

/** Requests and limits of each container of a pod or pod template. */
export function valuesOf({ containers }: { readonly containers: readonly (RequestsAndLimits & { readonly name: string })[] }): Values {
  return new Map(containers.map(({ name, requests, limits }) => [name, { requests, limits }]));
}

/** Field of a resource in `OptionalResources`. */
export const FIELD = { cpu: 'cpuMillicores', memory: 'memoryBytes' } as const;
export const RESOURCES: readonly ResourceName[] = ['cpu', 'memory'];

export function hasSameValues(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return isSameResources(a.requests, b.requests) && isSameResources(a.limits, b.limits);
}

/** A copy with one amount replaced. */
export function withAmount(amounts: OptionalResources, resource: ResourceName, amount: number | null): OptionalResources {
  return resource === 'cpu' ? { ...amounts, cpuMillicores: amount } : { ...amounts, memoryBytes: amount };
}

/** QoS class by Kubernetes' rule: BestEffort without any amount, Guaranteed where every container has limits equal to its requests. */
export function qosOf(containers: readonly RequestsAndLimits[]): QosClass {
  const given = containers.flatMap(({ requests, limits }) => RESOURCES.flatMap((name) => [requests[FIELD[name]], limits[FIELD[name]]]));
  if (given.every((amount) => amount === null || amount === 0)) return 'BestEffort';
  const guaranteed = containers.every(({ requests, limits }) =>
    RESOURCES.every((name) => {
      const limit = limits[FIELD[name]];
      return limit !== null && limit > 0 && (requests[FIELD[name]] ?? limit) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** Whether any amount is smaller in `to` than in `from`. An amount that `from` does not set cannot be lowered. */
export function hasReduction(from: RequestsAndLimits, to: RequestsAndLimits): boolean {
  return RESOURCES.some((resource) => isReduced(from, to, resource));
}

/** Whether the request or the limit of one resource is smaller in `to` than in `from`. */
export function isReduced(from: RequestsAndLimits, to: RequestsAndLimits, resource: ResourceName): boolean {
  const field = FIELD[resource];
  return isLess(to.requests[field], from.requests[field]) || isLess(to.limits[field], from.limits[field]);
}

/** Whether any amount is greater in `to` than in `from`, or a request is set that `from` does not set. */
export function hasIncrease(from: RequestsAndLimits, to: RequestsAndLimits): boolean {
  return hasReduction(to, from) || RESOURCES.some((name) => from.requests[FIELD[name]] === null && to.requests[FIELD[name]] !== null);
}

/** Whether both are set, and the first is less. */
export function isLess(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && a < b;
}

/** The greater amounts of each container; a container in only one of both keeps its values. */
export function greaterOf(a: Values, b: Values): Values {
  const both = new Map(a);
  for (const [name, values] of b) {
    const other = both.get(name);
    both.set(name, other === undefined ? values : greaterValues(other, values));
  }
  return both;
}

/** The greater of each request and each limit; an unset amount counts as smaller. */
export function greaterValues(a: RequestsAndLimits, b: RequestsAndLimits): RequestsAndLimits {
  const of = (one: OptionalResources, other: OptionalResources): OptionalResources => ({
    cpuMillicores: greaterAmount(one.cpuMillicores, other.cpuMillicores),
    memoryBytes: greaterAmount(one.memoryBytes, other.memoryBytes),
  });
  return { requests: of(a.requests, b.requests), limits: of(a.limits, b.limits) };
}

/** The first resource whose limit is below its request; null: none. */
export function limitBelowRequest({ requests, limits }: RequestsAndLimits): ResourceName | null {
  const isBelow = (request: number | null, limit: number | null): boolean => request !== null && limit !== null && limit < request;
  return RESOURCES.find((resource) => isBelow(requests[FIELD[resource]], limits[FIELD[resource]])) ?? null;
}
