// Why a change that is due waits, and until when. One place for all of it, so that "why is nothing happening" has one
// answer and the same answer everywhere.

import { formatDuration } from '../../model/duration.ts';
import { nextOpening, openingAt } from '../../model/window.ts';
import { heldByAutoscaler } from './autoscaler-bounds.ts';
import { waitsForClock } from './clock-set-back.ts';
import type { DueChange } from './due-changes.ts';
import { untilErrorRateIsKnown } from './error-rate.ts';
import { reducedTooRecently } from './once-a-day.ts';
import { otherManager } from './other-manager.ts';
import { harmedTooOften } from './repeated-roll-backs.ts';
import { unmeasuredRegression } from './unmeasured.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { waiting, type Waiting } from '../model/waiting.ts';
import { modeInForce } from '../policy/policy-rules.ts';

/** Whether anything may be done to the workload's pods now, whatever it is. A dry run changes nothing. */
export function mayChangePods(context: WorkloadSituation): boolean {
  const { gateState, policy, policyProblem, overrides } = context;
  const mode = modeInForce(policy, overrides);
  if (mode !== 'Auto' && mode !== 'Approve') return false;
  if (overrides.excluded || overrides.problems.length > 0 || policyProblem !== null) return false;
  return gateState.inPlace && !gateState.dryRun && !policy.dryRun && holdsEverything(context) === null && otherManager(context) === null;
}

/** What holds back every effect that follows from usage, whichever way it goes; null: nothing. */
export function holdsEverything(situation: WorkloadSituation): Waiting | null {
  const { stale } = situation.gateState;
  return holdsRollBacks(situation) ?? (stale === null ? null : waiting('stale-data', stale.message));
}

/** What holds back also what the status of pods alone asks for; null: nothing. Where it is itself old, it asks for nothing. */
export function holdsRollBacks(situation: WorkloadSituation): Waiting | null {
  const { gateState, policy, userRequests } = situation;
  if (gateState.paused !== null) return waiting('paused', `Evenkeel is paused: ${gateState.paused.reason}`, gateState.paused.until);
  if (policy.paused) return waiting('paused', `PodResizePolicy ${policy.name ?? ''} is paused (spec.paused)`);
  if (userRequests.paused) return waiting('paused', 'this Recommendation is paused (spec.paused)');
  return gateState.stale?.source === 'informers' ? waiting('stale-data', gateState.stale.message) : null;
}

/** Whether a person wants no automatic change for a while: nothing that was decided goes on, either. */
export function heldByPerson({ now, overrides }: Pick<WorkloadSituation, 'now' | 'overrides'>): boolean {
  return overrides.heldUntil !== null && overrides.heldUntil > now;
}

/** What holds back a new decision; after a roll-back, changes already decided go on. */
export function holdsDecisions(situation: WorkloadSituation): Waiting | null {
  const { now, overrides, memory } = situation;
  if (heldByPerson(situation)) {
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
 * Whether a change may be made although decisions are held. What is too small while our own roll-back is held needs more than
 * the values before had, and a hold is there for reductions. A hold that a user requested always applies.
 */
export function outlivesHold(situation: WorkloadSituation, change: DueChange): boolean {
  const byPerson = heldByPerson(situation) || situation.memory.rolledBack?.requestedAt !== null;
  return change.urgent && !byPerson;
}

/** What holds back one due change; null: it may be made now. @param approved a person has approved it: confidence and cool-down are theirs */
export function holdsChange(situation: WorkloadSituation, change: DueChange, approved: boolean): Waiting | null {
  const { now, gateState, workload } = situation;
  const lowers = change.direction === 'lower';
  if (isShortLived(workload.kind) && gateState.admission !== true) {
    return waiting('restart', `pods of a ${workload.kind} get new values only when they start: that needs controller.admission.enabled`);
  }
  const byAutoscaler = heldByAutoscaler(situation, change);
  if (byAutoscaler !== null) return byAutoscaler;
  if (change.urgent) return null;
  const byClock = lowers ? waitsForClock(situation, [change.container]) : null;
  if (byClock !== null) return byClock;
  if (lowers && gateState.warmUpUntil !== null && gateState.warmUpUntil > now) {
    return waiting('warm-up', 'usage is observed for a while after a start or an outage before anything is reduced', gateState.warmUpUntil);
  }
  if (workload.rolloutInProgress) return waiting('rollout', 'a roll-out is in progress');
  // What was given for a while is taken back without a reduction's gates: what is left was in force before.
  return change.endsIncrease === true ? null : heldByPolicy(situation, change, approved);
}

function heldByPolicy(situation: WorkloadSituation, change: DueChange, approved: boolean): Waiting | null {
  const lowers = change.direction === 'lower';
  const unsure = lowers && !approved ? lacksConfidence(situation, change) : null;
  const tooSoon = lowers && !approved ? reducedTooRecently(situation, change) : null;
  const harmful = lowers && !approved ? harmedTooOften(situation, change) : null;
  const blind = lowers ? (unmeasuredRegression(situation, change) ?? untilErrorRateIsKnown(situation)) : null;
  return harmful ?? unsure ?? outsideWindow(situation) ?? (approved ? null : coolingDown(situation)) ?? tooSoon ?? blind;
}

function lacksConfidence({ policy }: WorkloadSituation, change: DueChange): Waiting | null {
  const least = policy.minConfidence[change.resource];
  if (change.confidence >= least) return null;
  const have = change.confidence.toFixed(2);
  return waiting(
    'confidence',
    `confidence in ${change.resource} of ${change.container} is ${have}; ${least} is needed before it is reduced`,
  );
}

/** Changes that nothing holds, and what the others wait for. */
export function partedByHolds(
  situation: WorkloadSituation,
  due: readonly DueChange[],
  approved: boolean,
): { readonly allowed: readonly DueChange[]; readonly waits: readonly Waiting[] } {
  const waits: Waiting[] = [];
  const allowed = due.filter((change) => {
    const wait = holdsChange(situation, change, approved);
    if (wait !== null) waits.push(wait);
    return wait === null;
  });
  return { allowed, waits };
}

/** Jobs end before a resize in place would be worth it; their next pods are sized when they are created. */
export function isShortLived(kind: string): boolean {
  return kind === 'Job' || kind === 'CronJob';
}

/** null: the policy has no windows, or one is open. */
export function outsideWindow({ now, policy }: WorkloadSituation, message = 'outside the windows of the policy'): Waiting | null {
  if (policy.windows.length === 0 || openingAt(policy.windows, now) !== null) return null;
  return waiting('window', message, nextOpening(policy.windows, now)?.start ?? null);
}

function coolingDown({ now, policy, memory }: WorkloadSituation): Waiting | null {
  const until = (memory.lastApplied?.at ?? Number.NEGATIVE_INFINITY) + policy.cooldownMs;
  return until > now ? waiting('cooldown', `changed within the last ${formatDuration(policy.cooldownMs)}`, until) : null;
}
