// Reverts resizes that nodes refused or did not actuate, because the scheduler and quotas reserve a pod's desired requests even while
// the pod cannot get them.

import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { FIELD, hasSameValues, type Values } from '../../model/container-values.ts';
import { outcome, type Outcome } from '../../model/decision.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import type { Refusal } from '#kube/records/refusal-code';
import type { ContainerChange, ResizeStep } from '../../model/resize-step.ts';
import type { FailedResize, WorkloadSituation } from '../../model/situation.ts';
import { WAITING_REASONS } from './plan-steps.ts';
import { poolOf, recordFailures } from './failed-resizes.ts';

/** How long a pod waits for its node before its resize is reverted. */
const REVERT_AFTER_MS: Readonly<Record<FailedResize['state'], DurationMs>> = {
  infeasible: 0,
  deferred: 30 * MINUTE_MS,
  error: 10 * MINUTE_MS,
};

/** The reverts of one decision. */
export interface Reverts {
  /** Failures to store; null: unchanged. */
  readonly failures: readonly FailedResize[] | null;
  readonly steps: readonly ResizeStep[];
  readonly events: readonly DecisionEvent[];
  /** null: no resize is reverted. */
  readonly outcome: Outcome | null;
}

/** The reverts that are due now. */
export function listReverts(situation: WorkloadSituation): Reverts {
  const { pods, memory } = situation;
  const revertsDue = pods.flatMap((pod) => findRevert(pod, situation) ?? []);
  const failures = recordFailures(
    memory.failures,
    revertsDue.map(({ failure }) => failure),
    situation,
  );
  const [first] = revertsDue;
  const changed = revertsDue.length > 0 || failures.length !== memory.failures.length;
  return {
    failures: changed ? failures : null,
    steps: revertsDue.map(({ pod, containers, failure }) => ({
      pod,
      containers,
      kind: 'revert',
      lowers: false,
      reason: `the resize is ${failure.state} on its node: ${failure.message}`,
    })),
    events: revertsDue.map(({ pod, failure }) => ({
      type: 'Warning',
      reason: 'ResizeReverted',
      message: `${pod.name}: ${failure.state}, ${failure.message}`,
    })),
    outcome:
      first === undefined ? null : outcome('awaiting', WAITING_REASONS[first.failure.code], `${first.pod.name}: ${first.failure.message}`),
  };
}

/** A revert that is due, and the failure to store. */
interface Revert {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  readonly failure: FailedResize;
}

/** null where the pod's last resize is actuated or still has time, or its node has not reported the actual values. */
function findRevert(pod: PodRecord, { now, nodePools }: Pick<WorkloadSituation, 'now' | 'nodePools'>): Revert | null {
  const { since } = pod.resize;
  if (pod.resize.state === 'none') return null;
  // A resize that stays in progress for too long counts as failed.
  const isStalled = pod.resize.state === 'in-progress';
  const state = pod.resize.state === 'in-progress' ? 'error' : pod.resize.state;
  const message = isStalled
    ? `its node has not actuated the resize within 10 minutes${pod.resize.message && `: ${pod.resize.message}`}`
    : pod.resize.message;
  if (now - (since ?? now) < REVERT_AFTER_MS[state]) return null;
  const containers = pod.containers.flatMap((container): ContainerChange[] => {
    const from = { requests: container.requests, limits: container.limits };
    return container.actual === null || hasSameValues(from, container.actual) ? [] : [{ name: container.name, from, to: container.actual }];
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

/** The refused resource; memory where the kubelet does not name it, so that CPU is retried alone first. */
function refusedResourceOf({ code, resource }: Refusal, containers: readonly ContainerChange[]): ResourceName | null {
  if (code === 'no-resize') return null;
  if (resource !== null) return resource;
  return containers.some(({ from, to }) => hasChanged(from, to, 'memory')) ? 'memory' : 'cpu';
}

function hasChanged(a: RequestsAndLimits, b: RequestsAndLimits, resource: ResourceName): boolean {
  const field = FIELD[resource];
  return a.requests[field] !== b.requests[field] || a.limits[field] !== b.limits[field];
}
