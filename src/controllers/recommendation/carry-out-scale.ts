// Carries out the change of replicas of a workload that falls idle or wakes.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import { INCREASE, REDUCTION, type EffectIntent } from '../../core/effects/effect.ts';
import { currentNote } from '../../core/hpa/current-original.ts';
import { hpaRef, namespacedRef } from '../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import { autoscalerNote } from '../../core/resize/layers/idle/idle-originals.ts';
import type { WorkloadDecision } from '../../core/resize/model/decision.ts';
import type { ScaleStep } from '../../core/resize/model/scale-step.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { PolicyRules } from '../../core/resize/policy/policy-rules.ts';
import type { WriteOutcome } from '../../ports/writers.ts';
import { noteOperations } from './hpa-patch.ts';
import type { RecommendationPorts } from './ports.ts';

export interface ScaleSubject {
  readonly workload: WorkloadRecord;
  readonly policy: Pick<PolicyRules, 'dryRun'>;
  readonly pods: readonly PodRecord[];
  readonly decision: Pick<WorkloadDecision, 'scale' | 'memory'>;
}

/** Answers whether it is to be tried again soon: the object moved on, or the gate holds it. */
export async function carryOutScale(ports: RecommendationPorts, subject: ScaleSubject, signal: AbortSignal): Promise<boolean> {
  const { workload, policy, decision } = subject;
  const { scale: step } = decision;
  if (step === undefined) return false;
  const what = step.autoscaler === null ? 'replicas' : `minReplicas of HorizontalPodAutoscaler ${step.autoscaler}`;
  const change = isOfNoteAlone(step)
    ? `annotation ${HPA_ANNOTATIONS.original} of HorizontalPodAutoscaler ${step.autoscaler ?? ''}`
    : `${what} ${step.from} → ${step.to}`;
  const target = namespacedRef(workload);
  const { dryRun } = policy;
  const intent: EffectIntent = {
    owner: target,
    ...(step.to < step.from ? REDUCTION : INCREASE),
    change,
    reason: step.reason,
    dryRun,
    recordedByCaller: true,
  };
  const { from, to } = step;
  const outcome = await (step.autoscaler === null
    ? ports.gate.carryOut({ kind: 'scale', target, from, to, resourceVersion: workload.resourceVersion, ...intent }, signal)
    : scaleAutoscaler(ports, subject, step, intent, signal));
  if (!isOfNoteAlone(step)) report(ports, workload, step, change, outcome);
  return outcome.kind === 'conflict' || outcome.kind === 'blocked';
}

/** minReplicas and the note of what they were, in one patch. */
async function scaleAutoscaler(
  { cluster, gate, signer }: RecommendationPorts,
  { workload, pods, decision: { memory } }: ScaleSubject,
  step: ScaleStep,
  intent: EffectIntent,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const hpa = cluster.hpasOf(workloadKey(workload)).find(({ name }) => name === step.autoscaler);
  const { idle, autoscalers: remembered } = memory;
  if (hpa === undefined || idle === null) return { kind: 'gone', message: `HorizontalPodAutoscaler ${step.autoscaler ?? ''} is gone` };
  const present = currentNote(hpa, signer, { remembered, pods, idleSince: idle.since });
  const { note, minReplicas } = autoscalerNote(present, idle, hpa);
  if (note.fields.size > 0 && !signer.hasKey)
    return { kind: 'blocked', reason: 'record-key', message: 'there is no key to sign records with yet' };
  const value = minReplicas === hpa.minReplicas ? [] : [{ op: 'add', path: '/spec/minReplicas', value: minReplicas } as const];
  // A note that is not ours stays for people to see where there is nothing to write in its place.
  const isOurs = note.fields.size > 0 || present.fields.size > 0;
  const patch = [...value, ...(isOurs ? noteOperations(hpa, note, signer) : [])];
  return gate.carryOut({ kind: 'patchHpa', target: hpaRef(hpa), resourceVersion: hpa.resourceVersion, patch, ...intent }, signal);
}

/** minReplicas were edited since: what is left to do is to take idle mode out of the note. */
function isOfNoteAlone({ from, to }: ScaleStep): boolean {
  return from === to;
}

function report(
  { events, timeline, clock }: RecommendationPorts,
  workload: WorkloadRecord,
  step: ScaleStep,
  change: string,
  outcome: WriteOutcome,
): void {
  const { apiVersion, namespace, kind, name, uid } = workload;
  if (outcome.kind !== 'done' && outcome.kind !== 'refused') return;
  const refused = outcome.kind === 'refused';
  const message = refused ? `${change}: ${outcome.message}` : `${change} (${step.reason})`;
  events.record({
    subject: { apiVersion, kind, namespace, name, uid },
    type: refused ? 'Warning' : 'Normal',
    reason: refused ? 'ScaleRefused' : 'Scaled',
    action: 'Scale',
    message,
  });
  const now = clock.now();
  timeline.appendEntry({
    kind: step.autoscaler === null ? 'resize' : 'hpa',
    id: `${uid}/replicas/${now}`,
    at: now,
    object: { kind, name },
    namespace,
    pod: null,
    container: null,
    from: { replicas: step.from },
    to: { replicas: step.to },
    reason: step.reason,
    actor: 'evenkeel',
    outcome: refused ? 'rejected' : 'applied',
    message,
    durationMs: null,
    costDeltaPerHourUsd: null,
  });
}
