// Whether evenkeel-autoscaler holds its Lease. Pace Hourly is in force only then: the autoscaler provisions nodes for the forecast
// and for deferred resizes, so that node capacity follows the hour.

import { SECOND_MS, type DurationMs } from '#kube/units';

export const AUTOSCALER_LEASE = 'evenkeel-autoscaler';

/** State of the Lease at its last reading. */
export type AutoscalerLease = { readonly isHeld: true } | { readonly isHeld: false; readonly reason: string };

/** State for an absent, released or expired Lease. */
export const NO_AUTOSCALER_LEASE: AutoscalerLease = {
  isHeld: false,
  reason: `${AUTOSCALER_LEASE} holds no lease: it is not running or has no leader`,
};

/** State after a failed read: pace Hourly requires a Lease that is known to be held. */
export function unreadableLease(problem: string): AutoscalerLease {
  return { isHeld: false, reason: `the lease of ${AUTOSCALER_LEASE} cannot be read: ${problem}` };
}

/** Fields of a coordination.k8s.io Lease. */
interface LeaseFields {
  /** Empty when released. */
  readonly holder: string;
  readonly leaseDurationSeconds: number;
  readonly renewTime: string;
}

/**
 * State of the Lease. One whose renewTime lies further in the future than its duration does not count as held: it would not expire.
 * @param nowMs time of this machine
 */
export function autoscalerLeaseOf(lease: LeaseFields | undefined, nowMs: number): AutoscalerLease {
  if (lease === undefined || lease.holder === '') return NO_AUTOSCALER_LEASE;
  const leaseMs: DurationMs = lease.leaseDurationSeconds * SECOND_MS;
  const ageMs = nowMs - Date.parse(lease.renewTime);
  if (ageMs + leaseMs < 0) {
    return { isHeld: false, reason: `the lease of ${AUTOSCALER_LEASE} was renewed in the future: the clocks of its node and ours differ` };
  }
  return ageMs < leaseMs ? { isHeld: true } : NO_AUTOSCALER_LEASE;
}
