// Hides temporary overages from other decisions, which see the limit's previous value and do not overwrite the temporary one.

import type { RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { isApplied, type LimitException } from '../../model/limit-exception.ts';

const FIELD = { cpu: 'cpuMillicores', memory: 'memoryBytes' } as const satisfies Record<ResourceName, string>;

/** Values to apply while overages are in force: their limits are unset, so that each pod keeps its own. */
export function keepOverages(
  values: ReadonlyMap<string, RequestsAndLimits>,
  exceptions: readonly LimitException[],
): ReadonlyMap<string, RequestsAndLimits> {
  const applied = exceptions.filter(isApplied);
  if (applied.length === 0) return values;
  const result = new Map(values);
  for (const { container, resource } of applied) {
    const wanted = result.get(container);
    if (wanted !== undefined) result.set(container, { ...wanted, limits: { ...wanted.limits, [FIELD[resource]]: null } });
  }
  return result;
}

/** A container's values without temporary overages. The request of a Guaranteed pod was raised together with the limit, so it is restored, too. */
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

/** The temporary limit of an overage as values: one container, and no other amount. */
export function overageValues({ container, resource, overage }: LimitException): ReadonlyMap<string, RequestsAndLimits> {
  const none = { cpuMillicores: null, memoryBytes: null };
  return new Map([[container, { requests: none, limits: { ...none, [FIELD[resource]]: overage?.value ?? null } }]]);
}
