import { MOVED_ON } from '../../commands/outcome.ts';
import type { Found } from '../../queries/outcome.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { entityTag, tagMatches } from '../etag.ts';
import { Problem, invalidRequest } from '../problem.ts';
import type { Scope } from '../../core/access/scope.ts';

/** Refuses a mutation whose caller has seen another state than the present one. The tag is that of the object's own GET. */
export async function requireMatch(ifMatch: string | null, scope: Scope, current: () => Promise<Found<unknown> | Refusal>): Promise<void> {
  if (ifMatch === null) return;
  const now = await current();
  // What is not there is the command's own refusal to tell.
  if (now.kind !== 'found') return;
  if (tagMatches(ifMatch, entityTag(now.item, 1, scope.key))) return;
  throw new Problem('conflict', MOVED_ON.message);
}

/** For mutations of what has no GET of its own. */
export function refuseIfMatch(ifMatch: string | null): void {
  if (ifMatch === null) return;
  throw invalidRequest([{ path: 'header.if-match', message: 'has no meaning here: nothing of its own is read by a GET' }]);
}
