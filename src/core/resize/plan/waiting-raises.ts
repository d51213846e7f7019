// Raises that wait until their nodes have room: no pod is pending for them, so that no node autoscaler sees the demand.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { NO_RESOURCES, addResources, type RequestsAndLimits, type Resources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { FIELD, raisesAnything, type Values } from '../model/container-values.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import type { FailedResize, WorkloadSituation } from '../model/situation.ts';
import { capacityRefusal } from './failed-resizes.ts';

export interface WaitingRaises {
  /** How many pods wait. */
  readonly pods: number;
  /** Since when the first of them waits. */
  readonly since: Instant;
  /** What they ask for beyond what is in force, all pods together. */
  readonly requests: Resources;
}

interface WaitingPod {
  readonly since: Instant;
  readonly requests: Resources;
}

/** null: no raise waits. A deferred one is counted while its node has it, and after it was written back while it is still wanted. */
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

/** What the pod asks for and its node has put off. */
function deferredRaise({ resize, containers }: PodRecord, now: Instant): WaitingPod | null {
  if (resize.state !== 'deferred' && resize.state !== 'infeasible') return null;
  const missing = containers.map((container) => missingTo(container.actual ?? container, container));
  return waitingPod(missing, resize.since ?? now);
}

/** What its node refused, as far as it is still wanted. */
function revertedRaise(
  pod: PodRecord,
  { memory, containers }: WorkloadDecision,
  nodePools: WorkloadSituation['nodePools'],
): WaitingPod | null {
  const failure = capacityRefusal(pod, { memory, nodePools });
  if (failure === undefined) return null;
  const wanted: Values = new Map(
    containers.map(({ name, inForce, target }) => [name, memory.apply?.values.get(name) ?? greaterOf(inForce, target ?? inForce)]),
  );
  return waitingPod(
    pod.containers.map((container) => missingTo(container, stillWanted(container, failure, wanted.get(container.name)))),
    failure.since,
  );
}

/** The lesser of what was tried and what is wanted now. */
function stillWanted({ name }: ContainerRecord, { values }: FailedResize, wanted: RequestsAndLimits | undefined): RequestsAndLimits | null {
  const tried = values.get(name);
  return tried === undefined || wanted === undefined ? null : combined(tried, wanted, Math.min);
}

function greaterOf(a: RequestsAndLimits, b: RequestsAndLimits): RequestsAndLimits {
  return combined(a, b, Math.max);
}

function combined(a: RequestsAndLimits, b: RequestsAndLimits, of: (x: number, y: number) => number): RequestsAndLimits {
  const amount = (x: number | null, y: number | null): number | null => (x === null || y === null ? null : of(x, y));
  const both = (part: 'requests' | 'limits'): RequestsAndLimits['requests'] => ({
    cpuMillicores: amount(a[part].cpuMillicores, b[part].cpuMillicores),
    memoryBytes: amount(a[part].memoryBytes, b[part].memoryBytes),
  });
  return { requests: both('requests'), limits: both('limits') };
}

/** null: nothing is raised. */
function missingTo(from: RequestsAndLimits, to: RequestsAndLimits | null): Resources | null {
  if (to === null || !raisesAnything(from, to)) return null;
  const more = (resource: 'cpu' | 'memory'): number =>
    Math.max(0, (to.requests[FIELD[resource]] ?? 0) - (from.requests[FIELD[resource]] ?? 0));
  return { cpuMillicores: more('cpu'), memoryBytes: more('memory') };
}

function waitingPod(missing: readonly (Resources | null)[], since: Instant): WaitingPod | null {
  const raised = missing.filter((each) => each !== null);
  return raised.length === 0 ? null : { since, requests: raised.reduce(addResources, NO_RESOURCES) };
}
