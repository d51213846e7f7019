// Compares approvals and rejections by users with the present recommendation.

import type { RequestsAndLimits } from '#kube/records/resources';
import type { Instant, Ratio } from '#kube/units';
import { FIELD, RESOURCES, withAmount, type Values } from '../../model/container-values.ts';
import { USER_REQUEST_EXPIRES_AFTER_MS, type UserRequests } from '../../model/situation.ts';

/** State of an approval. */
export type ApprovalState =
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly values: Values; readonly by: string }
  | { readonly kind: 'lapsed'; readonly message: string };

/**
 * Whether an approval is valid. It lapses after 7 days, when the recommendation rises by more than the tolerance, where its values exceed
 * both the recommendation and the values in force, limits included, and where it would lower a limit further than now recommended.
 * @param tolerance relative tolerance by container and resource
 */
export function approvalState(
  approved: UserRequests['approved'],
  recommended: Values,
  inForce: Values,
  tolerance: (container: string, resource: 'cpu' | 'memory') => Ratio,
  now: Instant,
): ApprovalState {
  if (approved === null) return { kind: 'none' };
  if (now - approved.at >= USER_REQUEST_EXPIRES_AFTER_MS) return { kind: 'lapsed', message: 'the approval is older than 7 days' };
  for (const [name, values] of approved.values) {
    const target = recommended.get(name);
    const current = inForce.get(name);
    if (target === undefined || current === undefined) return { kind: 'lapsed', message: `container ${name} has no recommendation` };
    for (const resource of RESOURCES) {
      const message = findLapseReason(`${resource} of ${name}`, resource, {
        values,
        target,
        current,
        slack: 1 + tolerance(name, resource),
      });
      if (message !== null) return { kind: 'lapsed', message };
    }
  }
  return { kind: 'valid', values: approved.values, by: approved.by };
}

interface HeldRequest {
  readonly values: RequestsAndLimits;
  readonly target: RequestsAndLimits;
  readonly current: RequestsAndLimits;
  readonly slack: number;
}

function findLapseReason(what: string, resource: 'cpu' | 'memory', { values, target, current, slack }: HeldRequest): string | null {
  const field = FIELD[resource];
  const [value, wanted] = [values.requests[field], target.requests[field]];
  if (value !== null && wanted !== null) {
    if (wanted > value * slack) return `the recommendation for ${what} has risen since`;
    if (value > Math.max(wanted, current.requests[field] ?? 0) * slack) return `the approved ${what} differs from the recommendation`;
  }
  const [limit, wantedLimit, limitNow] = [values.limits[field], target.limits[field], current.limits[field]];
  if (limit === null) return null;
  const greatest = Math.max(wantedLimit ?? 0, limitNow ?? 0);
  if (limit > greatest * slack) return `the approved limit of ${what} differs from the recommendation`;
  // A limit is only lowered as far as recommended now, and not where a greater one was applied since.
  if (wantedLimit === null || limit >= (limitNow ?? 0)) return null;
  return wantedLimit > limit * slack ? `the limit of ${what} may no longer be lowered that far` : null;
}

/** Approved values with the amounts that the approval leaves out: they stay as they are, and a limit that equals its request stays equal. */
export function withOmittedAmounts(approved: Values, inForce: Values): Values {
  return new Map(
    [...approved].map(([name, values]) => {
      const present = inForce.get(name) ?? values;
      let { requests, limits } = values;
      for (const resource of RESOURCES) {
        const field = FIELD[resource];
        const isEqual = present.limits[field] !== null && present.limits[field] === present.requests[field];
        requests = withAmount(requests, resource, requests[field] ?? (isEqual ? limits[field] : null) ?? present.requests[field]);
        limits = withAmount(limits, resource, limits[field] ?? (isEqual ? requests[field] : present.limits[field]));
      }
      return [name, { requests, limits }];
    }),
  );
}

/** Time until which rejected values are not recommended again; null: they are not rejected. */
export function rejectedUntil(
  rejected: UserRequests['rejected'],
  recommended: Values,
  tolerance: (container: string, resource: 'cpu' | 'memory') => Ratio,
  now: Instant,
): Instant | null {
  if (rejected === null || now - rejected.at >= USER_REQUEST_EXPIRES_AFTER_MS) return null;
  const moved = [...recommended].some(([name, target]) => {
    const before = rejected.values.get(name);
    return before === undefined || RESOURCES.some((resource) => hasMovedBeyond(before, target, resource, tolerance(name, resource)));
  });
  return moved ? null : rejected.at + USER_REQUEST_EXPIRES_AFTER_MS;
}

function hasMovedBeyond(before: RequestsAndLimits, target: RequestsAndLimits, resource: 'cpu' | 'memory', tolerance: Ratio): boolean {
  const field = FIELD[resource];
  const [was, is] = [before.requests[field], target.requests[field]];
  if (was === null || is === null) return was !== is;
  return Math.abs(is - was) > was * tolerance;
}
