// Bounds of a request against which an autoscaler measures utilization: it may change as far as the autoscaler's target can follow,
// and not at all where Evenkeel may not change the target.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import { requestBounds, usualRequest, type ResourceMetric } from '../../../hpa/scale-point.ts';
import { formatDuration } from '../../../model/duration.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import { sumIfAllKnown, type ResourceName } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { FIELD, type Values } from '../../model/container-values.ts';
import { dueChanges, type DueChange } from '../due/due-changes.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';
import { withinPodBounds, type PodBounds } from '../pod/pod-bounds.ts';
import { autoscalersIn, type Autoscaler, type AutoscalerTarget } from './autoscalers.ts';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { modeInForce } from '../../policy/policy-rules.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** Bounds the plans' targets so that the autoscalers can follow; the unbounded targets are in `withoutAutoscaler`. */
export function boundByAutoscalers(plans: readonly ContainerPlan[], situation: WorkloadSituation): readonly ContainerPlan[] {
  if (situation.hpas.length === 0 || situation.policy.hpa === 'Off') return plans;
  const boundsOf = modeInForce(situation.policy, situation.overrides) === 'Auto' ? boundsInAuto : boundsOutsideAuto;
  let bounded = plans;
  for (const autoscaler of autoscalersIn(situation)) {
    for (const target of autoscaler.targets) {
      const bounds = boundsOf(autoscaler, target, situation);
      if (bounds !== null) bounded = withinPodBounds(bounded, bounds);
    }
  }
  return bounded;
}

/** Why no further change is due, where one would be without the bounds of an autoscaler; null: none would. */
export function describeAutoscalerBound(plans: readonly ContainerPlan[], now: Instant): string | null {
  for (const { name, inForce, withoutAutoscaler, advice, policy } of plans) {
    if (withoutAutoscaler === undefined || advice === null) continue;
    const { target, reason } = withoutAutoscaler;
    if (dueChanges({ now, container: name, current: inForce, target, advice, policy }).length > 0) return reason;
  }
  return null;
}

/** Why a due change waits for an autoscaler; null: it does not. */
export function findAutoscalerBlocker(situation: WorkloadSituation, change: DueChange): Waiting | null {
  const { policy, pods, scaledObjects, hpas } = situation;
  if (policy.hpa === 'Off') return null;
  const mode = modeInForce(policy, situation.overrides);
  for (const autoscaler of autoscalersIn(situation)) {
    const { hpa, blocker } = autoscaler;
    const measured = autoscaler.targets.find(({ metric }) => isMeasured(metric, change));
    if (measured !== undefined && !isRaiseAfterKill(situation, change, mode) && !isRestoration(autoscaler, measured, change, pods, mode)) {
      const of = `HorizontalPodAutoscaler ${hpa.name} measures ${change.resource} against the request`;
      if (mode !== 'Auto') return waiting('hpa', `${of}; its target follows in mode Auto only`);
      if (blocker !== null && measured.minKeptRequest === null) return waiting('hpa', `${of}, and ${blocker.message}`, blocker.until);
      if (usualRequest(pods, measured.metric) === null)
        return waiting('hpa', `${of}, and a container has no request: set one in the template`);
    }
    const moving = change.urgent ? null : awaitStableReplicas(situation, measured !== undefined, hpa);
    if (moving !== null) return moving;
  }
  // A paused ScaledObject, or one whose HorizontalPodAutoscaler is not in the informer's cache yet.
  const scaled = scaledObjects.find((each) => each.utilizationOf.includes(change.resource) && !hpas.some(({ name }) => name === each.hpa));
  return scaled === undefined || isRaiseAfterKill(situation, change, mode)
    ? null
    : waiting(
        'hpa',
        `ScaledObject ${scaled.name} scales by ${change.resource} against the request, and Evenkeel does not change its targets`,
      );
}

/** Whether a change lowers a request that an autoscaler measures against, whose target Evenkeel may not adjust. */
export function isFixedTargetLowered(situation: WorkloadSituation, from: Values, to: Values): boolean {
  if (situation.policy.hpa === 'Off') return false;
  const follows = modeInForce(situation.policy, situation.overrides) === 'Auto';
  return autoscalersIn(situation).some(({ blocker, targets }) =>
    targets.some(({ metric, minKeptRequest }) => {
      const isFixed = !follows || (blocker !== null && minKeptRequest === null);
      return isFixed && changeOf(metric, from, to) < 0;
    }),
  );
}

/** Why a change under way does not start its next stage for now; null: it may. */
export function findAutoscalerPause(situation: WorkloadSituation, from: Values, to: Values): Waiting | null {
  if (situation.policy.hpa === 'Off') return null;
  for (const { hpa, targets } of autoscalersIn(situation)) {
    const measured = targets.some(({ metric }) => changeOf(metric, from, to) !== 0);
    const moving = measured ? awaitStableReplicas(situation, true, hpa) : null;
    if (moving !== null) return moving;
  }
  return null;
}

/** Change of a pod's measured request, in millicores or bytes. */
function changeOf({ resource, container }: ResourceMetric, from: Values, to: Values): number {
  const field = FIELD[resource];
  let sum = 0;
  for (const [name, { requests }] of to) {
    const before = from.get(name)?.requests[field] ?? null;
    if ((container === null || container === name) && before !== null) sum += (requests[field] ?? before) - before;
  }
  return sum;
}

/** Waits while an autoscaler changes the replicas, and for its stabilization window after: the effects of both could not be separated. */
function awaitStableReplicas({ now }: WorkloadSituation, measured: boolean, hpa: Autoscaler['hpa']): Waiting | null {
  // desiredReplicas is 0 until the autoscaler has measured for the first time.
  if (hpa.desiredReplicas > 0 && hpa.desiredReplicas !== hpa.currentReplicas)
    return waiting('hpa', `HorizontalPodAutoscaler ${hpa.name} is changing the replicas`);
  const clearAt = (hpa.lastScaleAt ?? Number.NEGATIVE_INFINITY) + hpa.scaleDownWindowMs;
  if (!measured || now >= clearAt) return null;
  const window = formatDuration(hpa.scaleDownWindowMs);
  return waiting('hpa', `HorizontalPodAutoscaler ${hpa.name} changed the replicas within its stabilization window of ${window}`, clearAt);
}

/**
 * Whether kills justify a raise of memory: a stable number of replicas is less important. A raise that waits for an approval is justified as
 * long as the kills ask for it, in mode Auto while they are recent.
 */
function isRaiseAfterKill({ advice }: Pick<WorkloadSituation, 'advice'>, change: DueChange, mode: ResizeMode): boolean {
  if (mode === 'Auto') return change.oom;
  return change.oom || (change.resource === 'memory' && change.direction === 'raise' && advice.some(isAskedForByKills));
}

function isAskedForByKills({ oom }: ContainerAdvice): boolean {
  return (oom?.killedPodNeed ?? 0) > 0;
}

/** Whether a raise restores the request for which the target of an autoscaler that does not follow was set: it reverts Evenkeel's reduction. */
function isRestoration(
  { blocker }: Autoscaler,
  { kept, metric }: AutoscalerTarget,
  change: DueChange,
  pods: WorkloadSituation['pods'],
  mode: ResizeMode,
): boolean {
  const was = blocker === null && mode === 'Auto' ? undefined : kept?.request;
  return was !== undefined && change.direction === 'raise' && (usualRequest(pods, metric) ?? was) < was;
}

/** Bounds in mode Auto, where the target follows the request unless it has a blocker. */
function boundsInAuto({ hpa, blocker }: Autoscaler, target: AutoscalerTarget, { pods, advice }: WorkloadSituation): PodBounds | null {
  const { metric, live, kept, minKeptRequest } = target;
  const now = usualRequest(pods, metric);
  if (now === null) return null;
  const name = `HorizontalPodAutoscaler ${hpa.name}`;
  const about = { resource: metric.resource, container: metric.container, step: 'autoscaler' } as const;
  const point = kept ?? { percent: live, request: now };
  // An OOM kill lifts the upper bound of memory: a stable number of replicas is less important.
  const killed = metric.resource === 'memory' && advice.some(({ lastOomAt }) => lastOomAt !== null);
  // The upper bound is never below the present request, which throttling may have raised.
  const upTo = (greatest: number) => (killed ? Number.POSITIVE_INFINITY : Math.max(greatest, now));
  const bounds = requestBounds(point);
  if (minKeptRequest !== null) {
    const reason = `${name} has been at minReplicas for 7 days: its target of ${point.percent} % is kept, above the highest usage`;
    const greatest = upTo(blocker === null ? bounds.greatest : point.request);
    return { ...about, least: Math.min(minKeptRequest, point.request), greatest, reason };
  }
  if (blocker !== null) {
    // The owner restored the target, so the request that belongs to it is restored, and with it the number of replicas.
    if (kept === null || !isTargetRestored(target, now)) return null;
    const reason = `${name} has its target of ${live} % again, which was set for ${formatResource(metric.resource, kept.request)} per pod`;
    return { ...about, least: kept.request, greatest: Number.POSITIVE_INFINITY, reason };
  }
  const reason = `${name} keeps its replicas with targets of 50–90 %; its target is ${point.percent} % of ${formatResource(metric.resource, point.request)}`;
  return { ...about, ...bounds, greatest: upTo(bounds.greatest), reason };
}

/** Bounds in the other modes, where the target does not follow: the present request, above which only kills may raise memory. */
function boundsOutsideAuto(
  { hpa, memory }: Autoscaler,
  target: AutoscalerTarget,
  { pods, workload, advice }: WorkloadSituation,
): PodBounds | null {
  const { metric, kept } = target;
  const { resource, container } = metric;
  const now = usualRequest(pods, metric) ?? templateRequest(workload, metric);
  if (now === null) return null;
  // Where the owner restored the target, the request that belongs to it keeps the number of replicas.
  const request = kept !== null && memory.reverts > 0 && isTargetRestored(target, now) ? kept.request : now;
  const greatest = resource === 'memory' && advice.some(isAskedForByKills) ? Number.POSITIVE_INFINITY : request;
  const reason = `HorizontalPodAutoscaler ${hpa.name} measures ${resource} against the request; its target follows in mode Auto only`;
  return { resource, container, step: 'autoscaler', least: request, greatest, reason };
}

/** Whether the target has its original value again while pods request less than it was set for. @param now request of the pods */
function isTargetRestored({ kept, live }: AutoscalerTarget, now: number): boolean {
  return kept !== null && kept.percent === live && now < kept.request;
}

/** Request of the template, while no pod is running; null: a container has none. */
function templateRequest({ containers }: WorkloadSituation['workload'], { resource, container }: ResourceMetric): number | null {
  const counted = containers.filter(({ name }) => container === null || name === container);
  return counted.reduce<number | null>((sum, { requests }) => sumIfAllKnown([sum, requests[FIELD[resource]]]), 0);
}

function isMeasured({ resource, container }: ResourceMetric, change: DueChange): boolean {
  return resource === change.resource && (container === null || container === change.container);
}

function formatResource(resource: ResourceName, amount: number): string {
  return resource === 'cpu' ? formatCpu(amount) : formatMemory(amount);
}
