// What people have approved or rejected, held against what is recommended now.

import type { RequestsAndLimits } from '#kube/records/resources';
import type { Instant, Ratio } from '#kube/units';
import { FIELD, RESOURCES, type Values } from '../model/container-values.ts';
import { USER_REQUEST_EXPIRES_AFTER_MS, type UserRequests } from '../model/situation.ts';

/** How far an approval holds. */
export type ApprovalState =
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly values: Values; readonly by: string }
  | { readonly kind: 'lapsed'; readonly message: string };

/**
 * An approval lapses after 7 days, when the recommendation moves upward by more than the tolerance, and where it asks for
 * more than was ever recommended or in force: then it is not an approval of these values. So it does where it would lower a
 * limit further than is recommended now.
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
    if (target === undefined || current === undefined) return { kind: 'lapsed', message: `container ${name} is not recommended for` };
    for (const resource of RESOURCES) {
      const message = whyLapsed(`${resource} of ${name}`, resource, { values, target, current, slack: 1 + tolerance(name, resource) });
      if (message !== null) return { kind: 'lapsed', message };
    }
  }
  return { kind: 'valid', values: approved.values, by: approved.by };
}

interface Held {
  readonly values: RequestsAndLimits;
  readonly target: RequestsAndLimits;
  readonly current: RequestsAndLimits;
  readonly slack: number;
}

function whyLapsed(what: string, resource: 'cpu' | 'memory', { values, target, current, slack }: Held): string | null {
  const field = FIELD[resource];
  const [value, wanted] = [values.requests[field], target.requests[field]];
  if (value !== null && wanted !== null) {
    if (wanted > value * slack) return `the recommendation for ${what} has moved upward since`;
    if (value > Math.max(wanted, current.requests[field] ?? 0) * slack) return `the approved ${what} is not what was recommended`;
  }
  // A limit falls under its guard alone, as it is now; and not where a greater one has been put in force since.
  const [limit, wantedLimit] = [values.limits[field], target.limits[field]];
  if (limit === null || wantedLimit === null || limit >= (current.limits[field] ?? 0)) return null;
  return wantedLimit > limit * slack ? `the limit of ${what} is no longer to be lowered so far` : null;
}

/** Until when these values are not offered again; null: they may be. */
export function rejectedUntil(
  rejected: UserRequests['rejected'],
  recommended: Values,
  tolerance: (container: string, resource: 'cpu' | 'memory') => Ratio,
  now: Instant,
): Instant | null {
  if (rejected === null || now - rejected.at >= USER_REQUEST_EXPIRES_AFTER_MS) return null;
  const moved = [...recommended].some(([name, target]) => {
    const before = rejected.values.get(name);
    return before === undefined || RESOURCES.some((resource) => movedBeyond(before, target, resource, tolerance(name, resource)));
  });
  return moved ? null : rejected.at + USER_REQUEST_EXPIRES_AFTER_MS;
}

function movedBeyond(before: RequestsAndLimits, target: RequestsAndLimits, resource: 'cpu' | 'memory', tolerance: Ratio): boolean {
  const field = FIELD[resource];
  const [was, is] = [before.requests[field], target.requests[field]];
  if (was === null || is === null) return was !== is;
  return Math.abs(is - was) > was * tolerance;
}
