// Carries out the change of replicas of a workload that falls idle or wakes.

import { INCREASE, REDUCTION, type EffectIntent } from '../../core/effects/effect.ts';
import { hpaRef, namespacedRef } from '../../core/model/object-ref.ts';
import type { ScaleStep } from '../../core/resize/model/scale-step.ts';
import { workloadKey, type WorkloadRecord } from '../../core/model/workload.ts';
import type { PolicyRules } from '../../core/resize/policy/policy-rules.ts';
import type { WriteOutcome } from '../../ports/writers.ts';
import type { RecommendationPorts } from './ports.ts';

/** Answers whether it is to be tried again soon: the object moved on, or the gate holds it. */
export async function carryOutScale(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  { dryRun }: PolicyRules,
  step: ScaleStep | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (step === undefined) return false;
  const what = step.autoscaler === null ? 'replicas' : `minReplicas of HorizontalPodAutoscaler ${step.autoscaler}`;
  const change = `${what} ${step.from} → ${step.to}`;
  const target = namespacedRef(workload);
  const intent: EffectIntent = {
    owner: target,
    ...(step.to < step.from ? REDUCTION : INCREASE),
    change,
    reason: step.because,
    dryRun,
    recordedByCaller: true,
  };
  const { from, to } = step;
  const outcome = await (step.autoscaler === null
    ? ports.gate.carryOut({ kind: 'scale', target, from, to, resourceVersion: workload.resourceVersion, ...intent }, signal)
    : lowestOf(ports, workload, step, intent, signal));
  report(ports, workload, step, change, outcome);
  return outcome.kind === 'conflict' || outcome.kind === 'held';
}

async function lowestOf(
  { cluster, gate }: RecommendationPorts,
  workload: WorkloadRecord,
  step: ScaleStep,
  intent: EffectIntent,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const hpa = cluster.hpasOf(workloadKey(workload)).find(({ name }) => name === step.autoscaler);
  if (hpa === undefined) return { kind: 'gone', message: `HorizontalPodAutoscaler ${step.autoscaler ?? ''} is gone` };
  const patch = [{ op: 'add', path: '/spec/minReplicas', value: step.to }] as const;
  return gate.carryOut({ kind: 'patchHpa', target: hpaRef(hpa), resourceVersion: hpa.resourceVersion, patch, ...intent }, signal);
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
  const message = refused ? `${change}: ${outcome.message}` : `${change} (${step.because})`;
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
    reason: step.because,
    actor: 'evenkeel',
    outcome: refused ? 'rejected' : 'applied',
    message,
    durationMs: null,
    costDeltaPerHourUsd: null,
  });
}
