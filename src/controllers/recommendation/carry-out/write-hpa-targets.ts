// Changes the utilization targets of a workload's autoscalers together with the requests of its pods, so that the replicas stay the
// same: up before requests fall, and to match the pods' requests after the resizes.

import { EVENT_REASON } from '../../../apis/conditions.ts';
import { INCREASE, REDUCTION, type Effect } from '../../../core/effects/effect.ts';
import { readCurrentOriginalValues } from '../../../core/hpa/current-original.ts';
import { composeMove, moveFor, moveSummary, type AutoscalerMove, type FollowPhase } from '../../../core/hpa/follow-targets.ts';
import { hpaRef, namespacedRef } from '../../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { ResizeStep } from '../../../core/resize/model/resize-step.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import { podsAfter } from '../../../core/resize/plan/autoscalers/preserve-replicas.ts';
import type { PolicyRules } from '../../../core/resize/policy/policy-rules.ts';
import type { EventSpec } from '../../../ports/cluster/event-recorder.ts';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';
import { originalAnnotationPatch, targetPatch } from './hpa-patch.ts';
import type { RecommendationPorts } from '../ports.ts';

/** The result of the target changes of one decision. */
export interface FollowOutcome {
  /** Whether a change has to be tried again soon, for example because of a conflict or an exhausted budget. */
  readonly unfinished: boolean;
  /** Autoscalers whose patch the API server refused, to be stored in the memory of the workload. */
  readonly refused: readonly { readonly name: string; readonly message: string }[];
}

export interface FollowSubject {
  readonly workload: WorkloadRecord;
  readonly policy: PolicyRules;
  /** Pods of the situation that was decided. */
  readonly pods: readonly PodRecord[];
  readonly decision: Pick<WorkloadDecision, 'autoscalers' | 'steps' | 'memory'>;
}

export class HpaTargetWriter {
  readonly #ports: RecommendationPorts;
  readonly #subject: FollowSubject;
  readonly #signal: AbortSignal;
  readonly #refused: { readonly name: string; readonly message: string }[] = [];
  /** `uid resourceVersion` of autoscalers before a patch of this decision. */
  readonly #patched = new Set<string>();
  #unfinished = false;
  #issuedAt: Instant = 0;

  constructor(ports: RecommendationPorts, subject: FollowSubject, signal: AbortSignal) {
    this.#ports = ports;
    this.#subject = subject;
    this.#signal = signal;
  }

  /**
   * Raises targets before requests fall.
   * @returns the steps that may be carried out: none that lowers requests where a target could not be raised
   */
  async before(): Promise<readonly ResizeStep[]> {
    const { decision, pods } = this.#subject;
    const followed = await this.#follow('before', podsAfter(pods, decision.steps));
    return followed ? decision.steps : decision.steps.filter(({ lowers }) => !lowers);
  }

  /**
   * Sets targets to match the pods' requests.
   * @param taken steps that were carried out
   */
  async after(taken: readonly ResizeStep[]): Promise<FollowOutcome> {
    await this.#follow('after', podsAfter(this.#subject.pods, taken));
    return { unfinished: this.#unfinished, refused: this.#refused };
  }

  async #follow(phase: FollowPhase, pods: readonly PodRecord[]): Promise<boolean> {
    const { decision, workload } = this.#subject;
    let isComplete = true;
    for (const followed of decision.autoscalers) {
      const hpa = this.#ports.cluster.hpasOf(workloadKey(workload)).find(({ name }) => name === followed.name);
      if (hpa === undefined || this.#refused.some(({ name }) => name === followed.name)) continue;
      const move = moveFor(followed, hpa, pods, phase);
      if (move === null) continue;
      // The informer still shows the version before the patch; the next reconcile sees the new one.
      if (this.#patched.has(`${hpa.uid} ${hpa.resourceVersion}`)) continue;
      const outcome = await this.#patch(move);
      if (outcome.kind === 'done') this.#patched.add(`${hpa.uid} ${hpa.resourceVersion}`);
      else if (outcome.kind !== 'dry-run') isComplete = false;
    }
    return isComplete;
  }

  async #patch(decided: AutoscalerMove): Promise<WriteOutcome> {
    const { workload, policy, pods, decision } = this.#subject;
    const { gate, events, signer } = this.#ports;
    const { hpa } = decided;
    const known = { remembered: decision.memory.autoscalers, pods, idleSince: decision.memory.idle?.since ?? null };
    const move = composeMove(decided, readCurrentOriginalValues(hpa, signer, known), this.#nextIssue(hpa.name));
    const { moves, originals } = move;
    if (originals.fields.size > 0 && !signer.hasKey) {
      this.#unfinished = true;
      return { kind: 'blocked', reason: 'record-key', message: 'no key to sign annotations is available yet' };
    }
    const effect: Effect = {
      kind: 'patchHpa',
      target: hpaRef(hpa),
      resourceVersion: hpa.resourceVersion,
      patch: [...targetPatch(moves), ...originalAnnotationPatch(hpa, originals, signer)],
      owner: namespacedRef(workload),
      // A higher target lets the autoscaler remove pods.
      ...(moves.some(({ from, to }) => to > from) ? REDUCTION : INCREASE),
      dryRun: policy.dryRun,
      change: moveSummary(move),
      reason: `keeps the replicas of HorizontalPodAutoscaler ${hpa.name} while requests change`,
    };
    const outcome = await gate.carryOut(effect, this.#signal);
    if (outcome.kind === 'refused') this.#refused.push({ name: hpa.name, message: outcome.message });
    else if (outcome.kind !== 'done' && outcome.kind !== 'dry-run') this.#unfinished = true;
    const event = moveEvent(move, workload, outcome);
    if (event !== null) events.record(event);
    return outcome;
  }

  /** A timestamp later than every earlier one of this autoscaler, even after the clock was set back. */
  #nextIssue(hpa: string): Instant {
    const last = this.#subject.decision.memory.autoscalers.find(({ name }) => name === hpa)?.issuedAt ?? 0;
    this.#issuedAt = Math.max(this.#ports.clock.now(), last + 1, this.#issuedAt + 1);
    return this.#issuedAt;
  }
}

/** null for outcomes without an Event. */
function moveEvent(move: AutoscalerMove, workload: WorkloadRecord, outcome: WriteOutcome): EventSpec | null {
  const { namespace, name, uid } = move.hpa;
  const subject = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name, uid };
  const message = `${moveSummary(move)}, with the requests of ${workload.kind} ${workload.name}, so that its replicas stay the same`;
  if (outcome.kind === 'done')
    return { subject, type: 'Normal', reason: EVENT_REASON.autoscalerTargetMoved, action: 'MoveTarget', message };
  if (outcome.kind !== 'refused') return null;
  return {
    subject,
    type: 'Warning',
    reason: EVENT_REASON.autoscalerTargetRefused,
    action: 'MoveTarget',
    message: `${message}: ${outcome.message}`,
  };
}
