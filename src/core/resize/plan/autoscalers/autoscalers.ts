// The HorizontalPodAutoscalers of a workload. The targets of one that has been at minReplicas for a week are kept, and the request may
// fall until the highest usage would reach the target.

import { autoscalersOf, type AutoscalerState, type TargetState } from '../../../hpa/autoscaler-state.ts';
import { requestBounds, usualRequest, type ResourceMetric } from '../../../hpa/scale-point.ts';
import type { HpaRecord } from '../../../model/cluster-records.ts';
import { DAY_MS, type DurationMs } from '#kube/units';
import type { WorkloadSituation } from '../../model/situation.ts';

const AT_MIN_FOR_MS: DurationMs = 7 * DAY_MS;
/** Headroom above recorded peaks, which are means of five minutes: an autoscaler measures shorter peaks. */
const HEADROOM = 1.25;

/** A utilization target of an autoscaler. */
export interface AutoscalerTarget extends TargetState {
  /** Smallest request per pod, in millicores or bytes, with which the target can stay at its configured value; null: it follows the request. */
  readonly minKeptRequest: number | null;
}

export interface Autoscaler extends AutoscalerState {
  readonly targets: readonly AutoscalerTarget[];
}

/** State of the workload's autoscalers, with their targets. */
export function autoscalersIn(situation: WorkloadSituation): readonly Autoscaler[] {
  return autoscalersOf({ ...situation, remembered: situation.memory.autoscalers }).map((autoscaler) => ({
    ...autoscaler,
    targets: autoscaler.targets.map((target) => ({ ...target, minKeptRequest: minKeptRequest(situation, autoscaler, target) })),
  }));
}

/** `AutoscalerTarget.minKeptRequest` by the busiest replica: mean usage of all replicas is never above it. */
function minKeptRequest(
  situation: WorkloadSituation,
  { hpa, blocker }: AutoscalerState,
  { metric, live, kept }: TargetState,
): number | null {
  const request = usualRequest(situation.pods, metric);
  if (request === null || !isAtMin(hpa, situation.now)) return null;
  const point = kept ?? { percent: live, request };
  const peak = peakOf(metric, situation);
  if (peak === null) return null;
  const least = (peak * HEADROOM * 100) / point.percent;
  // A target that Evenkeel may not change must still have its configured value.
  if (blocker !== null) return live === point.percent && least < point.request ? least : null;
  if (least >= requestBounds(point).least) return null;
  // A target that was adjusted is restored first, where that alone starts no pod.
  return live === point.percent || request >= least ? least : null;
}

function isAtMin({ createdAt, lastScaleAt, minReplicas, currentReplicas, desiredReplicas }: HpaRecord, now: number): boolean {
  if (currentReplicas > minReplicas || desiredReplicas > minReplicas) return false;
  return now >= Math.max(createdAt, lastScaleAt ?? createdAt) + AT_MIN_FOR_MS;
}

/** Highest usage of a pod in the policy's history window; null where a container has less than a week of samples. */
function peakOf({ resource, container }: ResourceMetric, { now, pods, advice }: WorkloadSituation): number | null {
  const names = new Set(pods.flatMap((pod) => pod.containers.map(({ name }) => name)));
  let sum = 0;
  for (const name of names) {
    if (container !== null && name !== container) continue;
    const known = advice.find((each) => each.container === name);
    const peak = known?.[resource]?.peak;
    if (known === undefined || peak === undefined || known.firstSampleAt > now - AT_MIN_FOR_MS) return null;
    sum += peak;
  }
  return sum;
}
