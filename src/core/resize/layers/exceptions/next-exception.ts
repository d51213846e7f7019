// The life of one limit exception: opened by evidence, given an overage where the policy lets it, decided by a person or
// resolved by itself, opened again where demand grows. Pure: one step, from what was written down to what is to be.

import { greaterAmount, type ResourceName } from '#kube/records/resources';
import { DAY_MS, MiB, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { CLEAR_RATIO, type Evidence, type ResourceFacts } from './evidence.ts';
import {
  isApplied,
  LIMIT_EXCEPTION_TYPES,
  REMEMBERED_MS,
  type ExceptionDecision,
  type LimitException,
} from '../../model/limit-exception.ts';
import { asDecided } from './pending.ts';
import type { OverageOffer } from './overage-offer.ts';
import type { Capped } from './proposal.ts';
import { isLeakApproved } from '../../plan/leak.ts';
import { withOverage } from './given-overage.ts';

/** What one step is made from. */
export interface StepInputs {
  readonly now: Instant;
  /** null: nothing is known of the container any more. */
  readonly facts: ResourceFacts | null;
  /** What the evidence comes to; null where there is none. */
  readonly proposed: Capped | null;
  /** What pods may have for a while. */
  readonly offer: OverageOffer;
  /** Decided by a person, to be carried out now; null: nothing, or not in this mode. */
  readonly decision: ExceptionDecision | null;
}

/** Demand has to stay calm for so long. */
const CLEAR_FOR_MS: DurationMs = DAY_MS;
/** What was rejected is offered again when demand is so much greater. */
const GROWN_RATIO: Ratio = 1.2;
/** A figure that grew by less is not worth a write. */
const NEWS_RATIO: Ratio = 0.05;
const RECURRING = 3;
const CONSTANT_USAGE =
  'its memory has stood at the limit for 3 hours, neither rising nor killed: most likely page cache, which the kernel takes back';

/** @returns what is to be written down; null: nothing any more */
export function nextException(before: LimitException | null, inputs: StepInputs): LimitException | null {
  const evidence = inputs.facts?.evidence ?? null;
  if (before === null) return evidence === null ? null : opened(null, evidence, inputs);
  if (before.state === 'open') return withOverage(nextOpen(before, inputs), inputs.offer, inputs.facts?.demand ?? null, inputs.now);
  return nextClosed(before, inputs);
}

/** How often it was opened inside 7 days. */
export function isRecurring({ openCount }: LimitException): boolean {
  return openCount.length >= RECURRING;
}

function opened(before: LimitException | null, evidence: Evidence, inputs: StepInputs): LimitException {
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
    // A kill is reported after it happened; the opening counts it, so that it is seen now.
    lastSeenAt: now,
    occurrences: 1,
    clearSince: null,
    closedAt: null,
    decided: null,
    settled: false,
    ...goesOnFrom(before, now),
    ceilingReached: false,
  };
  return withOverage({ ...base, evidence: wordsOf(base, evidence, inputs) }, inputs.offer, facts?.demand ?? null, now);
}

/** What an opening takes over from the one before. */
function goesOnFrom(
  before: LimitException | null,
  now: Instant,
): Pick<LimitException, 'openCount' | 'approvedBaseline' | 'leakApprovedAt' | 'overage'> {
  if (before === null) return { openCount: [now], approvedBaseline: null, leakApprovedAt: null, overage: null };
  const { openCount, approvedBaseline, leakApprovedAt, overage } = before;
  return {
    openCount: [...openCount.filter((at) => now - at < REMEMBERED_MS), now].slice(-8),
    approvedBaseline,
    leakApprovedAt,
    // What pods still have of the last time is not given twice: it goes on from there.
    overage: isApplied(before) && overage !== null ? { ...overage, since: now, until: now } : null,
  };
}

function nextOpen(before: LimitException, inputs: StepInputs): LimitException {
  const { now, facts, decision } = inputs;
  if (decision !== null) return decidedUpon(before, decision, now);
  if (facts === null) return closed(before, 'resolved', now, 'the container is gone');
  if (before.type === 'leak' && facts.evidence?.type !== 'leak')
    return closed(before, 'resolved', now, 'its memory no longer grows without end');
  if (facts.evidence !== null) return seenAgain(before, facts.evidence, inputs);
  const moved = before.bound === 'limit' ? movedOutOfTheWay(before, facts.limit) : ceilingOutOfTheWay(before, facts);
  if (moved !== null) return closed(before, 'resolved', now, moved);
  const limit = before.bound === 'limit' ? Math.max(before.limit, facts.limit ?? 0) : before.limit;
  if (facts.demand !== null && wasConstant(before, facts, facts.demand >= limit * CLEAR_RATIO))
    return closed(before, 'resolved', now, CONSTANT_USAGE);
  return facts.demand === null ? before : calmer(before, facts.demand < limit * CLEAR_RATIO, now);
}

/** Of a temporary overage some is in use beyond the limit: that is no page cache at rest. */
function wasConstant(before: LimitException, { isConstant }: ResourceFacts, isNear: boolean): boolean {
  return isConstant && isNear && before.bound === 'limit' && before.type === 'usage-over-limit' && !isApplied(before);
}

/** Raised by the ordinary way or by a hand: what it waited for has come. */
function movedOutOfTheWay({ proposed }: LimitException, limit: number | null): string | null {
  if (limit === null) return 'there is no limit any more';
  return proposed !== null && limit >= proposed ? 'the limit has been raised' : null;
}

/** Taken away or raised: more is recommended now than it let through, and nothing cuts it. What pods have for a while runs out first. */
function ceilingOutOfTheWay(before: LimitException, { target, ceiling }: ResourceFacts): string | null {
  return target !== null && target > before.limit && ceiling === null && !isApplied(before) ? 'the ceiling is no longer in the way' : null;
}

function calmer(before: LimitException, isClear: boolean, now: Instant): LimitException {
  if (!isClear) return before.clearSince === null ? before : { ...before, clearSince: null };
  if (before.clearSince === null) return { ...before, clearSince: now };
  if (now - before.clearSince < CLEAR_FOR_MS) return before;
  return closed(before, 'resolved', now, `demand has stayed under ${CLEAR_RATIO * 100} % of the limit for 24 hours`);
}

function seenAgain(before: LimitException, evidence: Evidence, inputs: StepInputs): LimitException {
  const graver = LIMIT_EXCEPTION_TYPES.indexOf(evidence.type) > LIMIT_EXCEPTION_TYPES.indexOf(before.type);
  const killedAgain = evidence.type === 'oom-killed' && evidence.at > before.lastSeenAt;
  const again = before.clearSince !== null || graver || killedAgain;
  const counted: LimitException = again
    ? { ...before, clearSince: null, occurrences: before.occurrences + 1, lastSeenAt: Math.max(before.lastSeenAt, evidence.at) }
    : before;
  // What is less grave than what is known of it already changes no figure of it.
  if (!graver && evidence.type !== before.type) return counted;
  const observed = Math.max(before.observed, wholeUnits(before.resource, evidence.observed));
  if (!again && observed <= before.observed * (1 + NEWS_RATIO)) return before;
  const { type, bound } = evidence;
  const limit = isApplied(before) && bound === before.bound ? before.limit : evidence.limit;
  // It only grows while it is open: what a person looks at must not sink under their hand.
  const kept = bound === before.bound ? before.proposed : null;
  const proposed = type === 'leak' ? null : greaterAmount(kept, inputs.proposed?.value ?? null);
  const next: LimitException = { ...counted, type, bound, limit, observed, proposed };
  return { ...next, evidence: wordsOf(next, evidence, inputs) };
}

/** Compares like with like: usage with usage, a recommendation with a recommendation. */
function demandOf(evidence: Evidence, before: LimitException): number {
  return evidence.type === before.type ? evidence.observed : evidence.used;
}

/** Whole millicores, or MiB: a person reads it. */
function wholeUnits(resource: ResourceName, amount: number): number {
  return resource === 'cpu' ? Math.round(amount) : Math.ceil(amount / MiB) * MiB;
}

function decidedUpon(before: LimitException, decision: ExceptionDecision, now: Instant): LimitException {
  const decided = asDecided(before, [decision], 'Auto');
  return decided === before ? before : { ...decided, closedAt: now };
}

function closed(before: LimitException, state: LimitException['state'], now: Instant, because: string): LimitException {
  return { ...before, state, closedAt: now, evidence: `${because}; it was: ${before.evidence}`.slice(0, 1024) };
}

function nextClosed(before: LimitException, inputs: StepInputs): LimitException | null {
  const { now, facts } = inputs;
  const evidence = facts?.evidence ?? null;
  if (evidence !== null && mayOpenAgain(before, evidence, now)) return opened(before, evidence, inputs);
  const old = now - (before.closedAt ?? now) >= REMEMBERED_MS;
  const holds = (before.approvedBaseline !== null || isLeakApproved(before, now)) && facts !== null;
  return old && !holds && !isApplied(before) ? null : before;
}

function mayOpenAgain(before: LimitException, evidence: Evidence, now: Instant): boolean {
  // A kill that was reported before is no new evidence.
  if (evidence.type === 'oom-killed' && evidence.at <= (before.closedAt ?? before.openedAt)) return false;
  switch (before.state) {
    case 'rejected':
      return hasGrown(before, evidence) || now - (before.decided?.at ?? now) >= REMEMBERED_MS;
    case 'approved':
      // Until what was approved is in force, the evidence is the one that was approved for.
      return before.type === 'leak' || evidence.limit >= (before.decided?.value ?? before.limit);
    case 'open':
    case 'resolved':
      return true;
  }
}

/** A leak grows by its nature: that it did says nothing new. */
function hasGrown(before: LimitException, evidence: Evidence): boolean {
  const isSameLeak = before.type === 'leak' && evidence.type === 'leak';
  return !isSameLeak && demandOf(evidence, before) > before.observed * GROWN_RATIO;
}

function wordsOf(exception: LimitException, evidence: Evidence, { proposed, offer }: StepInputs): string {
  const cap = proposed?.cappedBy ?? null;
  const parts = [
    evidence.words,
    cap === null ? null : proposed?.value === null ? `${cap} allows no more` : `no more is proposed because of ${cap}`,
    offer.noneReason === null ? null : `no temporary overage: ${offer.noneReason}`,
    isRecurring(exception)
      ? `opened ${exception.openCount.length} times in 7 days: approve it as the new normal, or bring demand down`
      : null,
  ];
  return parts
    .filter((part) => part !== null)
    .join('; ')
    .slice(0, 1024);
}
