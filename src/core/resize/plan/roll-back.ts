// Rolls back to the previous values: on a user's request, or after a regression.

import type { Instant } from '#kube/units';
import type { Values } from '../model/container-values.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { withinBounds } from './container/within-bounds.ts';
import { boundingNode } from './pod/largest-node.ts';
import { ofResizedContainers, planSteps } from './steps/plan-steps.ts';
import type { Draft } from './draft.ts';
import { evidenceOfRegression } from './verify/throttling-and-pressure.ts';
import { findRegression, throttledRatioOf, type Regression } from './verify/roll-back-criteria.ts';
import { findPendingRollback, memoryAfterRollBack } from './due/remembered-roll-back.ts';
import { isVerificationNeeded } from './due/stages.ts';
import { compareObservedReductions, dropEndedWatches } from './verify/observed-reductions.ts';

const NOTHING: Values = new Map();
const NO_KILLS: NonNullable<WorkloadSituation['countedKills']> = new Map();
const NO_FAILURES: NonNullable<WorkloadSituation['failures']> = new Map();

/** Executes a requested roll-back, unless it was executed before. */
export function rollBackOnRequest(draft: Draft): void {
  const request = findPendingRollback(draft.context);
  if (request === null) return;
  rollBack(draft, 'request', `requested by ${request.by === '' ? 'a user' : request.by}`, request.at);
}

/** Rolls the change under way back after a regression. */
export function rollBackOnRegression(draft: Draft): void {
  const regression = findRegressionOfChange(draft.context);
  if (regression !== null) rollBack(draft, regression.reason, regression.message, null);
}

/** The regression of the change under way; null: none, or no reduction is under way. */
function findRegressionOfChange(situation: WorkloadSituation): Regression | null {
  const { memory, policy, errorRate, pods, now, countedKills = NO_KILLS, failures = NO_FAILURES } = situation;
  if (memory.apply === null || !isVerificationNeeded(memory.apply, memory.previous?.values ?? null)) return null;
  const changed = planSteps(situation, ofResizedContainers(situation, memory.apply.values), {
    kind: 'change',
    maxPods: 0,
    reason: '',
  }).actuated;
  const others = pods.filter((pod) => pod.phase === 'Running' && !changed.includes(pod));
  const previous = memory.previous?.values ?? null;
  const throttledRatio = throttledRatioOf(situation);
  const proof = { now, change: memory.apply, previous, changed, others, countedKills, failures, throttledRatio, errorRate };
  const { apply } = memory;
  const reduction = { since: apply.startedAt, before: previous ?? NOTHING, inForce: apply.values, changed, others };
  return findRegression(proof, policy.rollback) ?? evidenceOfRegression(situation, reduction).regression;
}

/** Rolls back all watched reductions after a regression of one of them, and ends the change under way. */
export function rollBackObservedReductions(draft: Draft): void {
  const result = compareObservedReductions(draft.context);
  if (result === null) return;
  draft.remember({ observedReductions: result.observedReductions });
  if (result.regression === null) return;
  draft.remember({ previous: { at: draft.context.now, values: result.before } });
  rollBack(draft, result.regression.reason, result.regression.message, null);
}

/** Removes watches that have ended. */
export function endWatches(draft: Draft): void {
  if (draft.memory.observedReductions.some(({ until }) => until <= draft.context.now))
    draft.remember(dropEndedWatches(draft.memory, draft.context.now));
}

function rollBack(draft: Draft, reason: string, message: string, requestedAt: Instant | null): void {
  const { policy, overrides, now } = draft.context;
  const result =
    draft.memory.previous === null
      ? 'there is no change to roll back; automatic changes are on hold for 24 h'
      : 'rolled back to the previous values';
  let bounded = '';
  const within = (earlier: Values): Values => {
    const { values, messages } = withinBounds(earlier, { policy, overrides, largestNode: boundingNode(draft.context) });
    bounded = messages.map((each) => `; ${each}`).join('');
    return values;
  };
  draft.recordEffectiveValues(memoryAfterRollBack(draft.memory, now, { reason, message, requestedAt }, within));
  draft.events.push({
    type: requestedAt === null ? 'Warning' : 'Normal',
    reason: 'RolledBack',
    message: `${result}: ${message}${bounded}`,
  });
}
