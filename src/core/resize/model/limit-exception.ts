// A limit exception: demand exceeds a limit or ceiling that only a user may raise. There is at most one per container and
// resource; it is stored in the Recommendation's status, so that it survives restarts.

import type { ResourceName } from '#kube/records/resources';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';

/** Types by ascending severity: the type of an open exception changes only to a more severe one. */
export const LIMIT_EXCEPTION_TYPES = ['recommendation-over-ceiling', 'cpu-throttled', 'usage-over-limit', 'oom-killed', 'leak'] as const;
export type LimitExceptionType = (typeof LIMIT_EXCEPTION_TYPES)[number];

export const LIMIT_EXCEPTION_STATES = ['open', 'approved', 'rejected', 'resolved'] as const;
export type LimitExceptionState = (typeof LIMIT_EXCEPTION_STATES)[number];

/** The exceeded bound: the limit of the pods, or the ceiling of the request. */
export const EXCEPTION_BOUNDS = ['limit', 'ceiling'] as const;
export type ExceptionBound = (typeof EXCEPTION_BOUNDS)[number];

/** A temporary raise of the limit. It is stored before the first pod gets it, so that it is taken back also after a crash. */
export interface Overage {
  /** The limit before, which is restored. */
  readonly before: number;
  /** The temporary limit. */
  readonly value: number;
  readonly since: Instant;
  /** The limit is restored from this time on, even while the exception is open. */
  readonly until: Instant;
  /** Time at which the last pod had its limit restored; null: pods may still have the overage. */
  readonly returnedAt: Instant | null;
}

/** Demand that exceeds a bound, and the decision about it. Amounts in millicores or bytes. */
export interface LimitException {
  readonly container: string;
  readonly resource: ResourceName;
  readonly type: LimitExceptionType;
  readonly state: LimitExceptionState;
  readonly bound: ExceptionBound;
  /** The exceeded limit or ceiling. */
  readonly limit: number;
  /** Highest usage or recommendation while the exception was open. */
  readonly observed: number;
  /** Proposed value; null: the cluster would accept no greater value, for the reason in `evidence`. */
  readonly proposed: number | null;
  readonly evidence: string;
  readonly openedAt: Instant;
  /** Time of the last counted occurrence. */
  readonly lastSeenAt: Instant;
  readonly occurrences: number;
  /** Since when demand is below 80 % of the limit; null: it is not below. */
  readonly clearSince: Instant | null;
  /** Times at which it opened within 7 days, the newest last. */
  readonly openCount: readonly Instant[];
  /** Time at which it left state `open`. */
  readonly closedAt: Instant | null;
  /** Approval or rejection by a user; `value`: the approved amount. */
  readonly decided: { readonly at: Instant; readonly by: string; readonly value: number | null } | null;
  /** Whether the approved value is in force. Later changes of it are a user's. */
  readonly inEffect: boolean;
  /** The last approved limit: a lower bound until a user changes it, also after the exception is closed. */
  readonly approvedBaseline: { readonly value: number; readonly at: Instant } | null;
  /** Time at which a user approved steadily growing memory, which then does not count as a leak for 30 days. null: not approved. */
  readonly leakApprovedAt: Instant | null;
  readonly overage: Overage | null;
  /** The Event CeilingReached was published: demand exceeds the overage, too. */
  readonly ceilingReached: boolean;
}

/** A user's decision about an open exception. */
export interface ExceptionDecision {
  readonly container: string;
  readonly resource: ResourceName;
  readonly decision: 'approve' | 'reject';
  /** Value that the user chose instead of the proposed one; null: the proposed one. */
  readonly value: number | null;
  readonly at: Instant;
  readonly by: string;
}

/** Retention of closed exceptions and of counted openings, and validity of a rejection. */
export const RETENTION_MS: DurationMs = 7 * DAY_MS;

/** Whether pods have the temporary limit, or may still have it. */
export function isApplied({ overage }: LimitException): boolean {
  return overage !== null && overage.returnedAt === null;
}

/** Whether the temporary limit is to be taken back now. */
export function isOverageEnding(exception: LimitException, now: Instant): boolean {
  return isApplied(exception) && (exception.state !== 'open' || now >= (exception.overage?.until ?? now));
}

/** Unique key of an exception. */
export function exceptionKey({ container, resource }: Pick<LimitException, 'container' | 'resource'>): string {
  return `${container}/${resource}`;
}

/** A ceiling that a user approved, to write to the workload's annotation. Amount in millicores or bytes. */
export interface ApprovedCeiling {
  readonly container: string;
  readonly resource: ResourceName;
  readonly value: number;
}
