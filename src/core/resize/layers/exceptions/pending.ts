// Exceptions as users see them: a user's decision counts from its moment on, before it is carried out.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import { exceptionKey, type ExceptionDecision, type LimitException } from '../../model/limit-exception.ts';

/** Whether an approval is carried out in a mode. A rejection is in every one. */
export function approvalActs(mode: ResizeMode): boolean {
  return mode === 'Auto' || mode === 'Approve';
}

/** The decision about an open exception that waits to be carried out; null: there is none, or it was about an earlier one. */
export function pendingDecision(exception: LimitException, decisions: readonly ExceptionDecision[]): ExceptionDecision | null {
  if (exception.state !== 'open') return null;
  const own = decisions.find((decision) => exceptionKey(decision) === exceptionKey(exception));
  return own !== undefined && own.at >= exception.openedAt ? own : null;
}

/** The exception with what waits to be carried out. */
export function asDecided(exception: LimitException, decisions: readonly ExceptionDecision[], mode: ResizeMode): LimitException {
  const pending = pendingDecision(exception, decisions);
  if (pending === null || (pending.decision === 'approve' && !approvalActs(mode))) return exception;
  const isLeak = exception.type === 'leak';
  const value = pending.decision === 'approve' && !isLeak ? (pending.value ?? exception.proposed) : null;
  if (pending.decision === 'approve' && value === null && !isLeak) return exception;
  const by = pending.by === '' ? 'a person' : pending.by;
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
