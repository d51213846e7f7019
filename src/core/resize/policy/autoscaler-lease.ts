// Whether evenkeel-autoscaler holds its lease. Pace Hourly is in force only then: the autoscaler knows the forecast and treats a
// deferred resize as pending demand, so that nodes follow the hour.

import { SECOND_MS, type DurationMs } from '#kube/units';

export const AUTOSCALER_LEASE = 'evenkeel-autoscaler';

/** As it was read last. */
export type AutoscalerLease = { readonly isHeld: true } | { readonly isHeld: false; readonly reason: string };

/** Absent, released and expired leases are the same to a policy. */
export const NO_AUTOSCALER_LEASE: AutoscalerLease = {
  isHeld: false,
  reason: `${AUTOSCALER_LEASE} holds no lease: it does not run, or has no leader`,
};

/** What is known of it where reading it failed: pace Hourly needs proof. */
export function unreadableLease(problem: string): AutoscalerLease {
  return { isHeld: false, reason: `the lease of ${AUTOSCALER_LEASE} cannot be read: ${problem}` };
}

/** A coordination.k8s.io Lease. */
interface LeaseFields {
  /** Empty when released. */
  readonly holder: string;
  readonly leaseDurationSeconds: number;
  readonly renewTime: string;
}

/** @param nowMs the time of this machine. A lease that another clock has renewed ahead of it by more than its duration proves nothing. */
export function autoscalerLeaseOf(lease: LeaseFields | undefined, nowMs: number): AutoscalerLease {
  if (lease === undefined || lease.holder === '') return NO_AUTOSCALER_LEASE;
  const leaseMs: DurationMs = lease.leaseDurationSeconds * SECOND_MS;
  const ageMs = nowMs - Date.parse(lease.renewTime);
  if (ageMs + leaseMs < 0) {
    return { isHeld: false, reason: `the lease of ${AUTOSCALER_LEASE} was renewed in the future: the clocks of its node and ours differ` };
  }
  return ageMs < leaseMs ? { isHeld: true } : NO_AUTOSCALER_LEASE;
}
