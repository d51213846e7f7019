// The autoscalers of a workload. One that has been at minReplicas for a week has no use for its targets: they then stay, and
// the request may fall as far as the highest usage does not pass it.

import { autoscalersOf, type AutoscalerState, type TargetState } from '../../hpa/autoscaler-state.ts';
import { requestBounds, usualRequest, type ResourceMetric } from '../../hpa/scale-point.ts';
import type { HpaRecord } from '../../model/cluster-records.ts';
import { DAY_MS, type DurationMs } from '#kube/units';
import type { WorkloadSituation } from '../model/situation.ts';

const AT_MIN_FOR_MS: DurationMs = 7 * DAY_MS;
/** Peaks are known as means of five minutes: an autoscaler sees what is inside of those. */
const HEADROOM = 1.25;

export interface AutoscalerTarget extends TargetState {
  /** The least request per pod with which it stays where its owner set it, in millicores or bytes; null: it follows the request as ever. */
  readonly staysFrom: number | null;
}

export interface Autoscaler extends AutoscalerState {
  readonly targets: readonly AutoscalerTarget[];
}

export function autoscalersIn(situation: WorkloadSituation): readonly Autoscaler[] {
  return autoscalersOf({ ...situation, remembered: situation.memory.autoscalers }).map((autoscaler) => ({
    ...autoscaler,
    targets: autoscaler.targets.map((target) => ({ ...target, staysFrom: staysFrom(situation, autoscaler, target) })),
  }));
}

/** Of several replicas the busiest counts: all together never use more than as many of it. */
function staysFrom(situation: WorkloadSituation, { hpa, blocker }: AutoscalerState, { metric, live, kept }: TargetState): number | null {
  const request = usualRequest(situation.pods, metric);
  if (request === null || !isAtMin(hpa, situation.now)) return null;
  const point = kept ?? { percent: live, request };
  const peak = peakOf(metric, situation);
  if (peak === null) return null;
  const least = (peak * HEADROOM * 100) / point.percent;
  // Where it cannot be moved, it must be where it was set.
  if (blocker !== null) return live === point.percent && least < point.request ? least : null;
  if (least >= requestBounds(point).least) return null;
  // One that was moved goes back first where that alone starts no pod.
  return live === point.percent || request >= least ? least : null;
}

function isAtMin({ createdAt, lastScaleAt, minReplicas, currentReplicas, desiredReplicas }: HpaRecord, now: number): boolean {
  if (currentReplicas > minReplicas || desiredReplicas > minReplicas) return false;
  return now >= Math.max(createdAt, lastScaleAt ?? createdAt) + AT_MIN_FOR_MS;
}

/** Highest usage of a pod in the policy's history window; null where a container is not known for a week. */
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
