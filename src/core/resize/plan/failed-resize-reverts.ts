// What is written back this time because nodes would not or could not carry it out, and what is said of it: the scheduler and
// quotas reserve what a pod asks for even while it cannot have it.

import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { FIELD, sameValues, type Values } from '../model/container-values.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import type { DecisionNote } from '../model/decision-note.ts';
import type { Refusal } from '#kube/records/refusal-code';
import type { ContainerChange, ResizeStep } from '../model/resize-step.ts';
import type { FailedResize, WorkloadSituation } from '../model/situation.ts';
import { WAITS_FOR } from './carry-out.ts';
import { poolOf, rememberFailures } from './failed-resizes.ts';

/** How long a pod may wait for its node before its request is written back. */
const PATIENCE_MS: Readonly<Record<FailedResize['state'], DurationMs>> = {
  infeasible: 0,
  deferred: 30 * MINUTE_MS,
  error: 10 * MINUTE_MS,
};

export interface Reverts {
  /** To be remembered; null: as before. */
  readonly failures: readonly FailedResize[] | null;
  readonly steps: readonly ResizeStep[];
  readonly notes: readonly DecisionNote[];
  /** null: nothing is written back. */
  readonly outcome: Outcome | null;
}

export function reverts(situation: WorkloadSituation): Reverts {
  const { pods, memory } = situation;
  const backs = pods.flatMap((pod) => revertOf(pod, situation) ?? []);
  const failures = rememberFailures(
    memory.failures,
    backs.map(({ failure }) => failure),
    situation,
  );
  const [first] = backs;
  const changed = backs.length > 0 || failures.length !== memory.failures.length;
  return {
    failures: changed ? failures : null,
    steps: backs.map(({ pod, containers, failure }) => ({
      pod,
      containers,
      kind: 'revert',
      lowers: false,
      because: `the node says ${failure.state}: ${failure.message}`,
    })),
    notes: backs.map(({ pod, failure }) => ({
      type: 'Warning',
      reason: 'ResizeReverted',
      message: `${pod.name}: ${failure.state}, ${failure.message}`,
    })),
    outcome: first === undefined ? null : outcome('awaiting', WAITS_FOR[first.failure.code], `${first.pod.name}: ${first.failure.message}`),
  };
}

/** A write-back that is due, and what to remember of it. */
interface Revert {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  readonly failure: FailedResize;
}

/** null while the pod's last resize is done, still has time, or its node has not reported the values in force. */
function revertOf(pod: PodRecord, { now, nodePools }: Pick<WorkloadSituation, 'now' | 'nodePools'>): Revert | null {
  const { since } = pod.resize;
  if (pod.resize.state === 'none') return null;
  // A node that never comes to an end has failed as much as one that says so.
  const endless = pod.resize.state === 'in-progress';
  const state = pod.resize.state === 'in-progress' ? 'error' : pod.resize.state;
  const message = endless
    ? `its node has not finished in 10 minutes${pod.resize.message && `: ${pod.resize.message}`}`
    : pod.resize.message;
  if (now - (since ?? now) < PATIENCE_MS[state]) return null;
  const containers = pod.containers.flatMap((container): ContainerChange[] => {
    const from = { requests: container.requests, limits: container.limits };
    return container.actual === null || sameValues(from, container.actual) ? [] : [{ name: container.name, from, to: container.actual }];
  });
  if (containers.length === 0) return null;
  const values: Values = new Map(containers.map(({ name, from }) => [name, from]));
  const refusal = pod.resize.refusal ?? { code: state === 'error' ? ('other' as const) : ('node-capacity' as const), resource: null };
  const common = {
    pod: pod.name,
    uid: pod.uid,
    pool: null,
    resource: null,
    state,
    since: now,
    code: refusal.code,
    message,
    values,
  };
  if (state !== 'infeasible') return { pod, containers, failure: common };
  const resource = refusedResourceOf(refusal, containers);
  return { pod, containers, failure: { ...common, pool: poolOf(pod, refusal.code, nodePools), resource } };
}

/** CPU is tried alone before memory where it is not known which of them was refused. */
function refusedResourceOf({ code, resource }: Refusal, containers: readonly ContainerChange[]): ResourceName | null {
  if (code === 'no-resize') return null;
  if (resource !== null) return resource;
  return containers.some(({ from, to }) => differs(from, to, 'memory')) ? 'memory' : 'cpu';
}

function differs(a: RequestsAndLimits, b: RequestsAndLimits, resource: ResourceName): boolean {
  const field = FIELD[resource];
  return a.requests[field] !== b.requests[field] || a.limits[field] !== b.limits[field];
}
