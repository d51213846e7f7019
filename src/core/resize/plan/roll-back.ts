// Going back to the values before: because a user asks for it, or because pods were harmed by the change.

import type { Instant } from '#kube/units';
import type { Values } from '../model/container-values.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { carryOut } from './carry-out.ts';
import type { Draft } from './draft.ts';
import { evidenceOfRegression } from './throttling-and-pressure.ts';
import { regressionOf, throttledRatioOf, type Regression } from './roll-back-criteria.ts';
import { rollbackToCarryOut, rolledBack } from './remembered-change.ts';
import { mustProveItself } from './stages.ts';
import { lookAtWatched, withoutEnded } from './watched-reductions.ts';

const NOTHING: Values = new Map();
const NO_KILLS: NonNullable<WorkloadSituation['countedKills']> = new Map();
const NO_FAILURES: NonNullable<WorkloadSituation['failures']> = new Map();

export function rollBackOnRequest(draft: Draft): void {
  const request = rollbackToCarryOut(draft.context);
  if (request === null) return;
  rollBack(draft, 'request', `asked for by ${request.by === '' ? 'a person' : request.by}`, request.at);
}

export function rollBackOnRegression(draft: Draft): void {
  const regression = regressionSeen(draft.context);
  if (regression !== null) rollBack(draft, regression.reason, regression.message, null);
}

/** Why the change under way should be taken back; null: there is none, or no sign of harm. */
function regressionSeen(situation: WorkloadSituation): Regression | null {
  const { memory, policy, errorRate, pods, now, countedKills = NO_KILLS, failures = NO_FAILURES } = situation;
  if (memory.apply === null || !mustProveItself(memory.apply, memory.previous?.values ?? null)) return null;
  const changed = carryOut(situation, memory.apply.values, { kind: 'change', most: 0, because: '' }).settled;
  const others = pods.filter((pod) => pod.phase === 'Running' && !changed.includes(pod));
  const previous = memory.previous?.values ?? null;
  const throttledRatio = throttledRatioOf(situation);
  const proof = { now, change: memory.apply, previous, changed, others, countedKills, failures, throttledRatio, errorRate };
  const { apply } = memory;
  const reduction = { since: apply.startedAt, before: previous ?? NOTHING, inForce: apply.values, changed, others };
  return regressionOf(proof, policy.rollback) ?? evidenceOfRegression(situation, reduction).regression;
}

/** Regression in what has been in force for hours: all that is watched goes back, and what is on its way does not come. */
export function rollBackWatched(draft: Draft): void {
  const seen = lookAtWatched(draft.context);
  if (seen === null) return;
  draft.remember({ watched: seen.watched });
  if (seen.regression === null) return;
  draft.remember({ previous: { at: draft.context.now, values: seen.before } });
  rollBack(draft, seen.regression.reason, seen.regression.message, null);
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
