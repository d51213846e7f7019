// Exceptions as shown to users: a user's decision counts at once, before it is executed.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import { exceptionKey, type ExceptionDecision, type LimitException } from '../../model/limit-exception.ts';

/** Whether an approval is executed in a mode. A rejection is executed in every mode. */
export function canApprove(mode: ResizeMode): boolean {
  return mode === 'Auto' || mode === 'Approve';
}

/** The pending user decision about an open exception; null: none, or it was about an earlier opening. */
export function pendingDecision(exception: LimitException, decisions: readonly ExceptionDecision[]): ExceptionDecision | null {
  if (exception.state !== 'open') return null;
  const decision = decisions.find((each) => exceptionKey(each) === exceptionKey(exception));
  return decision !== undefined && decision.at >= exception.openedAt ? decision : null;
}

/** The exception after its pending user decision. */
export function asDecided(exception: LimitException, decisions: readonly ExceptionDecision[], mode: ResizeMode): LimitException {
  const pending = pendingDecision(exception, decisions);
  if (pending === null || (pending.decision === 'approve' && !canApprove(mode))) return exception;
  const isLeak = exception.type === 'leak';
  const value = pending.decision === 'approve' && !isLeak ? (pending.value ?? exception.proposed) : null;
  if (pending.decision === 'approve' && value === null && !isLeak) return exception;
  const by = pending.by === '' ? 'a user' : pending.by;
  const state = pending.decision === 'approve' ? 'approved' : 'rejected';
  const approvedBaseline = value === null || exception.bound !== 'limit' ? exception.approvedBaseline : { value, at: pending.at };
  const leakApprovedAt = isLeak && state === 'approved' ? pending.at : exception.leakApprovedAt;
  return {
    ...exception,
    state,
    closedAt: pending.at,
    clearSince: null,
    decided: { at: pending.at, by, value },
    approvedBaseline,
    leakApprovedAt,
  };
}
