// State machine of one limit exception: it opens by evidence, gets an overage where the policy permits it, is approved or rejected by a
// user or resolved automatically, and opens again where demand grows. Pure: computes the next state from the stored one.

import { greaterAmount, type ResourceName } from '#kube/records/resources';
import { DAY_MS, MiB, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { CLEAR_RATIO, type Evidence, type ResourceFacts } from './evidence.ts';
import {
  isApplied,
  LIMIT_EXCEPTION_TYPES,
  RETENTION_MS,
  type ExceptionDecision,
  type LimitException,
} from '../../model/limit-exception.ts';
import { asDecided } from './pending.ts';
import type { OverageOffer } from './overage-offer.ts';
import type { Capped } from './proposal.ts';
import { isLeakApproved } from '../../plan/container/leak.ts';
import { withOverage } from './granted-overage.ts';

/** Inputs of one transition. */
export interface StepInputs {
  readonly now: Instant;
  /** null: the container does not exist any more. */
  readonly facts: ResourceFacts | null;
  /** Proposed value for the evidence; null without evidence. */
  readonly proposed: Capped | null;
  /** Overage that pods may have. */
  readonly offer: OverageOffer;
  /** User decision to execute now; null: none, or not in this mode. */
  readonly decision: ExceptionDecision | null;
}

/** How long demand must stay below `CLEAR_RATIO` before the exception is resolved. */
const CLEAR_FOR_MS: DurationMs = DAY_MS;
/** A rejected exception opens again when demand has grown by this ratio. */
const GROWN_RATIO: Ratio = 1.2;
/** A smaller growth of the observed demand is not written. */
const MIN_UPDATE_RATIO: Ratio = 0.05;
const RECURRING = 3;
const CONSTANT_USAGE =
  'memory has been steady at the limit for 3 hours without an OOM kill: probably page cache, which the kernel reclaims';

/** The next state of an exception; null: none is stored. */
export function nextException(before: LimitException | null, inputs: StepInputs): LimitException | null {
  const evidence = inputs.facts?.evidence ?? null;
  if (before === null) return evidence === null ? null : open(null, evidence, inputs);
  if (before.state === 'open') return withOverage(nextOpen(before, inputs), inputs.offer, inputs.facts?.demand ?? null, inputs.now);
  return nextClosed(before, inputs);
}

/** Whether it opened at least 3 times within 7 days. */
export function isRecurring({ openCount }: LimitException): boolean {
  return openCount.length >= RECURRING;
}

function open(before: LimitException | null, evidence: Evidence, inputs: StepInputs): LimitException {
  const { now, facts, proposed } = inputs;
  const { type, bound, limit, observed } = evidence;
  const base: LimitException = {
    container: facts?.container ?? '',
    resource: facts?.resource ?? 'memory',
    type,
    state: 'open',
    bound,
    limit,
    observed: wholeUnits(facts?.resource ?? 'memory', observed),
    proposed: type === 'leak' ? null : (proposed?.value ?? null),
    evidence: '',
    openedAt: now,
    // An OOM kill is reported later than it happened; the opening counts it, so it is dated now.
    lastSeenAt: now,
    occurrences: 1,
    clearSince: null,
    closedAt: null,
    decided: null,
    inEffect: false,
    ...continueFrom(before, now),
    ceilingReached: false,
  };
  return withOverage({ ...base, evidence: describeEvidence(base, evidence, inputs) }, inputs.offer, facts?.demand ?? null, now);
}

/** Fields that a new opening takes over from the previous one. */
function continueFrom(
  before: LimitException | null,
  now: Instant,
): Pick<LimitException, 'openCount' | 'approvedBaseline' | 'leakApprovedAt' | 'overage'> {
  if (before === null) return { openCount: [now], approvedBaseline: null, leakApprovedAt: null, overage: null };
  const { openCount, approvedBaseline, leakApprovedAt, overage } = before;
  return {
    openCount: [...openCount.filter((at) => now - at < RETENTION_MS), now].slice(-8),
    approvedBaseline,
    leakApprovedAt,
    // An overage that pods still have from the previous opening is continued.
    overage: isApplied(before) && overage !== null ? { ...overage, since: now, until: now } : null,
  };
}

function nextOpen(before: LimitException, inputs: StepInputs): LimitException {
  const { now, facts, decision } = inputs;
  if (decision !== null) return applyDecision(before, decision, now);
  if (facts === null) return close(before, 'resolved', now, 'the container was removed');
  if (before.type === 'leak' && facts.evidence?.type !== 'leak') return close(before, 'resolved', now, 'memory no longer grows steadily');
  if (facts.evidence !== null) return recordEvidence(before, facts.evidence, inputs);
  const moved = before.bound === 'limit' ? findRaisedLimit(before, facts.limit) : findRaisedCeiling(before, facts);
  if (moved !== null) return close(before, 'resolved', now, moved);
  const limit = before.bound === 'limit' ? Math.max(before.limit, facts.limit ?? 0) : before.limit;
  if (facts.demand !== null && isSteadyPageCache(before, facts, facts.demand >= limit * CLEAR_RATIO))
    return close(before, 'resolved', now, CONSTANT_USAGE);
  return facts.demand === null ? before : updateClearSince(before, facts.demand < limit * CLEAR_RATIO, now);
}

/** Whether memory near the limit is steady page cache. Not with an overage, of which a part above the limit is in use. */
function isSteadyPageCache(before: LimitException, { isConstant }: ResourceFacts, isNear: boolean): boolean {
  return isConstant && isNear && before.bound === 'limit' && before.type === 'usage-over-limit' && !isApplied(before);
}

/** Message where the limit was raised or removed meanwhile; null: it was not. */
function findRaisedLimit({ proposed }: LimitException, limit: number | null): string | null {
  if (limit === null) return 'there is no limit any more';
  return proposed !== null && limit >= proposed ? 'the limit has been raised' : null;
}

/** Message where the ceiling was raised or removed, so that the recommendation is above it; null: it was not, or an overage is in force. */
function findRaisedCeiling(before: LimitException, { target, ceiling }: ResourceFacts): string | null {
  return target !== null && target > before.limit && ceiling === null && !isApplied(before)
    ? 'the ceiling no longer bounds the recommendation'
    : null;
}

function updateClearSince(before: LimitException, isClear: boolean, now: Instant): LimitException {
  if (!isClear) return before.clearSince === null ? before : { ...before, clearSince: null };
  if (before.clearSince === null) return { ...before, clearSince: now };
  if (now - before.clearSince < CLEAR_FOR_MS) return before;
  return close(before, 'resolved', now, `demand has stayed below ${CLEAR_RATIO * 100} % of the limit for 24 hours`);
}

function recordEvidence(before: LimitException, evidence: Evidence, inputs: StepInputs): LimitException {
  const isMoreSevere = LIMIT_EXCEPTION_TYPES.indexOf(evidence.type) > LIMIT_EXCEPTION_TYPES.indexOf(before.type);
  const killedAgain = evidence.type === 'oom-killed' && evidence.at > before.lastSeenAt;
  const again = before.clearSince !== null || isMoreSevere || killedAgain;
  const counted: LimitException = again
    ? { ...before, clearSince: null, occurrences: before.occurrences + 1, lastSeenAt: Math.max(before.lastSeenAt, evidence.at) }
    : before;
  // Less severe evidence of another type changes no amounts.
  if (!isMoreSevere && evidence.type !== before.type) return counted;
  const observed = Math.max(before.observed, wholeUnits(before.resource, evidence.observed));
  if (!again && observed <= before.observed * (1 + MIN_UPDATE_RATIO)) return before;
  const { type, bound } = evidence;
  const limit = isApplied(before) && bound === before.bound ? before.limit : evidence.limit;
  // The proposed value only grows while the exception is open, so that it does not fall below the value that a user approves.
  const previousProposal = bound === before.bound ? before.proposed : null;
  const proposed = type === 'leak' ? null : greaterAmount(previousProposal, inputs.proposed?.value ?? null);
  const next: LimitException = { ...counted, type, bound, limit, observed, proposed };
  return { ...next, evidence: describeEvidence(next, evidence, inputs) };
}

/** The amount of the evidence to compare with the exception: usage with usage, a recommendation with a recommendation. */
function demandOf(evidence: Evidence, before: LimitException): number {
  return evidence.type === before.type ? evidence.observed : evidence.used;
}

/** Rounds to whole millicores or MiB, for display. */
function wholeUnits(resource: ResourceName, amount: number): number {
  return resource === 'cpu' ? Math.round(amount) : Math.ceil(amount / MiB) * MiB;
}

function applyDecision(before: LimitException, decision: ExceptionDecision, now: Instant): LimitException {
  const decided = asDecided(before, [decision], 'Auto');
  return decided === before ? before : { ...decided, closedAt: now };
}

function close(before: LimitException, state: LimitException['state'], now: Instant, reason: string): LimitException {
  return { ...before, state, closedAt: now, evidence: `${reason}; before: ${before.evidence}`.slice(0, 1024) };
}

function nextClosed(before: LimitException, inputs: StepInputs): LimitException | null {
  const { now, facts } = inputs;
  const evidence = facts?.evidence ?? null;
  if (evidence !== null && canReopen(before, evidence, now)) return open(before, evidence, inputs);
  const old = now - (before.closedAt ?? now) >= RETENTION_MS;
  const holds = (before.approvedBaseline !== null || isLeakApproved(before, now)) && facts !== null;
  return old && !holds && !isApplied(before) ? null : before;
}

function canReopen(before: LimitException, evidence: Evidence, now: Instant): boolean {
  // An OOM kill that was counted before is no new evidence.
  if (evidence.type === 'oom-killed' && evidence.at <= (before.closedAt ?? before.openedAt)) return false;
  switch (before.state) {
    case 'rejected':
      return hasGrown(before, evidence) || now - (before.decided?.at ?? now) >= RETENTION_MS;
    case 'approved':
      // Until the approved value is in force, the evidence is still that of the approval.
      return before.type === 'leak' || evidence.limit >= (before.decided?.value ?? before.limit);
    case 'open':
    case 'resolved':
      return true;
  }
}

/** Whether demand has grown since. Growth of a leak is expected and does not count. */
function hasGrown(before: LimitException, evidence: Evidence): boolean {
  const isSameLeak = before.type === 'leak' && evidence.type === 'leak';
  return !isSameLeak && demandOf(evidence, before) > before.observed * GROWN_RATIO;
}

function describeEvidence(exception: LimitException, evidence: Evidence, { proposed, offer }: StepInputs): string {
  const cap = proposed?.cappedBy ?? null;
  const parts = [
    evidence.message,
    cap === null ? null : proposed?.value === null ? `${cap} permits no more` : `the proposal is bounded by ${cap}`,
    offer.noneReason === null ? null : `no temporary overage: ${offer.noneReason}`,
    isRecurring(exception)
      ? `opened ${exception.openCount.length} times in 7 days: approve it as the new baseline, or reduce demand`
      : null,
  ];
  return parts
    .filter((part) => part !== null)
    .join('; ')
    .slice(0, 1024);
}
