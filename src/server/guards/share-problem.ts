import type { ShareRefusal } from '../../runtime/clients/fair-share.ts';
import { Problem, notReady } from '../problem.ts';

/** 429 to a client that has its share, 503 where all is taken. `what`, in the plural: "streams". */
export function shareProblem(what: string, refusal: ShareRefusal): Problem {
  if (refusal === 'total') return notReady(`Too many ${what} are open on this replica. Try again shortly.`, RETRY_AFTER_SECONDS);
  return new Problem('rate_limited', `Too many ${what} are open from this address. Try again shortly.`, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}

/** Both refusals name it. */
export const RETRY_AFTER_SECONDS = 5;
