// What everything else sees of a temporary overage: nothing. It decides and acts as if the limit had its previous value.

import type { RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { isApplied, type LimitException } from '../model/limit-exception.ts';

const FIELD = { cpu: 'cpuMillicores', memory: 'memoryBytes' } as const satisfies Record<ResourceName, string>;

/** Values as they are carried out while an overage is in force: the limit that it is about is left as each pod has it. */
export function besideOverages(
  values: ReadonlyMap<string, RequestsAndLimits>,
  exceptions: readonly LimitException[],
): ReadonlyMap<string, RequestsAndLimits> {
  const applied = exceptions.filter(isApplied);
  if (applied.length === 0) return values;
  const result = new Map(values);
  for (const { container, resource } of applied) {
    const own = result.get(container);
    if (own !== undefined) result.set(container, { ...own, limits: { ...own.limits, [FIELD[resource]]: null } });
  }
  return result;
}

/** What a container has, its temporary overage apart. A Guaranteed pod's request went with the limit, and is its equal again. */
export function withoutOverages(container: string, present: RequestsAndLimits, exceptions: readonly LimitException[]): RequestsAndLimits {
  let { requests, limits } = present;
  for (const exception of exceptions) {
    const { overage, resource } = exception;
    if (exception.container !== container || overage === null || !isApplied(exception)) continue;
    const field = FIELD[resource];
    const [limit, request] = [limits[field], requests[field]];
    if (limit === null || limit <= overage.before || limit > overage.value) continue;
    if (request === limit) requests = { ...requests, [field]: overage.before };
    limits = { ...limits, [field]: overage.before };
  }
  return { requests, limits };
}

/** What an overage gives, as limits of its container alone. */
export function overageValues({ container, resource, overage }: LimitException): ReadonlyMap<string, RequestsAndLimits> {
  const none = { cpuMillicores: null, memoryBytes: null };
  return new Map([[container, { requests: none, limits: { ...none, [FIELD[resource]]: overage?.value ?? null } }]]);
}
