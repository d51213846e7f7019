import type { Instant } from '#kube/units';
import { findGrant, hasExpired, type Grants } from './grant.ts';

/** Whether a grant in effect has role admin. A domain has none. */
export function hasAdmin({ byEmail }: Grants, now: Instant): boolean {
  return [...byEmail.values()].some((grant) => grant?.role === 'admin' && !hasExpired(grant, now));
}

/** Why an admin may not replace the grants by others; null: they may. Without an admin only kubectl could repair the policy. */
export function findLostAdmin(after: Grants, caller: string, now: Instant): string | null {
  if (!hasAdmin(after, now)) return 'The policy would have no admin: give role admin to an address whose grant has not expired.';
  if (findGrant(after, caller, now)?.role === 'admin') return null;
  return `The policy would remove your own role admin. Keep the grant of ${caller}, or let another admin remove it.`;
}
