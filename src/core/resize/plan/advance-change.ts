// Advances a change under way: it resizes the pods of the current stage, starts the next stage, and completes the change.

import { formatDuration } from '../../model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { bumpsOfChange } from './container/oom-bumps.ts';
import { recordIncreases } from './due/cpu-increases.ts';
import { recordCpuLimitSteps } from './container/cpu-limit.ts';
import { findAutoscalerPause, isFixedTargetLowered } from './autoscalers/autoscaler-bounds.ts';
import { containersShortOfMemory } from './pod/keep-memory.ts';
import { ofResizedContainers, planSteps, type StepPlan } from './steps/plan-steps.ts';
import type { Draft } from './draft.ts';
import { isBurst } from './due/bursts.ts';
import type { DueChange } from './due/due-changes.ts';
import { memoryAfterEnd, hasChangedPods, isReducedByChange, valuesBeforeChange } from './due/remembered-change.ts';
import { resetRollBackCount } from './due/remembered-roll-back.ts';
import { withReductions } from './due/once-a-day.ts';
import { splitByBlockers } from './blockers/blockers.ts';
import { isSizedAtCreationOnly, isEffectiveAtCreation } from './blockers/creation-only.ts';
import { isReducingChange, isVerificationNeeded, nextStage, podsInStage, stageMs } from './due/stages.ts';
import { isCountResetByWatch, addObservedReduction } from './verify/observed-reductions.ts';
import { approvedPart, reasonOf, currentApproval, valuesFor } from './plan-due-changes.ts';
import { outcomeOfWaiting, outcome, type Outcome } from '../model/decision.ts';
import type { ChangeUnderWay, ResizeMemory, WorkloadSituation } from '../model/situation.ts';

/** A stage that exceeds its duration by this much is reported as stuck. */
const STUCK_AFTER_MS: DurationMs = 30 * MINUTE_MS;

/** Advances a change by one decision. @param before the memory before the change, where it starts with this decision */
export function advanceChange(draft: Draft, change: ChangeUnderWay, before?: ResizeMemory): Outcome {
  const { now, pods, policy } = draft.context;
  const running = pods.filter((pod) => pod.phase === 'Running').length;
  if (running === 0 && !isSizedAtCreationOnly(draft.context)) return outcome('awaiting', 'rollout', 'no pod is running');
  const needsProof = isVerificationNeeded(change, draft.memory.previous?.values ?? null);
  const progress = carryOutStage(draft, change, running);
  if (progress.steps.length === 0) {
    if (progress.reachable === 0) return endUnreachableChange(draft, change, progress, before);
    if (before !== undefined && progress.actuated.length === 0) return awaitFirstPod(draft, progress, before);
  }
  recordSteps(draft, change, progress);
  const wanted = Math.min(podsInStage(change.stage, running), progress.reachable);
  const isVerified = !needsProof || now - change.stageStartedAt >= stageMs(policy);
  if (progress.steps.length > 0 || progress.actuated.length < wanted || !isVerified) return reportProgress(draft, change, progress);
  const paused = findAutoscalerPause(draft.context, valuesBeforeChange(draft.memory), change.values);
  if (paused !== null) return reportProgress(draft, change, { ...progress, waits: [paused, ...progress.waits] });
  const next = nextStage(change.stage, running);
  if (next === null || progress.actuated.length >= progress.reachable) return complete(draft, change, progress);
  const advanced: ChangeUnderWay = { ...change, stage: next, stageStartedAt: now };
  draft.remember({ apply: advanced });
  const further = carryOutStage(draft, advanced, running);
  recordSteps(draft, advanced, further);
  return reportProgress(draft, advanced, further);
}

/** Dates the reductions of the change by its last reduced pod, so that the next reduction is at least a day later for that pod, too. */
function recordSteps(draft: Draft, change: ChangeUnderWay, { steps }: StepPlan): void {
  draft.steps.push(...steps);
  const { previous, reductions } = draft.memory;
  if (previous === null || !steps.some(({ lowers }) => lowers)) return;
  draft.remember({ reductions: withReductions(reductions, { ...change, startedAt: draft.context.now }, previous.values) });
}

function carryOutStage(draft: Draft, { values, stage, reason }: ChangeUnderWay, running: number): StepPlan {
  const before = valuesBeforeChange(draft.memory);
  const isUnchanged = (name: string): boolean => before.get(name)?.requests.memoryBytes === values.get(name)?.requests.memoryBytes;
  return planSteps(draft.context, ofResizedContainers(draft.context, values), {
    kind: 'change',
    maxPods: podsInStage(stage, running),
    // Values that the change does not alter are those in force, to which only drift correction would reduce a pod.
    keepMemoryOf: containersShortOfMemory(draft.containers, values).filter(isUnchanged),
    reason,
  });
}

/** Ends a change that no existing pod can get. One that starts with this decision is not stored, so that it is not recorded at every decision. */
function endUnreachableChange(draft: Draft, change: ChangeUnderWay, progress: StepPlan, before?: ResizeMemory): Outcome {
  if (isEffectiveAtCreation(draft.context, progress.waits)) return outcomeOfWaiting(progress.waits, complete(draft, change, progress));
  if (before === undefined) endChange(draft);
  else draft.restore(before);
  return outcomeOfWaiting(progress.waits, outcome('recommended', null, draft.summary()));
}

/** Waits to start a change until it can resize a pod: one that only waits would be started and ended with each pod that comes and goes. */
function awaitFirstPod(draft: Draft, progress: StepPlan, before: ResizeMemory): Outcome {
  draft.restore(before);
  return outcomeOfWaiting(progress.waits, outcome('recommended', null, draft.summary()));
}

function reportProgress(draft: Draft, change: ChangeUnderWay, progress: StepPlan): Outcome {
  const waiting = describeStall(change, progress, draft.context);
  if (waiting !== null) return waiting;
  const waits = progress.waits.slice(0, 1).map(({ message }) => message);
  return outcome('applying', null, [describeStage(draft, change, progress), ...waits, draft.summary(change.values)].join('; '));
}

/** How many pods have the change, and until when they are watched before the next pods get it. */
function describeStage({ context, memory }: Draft, change: ChangeUnderWay, progress: StepPlan): string {
  const watchedUntil = change.stageStartedAt + stageMs(context.policy);
  const isWatched =
    progress.actuated.length > 0 && context.now < watchedUntil && isVerificationNeeded(change, memory.previous?.values ?? null);
  return isWatched ? `${resizedPods(progress)}, watched until ${isoTime(watchedUntil)}` : resizedPods(progress);
}

function resizedPods({ actuated, reachable }: StepPlan): string {
  return `${actuated.length} of ${reachable} ${reachable === 1 ? 'pod' : 'pods'} resized`;
}

/**
 * The waiting reason of a change under way that makes no progress. The change continues where it can; while its state is `awaiting`, it
 * does not count against `maxConcurrent`. null: it makes progress.
 */
function describeStall(change: ChangeUnderWay, progress: StepPlan, { now, policy }: WorkloadSituation): Outcome | null {
  const { steps, actuated, waits } = progress;
  if (steps.length > 0) return null;
  const lasts = Math.floor((now - change.stageStartedAt) / MINUTE_MS) * MINUTE_MS;
  const far = resizedPods(progress);
  const begun = outcome('applying', null, far);
  if (lasts < stageMs(policy) + STUCK_AFTER_MS) return actuated.length === 0 && waits.length > 0 ? outcomeOfWaiting(waits, begun) : null;
  const stuck = `${far}, and no more for ${formatDuration(lasts)}`;
  const stuckWaits = waits.map((wait) => ({ ...wait, message: `${stuck}; ${wait.message}` }));
  return outcomeOfWaiting(stuckWaits, outcome('awaiting', 'stuck', `${stuck}; their nodes have not actuated the resize yet`));
}

function complete(draft: Draft, change: ChangeUnderWay, { actuated }: StepPlan): Outcome {
  const { by, reason, values } = change;
  const summary = draft.summary(values);
  const hasProven = isVerificationNeeded(change, draft.memory.previous?.values ?? null) && !isSizedAtCreationOnly(draft.context);
  const isProven = hasProven && !isCountResetByWatch(draft.context);
  draft.recordEffectiveValues({
    apply: null,
    lastApplied: { at: draft.context.now, by, reason, pods: actuated.length, values },
    rolledBack: resetRollBackCount(draft.memory.rolledBack, isProven),
    observedReductions: addObservedReduction(draft.context, change),
  });
  const running = draft.context.pods.filter(({ phase }) => phase === 'Running').length;
  const count = actuated.length < running ? `${actuated.length} of ${running}` : `${actuated.length}`;
  return outcome('applied', null, `in force on ${count} ${running === 1 ? 'pod' : 'pods'}; ${summary}`);
}

/** Ends and reverts a change that lowers what an autoscaler measures, once the autoscaler's target can no longer be adjusted. */
export function endAutoscalerConflict(draft: Draft): void {
  const { apply } = draft.memory;
  if (apply === null || !isFixedTargetLowered(draft.context, valuesBeforeChange(draft.memory), apply.values)) return;
  revertChange(draft);
}

/** Ends the change under way, and restores all pods that it has changed. */
export function revertChange(draft: Draft): void {
  const { memory, now, pods } = draft.context;
  draft.recordEffectiveValues(memoryAfterEnd(memory, pods, now, hasChangedPods(pods, memory.previous)));
}

/** Ends the change under way, if any. Pods that it reduced are restored, because regressions would no longer be detected. */
export function endChange(draft: Draft): void {
  const { memory, now, pods } = draft.context;
  if (memory.apply === null) return;
  draft.recordEffectiveValues(
    memoryAfterEnd(
      memory,
      pods,
      now,
      pods.some((pod) => isReducedByChange(pod, memory.previous)),
    ),
  );
}

/**
 * Retargets the change under way where a container is too small now, for example at its daily peak. The change continues with the new
 * target, because a roll-back would also discard its correct parts. The stage restarts only where the change lowers more than before:
 * otherwise steadily growing load would keep it in one stage for ever.
 */
export function raiseTarget(draft: Draft): void {
  const { apply, previous } = draft.memory;
  if (apply === null) return;
  if (draft.mode === 'Approve') {
    raiseApprovedTarget(draft, apply);
    return;
  }
  const urgent = allowedRaises(draft, draft.due());
  if (urgent.length === 0) return;
  const values = valuesFor(draft.containers, urgent);
  draft.remember(recordIncreases(draft.memory, draft.containers, previous?.values ?? new Map(), values));
  retarget(draft, { ...apply, reason: reasonOf(urgent), values });
}

/** Mode Approve: retargets the change to urgent raises that are approved, and ends it in a burst of CPU. */
function raiseApprovedTarget(draft: Draft, apply: ChangeUnderWay): void {
  if (isInBurst(draft, apply)) {
    revertChange(draft);
    return;
  }
  const approval = currentApproval(draft.plan);
  if (approval.kind !== 'valid') return;
  const urgent = allowedRaises(draft, draft.due(approval.values));
  if (urgent.length === 0) return;
  const values = approvedPart(draft.containers, approval.values, urgent);
  retarget(draft, { ...apply, by: approval.by, reason: reasonOf(urgent), values });
}

/** The urgent raises that may join the change under way: an autoscaler may block them. */
function allowedRaises(draft: Draft, due: readonly DueChange[]): readonly DueChange[] {
  const urgent = due.filter((change) => change.urgent);
  return urgent.length === 0 ? urgent : splitByBlockers(draft.context, urgent, true).allowed;
}

function retarget(draft: Draft, change: ChangeUnderWay): void {
  const { now } = draft.context;
  const { values } = change;
  const isFurtherReduction = isReducingChange(change, draft.memory.apply?.values ?? null);
  draft.recordEffectiveValues({
    apply: isFurtherReduction ? { ...change, stageStartedAt: now } : change,
    ...recordCpuLimitSteps(draft.memory, draft.containers, values, now),
    oomBumps: bumpsOfChange(draft.memory, draft.containers, values, now),
  });
}

/** Whether a container whose CPU the change under way lowers is in a burst: the recommendation of mode Approve does not follow bursts. */
function isInBurst({ context, memory }: Draft, change: ChangeUnderWay): boolean {
  const before = valuesBeforeChange(memory);
  return context.advice.some((advice) => {
    const from = before.get(advice.container)?.requests.cpuMillicores ?? null;
    const to = change.values.get(advice.container)?.requests.cpuMillicores ?? null;
    return from !== null && to !== null && to < from && isBurst(context.policy, advice, advice.cpu?.latest ?? 0, to);
  });
}
