// The decision at the core: what a workload should have, whether that may be done now, to which pods, and what to remember.
// What knows of autoscalers, births, idleness and the like lies around it.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '../../model/units.ts';
import { carryOut, type CarryOut } from './carry-out.ts';
import type { ResizeStep } from './resize-step.ts';
import { conforming } from './conforming.ts';
import { sameValues, type Values } from './container-values.ts';
import { birthsAwaited, comesWithBirth, isSizedAtBirthAlone, withPods } from './births.ts';
import { fromWaiting, outcome, type Outcome, type WorkloadDecision } from './decision.ts';
import type { DecisionNote } from './decision-note.ts';
import type { DueChange } from './due-changes.ts';
import { harmAtBirth } from './harm-at-birth.ts';
import { harmSeen } from './harm-seen.ts';
import { lowersWhatIsFixed, pausedByAutoscaler } from './autoscaler-bounds.ts';
import { beyondAutoscalers } from './beyond-autoscalers.ts';
import { heldByPerson, holdsDecisions, holdsEverything, outlivesHold, partedByHolds } from './interlocks.ts';
import type { Waiting } from './waiting.ts';
import { begun, ended, forgiven, hasBegun, lowersContainer, rolledBack } from './memory-steps.ts';
import { neverChanges } from './never-changes.ts';
import { otherManager } from './other-manager.ts';
import { heldByOthers, otherResizes } from './other-resizes.ts';
import { modeInForce, type ChangeUnderWay, type ResizeMemory, type WorkloadSituation } from './situation.ts';
import { mustProveItself, nextStage, podsInStage } from './stages.ts';
import { waitingChange } from './waiting-change.ts';
import {
  inForceOf,
  merged,
  reasonOf,
  standingApproval,
  standingRejection,
  summaryOf,
  throttledRatioOf,
  valuesFor,
  whatIsDue,
  type Picture,
} from './what-is-due.ts';
import type { ApprovalStanding } from './wishes.ts';
import { workloadFigures } from './workload-figures.ts';
import type { ContainerFigures } from './container-figures.ts';
import { writeBacks } from './write-backs.ts';

/** While a change is under way the pods are looked at this often. */
const UNDER_WAY_MS: DurationMs = MINUTE_MS;

/** @param situation as the layers around it see it */
export function decidePlainly(situation: WorkloadSituation): WorkloadDecision {
  return new Deciding(situation).decide();
}

class Deciding {
  #situation: WorkloadSituation;
  readonly #mode: ResizeMode;
  #figures: readonly ContainerFigures[];
  readonly #steps: ResizeStep[] = [];
  readonly #notes: DecisionNote[] = [];

  constructor(situation: WorkloadSituation) {
    this.#situation = situation;
    this.#mode = modeInForce(situation.policy, situation.overrides);
    this.#figures = workloadFigures(situation);
  }

  decide(): WorkloadDecision {
    const outcome = this.#neverChanges() ?? this.#mayChange();
    const { policy, now } = this.#situation;
    const untilNext = outcome.until === null ? policy.intervalMs : Math.max(1000, outcome.until - now);
    const pace = this.#memory.apply === null ? policy.intervalMs : Math.min(UNDER_WAY_MS, policy.intervalMs);
    return {
      ...outcome,
      mode: this.#mode,
      containers: this.#figures,
      memory: this.#memory,
      // A dry run has the server validate one pod; the others are alike.
      steps: this.#isDryRun() ? this.#steps.slice(0, 1) : this.#steps,
      autoscalers: [],
      evict: null,
      notes: this.#notes,
      lookAgainInMs: Math.min(untilNext, pace),
    };
  }

  get #memory(): ResizeMemory {
    return this.#situation.memory;
  }

  #remember(change: Partial<ResizeMemory>): void {
    this.#situation = { ...this.#situation, memory: { ...this.#memory, ...change } };
  }

  #neverChanges(): Outcome | null {
    const settled = neverChanges(this.#situation, this.#mode, this.#figures);
    this.#notes.push(...(settled?.notes ?? []));
    return settled?.outcome ?? null;
  }

  #mayChange(): Outcome {
    if (this.#mode === 'Observe' || this.#mode === 'Recommend') return this.#onlyRecommends();
    const manager = otherManager(this.#situation);
    if (manager !== null) return this.#leavesTo(manager);
    const others = otherResizes(this.#situation);
    if (others !== this.#memory.otherResizes) this.#remember({ otherResizes: others });
    const resized = heldByOthers(others, this.#situation.now);
    if (resized !== null) return this.#leavesTo(resized, others?.until);
    const held = holdsEverything(this.#situation);
    if (held !== null) return this.#waitsOrRests(held);
    const before = this.#memory;
    const result = this.#acts();
    if (!this.#isDryRun()) return result;
    this.#remember(before);
    const due = this.#steps.length > 0 || this.#due().length > 0;
    return due ? outcome('awaiting', 'dry-run', `dry run: ${result.message}`) : result;
  }

  /** Two tools that size the same pods undo each other's work for ever. */
  #leavesTo(manager: string, until: Instant | null = null): Outcome {
    if (this.#memory.apply !== null) this.#remember({ apply: null });
    return outcome('blocked', 'other-manager', manager, until);
  }

  #onlyRecommends(): Outcome {
    // A change that was under way stays where it is: the mode says that nothing is to be touched.
    if (this.#memory.apply !== null) this.#remember({ apply: null });
    this.#takesBackOnRequest();
    const due = this.#due();
    const rejected = standingRejection(this.#picture);
    if (due.length === 0) return this.#rests();
    if (rejected !== null) return rejected;
    return outcome('recommended', null, this.#summary());
  }

  /** The one thing that is done in a mode that only recommends: what a person asks for by name. */
  #takesBackOnRequest(): void {
    const { now } = this.#situation;
    if (holdsEverything(this.#situation) !== null || otherManager(this.#situation) !== null) return;
    const before = this.#memory;
    this.#rollBackOnRequest();
    const { rolledBack } = this.#memory;
    if (rolledBack !== null && rolledBack.requestedAt !== null && rolledBack.heldUntil > now) {
      this.#steps.push(...conforming(this.#situation).steps);
    }
    if (this.#isDryRun()) this.#remember(before);
  }

  #isDryRun(): boolean {
    return this.#situation.standing.dryRun || this.#situation.policy.dryRun;
  }

  #acts(): Outcome {
    this.#rollBackOnRequest();
    this.#rollBackOnHarm();
    // Pods that are born anew meanwhile are to stay as they are.
    if (heldByPerson(this.#situation) && this.#memory.apply !== null) this.#remember({ apply: null });
    this.#endOnObstacle();
    const failed = this.#writeBack();
    this.#retargetIfShort();
    const underWay = this.#memory.apply;
    if (underWay !== null) return this.#advance(underWay);
    const gaps = conforming(this.#situation);
    const decided = this.#startChange();
    const started = this.#memory.apply;
    if (started !== null) return this.#advance(started);
    this.#steps.push(...gaps.steps);
    if (decided.state !== 'awaiting') {
      const born = this.#bornWith();
      if (born !== null) return born;
    }
    if (failed !== null && decided.state !== 'awaiting') return failed;
    if (decided.state !== 'awaiting' && gaps.waits.length > 0) return fromWaiting(gaps.waits, decided);
    return decided;
  }

  /** Starts a change where one is due and nothing holds it; else tells what it waits for. */
  #startChange(): Outcome {
    const approval: ApprovalStanding = this.#mode === 'Approve' ? standingApproval(this.#picture) : { kind: 'none' };
    const approved = approval.kind === 'valid' ? approval : null;
    const wanted = this.#due(approved?.values);
    if (wanted.length === 0) return this.#nothingDue();
    const rejected = standingRejection(this.#picture);
    if (rejected !== null) return rejected;
    const held = holdsDecisions(this.#situation);
    const due = wanted.filter((change) => held === null || outlivesHold(this.#situation, change));
    if (due.length === 0) return fromWaiting(held === null ? [] : [held], this.#rests());
    if (this.#mode === 'Approve' && approved === null) return this.#awaitsApproval(approval);
    const { allowed, waits } = partedByHolds(this.#situation, due, approved !== null);
    if (allowed.length === 0) return fromWaiting(waits, this.#rests());
    const { policy, otherWorkloadsUnderWay } = this.#situation;
    if (otherWorkloadsUnderWay >= policy.maxConcurrent && !allowed.some((change) => change.urgent)) {
      return outcome(
        'awaiting',
        'capacity',
        `${otherWorkloadsUnderWay} other workloads are being resized; maxConcurrent is ${policy.maxConcurrent}`,
      );
    }
    const values = approved === null ? valuesFor(this.#figures, allowed) : merged(this.#figures, approved.values);
    return this.#begin(values, reasonOf(allowed), approved?.by ?? 'evenkeel');
  }

  #nothingDue(): Outcome {
    if (this.#mode !== 'Approve' || this.#due().length === 0) return beyondAutoscalers(this.#figures, this.#situation.now) ?? this.#rests();
    return (
      standingRejection(this.#picture) ??
      outcome('awaiting', 'approval', `what was approved is in force; newly recommended: ${this.#summary()}`)
    );
  }

  #awaitsApproval(approval: ApprovalStanding): Outcome {
    if (approval.kind !== 'lapsed') return outcome('awaiting', 'approval', this.#summary());
    this.#notes.push({ type: 'Normal', reason: 'ApprovalLapsed', message: approval.message });
    return outcome('awaiting', 'approval', `${approval.message}; ${this.#summary()}`);
  }

  #begin(values: Values, reason: string, by: string): Outcome {
    const { now } = this.#situation;
    const inForce = inForceOf(this.#figures);
    if ([...values].every(([name, to]) => sameValues(inForce.get(name) ?? to, to))) return this.#rests();
    const change: ChangeUnderWay = {
      startedAt: now,
      stage: 'Canary',
      stageStartedAt: now,
      throttledRatioBefore: throttledRatioOf(this.#situation),
      errorRateBefore: this.#situation.errorRate ?? null,
      reason,
      by,
      values,
    };
    this.#remember(begun(this.#memory, change, inForce));
    return outcome('applying', null, this.#summary());
  }

  /** Brings the change under way further: this stage's pods, then the next stage, then done. */
  #advance(change: ChangeUnderWay): Outcome {
    const { now, pods, policy } = this.#situation;
    const running = pods.filter((pod) => pod.phase === 'Running').length;
    if (running === 0 && !isSizedAtBirthAlone(this.#situation)) return outcome('awaiting', 'rollout', 'no pod is running');
    const careful = mustProveItself(change, this.#memory.previous?.values ?? null);
    const progress = carryOut(this.#situation, change.values, {
      kind: 'change',
      most: podsInStage(change.stage, running),
      because: change.reason,
    });
    if (progress.reachable === 0) return this.#outOfReach(change, progress);
    this.#steps.push(...progress.steps);
    const wanted = Math.min(podsInStage(change.stage, running), progress.reachable);
    const proven = !careful || now - change.stageStartedAt >= policy.rollback.withinMs;
    if (progress.steps.length > 0 || progress.settled.length < wanted || !proven) return this.#applying(change, progress);
    const paused = pausedByAutoscaler(this.#situation, this.#memory.previous?.values ?? new Map(), change.values);
    if (paused !== null) return this.#applying(change, { ...progress, waits: [paused, ...progress.waits] });
    const next = nextStage(change.stage, running);
    if (next === null || progress.settled.length >= progress.reachable) return this.#complete(change, progress);
    const advanced: ChangeUnderWay = { ...change, stage: next, stageStartedAt: now };
    this.#remember({ apply: advanced });
    const further = carryOut(this.#situation, change.values, { kind: 'change', most: podsInStage(next, running), because: change.reason });
    this.#steps.push(...further.steps);
    return this.#applying(advanced, further);
  }

  /** No pod that there is can be given it. */
  #outOfReach(change: ChangeUnderWay, progress: CarryOut): Outcome {
    if (comesWithBirth(this.#situation, progress.waits)) {
      const completed = this.#complete(change, progress);
      return this.#bornWith() ?? fromWaiting(progress.waits, completed);
    }
    this.#remember({ apply: null, previous: null });
    return fromWaiting(progress.waits, outcome('recommended', null, this.#summary()));
  }

  #applying(change: ChangeUnderWay, progress: CarryOut): Outcome {
    const waiting = waitingChange(change, progress, this.#situation);
    if (waiting !== null) return waiting;
    const waits = progress.waits.slice(0, 1).map(({ message }) => message);
    const far = `${progress.settled.length} of ${progress.reachable} pods have it`;
    return outcome('applying', null, [far, ...waits, this.#summary(change.values)].join('; '));
  }

  #complete(change: ChangeUnderWay, progress: CarryOut): Outcome {
    const { now } = this.#situation;
    const summary = this.#summary(change.values);
    this.#remember({
      apply: null,
      lastApplied: { at: now, by: change.by, reason: change.reason, pods: progress.settled.length, values: change.values },
      rolledBack: forgiven(this.#memory.rolledBack, !isSizedAtBirthAlone(this.#situation)),
    });
    this.#figures = workloadFigures(this.#situation);
    return outcome('applied', null, `in force on ${progress.settled.length} pods; ${summary}`);
  }

  /** What is in force waits for births; null: it does not, or not any more. */
  #bornWith(): Outcome | null {
    const awaited = birthsAwaited(this.#situation);
    if (awaited === null) return null;
    this.#remember(withPods(this.#memory, awaited.pods));
    return awaited.outcome;
  }

  #writeBack(): Outcome | null {
    const { failures, steps, notes, outcome: told } = writeBacks(this.#situation);
    if (failures !== null) this.#remember({ failures });
    this.#steps.push(...steps);
    this.#notes.push(...notes);
    return told;
  }

  #rollBackOnRequest(): void {
    const { wishes, memory } = this.#situation;
    if (wishes.rollback === null || memory.rolledBack?.requestedAt === wishes.rollback.at) return;
    const by = wishes.rollback.by === '' ? 'a person' : wishes.rollback.by;
    this.#rollBack('request', `asked for by ${by}`, wishes.rollback.at);
  }

  #rollBackOnHarm(): void {
    const harm = harmSeen(this.#situation);
    if (harm !== null) this.#rollBack(harm.reason, harm.message, null);
    const born = harmAtBirth(this.#situation);
    if (born === null) return;
    this.#remember({ previous: { at: this.#situation.now, values: born.asDeployed } });
    this.#rollBack(born.reason, born.message, null);
  }

  /** An autoscaler whose target may not move any more: the change that counted on it ends, and its pods go back. */
  #endOnObstacle(): void {
    const { apply, previous } = this.#memory;
    if (apply === null || !lowersWhatIsFixed(this.#situation, previous?.values ?? new Map(), apply.values)) return;
    this.#remember(ended(this.#memory, this.#situation.now, hasBegun(this.#situation.pods, previous)));
    this.#figures = workloadFigures(this.#situation);
  }

  /**
   * A container turns out too small while a change spreads (its hour of the day begins, say). The change goes on to what
   * is needed now and proves itself anew from there; going back to what was before would give up all that it is right in.
   */
  #retargetIfShort(): void {
    const { memory, now } = this.#situation;
    const urgent = memory.apply === null ? [] : this.#due().filter((due) => due.urgent);
    if (memory.apply === null || urgent.length === 0) return;
    if (this.#mode === 'Approve') {
      this.#endIfTooSmall(memory.apply, urgent);
      return;
    }
    const values = valuesFor(this.#figures, urgent);
    this.#remember({ apply: { ...memory.apply, stageStartedAt: now, reason: reasonOf(urgent), values } });
    this.#figures = workloadFigures(this.#situation);
  }

  /** Nothing greater has been approved. What is too small goes no further, and back: the approval no longer holds. */
  #endIfTooSmall(change: ChangeUnderWay, short: readonly DueChange[]): void {
    const { memory, now } = this.#situation;
    if (
      !short.some(({ container }) => lowersContainer(change, memory.previous, container)) ||
      standingApproval(this.#picture).kind === 'valid'
    )
      return;
    this.#remember(ended(memory, now, true));
    this.#figures = workloadFigures(this.#situation);
  }

  #rollBack(reason: string, message: string, requestedAt: Instant | null): void {
    const { memory, now } = this.#situation;
    this.#remember(rolledBack(memory, now, { reason, message, requestedAt }));
    this.#notes.push({
      type: requestedAt === null ? 'Warning' : 'Normal',
      reason: 'RolledBack',
      message: `back to the values before: ${message}`,
    });
    this.#figures = workloadFigures(this.#situation);
  }

  /** @param values approved ones in place of the recommended */
  #due(values?: Values): readonly DueChange[] {
    return whatIsDue(this.#picture, values);
  }

  get #picture(): Picture {
    return { situation: this.#situation, mode: this.#mode, figures: this.#figures };
  }

  #rests(): Outcome {
    const applied = this.#memory.lastApplied !== null && this.#memory.rolledBack?.at !== this.#memory.lastApplied.at;
    return applied ? outcome('applied', null, 'in force and inside the tolerance') : outcome('optimal', null, 'inside the tolerance');
  }

  #waitsOrRests(held: Waiting): Outcome {
    const due = this.#due().length > 0 || this.#memory.apply !== null;
    return due ? fromWaiting([held], this.#rests()) : this.#rests();
  }

  #summary(values?: Values): string {
    return summaryOf(this.#picture, values);
  }
}
