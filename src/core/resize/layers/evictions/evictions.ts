// Evicting a pod that cannot be given its size where it is, so that its successor can have it (apply: InPlaceOrEvict).
// The last resort, and never a loop: one pod of a workload at a time, inside the windows, through the eviction API, only
// where a new pod helps, and no more often for one size than the workload has pods.

import { WORKLOAD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import type { PodRecord } from '#kube/records/pod';
import { podRequests } from '#kube/records/pod-requests';
import type { Resources } from '#kube/records/resources';
import { DAY_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { formatDuration } from '../../../model/duration.ts';
import { mayBeEvicted } from '../../plan/carry-out.ts';
import { FIELD, RESOURCES, sameValues, type Values } from '../../model/container-values.ts';
import { fromWaiting, type WorkloadDecision } from '../../model/decision.ts';
import { holdsDecisions, isShortLived, mayChangePods, outsideWindow } from '../../plan/interlocks.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';
import { lastRefusal } from '../../plan/failed-resizes.ts';
import { fitPod } from '../../plan/pod-change.ts';
import type { ResizeLayer } from '../layer.ts';
import type { EvictionTries, FailedResize, WorkloadSituation } from '../../model/situation.ts';

/** A successor has so long to be seen before the next pod may go. */
const SUCCESSOR_MS: DurationMs = 2 * MINUTE_MS;
/** A budget that forbade it is not asked again before. */
const BUDGET_AGAIN_MS: DurationMs = 5 * MINUTE_MS;
/** What a pod waits for that may be given it elsewhere. */
const REFUSALS: ReadonlySet<WorkloadDecision['reason']> = new Set(['node-capacity', 'node-unsupported', 'stuck', 'restart'] as const);
/** What a node has deferred is waited for that long once more. */
const DEFERRED_FOR_MS: DurationMs = 30 * MINUTE_MS;
/** After so long a size is tried anew: nodes come and go. */
const TRIES_COUNT_FOR_MS: DurationMs = 7 * DAY_MS;
/** Requests within this ratio of each other are the same size. */
const SAME_SIZE_RATIO = 1.5;
/** A single replica is never evicted: the workload would be down meanwhile. */
const MIN_REPLICAS = 2;

export const evictions: ResizeLayer = {
  name: 'evictions',
  apply(context, next) {
    return evictWhereStuck(context, next(context));
  },
};

function evictWhereStuck(situation: WorkloadSituation, decision: WorkloadDecision): WorkloadDecision {
  if (!mayEvict(situation, decision)) return decision;
  const after = { ...situation, memory: decision.memory };
  const stuck = stuckPod(after);
  if (stuck === null) return decision;
  const requests = wantedRequests(after, stuck);
  const before = decision.memory.evictions;
  const counts = before !== null && isAboutAsLarge(before.requests, requests) && situation.now - before.lastAt < TRIES_COUNT_FOR_MS;
  const tries = counts ? before : null;
  const wait = whyNotEvict(after, tries);
  if (wait !== null) return told(decision, wait, stuck);
  const tried: EvictionTries = { requests, count: (tries?.count ?? 0) + 1, lastAt: situation.now, refused: null };
  return {
    ...decision,
    evict: stuck,
    memory: { ...decision.memory, evictions: tried },
    lookAgainInMs: Math.min(decision.lookAgainInMs, SUCCESSOR_MS),
  };
}

/** What the budget said, so that it is waited for and not counted as a try. */
export function refusedEviction(tries: EvictionTries | null, at: Instant, message: string): EvictionTries | null {
  return tries === null ? null : { ...tries, count: tries.count - 1, refused: { at, message } };
}

/** Evicting is an effect like any other, and the policy's to allow. */
function mayEvict(situation: WorkloadSituation, { state }: WorkloadDecision): boolean {
  return situation.policy.apply === 'InPlaceOrEvict' && mayChangePods(situation) && !['blocked', 'collecting', 'idle'].includes(state);
}

/** The first pod that its node cannot give what it should have, and that a new life may; null: none. */
function stuckPod(situation: WorkloadSituation): PodRecord | null {
  const { pods, workload } = situation;
  if (isShortLived(workload.kind)) return null;
  return pods.find((pod) => pod.deletionAt === null && mayBeEvicted(pod) && isStuck(situation, pod)) ?? null;
}

function isStuck(situation: WorkloadSituation, pod: PodRecord): boolean {
  const { memory, workload, gateState, kubeletVersions, now } = situation;
  const wanted = memory.apply?.values ?? memory.lastApplied?.values;
  const failure = lastRefusal(pod, situation);
  const refused =
    failure !== undefined && isFinal(failure, now) && failure.code !== 'start-up-boost' && lacksAny(pod, failure.values, wanted);
  // A DaemonSet's pod would be created on the same node again.
  if (refused && workload.kind !== 'DaemonSet') return true;
  if (gateState.admission !== true || wanted === undefined) return false;
  const fit = fitPod(pod, wanted, kubeletVersions.get(pod.node ?? '') ?? '', now);
  return fit.kind === 'restart' && fit.newPodFits;
}

/** The kubelet said Infeasible; or it said Deferred, and had as much time again. */
function isFinal({ state, since }: FailedResize, now: Instant): boolean {
  return state === 'infeasible' || (state === 'deferred' && now - since >= DEFERRED_FOR_MS);
}

/** What a pod is to request in all. Where nothing is in force or on its way any more, that is what its node refused. */
function wantedRequests(situation: WorkloadSituation, pod: PodRecord): Resources {
  const { memory } = situation;
  const wanted = memory.apply?.values ?? memory.lastApplied?.values ?? lastRefusal(pod, situation)?.values;
  return podRequests(pod, (container) => (wanted?.get(container.name) ?? container).requests);
}

/** What is recommended drifts by a few per cent all the time: one more eviction for that would be in vain again. */
function isAboutAsLarge(one: Resources, other: Resources): boolean {
  return RESOURCES.every((resource) => {
    const [a, b] = [Math.max(1, one[FIELD[resource]]), Math.max(1, other[FIELD[resource]])];
    return Math.max(a, b) < Math.min(a, b) * SAME_SIZE_RATIO;
  });
}

/** A failure of long ago matters only while the pod has not what was tried, and that is still wanted. */
function lacksAny(pod: PodRecord, tried: Values, wanted: Values | undefined): boolean {
  return pod.containers.some((container) => {
    const should = wanted?.get(container.name) ?? tried.get(container.name);
    // What it asks for already its node has not given it.
    return should !== undefined && !sameValues(container.actual ?? container, should);
  });
}

function whyNotEvict(situation: WorkloadSituation, tries: EvictionTries | null): Waiting | null {
  return (
    neverEvicted(situation) ??
    heldBack(situation) ??
    outsideWindow(situation, 'an eviction waits for the windows of the policy') ??
    triedEnough(situation, tries) ??
    oneAtATime(situation)
  );
}

function neverEvicted({ workload }: WorkloadSituation): Waiting | null {
  if (workload.replicas.desired < MIN_REPLICAS) return waiting('not-evictable', 'it is the only replica, which is never evicted');
  const { doNotDisrupt } = WORKLOAD_ANNOTATIONS;
  return workload.annotations[doNotDisrupt] === 'true'
    ? waiting('not-evictable', `the annotation ${doNotDisrupt} keeps its pods where they are`)
    : null;
}

function heldBack(situation: WorkloadSituation): Waiting | null {
  const hold = holdsDecisions(situation);
  if (hold !== null) return hold;
  const {
    now,
    gateState: { warmUpUntil },
  } = situation;
  if (warmUpUntil === null || warmUpUntil <= now) return null;
  return waiting('warm-up', 'nothing is evicted so soon after a start or an outage', warmUpUntil);
}

function triedEnough({ now, workload }: WorkloadSituation, tries: EvictionTries | null): Waiting | null {
  const refused = tries?.refused ?? null;
  if (refused !== null && now - refused.at < BUDGET_AGAIN_MS) {
    return waiting('disruption-budget', refused.message, refused.at + BUDGET_AGAIN_MS);
  }
  if (tries !== null && tries.count >= workload.replicas.desired) {
    const words = `${tries.count} pods were evicted for this size in vain`;
    return waiting('not-evictable', `${words}; it is not tried again before the size changes`);
  }
  return null;
}

/** Whatever size it is for: the pace protects the workload. */
function oneAtATime({ now, workload, pods, memory: { evictions } }: WorkloadSituation): Waiting | null {
  const { desired, ready } = workload.replicas;
  if (workload.rolloutInProgress || ready < desired || pods.some((pod) => !pod.ready)) {
    return waiting('rollout', 'one pod at a time: another is not ready');
  }
  const next = evictions?.refused === null ? evictions.lastAt + SUCCESSOR_MS : now;
  return next > now
    ? waiting('rollout', `one pod at a time: another was evicted within the last ${formatDuration(SUCCESSOR_MS)}`, next)
    : null;
}

/** A decision that says of the pod what its eviction waits for; what else it waits for is more to the point. */
function told(decision: WorkloadDecision, wait: Waiting, { name }: PodRecord): WorkloadDecision {
  const refused = decision.state === 'awaiting' && REFUSALS.has(decision.reason);
  if (!refused && decision.state !== 'applied' && decision.state !== 'optimal') return decision;
  const words = refused ? `${decision.message}; ` : `${name} cannot be resized where it is; `;
  const state = fromWaiting([{ ...wait, message: `${words}${wait.message}` }], decision);
  return { ...decision, ...state };
}
