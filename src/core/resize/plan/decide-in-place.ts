// Decides the target of a workload, whether it may be applied now, to which pods, and what to store. The first check that applies is
// reported as the answer to "Why was this pod not resized?".

import { namesOf } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { outcomeOfWaiting, outcome, type Outcome, type WorkloadDecision } from '../model/decision.ts';
import { mergeStepsByPod, type ResizeStep } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { Waiting } from '../model/waiting.ts';
import { advanceChange, endChange, endAutoscalerConflict, raiseTarget } from './advance-change.ts';
import { acceptTemplate } from './due/raised-template.ts';
import { correctDrift, restoreEndedChange, listRollBackSteps } from './correct-drift.ts';
import { updateIncreases } from './due/cpu-increases.ts';
import { endUnapprovedReduction } from './end-unapproved-reduction.ts';
import { Draft } from './draft.ts';
import { recordPace } from './due/once-a-day.ts';
import { listHotReplicaSteps } from './hot-replica-steps.ts';
import { updateHotReplicas, hotReplicasText } from './pod/hot-replicas.ts';
import { recordLargestNode } from './pod/largest-node.ts';
import { isHeldByUser, findUsageBlocker, findBlockerOfAnyChange } from './blockers/blockers.ts';
import { checkPreconditions } from './preconditions.ts';
import { updateBumpsAfterKills, listNodeOomEvents } from './container/oom-bumps.ts';
import { describeExternalResizes, findOtherManager, externalResizes } from './blockers/other-manager.ts';
import { endWatches, rollBackOnRegression, rollBackOnRequest, rollBackObservedReductions } from './roll-back.ts';
import { isVerificationNeeded } from './due/stages.ts';
import { startChange } from './start-change.ts';
import { currentRejection } from './plan-due-changes.ts';
import { describeObservation } from './verify/observed-reductions.ts';
import { listReverts } from './steps/failed-resize-reverts.ts';
import { planSteps } from './steps/plan-steps.ts';
import { valuesOf } from '../model/container-values.ts';
import { listUnmatchedAnnotations } from '../policy/unmatched.ts';

/** Interval of decisions while a change is under way. */
const CHANGE_INTERVAL_MS: DurationMs = MINUTE_MS;

/** Reasons of state `blocked` that the workload causes, while its policy is valid. */
const INVALID_WORKLOAD: ReadonlySet<Outcome['reason']> = new Set(['invalid-annotation', 'invalid-template']);

/** Decides one workload. @param context the situation as the layers have prepared it */
export function decideInPlace(context: WorkloadSituation): WorkloadDecision {
  const draft = new Draft(context);
  reportNodeOoms(draft);
  reportUnmatchedAnnotations(draft);
  endHoldOfRollBack(draft);
  const largestNode = recordLargestNode(draft.context);
  if (largestNode !== draft.memory.largestNode) draft.remember({ largestNode });
  const pace = recordPace(draft.context);
  if (pace !== draft.memory.pace) draft.remember({ pace });
  endWatches(draft);
  const accepted = acceptTemplate(draft.context);
  if (accepted !== null) draft.recordEffectiveValues(accepted);
  endIncreases(draft);
  const decided = withObservationText(draft, decideByPreconditions(draft) ?? startAllowedChange(draft));
  recordHoldByUser(draft);
  const hotText = hotReplicasText(draft.context);
  const result = hotText === null ? decided : { ...decided, message: `${decided.message}; ${hotText}` };
  const { policy, now } = context;
  const untilNext = result.until === null ? policy.intervalMs : Math.max(1000, result.until - now);
  const lookEveryMs = draft.memory.apply === null ? policy.intervalMs : Math.min(CHANGE_INTERVAL_MS, policy.intervalMs);
  return {
    ...result,
    mode: draft.mode,
    containers: draft.containers,
    memory: draft.memory,
    // In a dry run the API server validates the resize of one pod, which represents the others.
    steps: draft.isDryRun ? draft.steps.slice(0, 1) : mergeStepsByPod(draft.steps),
    autoscalers: [],
    evict: null,
    events: draft.events,
    reconcileAfterMs: Math.min(untilNext, lookEveryMs),
  };
}

/**
 * A user ends the hold after a roll-back by an annotation evenkeel.io/held-until that lies between the roll-back and now. `date` and the
 * API server give whole seconds, so one of the same second counts.
 */
function endHoldOfRollBack(draft: Draft): void {
  const { now, overrides } = draft.context;
  const { rolledBack } = draft.memory;
  const end = overrides.heldUntil;
  if (rolledBack === null || rolledBack.heldUntil <= now || end === null || end > now) return;
  if (end === rolledBack.userHeldUntil || end < Math.floor(rolledBack.at / SECOND_MS) * SECOND_MS) return;
  draft.remember({ rolledBack: { ...rolledBack, heldUntil: end } });
}

/** A user's hold that ends during the hold after a roll-back does not end it, unlike an annotation that was set to the present time. */
function recordHoldByUser(draft: Draft): void {
  const { now, overrides } = draft.context;
  const { rolledBack } = draft.memory;
  const end = overrides.heldUntil;
  // The clock of who sets the present time may be ahead.
  if (rolledBack === null || rolledBack.heldUntil <= now || end === null || end <= now + MINUTE_MS) return;
  if (end !== rolledBack.userHeldUntil) draft.remember({ rolledBack: { ...rolledBack, userHeldUntil: end } });
}

/** An annotation without an effect, such as evenkeel.io/exlude, is probably misspelled: its author expects something else than what happens. */
function reportUnmatchedAnnotations(draft: Draft): void {
  const { workload, pods, overrides } = draft.context;
  // Computed for bounds alone: a decision is made every few minutes for each workload, and few have such annotations.
  const containers = (): readonly string[] => [workload, ...pods].flatMap((owner) => owner.containers.map(({ name }) => name));
  for (const message of listUnmatchedAnnotations(workload.annotations, overrides, containers)) {
    draft.events.push({ type: 'Warning', reason: 'UnknownAnnotation', message });
  }
}

function withObservationText(draft: Draft, decided: Outcome): Outcome {
  const watch = decided.state === 'applied' ? describeObservation(draft.memory, draft.context.now) : null;
  return watch === null ? decided : { ...decided, message: `${decided.message}; ${watch}` };
}

function decideByPreconditions(draft: Draft): Outcome | null {
  const preventing = checkPreconditions(draft.context, draft.mode, draft.containers);
  draft.events.push(...(preventing?.events ?? []));
  const { reason = null } = preventing?.outcome ?? {};
  if (INVALID_WORKLOAD.has(reason)) rollBackIfAllowed(draft);
  if (reason === 'invalid-policy') rollBackByReadableRules(draft);
  return preventing?.outcome ?? null;
}

function rollBackByReadableRules(draft: Draft): void {
  const { readableRules = null } = draft.context;
  if (readableRules === null) return;
  const readable = new Draft({ ...draft.context, policy: readableRules });
  rollBackIfAllowed(readable);
  draft.restore(readable.memory);
  // `dryRun` is respected also where another field of the policy is invalid.
  if (!readable.isDryRun) draft.steps.push(...readable.steps);
  draft.events.push(...readable.events);
}

/** Rolls back while the workload or policy is invalid: its pods keep running, and an earlier change may harm them. */
function rollBackIfAllowed(draft: Draft): void {
  const { context, mode } = draft;
  if (!context.gateState.inPlace || mode === 'Off') return;
  if (mode === 'Observe' || mode === 'Recommend') {
    rollBackInRecommend(draft);
    return;
  }
  if (findOtherManager(context) !== null || describeExternalResizes(context.memory.externalResizes, context.now) !== null) return;
  if (findBlockerOfAnyChange(context) !== null) return;
  const before = draft.memory;
  rollBackOnRequest(draft);
  rollBackOnRegression(draft);
  if (findUsageBlocker(context) === null) rollBackObservedReductions(draft);
  if (isRaisePermitted(context)) raiseKilledPods(draft);
  continueRollBack(draft);
  if (draft.isDryRun) draft.remember(before);
}

/** Whether raises are permitted while annotations are invalid: an unreadable `max` or ceiling may forbid them, a floor cannot. */
function isRaisePermitted({ overrides, policyProblem }: WorkloadSituation): boolean {
  return policyProblem === null && overrides.mayForbidRaises !== true;
}

function startAllowedChange(draft: Draft): Outcome {
  if (draft.mode === 'Observe' || draft.mode === 'Recommend') return recommend(draft);
  const manager = findOtherManager(draft.context);
  if (manager !== null) return blockForOtherManager(draft, manager);
  const others = externalResizes(draft.context);
  if (others !== draft.memory.externalResizes) draft.remember({ externalResizes: others });
  const resized = describeExternalResizes(others, draft.context.now);
  if (resized !== null) return blockForOtherManager(draft, resized, others?.until);
  const blockerOfAny = findBlockerOfAnyChange(draft.context);
  if (blockerOfAny !== null) return waitIfDue(draft, blockerOfAny);
  const blocker = findUsageBlocker(draft.context);
  const before = draft.memory;
  const result = blocker === null ? decideChange(draft) : applyUrgentByPodStatus(draft, blocker);
  if (!draft.isDryRun) return result;
  draft.remember(before);
  const isChanging = draft.steps.length > 0 || draft.due().length > 0 || before.apply !== null;
  return isChanging ? outcome('awaiting', 'dry-run', `dry run: ${result.message}`) : result;
}

/** Blocks the workload while another tool sizes its pods, because both would revert each other. A change under way is ended and reverted. */
function blockForOtherManager(draft: Draft, manager: string, until: Instant | null = null): Outcome {
  endChange(draft);
  if (findUsageBlocker(draft.context) === null) draft.steps.push(...restoreEndedChange(draft.context));
  return outcome('blocked', 'other-manager', manager, until);
}

/** Makes only the changes that pod statuses require, because usage is stale: roll-backs, and raises of OOM-killed pods. */
function applyUrgentByPodStatus(draft: Draft, blocker: Waiting): Outcome {
  rollBackOnRequest(draft);
  rollBackOnRegression(draft);
  raiseKilledPods(draft);
  continueRollBack(draft);
  return waitIfDue(draft, blocker);
}

/** Continues an unfinished roll-back, unless a reduction began after it. Raises that began after it continue. */
function continueRollBack(draft: Draft): void {
  const { rolledBack, lastApplied, apply, previous } = draft.memory;
  if (rolledBack === null || rolledBack.at !== lastApplied?.at) return;
  if (apply !== null && isVerificationNeeded(apply, previous?.values ?? null)) return;
  draft.steps.push(...listRollBackSteps(draft.context));
}

function waitIfDue(draft: Draft, blocker: Waiting): Outcome {
  const isDue = draft.due().length > 0 || draft.memory.apply !== null;
  return isDue ? outcomeOfWaiting([blocker], draft.unchanged()) : draft.unchanged();
}

function recommend(draft: Draft): Outcome {
  endChange(draft);
  const unrestored = restoreEndedChange(draft.context).map(({ pod }) => pod);
  rollBackInRecommend(draft);
  const result = recommendedOutcome(draft);
  if (unrestored.length === 0 || draft.steps.length > 0) return result;
  const words = `pods reduced by a change that was ended, and not restored in mode ${draft.mode}: ${namesOf(unrestored)}`;
  return { ...result, message: `${result.message}; ${words}` };
}

function recommendedOutcome(draft: Draft): Outcome {
  if (draft.due().length === 0) return draft.unchanged();
  return currentRejection(draft.plan) ?? outcome('recommended', null, draft.summary());
}

/** Executes a requested roll-back, the only change in modes Observe and Recommend. */
function rollBackInRecommend(draft: Draft): void {
  if (findBlockerOfAnyChange(draft.context) !== null || findOtherManager(draft.context) !== null) return;
  const before = draft.memory;
  rollBackOnRequest(draft);
  const { rolledBack } = draft.memory;
  if (rolledBack !== null && rolledBack.requestedAt !== null && rolledBack.heldUntil > draft.context.now) {
    draft.steps.push(...listRollBackSteps(draft.context));
  }
  if (draft.isDryRun) draft.remember(before);
}

/** Rolls back regressions, advances the change under way, or starts one. */
function decideChange(draft: Draft): Outcome {
  rollBackOnRequest(draft);
  rollBackOnRegression(draft);
  rollBackObservedReductions(draft);
  // A hold also ends the change under way, so that pods created during the hold are not resized. Rejected values are not applied further.
  const isUnderWay = draft.memory.apply !== null;
  if (isUnderWay && (isHeldByUser(draft.context) || currentRejection(draft.plan) !== null)) endChange(draft);
  endUnapprovedReduction(draft);
  endAutoscalerConflict(draft);
  const refused = revert(draft);
  raiseKilledPods(draft);
  recordHotReplicas(draft);
  raiseTarget(draft);
  const ongoing = draft.memory.apply;
  if (ongoing !== null) {
    resizeHotReplicas(draft);
    return advanceChange(draft, ongoing);
  }
  const drift = correctDrift(draft.context, draft.containers);
  const before = draft.memory;
  const begun = startChange(draft);
  const started = draft.memory.apply;
  resizeHotReplicas(draft);
  const decided = started === null ? begun : advanceChange(draft, started, before);
  if (draft.memory !== before) return decided;
  draft.steps.push(...drift.steps);
  if (decided.state === 'awaiting') return decided;
  return refused ?? outcomeOfWaiting(drift.waits, decided);
}

function endIncreases(draft: Draft): void {
  if (draft.memory.cpuBeforeIncrease.size === 0) return;
  const cpuBeforeIncrease = updateIncreases(draft.memory, draft.containers, draft.due());
  if (cpuBeforeIncrease !== draft.memory.cpuBeforeIncrease) draft.remember({ cpuBeforeIncrease });
}

function reportNodeOoms(draft: Draft): void {
  const { events, nodeOoms } = listNodeOomEvents(draft.containers, draft.memory);
  if (events.length === 0) return;
  draft.events.push(...events);
  draft.remember({ nodeOoms });
}

/** Raises each pod that was OOM-killed at its limit. */
function raiseKilledPods(draft: Draft): void {
  if (isHeldByUser(draft.context)) return;
  const oomBumps = updateBumpsAfterKills(draft.context, draft.containers, draft.mode);
  if (oomBumps !== draft.memory.oomBumps) draft.remember({ oomBumps });
  draft.steps.push(...listBumpSteps(draft.context));
}

/** Stores the hot replicas and their CPU requests. */
function recordHotReplicas(draft: Draft): void {
  if (isHeldByUser(draft.context)) return;
  const { hotReplicas, events } = updateHotReplicas(draft.context, draft.containers);
  if (hotReplicas !== draft.memory.hotReplicas) draft.remember({ hotReplicas });
  draft.events.push(...events);
}

/** Resizes hot replicas. It runs after the common values of this decision are known, so that no replica falls below them. */
function resizeHotReplicas(draft: Draft): void {
  if (!isHeldByUser(draft.context)) draft.steps.push(...listHotReplicaSteps(draft.context, draft.containers));
}

/** Reverts resizes that nodes refused or did not actuate. */
function revert(draft: Draft): Outcome | null {
  const { failures, steps, events, outcome: refused } = listReverts(draft.context);
  if (failures !== null) draft.remember({ failures });
  draft.steps.push(...steps);
  draft.events.push(...events);
  return refused;
}

/** Steps of pods that do not have their bump yet. Other values of the pods stay. */
function listBumpSteps(situation: WorkloadSituation): readonly ResizeStep[] {
  const uids = new Set(situation.memory.oomBumps.map(({ uid }) => uid));
  return situation.pods
    .filter(({ uid }) => uids.has(uid))
    .flatMap((pod) => {
      const options = { kind: 'correct-drift', maxPods: 1, reason: 'OOM kill at the memory limit' } as const;
      return planSteps({ ...situation, pods: [pod] }, valuesOf(pod), options).steps;
    });
}
