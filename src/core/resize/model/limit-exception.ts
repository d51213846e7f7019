// A limit exception: demand passes what a container may have, and what it may have is not ours to move without asking.
// One a container and resource; kept in the Recommendation's status, so that no restart loses any of it.

import type { ResourceName } from '#kube/records/resources';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';

/** What happened, the gravest last: while it is open an exception's type only grows graver. */
export const LIMIT_EXCEPTION_TYPES = ['recommendation-over-ceiling', 'cpu-throttled', 'usage-over-limit', 'oom-killed', 'leak'] as const;
export type LimitExceptionType = (typeof LIMIT_EXCEPTION_TYPES)[number];

export const LIMIT_EXCEPTION_STATES = ['open', 'approved', 'rejected', 'resolved'] as const;
export type LimitExceptionState = (typeof LIMIT_EXCEPTION_STATES)[number];

/** What is in the way: the limit that pods have, or the ceiling that a request may not pass. */
export const EXCEPTION_BOUNDS = ['limit', 'ceiling'] as const;
export type ExceptionBound = (typeof EXCEPTION_BOUNDS)[number];

/** More than the limit, for a while. Written down before the first pod gets it, so that it is taken back whatever happens. */
export interface Overage {
  /** The limit before: what is put back. */
  readonly before: number;
  /** What the pods get. */
  readonly value: number;
  readonly since: Instant;
  /** It is taken back from then on, even while the exception is open. */
  readonly until: Instant;
  /** When the last pod was back; null: pods have it, or may have it. */
  readonly returnedAt: Instant | null;
}

/** Amounts in millicores or bytes. */
export interface LimitException {
  readonly container: string;
  readonly resource: ResourceName;
  readonly type: LimitExceptionType;
  readonly state: LimitExceptionState;
  readonly bound: ExceptionBound;
  /** The limit or ceiling in the way. */
  readonly limit: number;
  /** The most that was seen or asked for while it was open. */
  readonly observed: number;
  /** null: there is no greater value that the cluster would take; the evidence says why. */
  readonly proposed: number | null;
  readonly evidence: string;
  readonly openedAt: Instant;
  /** The last time that counted as one more occurrence. */
  readonly lastSeenAt: Instant;
  readonly occurrences: number;
  /** Demand has stayed under 80 % of the limit since; null: it is above. */
  readonly clearSince: Instant | null;
  /** Earlier openings inside 7 days, this one included, the newest last. */
  readonly openCount: readonly Instant[];
  /** When it left `open`. */
  readonly closedAt: Instant | null;
  /** Who approved or rejected it; `value`: what was approved. */
  readonly decided: { readonly at: Instant; readonly by: string; readonly value: number | null } | null;
  /** Whether what was approved is in force: from then on a hand may change it again. */
  readonly settled: boolean;
  /** The limit that was approved last: nothing goes below it before a person changes it, whatever becomes of the exception. */
  readonly approvedBaseline: { readonly value: number; readonly at: Instant } | null;
  /** When a person approved memory that grows without end: for 30 days it is no leak. null: not approved. */
  readonly leakApprovedAt: Instant | null;
  readonly overage: Overage | null;
  /** It was reported that even the overage is too little. */
  readonly ceilingReached: boolean;
}

/** What a person decided about an exception that was open then. */
export interface ExceptionDecision {
  readonly container: string;
  readonly resource: ResourceName;
  readonly decision: 'approve' | 'reject';
  /** In place of what is proposed; null: that. */
  readonly value: number | null;
  readonly at: Instant;
  readonly by: string;
}

/** Closed ones are kept, and openings counted, for so long. A rejection holds as long. */
export const REMEMBERED_MS: DurationMs = 7 * DAY_MS;

/** Whether pods have more than their limit for the time being, or are still to be brought back. */
export function isApplied({ overage }: LimitException): boolean {
  return overage !== null && overage.returnedAt === null;
}

/** Whether what was given is to be taken back now. */
export function isReturning(exception: LimitException, now: Instant): boolean {
  return isApplied(exception) && (exception.state !== 'open' || now >= (exception.overage?.until ?? now));
}

/** Tells exceptions apart: one a container and resource. */
export function exceptionKey({ container, resource }: Pick<LimitException, 'container' | 'resource'>): string {
  return `${container}/${resource}`;
}

/** A ceiling that a person has approved, to be written onto the workload. */
export interface ApprovedCeiling {
  readonly container: string;
  readonly resource: ResourceName;
  readonly value: number;
}
