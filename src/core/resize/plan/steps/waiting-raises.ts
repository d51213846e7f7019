// Raises that wait for free capacity of their nodes. They have no pending pod, so node autoscalers do not see the demand.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { NO_RESOURCES, addResources, type RequestsAndLimits, type Resources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { FIELD, hasIncrease, type Values } from '../../model/container-values.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import type { FailedResize, WorkloadSituation } from '../../model/situation.ts';
import { findCapacityRefusal } from './failed-resizes.ts';

/** Demand of the raises that wait. */
export interface WaitingRaises {
  /** Number of pods that wait. */
  readonly pods: number;
  /** Start of the longest wait. */
  readonly since: Instant;
  /** Requests beyond the actual ones, summed over the pods. */
  readonly requests: Resources;
}

interface WaitingPod {
  readonly since: Instant;
  readonly requests: Resources;
}

/** The raises that wait; null: none. A deferred raise counts while it is pending on its node, and after its revert while it is still wanted. */
export function raisesWaitingForNodes(
  { pods, now, nodePools }: Pick<WorkloadSituation, 'pods' | 'now' | 'nodePools'>,
  decision: WorkloadDecision,
): WaitingRaises | null {
  if (decision.mode !== 'Auto' && decision.mode !== 'Approve') return null;
  const parts = decision.classes ?? [{ pods, decision }];
  const waiting = parts.flatMap((part) =>
    part.pods.flatMap((pod) => deferredRaise(pod, now) ?? revertedRaise(pod, part.decision, nodePools) ?? []),
  );
  if (waiting.length === 0) return null;
  return {
    pods: waiting.length,
    since: Math.min(...waiting.map(({ since }) => since)),
    requests: waiting.reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES),
  };
}

/** The raise that the pod's node has deferred; null: none. */
function deferredRaise({ resize, containers }: PodRecord, now: Instant): WaitingPod | null {
  if (resize.state !== 'deferred' && resize.state !== 'infeasible') return null;
  const missing = containers.map((container) => missingRequests(container.actual ?? container, container));
  return waitingPod(missing, resize.since ?? now);
}

/** The part of a refused raise that is still wanted; null: none. */
function revertedRaise(
  pod: PodRecord,
  { memory, containers }: WorkloadDecision,
  nodePools: WorkloadSituation['nodePools'],
): WaitingPod | null {
  const failure = findCapacityRefusal(pod, { memory, nodePools });
  if (failure === undefined) return null;
  const wanted: Values = new Map(
    containers.map(({ name, inForce, target }) => [name, memory.apply?.values.get(name) ?? greaterOf(inForce, target ?? inForce)]),
  );
  return waitingPod(
    pod.containers.map((container) => missingRequests(container, wantedOfTried(container, failure, wanted.get(container.name)))),
    failure.since,
  );
}

/** The smaller of the values that were tried and those wanted now; null: none. */
function wantedOfTried(
  { name }: ContainerRecord,
  { values }: FailedResize,
  wanted: RequestsAndLimits | undefined,
): RequestsAndLimits | null {
  const tried = values.get(name);
  return tried === undefined || wanted === undefined ? null : combine(tried, wanted, Math.min);
}

function greaterOf(a: RequestsAndLimits, b: RequestsAndLimits): RequestsAndLimits {
  return combine(a, b, Math.max);
}

function combine(a: RequestsAndLimits, b: RequestsAndLimits, of: (x: number, y: number) => number): RequestsAndLimits {
  const amount = (x: number | null, y: number | null): number | null => (x === null || y === null ? null : of(x, y));
  const both = (part: 'requests' | 'limits'): RequestsAndLimits['requests'] => ({
    cpuMillicores: amount(a[part].cpuMillicores, b[part].cpuMillicores),
    memoryBytes: amount(a[part].memoryBytes, b[part].memoryBytes),
  });
  return { requests: both('requests'), limits: both('limits') };
}

/** Requests that are missing to `to`; null: nothing is raised. */
function missingRequests(from: RequestsAndLimits, to: RequestsAndLimits | null): Resources | null {
  if (to === null || !hasIncrease(from, to)) return null;
  const more = (resource: 'cpu' | 'memory'): number =>
    Math.max(0, (to.requests[FIELD[resource]] ?? 0) - (from.requests[FIELD[resource]] ?? 0));
  return { cpuMillicores: more('cpu'), memoryBytes: more('memory') };
}

function waitingPod(missing: readonly (Resources | null)[], since: Instant): WaitingPod | null {
  const raised = missing.filter((each) => each !== null);
  return raised.length === 0 ? null : { since, requests: raised.reduce(addResources, NO_RESOURCES) };
}
