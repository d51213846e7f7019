// Brings a change that is under way further: this stage's pods, then the next stage, then done.

import { formatDuration } from '../../model/duration.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { bumpsOfChange } from './oom-bumps.ts';
import { rememberIncreases } from './cpu-increases.ts';
import { rememberCpuLimitSteps } from './cpu-limit.ts';
import { pausedByAutoscaler, lowersWhatIsFixed } from './autoscaler-bounds.ts';
import { carryOut, type CarryOut } from './carry-out.ts';
import type { Draft } from './draft.ts';
import type { DueChange } from './due-changes.ts';
import { ended, hasBegun, isMadeSmaller, lowersContainer, resetRollBackCount } from './remembered-change.ts';
import { withReductions } from './once-a-day.ts';
import { isSizedAtCreationOnly, takesEffectAtCreation } from './creation-only.ts';
import { lowersAny, mustProveItself, nextStage, podsInStage, stageMs } from './stages.ts';
import { isCountResetByWatch, watchedAfter } from './watched-reductions.ts';
import { reasonOf, currentApproval, valuesFor } from './plan-due-changes.ts';
import { fromWaiting, outcome, type Outcome } from '../model/decision.ts';
import type { ChangeUnderWay, ResizeMemory, WorkloadSituation } from '../model/situation.ts';

/** After the time in which a stage proves itself. A stage that takes longer is reported as stuck. */
const STUCK_AFTER_MS: DurationMs = 30 * MINUTE_MS;

/** @param before where the change has only just begun: what was remembered before it */
export function advanceChange(draft: Draft, change: ChangeUnderWay, before?: ResizeMemory): Outcome {
  const { now, pods, policy } = draft.context;
  const running = pods.filter((pod) => pod.phase === 'Running').length;
  if (running === 0 && !isSizedAtCreationOnly(draft.context)) return outcome('awaiting', 'rollout', 'no pod is running');
  const careful = mustProveItself(change, draft.memory.previous?.values ?? null);
  const progress = carryOutStage(draft, change, running);
  if (progress.reachable === 0 && progress.steps.length === 0) return endOutOfReach(draft, change, progress, before);
  takeSteps(draft, change, progress);
  const wanted = Math.min(podsInStage(change.stage, running), progress.reachable);
  const proven = !careful || now - change.stageStartedAt >= stageMs(policy);
  if (progress.steps.length > 0 || progress.settled.length < wanted || !proven) return applying(draft, change, progress);
  const paused = pausedByAutoscaler(draft.context, draft.memory.previous?.values ?? new Map(), change.values);
  if (paused !== null) return applying(draft, change, { ...progress, waits: [paused, ...progress.waits] });
  const next = nextStage(change.stage, running);
  if (next === null || progress.settled.length >= progress.reachable) return complete(draft, change, progress);
  const advanced: ChangeUnderWay = { ...change, stage: next, stageStartedAt: now };
  draft.remember({ apply: advanced });
  const further = carryOutStage(draft, advanced, running);
  takeSteps(draft, advanced, further);
  return applying(draft, advanced, further);
}

/** Dates the reductions of the change from its last lowered pod, so that the next reduction is a day away for that pod, too. */
function takeSteps(draft: Draft, change: ChangeUnderWay, { steps }: CarryOut): void {
  draft.steps.push(...steps);
  const { previous, reductions } = draft.memory;
  if (previous === null || !steps.some(({ lowers }) => lowers)) return;
  draft.remember({ reductions: withReductions(reductions, { ...change, startedAt: draft.context.now }, previous.values) });
}

function carryOutStage(draft: Draft, { values, stage, reason }: ChangeUnderWay, running: number): CarryOut {
  return carryOut(draft.context, values, { kind: 'change', most: podsInStage(stage, running), because: reason });
}

/** No pod that exists can be given it. One that has only just begun leaves no trace, else it would be written down at every look. */
function endOutOfReach(draft: Draft, change: ChangeUnderWay, progress: CarryOut, before?: ResizeMemory): Outcome {
  if (takesEffectAtCreation(draft.context, progress.waits)) return fromWaiting(progress.waits, complete(draft, change, progress));
  if (before === undefined) dropChange(draft);
  else draft.restore(before);
  return fromWaiting(progress.waits, outcome('recommended', null, draft.summary()));
}

function applying(draft: Draft, change: ChangeUnderWay, progress: CarryOut): Outcome {
  const waiting = waitingChange(change, progress, draft.context);
  if (waiting !== null) return waiting;
  const waits = progress.waits.slice(0, 1).map(({ message }) => message);
  const far = `${progress.settled.length} of ${progress.reachable} pods have it`;
  return outcome('applying', null, [far, ...waits, draft.summary(change.values)].join('; '));
}

/**
 * A change under way that waits is kept, and goes on where it can, but reports what for, and keeps no other workload waiting.
 * null: it goes on.
 */
function waitingChange(change: ChangeUnderWay, progress: CarryOut, { now, policy }: WorkloadSituation): Outcome | null {
  const { steps, settled, reachable, waits } = progress;
  if (steps.length > 0) return null;
  const lasts = Math.floor((now - change.stageStartedAt) / MINUTE_MS) * MINUTE_MS;
  const far = `${settled.length} of ${reachable} pods have it`;
  const begun = outcome('applying', null, far);
  if (lasts < stageMs(policy) + STUCK_AFTER_MS) return settled.length === 0 && waits.length > 0 ? fromWaiting(waits, begun) : null;
  const stuck = `${far}, and no more for ${formatDuration(lasts)}`;
  const stuckWaits = waits.map((wait) => ({ ...wait, message: `${stuck}; ${wait.message}` }));
  return fromWaiting(stuckWaits, outcome('awaiting', 'stuck', `${stuck}; their nodes have not carried it out yet`));
}

function complete(draft: Draft, change: ChangeUnderWay, { settled }: CarryOut): Outcome {
  const { by, reason, values } = change;
  const summary = draft.summary(values);
  const hasProven = mustProveItself(change, draft.memory.previous?.values ?? null) && !isSizedAtCreationOnly(draft.context);
  const isProven = hasProven && !isCountResetByWatch(draft.context);
  draft.rememberInForce({
    apply: null,
    lastApplied: { at: draft.context.now, by, reason, pods: settled.length, values },
    rolledBack: resetRollBackCount(draft.memory.rolledBack, isProven),
    watched: watchedAfter(draft.context, change),
  });
  return outcome('applied', null, `in force on ${settled.length} pods; ${summary}`);
}

/** An autoscaler whose target may not move any more: the change that counted on it ends, and its pods go back. */
export function endIfFixedByAutoscaler(draft: Draft): void {
  const { apply, previous } = draft.memory;
  if (apply === null || !lowersWhatIsFixed(draft.context, previous?.values ?? new Map(), apply.values)) return;
  const { now, pods } = draft.context;
  draft.rememberInForce(ended(draft.memory, pods, now, hasBegun(pods, previous)));
}

/** The change under way, if any, is not gone on with, and its harm would not be seen any more: pods that it made smaller go back. */
export function dropChange(draft: Draft): void {
  const { memory, now, pods } = draft.context;
  if (memory.apply === null) return;
  draft.rememberInForce(
    ended(
      memory,
      pods,
      now,
      pods.some((pod) => isMadeSmaller(pod, memory.previous)),
    ),
  );
}

/**
 * A container turns out too small while a change spreads (its hour of the day begins, say). The change goes on to what is
 * needed now; going back to what was before would give up all that it is right in. What it lowers proves itself again only
 * where that changes: else a load that grows all the time would keep it in its stage for ever.
 */
export function retargetIfShort(draft: Draft): void {
  const { apply } = draft.memory;
  const urgent = apply === null ? [] : draft.due().filter((due) => due.urgent);
  if (apply === null || urgent.length === 0) return;
  if (draft.mode === 'Approve') endIfTooSmall(draft, apply, urgent);
  else {
    const values = valuesFor(draft.containers, urgent);
    const { now } = draft.context;
    const stageStartedAt = lowersAny({ values }, apply.values) ? now : apply.stageStartedAt;
    draft.rememberInForce({
      apply: { ...apply, stageStartedAt, reason: reasonOf(urgent), values },
      ...rememberIncreases(draft.memory, draft.containers, draft.memory.previous?.values ?? new Map(), values),
      ...rememberCpuLimitSteps(draft.memory, draft.containers, values, now),
      oomBumps: bumpsOfChange(draft.memory, draft.containers, values, now),
    });
  }
}

/** Nothing greater has been approved. What is too small goes no further, and back: the approval no longer holds. */
function endIfTooSmall(draft: Draft, change: ChangeUnderWay, short: readonly DueChange[]): void {
  const isToBlame = short.some(({ container }) => lowersContainer(change, draft.memory.previous, container));
  if (!isToBlame || currentApproval(draft.plan).kind === 'valid') return;
  draft.rememberInForce(ended(draft.memory, draft.context.pods, draft.context.now, true));
}
