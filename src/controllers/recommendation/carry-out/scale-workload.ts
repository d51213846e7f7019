// Changes the replicas of a workload that is idled or woken.

import { HPA_ANNOTATIONS } from '../../../apis/annotations.ts';
import { INCREASE, REDUCTION, type EffectIntent } from '../../../core/effects/effect.ts';
import { readCurrentOriginalValues } from '../../../core/hpa/current-original.ts';
import { hpaRef, namespacedRef } from '../../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import { minReplicasOriginals } from '../../../core/resize/layers/idle/idle-originals.ts';
import type { WorkloadDecision, ScaleStep } from '../../../core/resize/model/decision.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { PolicyRules } from '../../../core/resize/policy/policy-rules.ts';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';
import { originalAnnotationPatch } from './hpa-patch.ts';
import type { RecommendationPorts } from '../ports.ts';

export interface ScaleSubject {
  readonly workload: WorkloadRecord;
  readonly policy: Pick<PolicyRules, 'dryRun'>;
  readonly pods: readonly PodRecord[];
  readonly decision: Pick<WorkloadDecision, 'scale' | 'memory'>;
}

/** @returns whether the change has to be tried again soon: after a conflict, or while the gate blocks it */
export async function scaleWorkload(ports: RecommendationPorts, subject: ScaleSubject, signal: AbortSignal): Promise<boolean> {
  const { workload, policy, decision } = subject;
  const { scale: step } = decision;
  if (step === undefined) return false;
  const what = step.autoscaler === null ? 'replicas' : `minReplicas of HorizontalPodAutoscaler ${step.autoscaler}`;
  const change = isAnnotationOnly(step)
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
  if (!isAnnotationOnly(step)) reportScale(ports, workload, step, change, outcome);
  return outcome.kind === 'conflict' || outcome.kind === 'blocked';
}

/** Patches minReplicas together with the annotation of their original value. */
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
  const present = readCurrentOriginalValues(hpa, signer, { remembered, pods, idleSince: idle.since });
  const { originals, minReplicas } = minReplicasOriginals(present, idle, hpa);
  if (originals.fields.size > 0 && !signer.hasKey)
    return { kind: 'blocked', reason: 'record-key', message: 'no key to sign annotations is available yet' };
  const value = minReplicas === hpa.minReplicas ? [] : [{ op: 'add', path: '/spec/minReplicas', value: minReplicas } as const];
  // An unsigned annotation stays for a user to check where nothing replaces it.
  const isAuthentic = originals.fields.size > 0 || present.fields.size > 0;
  const patch = [...value, ...(isAuthentic ? originalAnnotationPatch(hpa, originals, signer) : [])];
  return gate.carryOut({ kind: 'patchHpa', target: hpaRef(hpa), resourceVersion: hpa.resourceVersion, patch, ...intent }, signal);
}

/** Whether only the annotation changes: minReplicas were edited after idle mode had set them. */
function isAnnotationOnly({ from, to }: ScaleStep): boolean {
  return from === to;
}

function reportScale(
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
