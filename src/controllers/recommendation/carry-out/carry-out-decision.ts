// Carries out one decision, in this order: autoscaler targets up, resizes, autoscaler targets to the new requests, replicas, eviction.

import type { AssumedResizes } from '../observe/assumed-resizes.ts';
import type { GovernedWorkload } from '../observe/governed-workload.ts';
import type { RecommendationPorts } from '../ports.ts';
import type { RecommendationMetrics } from '../publish/metrics.ts';
import type { DecidedSituation, Refusals } from '../decide/workload-decider.ts';
import { evictPod } from './evict-pod.ts';
import { HpaTargetWriter } from './write-hpa-targets.ts';
import { resizePods, type ResizeOutcome } from './resize-pods.ts';
import { scaleWorkload } from './scale-workload.ts';
import { writeApprovedCeilings } from './write-approved-ceilings.ts';

export interface CarryOutResult {
  readonly resizes: Pick<ResizeOutcome, 'changed' | 'failed'>;
  readonly refusals: Refusals;
  /** Whether a write has to be tried again soon, for example because of a conflict or an exhausted budget. */
  readonly isUnfinished: boolean;
}

export interface CarryOutDependencies {
  readonly ports: RecommendationPorts;
  readonly metrics: RecommendationMetrics;
  readonly assumed: AssumedResizes;
}

const NO_RESIZES: ResizeOutcome = { taken: [], changed: 0, failed: 0, refused: [], unfinished: false };

export async function carryOutDecision(
  { ports, metrics, assumed }: CarryOutDependencies,
  { key, workload, governance: { rules: policy } }: GovernedWorkload,
  { situation: { pods }, decision }: Pick<DecidedSituation, 'situation' | 'decision'>,
  signal: AbortSignal,
): Promise<CarryOutResult> {
  await writeApprovedCeilings(ports, workload, decision, signal);
  const subject = { workload, policy, pods, decision };
  const targetWriter = new HpaTargetWriter(ports, subject, signal);
  const steps = await targetWriter.before();
  const resizes = steps.length === 0 ? NO_RESIZES : await resizePods(ports, metrics, workload, policy, { ...decision, steps }, signal);
  assumed.assume(key, resizes.taken, ports.clock.now());
  const targets = await targetWriter.after(resizes.taken);
  const isScaleUnfinished = await scaleWorkload(ports, subject, signal);
  const eviction = decision.evict === null ? null : await evictPod(ports, metrics, workload, policy, decision.evict, signal);
  return {
    resizes,
    refusals: { pods: resizes.refused, targets: targets.refused, eviction },
    isUnfinished: resizes.unfinished || targets.unfinished || isScaleUnfinished,
  };
}

export function hasRefusals({ pods, targets, eviction }: Refusals): boolean {
  return pods.length > 0 || targets.length > 0 || eviction !== null;
}
