// Evicts a pod that cannot be resized in place, so that a new pod gets the size (apply: InPlaceOrEvict). This is the last resort: one pod
// of a workload at a time, inside the policy's windows, through the Eviction API, only where a new pod helps, and no more often for one
// size than the workload has pods.

import { WORKLOAD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import type { PodRecord } from '#kube/records/pod';
import { podRequests } from '#kube/records/pod-requests';
import type { Resources } from '#kube/records/resources';
import { DAY_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { formatDuration } from '../../../model/duration.ts';
import { isEvictable } from '../../plan/steps/plan-steps.ts';
import { FIELD, RESOURCES, hasSameValues, type Values } from '../../model/container-values.ts';
import { outcomeOfWaiting, type WorkloadDecision } from '../../model/decision.ts';
import { findHold, isShortLived, canChangePodsNow, awaitWindow } from '../../plan/blockers/blockers.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';
import { findLastRefusal } from '../../plan/steps/failed-resizes.ts';
import { fitPod } from '../../plan/pod/pod-change.ts';
import type { ResizeLayer } from '../layer.ts';
import type { EvictionTries, FailedResize, WorkloadSituation } from '../../model/situation.ts';

/** Time for the new pod to appear before the next pod may be evicted. */
const SUCCESSOR_MS: DurationMs = 2 * MINUTE_MS;
/** Time before an eviction that a PodDisruptionBudget forbade is retried. */
const BUDGET_AGAIN_MS: DurationMs = 5 * MINUTE_MS;
/** Waiting reasons that end where the pod runs on another node. */
const REFUSALS: ReadonlySet<WorkloadDecision['reason']> = new Set(['node-capacity', 'node-unsupported', 'stuck', 'restart'] as const);
/** Time after the revert of a deferred resize before the pod may be evicted. */
const DEFERRED_FOR_MS: DurationMs = 30 * MINUTE_MS;
/** After this time evictions for a size are counted from zero, because nodes have changed. */
const TRIES_COUNT_FOR_MS: DurationMs = 7 * DAY_MS;
/** Requests within this ratio of each other are the same size. */
const SAME_SIZE_RATIO = 1.5;
/** A single replica is never evicted, because the workload would be unavailable. */
const MIN_REPLICAS = 2;

export const evictions: ResizeLayer = {
  name: 'evictions',
  apply(context, next) {
    return evictStuckPod(context, next(context));
  },
};

function evictStuckPod(situation: WorkloadSituation, decision: WorkloadDecision): WorkloadDecision {
  if (!isEvictionAllowed(situation, decision)) return decision;
  const after = { ...situation, memory: decision.memory };
  const stuck = findStuckPod(after);
  if (stuck === null) return decision;
  const requests = wantedRequests(after, stuck);
  const before = decision.memory.evictions;
  const counts = before !== null && isSameSize(before.requests, requests) && situation.now - before.lastAt < TRIES_COUNT_FOR_MS;
  const tries = counts ? before : null;
  const wait = findEvictionBlocker(after, tries);
  if (wait !== null) return withEvictionWait(decision, wait, stuck);
  const tried: EvictionTries = { requests, count: (tries?.count ?? 0) + 1, lastAt: situation.now, refused: null };
  return {
    ...decision,
    evict: stuck,
    memory: { ...decision.memory, evictions: tried },
    reconcileAfterMs: Math.min(decision.reconcileAfterMs, SUCCESSOR_MS),
  };
}

/** The tries after a PodDisruptionBudget refused the eviction, which does not count as a try. */
export function refusedEviction(tries: EvictionTries | null, at: Instant, message: string): EvictionTries | null {
  return tries === null ? null : { ...tries, count: tries.count - 1, refused: { at, message } };
}

/** Whether the policy and the state of the workload permit an eviction. */
function isEvictionAllowed(situation: WorkloadSituation, { state }: WorkloadDecision): boolean {
  return situation.policy.apply === 'InPlaceOrEvict' && canChangePodsNow(situation) && !['blocked', 'collecting', 'idle'].includes(state);
}

/** The first pod whose node refuses its target, where a new pod may get it; null: none. */
function findStuckPod(situation: WorkloadSituation): PodRecord | null {
  const { pods, workload } = situation;
  if (isShortLived(workload.kind)) return null;
  return pods.find((pod) => pod.deletionAt === null && isEvictable(pod) && isStuck(situation, pod)) ?? null;
}

function isStuck(situation: WorkloadSituation, pod: PodRecord): boolean {
  const { memory, workload, gateState, kubeletVersions, now } = situation;
  const wanted = memory.apply?.values ?? memory.lastApplied?.values;
  const failure = findLastRefusal(pod, situation);
  const refused =
    failure !== undefined && isFinal(failure, now) && failure.code !== 'start-up-boost' && isLackingValues(pod, failure.values, wanted);
  // A pod of a DaemonSet would be created on the same node again.
  if (refused && workload.kind !== 'DaemonSet') return true;
  if (gateState.admission !== true || wanted === undefined) return false;
  const fit = fitPod(pod, wanted, kubeletVersions.get(pod.node ?? '') ?? '', now);
  return fit.kind === 'restart' && fit.newPodFits;
}

/** Whether a refusal is final: Infeasible, or Deferred for another `DEFERRED_FOR_MS`. */
function isFinal({ state, since }: FailedResize, now: Instant): boolean {
  return state === 'infeasible' || (state === 'deferred' && now - since >= DEFERRED_FOR_MS);
}

/** Total requests that the pod should have: by the change under way, the values in force, or the refused values. */
function wantedRequests(situation: WorkloadSituation, pod: PodRecord): Resources {
  const { memory } = situation;
  const wanted = memory.apply?.values ?? memory.lastApplied?.values ?? findLastRefusal(pod, situation)?.values;
  return podRequests(pod, (container) => (wanted?.get(container.name) ?? container).requests);
}

/** Whether two sizes count as the same: recommendations drift by a few percent, which must not permit another eviction. */
function isSameSize(one: Resources, other: Resources): boolean {
  return RESOURCES.every((resource) => {
    const [a, b] = [Math.max(1, one[FIELD[resource]]), Math.max(1, other[FIELD[resource]])];
    return Math.max(a, b) < Math.min(a, b) * SAME_SIZE_RATIO;
  });
}

/** Whether the pod lacks values that were tried and are still wanted. */
function isLackingValues(pod: PodRecord, tried: Values, wanted: Values | undefined): boolean {
  return pod.containers.some((container) => {
    const should = wanted?.get(container.name) ?? tried.get(container.name);
    // The desired values may be pending on the node, so the actual ones count.
    return should !== undefined && !hasSameValues(container.actual ?? container, should);
  });
}

function findEvictionBlocker(situation: WorkloadSituation, tries: EvictionTries | null): Waiting | null {
  return (
    findPermanentBlocker(situation) ??
    findHoldOrWarmUp(situation) ??
    awaitWindow(situation, 'an eviction waits for the windows of the policy') ??
    awaitTries(situation, tries) ??
    awaitOtherPods(situation)
  );
}

function findPermanentBlocker({ workload }: WorkloadSituation): Waiting | null {
  if (workload.replicas.desired < MIN_REPLICAS) return waiting('not-evictable', 'the only replica of a workload is never evicted');
  const { doNotDisrupt } = WORKLOAD_ANNOTATIONS;
  return workload.annotations[doNotDisrupt] === 'true'
    ? waiting('not-evictable', `the annotation ${doNotDisrupt} forbids evictions`)
    : null;
}

function findHoldOrWarmUp(situation: WorkloadSituation): Waiting | null {
  const hold = findHold(situation);
  if (hold !== null) return hold;
  const {
    now,
    gateState: { warmUpUntil },
  } = situation;
  if (warmUpUntil === null || warmUpUntil <= now) return null;
  return waiting('warm-up', 'warm-up after a start or an outage: no evictions', warmUpUntil);
}

function awaitTries({ now, workload }: WorkloadSituation, tries: EvictionTries | null): Waiting | null {
  const refused = tries?.refused ?? null;
  if (refused !== null && now - refused.at < BUDGET_AGAIN_MS) {
    return waiting('disruption-budget', refused.message, refused.at + BUDGET_AGAIN_MS);
  }
  if (tries !== null && tries.count >= workload.replicas.desired) {
    const words = `${tries.count} pods were evicted for this size without success`;
    return waiting('not-evictable', `${words}; no eviction until the size changes`);
  }
  return null;
}

/** Waits until all pods are ready and the last eviction, for any size, is long enough ago. */
function awaitOtherPods({ now, workload, pods, memory: { evictions } }: WorkloadSituation): Waiting | null {
  const { desired, ready } = workload.replicas;
  if (workload.rolloutInProgress || ready < desired || pods.some((pod) => !pod.ready)) {
    return waiting('rollout', 'one pod at a time: another is not ready');
  }
  const next = evictions?.refused === null ? evictions.lastAt + SUCCESSOR_MS : now;
  return next > now
    ? waiting('rollout', `one pod at a time: another was evicted within the last ${formatDuration(SUCCESSOR_MS)}`, next)
    : null;
}

/** The decision with the reason for which the eviction waits, unless it waits for something more specific. */
function withEvictionWait(decision: WorkloadDecision, wait: Waiting, { name }: PodRecord): WorkloadDecision {
  const refused = decision.state === 'awaiting' && REFUSALS.has(decision.reason);
  if (!refused && decision.state !== 'applied' && decision.state !== 'optimal') return decision;
  const words = refused ? `${decision.message}; ` : `${name} cannot be resized on its node; `;
  const state = outcomeOfWaiting([{ ...wait, message: `${words}${wait.message}` }], decision);
  return { ...decision, ...state };
}
