// The stored memory of a workload after a roll-back: the values before the change are in force again, and how long changes are on hold.

import { HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import { greaterOf, hasReduction, type Values } from '../../model/container-values.ts';
import type { ResizeMemory, UserRequests, ObservedReduction, WorkloadSituation } from '../../model/situation.ts';

/** First hold after an automatic roll-back; each consecutive one doubles it, up to a week. */
const HOLD_MS: DurationMs = 24 * HOUR_MS;
const MAX_HOLD_MS: DurationMs = 7 * 24 * HOUR_MS;

/**
 * The memory after a roll-back: the values before the last change are in force again. An automatic roll-back only reverts reductions,
 * because raises that were made with them or later were needed.
 * @param within bounds the values: a floor or a ceiling may have been set since
 * @param why `requestedAt`: `at` of the user request; null: the roll-back is automatic
 */
export function memoryAfterRollBack(
  memory: ResizeMemory,
  now: Instant,
  why: { readonly reason: string; readonly message: string; readonly requestedAt: Instant | null },
  within: (values: Values) => Values,
): Partial<ResizeMemory> {
  const takenBack = valuesTakenBack(memory);
  const earlier = memory.previous?.values;
  const unbounded = earlier === undefined || why.requestedAt !== null ? earlier : greaterOf(earlier, takenBack);
  const values = unbounded === undefined ? undefined : within(unbounded);
  const count = why.requestedAt === null ? (memory.rolledBack?.count ?? 0) + 1 : 0;
  const hold = Math.min(HOLD_MS * 2 ** Math.max(0, count - 1), MAX_HOLD_MS);
  const isUndone = ({ before }: ObservedReduction): boolean =>
    [...before].every(([name, from]) => !hasReduction(from, values?.get(name) ?? from));
  return {
    apply: null,
    previous: null,
    lastApplied: values === undefined ? memory.lastApplied : { at: now, by: 'evenkeel', reason: 'roll-back', pods: 0, values },
    rolledBack: { at: now, ...why, heldUntil: now + hold, count, values: takenBack },
    lastRollbackRequestAt: why.requestedAt ?? memory.lastRollbackRequestAt,
    cpuBeforeIncrease: new Map(),
    observedReductions: values === undefined ? memory.observedReductions : memory.observedReductions.filter((each) => !isUndone(each)),
  };
}

/** The values that a roll-back replaces. Those of the last roll-back where nothing was changed since: it applied the values before. */
function valuesTakenBack({ apply, previous, lastApplied, rolledBack }: ResizeMemory): Values {
  const last = previous === null && rolledBack !== null ? rolledBack : lastApplied;
  return apply?.values ?? last?.values ?? new Map();
}

/**
 * The user's request for a roll-back that was not executed yet; null: none. A request stays in the Recommendation after its execution, so
 * it is identified by its time, which neither later roll-backs nor clock changes affect.
 */
export function findPendingRollback({
  userRequests,
  memory,
}: Pick<WorkloadSituation, 'userRequests' | 'memory'>): UserRequests['rollback'] {
  const { rollback } = userRequests;
  return rollback === null || rollback.at === memory.lastRollbackRequestAt ? null : rollback;
}

/** Resets the count of consecutive roll-backs after a verified change. A raise, or a change that takes effect only at creation, verifies nothing. */
export function resetRollBackCount(rolledBack: ResizeMemory['rolledBack'], isProven: boolean): ResizeMemory['rolledBack'] {
  return rolledBack === null || !isProven ? rolledBack : { ...rolledBack, count: 0 };
}
