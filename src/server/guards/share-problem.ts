import type { ShareRefusal } from '../../runtime/clients/fair-share.ts';
import { Problem, notReady } from '../problem.ts';

/** 429 for a client above its share, 503 where the total is used up. @param what resource in the plural: "streams" */
export function shareProblem(what: string, refusal: ShareRefusal): Problem {
  if (refusal === 'total') return notReady(`Too many ${what} are open on this replica. Try again shortly.`, RETRY_AFTER_SECONDS);
  return new Problem('rate_limited', `Too many ${what} are open from this address. Try again shortly.`, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}

/** Retry-After of both refusals. */
export const RETRY_AFTER_SECONDS = 5;
