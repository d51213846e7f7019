// Grants an open exception an overage, or raises it: once for each opening, and computed from the previous limit, not from an overage.

import type { Instant } from '#kube/units';
import type { LimitException, Overage } from '../../model/limit-exception.ts';
import type { OverageOffer } from './overage-offer.ts';
import { NEAR_LIMIT_RATIO } from './pressure.ts';

/** The exception with its overage. @param demand demand of the last minutes in millicores or bytes; null: unknown */
export function withOverage(exception: LimitException, offer: OverageOffer, demand: number | null, now: Instant): LimitException {
  const { overage } = exception;
  // The policy no longer permits overages, so it is taken back.
  if (!offer.allowed) return overage === null || overage.until <= now ? exception : { ...exception, overage: { ...overage, until: now } };
  if (exception.state !== 'open' || exception.bound !== 'limit' || offer.value === null) return exception;
  if (overage === null || isLeftOver(overage)) return { ...exception, overage: grantOverage(exception, offer, offer.value, now) };
  if (overage.returnedAt !== null || now >= overage.until) return exception;
  if (offer.value > overage.value) return { ...exception, overage: { ...overage, value: offer.value } };
  const isShort = demand !== null && demand >= overage.value * NEAR_LIMIT_RATIO;
  return isShort && !exception.ceilingReached ? withCeilingReached(exception, offer) : exception;
}

/** Whether the overage is of the previous opening and not yet taken back. */
function isLeftOver({ since, until }: Overage): boolean {
  return until <= since;
}

function grantOverage({ limit, overage }: LimitException, { forMs }: OverageOffer, value: number, now: Instant): Overage {
  return {
    before: overage?.before ?? limit,
    value: Math.max(value, overage?.value ?? 0),
    since: now,
    until: now + forMs,
    returnedAt: null,
  };
}

function withCeilingReached(exception: LimitException, { cappedBy }: OverageOffer): LimitException {
  const cap = cappedBy === null ? '' : ` (${cappedBy})`;
  const evidence = `CeilingReached: demand has reached the temporary limit${cap}; ${exception.evidence}`;
  return { ...exception, ceilingReached: true, evidence: evidence.slice(0, 1024) };
}
