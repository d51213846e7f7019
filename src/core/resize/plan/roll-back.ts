// Going back to the values before: because a user asks for it, or because pods were harmed by the change.

import type { Instant } from '../../model/units.ts';
import type { Draft } from './draft.ts';
import { harmSeen } from './harm-seen.ts';
import { rolledBack } from './memory-steps.ts';
import { lookAtWatched, withoutEnded } from './watched-reductions.ts';

export function rollBackOnRequest(draft: Draft): void {
  const { userRequests, memory } = draft.context;
  if (userRequests.rollback === null || memory.rolledBack?.requestedAt === userRequests.rollback.at) return;
  const by = userRequests.rollback.by === '' ? 'a person' : userRequests.rollback.by;
  rollBack(draft, 'request', `asked for by ${by}`, userRequests.rollback.at);
}

export function rollBackOnHarm(draft: Draft): void {
  const harm = harmSeen(draft.context);
  if (harm !== null) rollBack(draft, harm.reason, harm.message, null);
}

/** Harm in what has been in force for hours: all that is watched goes back, and what is on its way does not come. */
export function rollBackWatched(draft: Draft): void {
  const seen = lookAtWatched(draft.context);
  if (seen === null) return;
  draft.remember({ watched: seen.watched });
  if (seen.harm === null) return;
  draft.remember({ previous: { at: draft.context.now, values: seen.before } });
  rollBack(draft, seen.harm.reason, seen.harm.message, null);
}

/** What has ended by now is watched no longer. */
export function endWatches(draft: Draft): void {
  if (draft.memory.watched.some(({ until }) => until <= draft.context.now)) draft.remember(withoutEnded(draft.memory, draft.context.now));
}

function rollBack(draft: Draft, reason: string, message: string, requestedAt: Instant | null): void {
  draft.rememberInForce(rolledBack(draft.memory, draft.context.now, { reason, message, requestedAt }));
  draft.notes.push({
    type: requestedAt === null ? 'Warning' : 'Normal',
    reason: 'RolledBack',
    message: `back to the values before: ${message}`,
  });
}
