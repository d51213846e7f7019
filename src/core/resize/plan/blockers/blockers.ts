// Why a due change waits before it starts, and until when. steps/plan-steps.ts has the reasons of single pods; `WAITING_RANK` has the order.

import { formatCpu } from '#kube/quantity';
import { formatDuration } from '../../../model/duration.ts';
import { findNextOpening, findOpening } from '../../../model/window.ts';
import { findAutoscalerBlocker } from '../autoscalers/autoscaler-bounds.ts';
import { awaitClock } from './clock-skew.ts';
import type { DueChange } from '../due/due-changes.ts';
import { isBurst } from '../due/bursts.ts';
import { awaitErrorRate } from './error-rate.ts';
import { awaitReductionInterval } from '../due/once-a-day.ts';
import { describePause } from '../../../model/describe-pause.ts';
import { findOtherManager } from './other-manager.ts';
import { findUnmeasuredRegression } from './unmeasured.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';
import { modeInForce } from '../../policy/policy-rules.ts';
import { FIELD } from '../../model/container-values.ts';

/** Maximum number of consecutive roll-backs. The holds between them, of 1, 2, 4 and 7 days, cover temporary causes. */
const MAX_ROLL_BACKS_IN_A_ROW = 5;
/** A target that is greater than the rolled-back value by this ratio counts as a different one. */
const GREATER_RATIO = 1.1;

/** Whether the workload's pods may be changed at all now. false in a dry run. */
export function canChangePodsNow(context: WorkloadSituation): boolean {
  const { gateState, policy, policyProblem, overrides } = context;
  const mode = modeInForce(policy, overrides);
  if (mode !== 'Auto' && mode !== 'Approve') return false;
  if (overrides.excluded || overrides.problems.length > 0 || policyProblem !== null) return false;
  return (
    gateState.inPlace && !gateState.dryRun && !policy.dryRun && findUsageBlocker(context) === null && findOtherManager(context) === null
  );
}

/** Blocker of the changes that depend on usage, raises included: one of every change, or stale usage; null: none. */
export function findUsageBlocker(situation: WorkloadSituation): Waiting | null {
  const { stale } = situation.gateState;
  return findBlockerOfAnyChange(situation) ?? (stale === null ? null : waiting('stale-data', stale.message));
}

/** Blocker of every change, those that pod statuses require included: a pause or stale informers; null: none. */
export function findBlockerOfAnyChange(situation: WorkloadSituation): Waiting | null {
  const { gateState, policy, userRequests } = situation;
  if (gateState.paused !== null) return waiting('paused', describePause(gateState.paused), gateState.paused.until);
  if (policy.paused) return waiting('paused', `PodResizePolicy ${policy.name ?? ''} is paused (spec.paused)`);
  if (userRequests.paused) return waiting('paused', 'this Recommendation is paused (spec.paused)');
  return gateState.stale?.source === 'informers' ? waiting('stale-data', gateState.stale.message) : null;
}

/** Whether a user holds the workload by annotation: no change starts, and the one under way ends. */
export function isHeldByUser({ now, overrides }: Pick<WorkloadSituation, 'now' | 'overrides'>): boolean {
  return overrides.heldUntil !== null && overrides.heldUntil > now;
}

/** Hold by a user or after a roll-back, which blocks new changes; null: none. A hold after a roll-back does not end a change under way. */
export function findHold(situation: WorkloadSituation): Waiting | null {
  const { now, overrides, memory } = situation;
  if (isHeldByUser(situation)) {
    return waiting('hold', 'held by the annotation evenkeel.io/held-until', overrides.heldUntil);
  }
  const rolledBack = memory.rolledBack;
  if (rolledBack !== null && rolledBack.heldUntil > now) {
    const reason = rolledBack.requestedAt === null ? 'rolled-back' : 'hold';
    return waiting(reason, `held after a roll-back: ${rolledBack.message}`, rolledBack.heldUntil);
  }
  return null;
}

/**
 * Whether a change may be made during a hold. The hold after an automatic roll-back is for reductions, so urgent raises above the
 * previous values are made. A hold that a user requested blocks every change.
 */
export function isAllowedDuringHold(situation: WorkloadSituation, change: DueChange): boolean {
  const byPerson = isHeldByUser(situation) || situation.memory.rolledBack?.requestedAt !== null;
  return change.urgent && !byPerson;
}

/** Blocker of one due change; null: it may be made now. @param approved a user approved it, so confidence and cool-down do not apply */
export function findDueChangeBlocker(situation: WorkloadSituation, change: DueChange, approved: boolean): Waiting | null {
  const { now, gateState, workload } = situation;
  const lowers = change.direction === 'lower';
  if (isShortLived(workload.kind) && gateState.admission !== true) {
    return waiting('restart', `pods of a ${workload.kind} get new values only at creation, which requires controller.admission.enabled`);
  }
  const autoscalerBlocker = findAutoscalerBlocker(situation, change);
  if (autoscalerBlocker !== null) return autoscalerBlocker;
  if (change.urgent) return null;
  const clockWait = lowers ? awaitClock(situation, [change.container]) : null;
  if (clockWait !== null) return clockWait;
  if (lowers && gateState.warmUpUntil !== null && gateState.warmUpUntil > now) {
    return waiting('warm-up', 'warm-up after a start or an outage: usage is observed before anything is reduced', gateState.warmUpUntil);
  }
  const burst = lowers ? awaitEndOfBurst(situation, change) : null;
  if (burst !== null) return burst;
  if (workload.rolloutInProgress) return waiting('rollout', 'a roll-out is in progress');
  // The end of a temporary increase needs no gates of a reduction: the remaining values were in force before.
  return change.endsIncrease === true ? null : findPolicyBlocker(situation, change, approved);
}

/**
 * Waits while usage of the last hour exceeds the value to which CPU would be reduced; null: it does not. In mode Auto the target covers
 * such usage itself.
 */
function awaitEndOfBurst({ policy, overrides, advice }: WorkloadSituation, { container, resource, to }: DueChange): Waiting | null {
  if (resource !== 'cpu' || to === undefined || modeInForce(policy, overrides) === 'Auto') return null;
  const known = advice.find((each) => each.container === container);
  const recent = known?.cpu?.recentPeak ?? 0;
  if (known === undefined || !isBurst(policy, known, recent, to)) return null;
  return waiting(
    'confidence',
    `${container} used ${formatCpu(recent)} of CPU in the last hour; it is reduced to ${formatCpu(to)} once an hour stays below`,
  );
}

function findPolicyBlocker(situation: WorkloadSituation, change: DueChange, approved: boolean): Waiting | null {
  const lowers = change.direction === 'lower';
  const confidence = lowers && !approved ? awaitConfidence(situation, change) : null;
  const interval = lowers && !approved ? awaitReductionInterval(situation, change) : null;
  const repeated = lowers && !approved ? findRepeatedRollBacks(situation, change) : null;
  const unmeasured = lowers ? (findUnmeasuredRegression(situation, change) ?? awaitErrorRate(situation)) : null;
  const settling = approved ? null : laterOf(awaitCooldown(situation), interval);
  return repeated ?? confidence ?? awaitWindow(situation) ?? settling ?? unmeasured;
}

/** Of two waits for a time the one that ends later, so that its end is not followed by the other. */
function laterOf(a: Waiting | null, b: Waiting | null): Waiting | null {
  return (b?.until ?? 0) > (a?.until ?? 0) ? b : a;
}

function awaitConfidence({ policy }: WorkloadSituation, change: DueChange): Waiting | null {
  const least = policy.minConfidence[change.resource];
  if (change.confidence >= least) return null;
  const have = change.confidence.toFixed(2);
  return waiting(
    'confidence',
    `confidence in ${change.resource} of ${change.container} is ${have}; ${least} is needed before it is reduced`,
  );
}

/**
 * Why a reduction to the values that were rolled back, or below, is not tried again; null: it may be. Holds alone, of at most a week, would
 * let a reduction that is rolled back each time be retried for ever.
 */
function findRepeatedRollBacks(
  { memory: { rolledBack } }: Pick<WorkloadSituation, 'memory'>,
  { container, resource, to }: DueChange,
): Waiting | null {
  // A roll-back that a user requested resets the count.
  if (to === undefined || rolledBack?.requestedAt !== null || rolledBack.count < MAX_ROLL_BACKS_IN_A_ROW) return null;
  const takenBack = rolledBack.values.get(container)?.requests[FIELD[resource]] ?? null;
  if (takenBack === null || to > takenBack * GREATER_RATIO) return null;
  const times = `rolled back ${rolledBack.count} times in a row (${rolledBack.message})`;
  return waiting(
    'rolled-back',
    `${times}: ${resource} of ${container} is not reduced to that value again; raise min or margin in the policy to continue`,
  );
}

/** Splits due changes into those without a blocker and the waiting reasons of the others. */
export function splitByBlockers(
  situation: WorkloadSituation,
  due: readonly DueChange[],
  approved: boolean,
): { readonly allowed: readonly DueChange[]; readonly waits: readonly Waiting[] } {
  const waits: Waiting[] = [];
  const allowed = due.filter((change) => {
    const wait = findDueChangeBlocker(situation, change, approved);
    if (wait !== null) waits.push(wait);
    return wait === null;
  });
  return { allowed, waits };
}

/** Whether pods of a kind end before an in-place resize would be worth it; their next pods are sized at creation. */
export function isShortLived(kind: string): boolean {
  return kind === 'Job' || kind === 'CronJob';
}

/** Waits for the next window of the policy; null: the policy has no windows, or one is open. */
export function awaitWindow({ now, policy }: WorkloadSituation, message = 'outside the windows of the policy'): Waiting | null {
  if (policy.windows.length === 0 || findOpening(policy.windows, now) !== null) return null;
  return waiting('window', message, findNextOpening(policy.windows, now)?.start ?? null);
}

function awaitCooldown({ now, policy, memory }: WorkloadSituation): Waiting | null {
  const until = (memory.lastApplied?.at ?? Number.NEGATIVE_INFINITY) + policy.cooldownMs;
  return until > now ? waiting('cooldown', `changed within the last ${formatDuration(policy.cooldownMs)}`, until) : null;
}
