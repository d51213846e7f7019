// What a workload should have, whether that may be done now, to which pods, and what to remember. The checks stand in the
// order in which they are made: the first that applies is the answer to "why is nothing changed?".

import { namesOf } from '#kube/records/pod';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { fromWaiting, outcome, type Outcome, type WorkloadDecision } from '../model/decision.ts';
import { onceForEachPod } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { Waiting } from '../model/waiting.ts';
import { advanceChange, dropChange, endIfFixedByAutoscaler, retargetIfShort } from './advance-change.ts';
import { acceptTemplate } from './raised-template.ts';
import { conforming, halfDone, rollBackSteps } from './correct-drift.ts';
import { increasesNow } from './cpu-increases.ts';
import { Draft } from './draft.ts';
import { rememberPace } from './once-a-day.ts';
import { stepsOfHotReplicas } from './hot-replica-steps.ts';
import { hotReplicasNow, hotReplicaWords } from './hot-replicas.ts';
import { rememberLargestNode } from './largest-node.ts';
import { heldByPerson, holdsEverything, holdsRollBacks } from './interlocks.ts';
import { neverChanges } from './never-changes.ts';
import { bumpsAfterKills, nodeOomNotes } from './oom-bumps.ts';
import { stepsOfBumps } from './oom-steps.ts';
import { heldByOthers, otherManager, externalResizes } from './other-manager.ts';
import { endWatches, rollBackOnRegression, rollBackOnRequest, rollBackWatched } from './roll-back.ts';
import { mustProveItself } from './stages.ts';
import { startChange } from './start-change.ts';
import { currentRejection } from './plan-due-changes.ts';
import { watchText } from './watched-reductions.ts';
import { reverts } from './failed-resize-reverts.ts';

/** While a change is under way the pods are looked at this often. */
const UNDER_WAY_MS: DurationMs = MINUTE_MS;

/** Reasons of state `blocked` that lie in the workload, of which the policy is known. */
const INVALID_WORKLOAD: ReadonlySet<Outcome['reason']> = new Set(['invalid-annotation', 'invalid-template']);

/** @param context as the layers around it see it */
export function decideInPlace(context: WorkloadSituation): WorkloadDecision {
  const draft = new Draft(context);
  reportNodeOoms(draft);
  const largestNode = rememberLargestNode(draft.context);
  if (largestNode !== draft.memory.largestNode) draft.remember({ largestNode });
  const pace = rememberPace(draft.context);
  if (pace !== draft.memory.pace) draft.remember({ pace });
  endWatches(draft);
  const accepted = acceptTemplate(draft.context);
  if (accepted !== null) draft.rememberInForce(accepted);
  endIncreases(draft);
  const decided = withWatch(draft, settledBefore(draft) ?? changeIfAllowed(draft));
  const alone = hotReplicaWords(draft.context);
  const result = alone === null ? decided : { ...decided, message: `${decided.message}; ${alone}` };
  const { policy, now } = context;
  const untilNext = result.until === null ? policy.intervalMs : Math.max(1000, result.until - now);
  const lookEveryMs = draft.memory.apply === null ? policy.intervalMs : Math.min(UNDER_WAY_MS, policy.intervalMs);
  return {
    ...result,
    mode: draft.mode,
    containers: draft.containers,
    memory: draft.memory,
    // A dry run has the server validate one pod; the others are alike.
    steps: draft.isDryRun ? draft.steps.slice(0, 1) : onceForEachPod(draft.steps),
    autoscalers: [],
    evict: null,
    notes: draft.notes,
    lookAgainInMs: Math.min(untilNext, lookEveryMs),
  };
}

function withWatch(draft: Draft, decided: Outcome): Outcome {
  const watch = decided.state === 'applied' ? watchText(draft.memory, draft.context.now) : null;
  return watch === null ? decided : { ...decided, message: `${decided.message}; ${watch}` };
}

function settledBefore(draft: Draft): Outcome | null {
  const settled = neverChanges(draft.context, draft.mode, draft.containers);
  draft.notes.push(...(settled?.notes ?? []));
  const { reason = null } = settled?.outcome ?? {};
  if (INVALID_WORKLOAD.has(reason)) takeBackIfAllowed(draft);
  if (reason === 'invalid-policy') takeBackByReadableRules(draft);
  return settled?.outcome ?? null;
}

function takeBackByReadableRules(draft: Draft): void {
  const { readableRules = null } = draft.context;
  if (readableRules === null) return;
  const readable = new Draft({ ...draft.context, policy: readableRules });
  takeBackIfAllowed(readable);
  draft.restore(readable.memory);
  // A dry run that can be read is one, also where the rest cannot.
  if (!readable.isDryRun) draft.steps.push(...readable.steps);
  draft.notes.push(...readable.notes);
}

/** Pods run on while a user corrects it, and may be harmed by what they were given before. */
function takeBackIfAllowed(draft: Draft): void {
  const { context, mode } = draft;
  if (!context.gateState.inPlace || mode === 'Off') return;
  if (mode === 'Observe' || mode === 'Recommend') {
    rollBackInRecommend(draft);
    return;
  }
  if (otherManager(context) !== null || heldByOthers(context.memory.externalResizes, context.now) !== null) return;
  if (holdsRollBacks(context) !== null) return;
  const before = draft.memory;
  rollBackOnRequest(draft);
  rollBackOnRegression(draft);
  if (holdsEverything(context) === null) rollBackWatched(draft);
  if (isRaisePermitted(context)) raiseKilledPods(draft);
  carryOutRollBack(draft);
  if (draft.isDryRun) draft.remember(before);
}

/** What cannot be read, a `max` or a ceiling, might forbid the raise; a floor forbids none. */
function isRaisePermitted({ overrides, policyProblem }: WorkloadSituation): boolean {
  return policyProblem === null && overrides.mayForbidRaises !== true;
}

function changeIfAllowed(draft: Draft): Outcome {
  if (draft.mode === 'Observe' || draft.mode === 'Recommend') return recommend(draft);
  const manager = otherManager(draft.context);
  if (manager !== null) return leaveToOther(draft, manager);
  const others = externalResizes(draft.context);
  if (others !== draft.memory.externalResizes) draft.remember({ externalResizes: others });
  const resized = heldByOthers(others, draft.context.now);
  if (resized !== null) return leaveToOther(draft, resized, others?.until);
  const stopped = holdsRollBacks(draft.context);
  if (stopped !== null) return waitIfDue(draft, stopped);
  const held = holdsEverything(draft.context);
  const before = draft.memory;
  const result = held === null ? change(draft) : rollBackAlone(draft, held);
  if (!draft.isDryRun) return result;
  draft.remember(before);
  return draft.steps.length > 0 || draft.due().length > 0 ? outcome('awaiting', 'dry-run', `dry run: ${result.message}`) : result;
}

/** Two tools that size the same pods undo each other's work for ever. Our own half-done work is taken back all the same. */
function leaveToOther(draft: Draft, manager: string, until: Instant | null = null): Outcome {
  dropChange(draft);
  if (holdsEverything(draft.context) === null) draft.steps.push(...halfDone(draft.context));
  return outcome('blocked', 'other-manager', manager, until);
}

/** What the status of pods alone asks for: usage is too old for anything else. */
function rollBackAlone(draft: Draft, held: Waiting): Outcome {
  rollBackOnRequest(draft);
  rollBackOnRegression(draft);
  raiseKilledPods(draft);
  carryOutRollBack(draft);
  return waitIfDue(draft, held);
}

/** A reduction that began after it is held, and is not taken back by it; raises that began since go on. */
function carryOutRollBack(draft: Draft): void {
  const { rolledBack, lastApplied, apply, previous } = draft.memory;
  if (rolledBack === null || rolledBack.at !== lastApplied?.at) return;
  if (apply !== null && mustProveItself(apply, previous?.values ?? null)) return;
  draft.steps.push(...rollBackSteps(draft.context));
}

function waitIfDue(draft: Draft, held: Waiting): Outcome {
  const isDue = draft.due().length > 0 || draft.memory.apply !== null;
  return isDue ? fromWaiting([held], draft.unchanged()) : draft.unchanged();
}

function recommend(draft: Draft): Outcome {
  dropChange(draft);
  const left = halfDone(draft.context).map(({ pod }) => pod);
  rollBackInRecommend(draft);
  const result = recommended(draft);
  if (left.length === 0 || draft.steps.length > 0) return result;
  const words = `made smaller by a change that was ended, and left so, as mode ${draft.mode} changes nothing: ${namesOf(left)}`;
  return { ...result, message: `${result.message}; ${words}` };
}

function recommended(draft: Draft): Outcome {
  if (draft.due().length === 0) return draft.unchanged();
  return currentRejection(draft.plan) ?? outcome('recommended', null, draft.summary());
}

/** The one thing that is done in a mode that only recommends: what a user asks for by name. */
function rollBackInRecommend(draft: Draft): void {
  if (holdsRollBacks(draft.context) !== null || otherManager(draft.context) !== null) return;
  const before = draft.memory;
  rollBackOnRequest(draft);
  const { rolledBack } = draft.memory;
  if (rolledBack !== null && rolledBack.requestedAt !== null && rolledBack.heldUntil > draft.context.now) {
    draft.steps.push(...rollBackSteps(draft.context));
  }
  if (draft.isDryRun) draft.remember(before);
}

/** Takes back what harms, brings the change under way further, or starts one. */
function change(draft: Draft): Outcome {
  rollBackOnRequest(draft);
  rollBackOnRegression(draft);
  rollBackWatched(draft);
  // Pods that are created meanwhile are to stay as they are.
  if (heldByPerson(draft.context)) dropChange(draft);
  endIfFixedByAutoscaler(draft);
  const refused = revert(draft);
  raiseKilledPods(draft);
  rememberHotReplicas(draft);
  retargetIfShort(draft);
  const underWay = draft.memory.apply;
  if (underWay !== null) {
    resizeHotReplicas(draft);
    return advanceChange(draft, underWay);
  }
  const gaps = conforming(draft.context);
  const before = draft.memory;
  const begun = startChange(draft);
  const started = draft.memory.apply;
  resizeHotReplicas(draft);
  const decided = started === null ? begun : advanceChange(draft, started, before);
  if (draft.memory !== before) return decided;
  draft.steps.push(...gaps.steps);
  if (decided.state === 'awaiting') return decided;
  return refused ?? fromWaiting(gaps.waits, decided);
}

function endIncreases(draft: Draft): void {
  if (draft.memory.cpuBeforeIncrease.size === 0) return;
  const cpuBeforeIncrease = increasesNow(draft.memory, draft.containers, draft.due());
  if (cpuBeforeIncrease !== draft.memory.cpuBeforeIncrease) draft.remember({ cpuBeforeIncrease });
}

function reportNodeOoms(draft: Draft): void {
  const { notes, nodeOoms } = nodeOomNotes(draft.containers, draft.memory);
  if (notes.length === 0) return;
  draft.notes.push(...notes);
  draft.remember({ nodeOoms });
}

/** Pods that were OOM-killed at their limit get more at once, each by itself. */
function raiseKilledPods(draft: Draft): void {
  if (heldByPerson(draft.context)) return;
  const oomBumps = bumpsAfterKills(draft.context, draft.containers, draft.mode);
  if (oomBumps !== draft.memory.oomBumps) draft.remember({ oomBumps });
  draft.steps.push(...stepsOfBumps(draft.context));
}

/** A replica that uses far more CPU than the others gets it alone. */
function rememberHotReplicas(draft: Draft): void {
  if (heldByPerson(draft.context)) return;
  const { hotReplicas, notes } = hotReplicasNow(draft.context, draft.containers);
  if (hotReplicas !== draft.memory.hotReplicas) draft.remember({ hotReplicas });
  draft.notes.push(...notes);
}

/** After the common values of this decision are known: no replica is brought back below them. */
function resizeHotReplicas(draft: Draft): void {
  if (!heldByPerson(draft.context)) draft.steps.push(...stepsOfHotReplicas(draft.context, draft.containers));
}

/** What nodes would not or could not carry out goes back to what they did. */
function revert(draft: Draft): Outcome | null {
  const { failures, steps, notes, outcome: refused } = reverts(draft.context);
  if (failures !== null) draft.remember({ failures });
  draft.steps.push(...steps);
  draft.notes.push(...notes);
  return refused;
}
