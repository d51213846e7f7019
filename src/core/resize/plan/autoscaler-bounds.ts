// How far a request may go where an autoscaler measures against it: as far as its target can follow, and nowhere where the
// target is not Evenkeel's to move.

import { requestBounds, usualRequest, type ResourceMetric } from '../../hpa/scale-point.ts';
import { formatDuration } from '../../model/duration.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import type { ResourceName } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { FIELD, type Values } from '../model/container-values.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import { dueChanges, type DueChange } from './due-changes.ts';
import { waiting, type Waiting } from '../model/waiting.ts';
import { withinPodBounds, type PodBounds } from './pod-bounds.ts';
import { autoscalersIn, type Autoscaler, type AutoscalerTarget } from './autoscalers.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { modeInForce } from '../policy/policy-rules.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

/** The figures with targets that the autoscalers can follow; the rest is in `beyondAutoscaler`. */
export function withinAutoscalers(plans: readonly ContainerPlan[], situation: WorkloadSituation): readonly ContainerPlan[] {
  if (situation.hpas.length === 0 || situation.policy.hpa === 'Off') return plans;
  if (modeInForce(situation.policy, situation.overrides) !== 'Auto') return plans;
  let bounded = plans;
  for (const autoscaler of autoscalersIn(situation)) {
    for (const target of autoscaler.targets) {
      const bounds = boundsOf(autoscaler, target, situation);
      if (bounds !== null) bounded = withinPodBounds(bounded, bounds);
    }
  }
  return bounded;
}

/** The outcome where an autoscaler alone keeps a change from being due; null: none does. */
export function beyondAutoscalers(plans: readonly ContainerPlan[], now: Instant): Outcome | null {
  for (const { name, inForce, beyondAutoscaler, advice, policy } of plans) {
    if (beyondAutoscaler === undefined || advice === null) continue;
    const { target, because } = beyondAutoscaler;
    if (dueChanges({ now, container: name, current: inForce, target, advice, policy }).length > 0)
      return outcome('awaiting', 'hpa', because);
  }
  return null;
}

/** What holds a due change for the sake of an autoscaler; null: nothing does. */
export function heldByAutoscaler(situation: WorkloadSituation, change: DueChange): Waiting | null {
  const { policy, pods, scaledObjects, hpas } = situation;
  if (policy.hpa === 'Off') return null;
  const mode = modeInForce(policy, situation.overrides);
  for (const autoscaler of autoscalersIn(situation)) {
    const { hpa, blocker } = autoscaler;
    const measured = autoscaler.targets.find(({ metric }) => isMeasured(metric, change));
    if (measured !== undefined && !change.oom && !returns(autoscaler, measured, change, pods)) {
      const of = `HorizontalPodAutoscaler ${hpa.name} measures ${change.resource} against the request`;
      if (mode !== 'Auto') return waiting('hpa', `${of}; its target moves along in mode Auto alone`);
      if (blocker !== null && measured.staysFrom === null) return waiting('hpa', `${of}, and ${blocker.message}`, blocker.until);
      if (usualRequest(pods, measured.metric) === null)
        return waiting('hpa', `${of}, and a container asks for none: set one in the template`);
    }
    const moving = change.urgent ? null : inMotion(situation, measured !== undefined, hpa);
    if (moving !== null) return moving;
  }
  // One that is paused, or whose HPA has not been seen yet.
  const scaled = scaledObjects.find((each) => each.utilizationOf.includes(change.resource) && !hpas.some(({ name }) => name === each.hpa));
  return scaled === undefined || change.oom
    ? null
    : waiting(
        'hpa',
        `ScaledObject ${scaled.name} scales by ${change.resource} against the request, and its targets are not Evenkeel's to move`,
      );
}

/** Whether a change takes away what an autoscaler measures whose target cannot follow. */
export function lowersWhatIsFixed(situation: WorkloadSituation, from: Values, to: Values): boolean {
  if (situation.policy.hpa === 'Off') return false;
  return autoscalersIn(situation).some(
    ({ blocker, targets }) =>
      blocker !== null && targets.some(({ metric, staysFrom }) => staysFrom === null && changeOf(metric, from, to) < 0),
  );
}

/** Why a change under way does not spread further for now; null: it may. */
export function pausedByAutoscaler(situation: WorkloadSituation, from: Values, to: Values): Waiting | null {
  if (situation.policy.hpa === 'Off') return null;
  for (const { hpa, targets } of autoscalersIn(situation)) {
    const measured = targets.some(({ metric }) => changeOf(metric, from, to) !== 0);
    const moving = measured ? inMotion(situation, true, hpa) : null;
    if (moving !== null) return moving;
  }
  return null;
}

/** By how much a pod's measured request moves with a change. */
function changeOf({ resource, container }: ResourceMetric, from: Values, to: Values): number {
  const field = FIELD[resource];
  let sum = 0;
  for (const [name, { requests }] of to) {
    const before = from.get(name)?.requests[field] ?? null;
    if ((container === null || container === name) && before !== null) sum += (requests[field] ?? before) - before;
  }
  return sum;
}

/** An autoscaler that is changing the replicas, or has lately: the effects of a change then could not be separated. */
function inMotion({ now }: WorkloadSituation, measured: boolean, hpa: Autoscaler['hpa']): Waiting | null {
  // One that has never been able to measure wants none yet.
  if (hpa.desiredReplicas > 0 && hpa.desiredReplicas !== hpa.currentReplicas)
    return waiting('hpa', `HorizontalPodAutoscaler ${hpa.name} is changing the replicas`);
  const clearAt = (hpa.lastScaleAt ?? Number.NEGATIVE_INFINITY) + hpa.scaleDownWindowMs;
  if (!measured || now >= clearAt) return null;
  const window = formatDuration(hpa.scaleDownWindowMs);
  return waiting('hpa', `HorizontalPodAutoscaler ${hpa.name} changed the replicas within its stabilization window of ${window}`, clearAt);
}

/** Back to the request for which a target was set that is to stay there: it undoes what we did. */
function returns({ blocker }: Autoscaler, { kept, metric }: AutoscalerTarget, change: DueChange, pods: WorkloadSituation['pods']): boolean {
  const was = blocker === null ? undefined : kept?.request;
  return was !== undefined && change.direction === 'raise' && (usualRequest(pods, metric) ?? was) < was;
}

function boundsOf(
  { hpa, blocker }: Autoscaler,
  { metric, live, kept, staysFrom }: AutoscalerTarget,
  { pods, advice }: WorkloadSituation,
): PodBounds | null {
  const now = usualRequest(pods, metric);
  if (now === null) return null;
  const name = `HorizontalPodAutoscaler ${hpa.name}`;
  const about = { resource: metric.resource, container: metric.container, step: 'autoscaler' } as const;
  const point = kept ?? { percent: live, request: now };
  // What kills for want of memory is not for the sake of replicas to be kept.
  const killed = metric.resource === 'memory' && advice.some(({ lastOomAt }) => lastOomAt !== null);
  // What is in force already is not lowered for the sake of replicas, either: throttling may have raised it.
  const upTo = (greatest: number) => (killed ? Number.POSITIVE_INFINITY : Math.max(greatest, now));
  const bounds = requestBounds(point);
  if (staysFrom !== null) {
    const because = `${name} has been at minReplicas for 7 days: its target of ${point.percent} % stays, above the highest usage`;
    const greatest = upTo(blocker === null ? bounds.greatest : point.request);
    return { ...about, least: Math.min(staysFrom, point.request), greatest, because };
  }
  if (blocker !== null) {
    // Its owner wants the target as it was: so the request goes back, and the replicas with it.
    if (kept?.percent !== live || now >= kept.request) return null;
    const because = `${name} has ${live} % again, which was set for ${words(metric.resource, kept.request)} a pod`;
    return { ...about, least: kept.request, greatest: Number.POSITIVE_INFINITY, because };
  }
  const because = `${name} keeps its replicas with targets of 50–90 %; it has ${point.percent} % of ${words(metric.resource, point.request)}`;
  return { ...about, ...bounds, greatest: upTo(bounds.greatest), because };
}

function isMeasured({ resource, container }: ResourceMetric, change: DueChange): boolean {
  return resource === change.resource && (container === null || container === change.container);
}

function words(resource: ResourceName, amount: number): string {
  return resource === 'cpu' ? formatCpu(amount) : formatMemory(amount);
}
