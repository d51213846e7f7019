// Which pods are to be touched now so that they come to the values that are in force or on their way.

import { POD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { AFTER_READY_MS } from '../../recommender/start-up.ts';
import { besideOverages } from './beside-overages.ts';
import type { PodRecord } from '#kube/records/pod';
import { leftByQuota } from '../../model/remaining-quota.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { WORKING_SET_HEADROOM } from './container-target.ts';
import { waitsForClock } from './clock-set-back.ts';
import { FIELD, greaterValues, lowersAnything, lowersResource, RESOURCES, type Values } from '../model/container-values.ts';
import { isSizedAtCreationOnly } from './creation-only.ts';
import { forbiddingFailure, refusedResources, retryAt, withoutRefused, type RefusedResource } from './failed-resizes.ts';
import { withHotReplica } from './hot-replicas.ts';
import { waiting, type Waiting } from '../model/waiting.ts';
import { withOomBumps } from './oom-bumps.ts';
import { unsupportedByNode } from './node-support.ts';
import { fitPod, isReachable, type PodFit } from './pod-change.ts';
import type { RefusalCode } from '#kube/records/refusal-code';
import type { ContainerChange } from '../model/resize-step.ts';
import type { FailedResize, WorkloadSituation } from '../model/situation.ts';
import type { ResizeStep } from '../model/resize-step.ts';

/** What a pod waits for after a refusal. What the node's configuration forbids, another node or a new pod brings. */
export const WAITS_FOR: Readonly<Record<RefusalCode, Waiting['reason']>> = {
  'node-capacity': 'node-capacity',
  'cpu-manager': 'node-unsupported',
  'memory-manager': 'node-unsupported',
  swap: 'node-unsupported',
  'no-resize': 'node-unsupported',
  quota: 'quota',
  permission: 'stuck',
  'start-up-boost': 'node-capacity',
  other: 'stuck',
};

/** New pods get what is in force once they have started. */
const STARTING: readonly Waiting['reason'][] = ['rollout', 'start-up'];

/** How far the pods have come, and what to do next. */
export interface CarryOut {
  readonly steps: readonly ResizeStep[];
  /** Pods that have the values, and whose node has put them in force. */
  readonly settled: readonly PodRecord[];
  /** Pods that have the values or can be given them now or later. */
  readonly reachable: number;
  readonly waits: readonly Waiting[];
}

export interface CarryOutOptions {
  readonly kind: 'change' | 'correct-drift' | 'overage';
  /** Most pods that may have the values after this; what raises is not held to it. */
  readonly most: number;
  readonly isRollBack?: boolean;
  /** What a user requested to be rolled back is lowered at once, also in pods that are starting or whose usage is unknown. */
  readonly isRequested?: boolean;
  readonly because: string;
}

/** @param wanted what the pods should have; temporary overages are carried out by themselves */
export function carryOut(situation: WorkloadSituation, wanted: Values, options: CarryOutOptions): CarryOut {
  const values = valuesNow(situation, wanted, options);
  const settled: PodRecord[] = [];
  const waits: Waiting[] = [];
  let having = 0;
  let reachable = 0;
  /** Their node may be dead: waited for where there are no others. */
  let unseen = 0;
  const candidates: Candidate[] = [];
  for (const pod of situation.pods) {
    if (!isReachable(pod)) continue;
    const { fit, refused } = fitOf(situation, pod, withHotReplica(withOomBumps(values, pod, situation.memory.oomBumps), pod, situation));
    waits.push(...refused.map(({ failure }) => waitAfter(situation, pod, failure)));
    if (fit.kind === 'fits') {
      if (refused.length > 0 && !changesOther(situation, options, refused)) continue;
      if (pod.resize.state === 'in-progress' && unread(situation, pod) !== null) {
        unseen += 1;
        continue;
      }
      having += 1;
      reachable += 1;
      if (pod.resize.state === 'none') settled.push(pod);
      waits.push(...refusedByNode(pod));
      continue;
    }
    const wait = whyNotNow(situation, pod, fit);
    if (wait !== null) {
      waits.push(wait);
      continue;
    }
    if (fit.kind !== 'change') continue;
    const unknown = usageUnknown(situation, pod, fit, options);
    if (unknown === null) reachable += 1;
    candidates.push({ pod, fit, unknown });
  }
  candidates.sort(inOrderOf(situation));
  const taken = takeTurns(situation, candidates, having, options);
  return { steps: taken.steps, settled, reachable: reachable === 0 ? unseen : reachable, waits: [...waits, ...taken.waits] };
}

/** @param before pods that have the values already */
function takeTurns(
  situation: WorkloadSituation,
  candidates: readonly Candidate[],
  before: number,
  options: CarryOutOptions,
): Pick<CarryOut, 'steps' | 'waits'> {
  const { kind, because, isRollBack, most } = options;
  const steps: ResizeStep[] = [];
  const waits: Waiting[] = [];
  const room = new RemainingQuota(situation);
  let having = before;
  for (const candidate of candidates) {
    const { pod, fit } = candidate;
    const isInTurn = !fit.lowers || having < most;
    const wait = candidate.unknown ?? (isInTurn ? whyNotYet(situation, candidate, options, room) : null);
    if (isInTurn && wait === null) {
      having += 1;
      steps.push({ pod, containers: fit.containers, kind, lowers: fit.lowers, ...(isRollBack === true ? { isRollBack } : {}), because });
      continue;
    }
    const raise = raiseAlone(candidate, options);
    const noCapacity = raise === null ? null : room.take(pod, raise.containers);
    if (raise !== null && noCapacity === null) steps.push(raise);
    const told = wait ?? noCapacity;
    // A change waits for pods that start, and reports it.
    if (told !== null && (kind === 'change' || !STARTING.includes(told.reason))) waits.push(told);
  }
  return { steps, waits };
}

/** The change from a pod's values to the wanted ones, without what its node refuses. */
function fitOf(
  situation: WorkloadSituation,
  pod: PodRecord,
  values: Values,
): { readonly fit: PodFit; readonly refused: readonly RefusedResource[] } {
  const { kubeletVersions, now } = situation;
  const fitting = (wanted: Values): PodFit => fitPod(pod, wanted, kubeletVersions.get(pod.node ?? '') ?? '', now);
  const fit = fitting(values);
  const refused = fit.kind === 'change' ? refusedResources(pod, fit.containers, situation) : [];
  return { fit: refused.length === 0 ? fit : fitting(withoutRefused(pod, values, refused)), refused };
}

/** Whether the change under way is for more than what is refused: a pod that has the rest of it has what it can be given. */
function changesOther(
  { memory: { apply, previous } }: WorkloadSituation,
  { kind }: CarryOutOptions,
  refused: readonly RefusedResource[],
): boolean {
  if (kind !== 'change' || apply === null) return true;
  const others = RESOURCES.filter((resource) => !refused.some((each) => each.resource === resource));
  return [...apply.values].some(([name, to]) => {
    const from = previous?.values.get(name) ?? to;
    return others.some((resource) => {
      const field = FIELD[resource];
      return from.requests[field] !== to.requests[field] || from.limits[field] !== to.limits[field];
    });
  });
}

function valuesNow({ memory }: WorkloadSituation, wanted: Values, { kind }: CarryOutOptions): Values {
  return kind === 'overage' ? wanted : besideOverages(wanted, memory.limitExceptions);
}

interface Candidate {
  readonly pod: PodRecord;
  readonly fit: Extract<PodFit, { kind: 'change' }>;
  /** What it uses is not known, so that nothing is lowered; null: it is, or that does not matter. */
  readonly unknown: Waiting | null;
}

/**
 * Pods that only grow first: a raise has nothing to prove. Then ready pods: a canary that is starting or failing by itself would
 * prove nothing. Of a StatefulSet the highest ordinal, as in its roll-outs: the lowest is usually the primary.
 */
function inOrderOf({ workload }: WorkloadSituation): (a: Candidate, b: Candidate) => number {
  const ordinal = ({ pod }: Candidate): number => (workload.kind === 'StatefulSet' ? Number(/-(\d+)$/.exec(pod.name)?.[1] ?? 0) : 0);
  return (a, b) => Number(a.fit.lowers) - Number(b.fit.lowers) || Number(b.pod.ready) - Number(a.pod.ready) || ordinal(b) - ordinal(a);
}

/** What raises waits neither for the stages of what lowers nor for the start: without it the pod may never come up. null: nothing. */
function raiseAlone({ pod, fit }: Candidate, { kind, because }: CarryOutOptions): ResizeStep | null {
  if (!fit.raises) return null;
  const raised: Values = new Map(fit.containers.map(({ name, from, to }) => [name, greaterValues(from, to)]));
  // By itself it may make the pod of another QoS class.
  const alone = fitPod(pod, raised, '');
  return alone.kind === 'change' ? { pod, containers: alone.containers, kind, lowers: false, because } : null;
}

/** Why a pod that a resize could reach is not resized yet; null: it is. */
function whyNotYet(
  situation: WorkloadSituation,
  { pod, fit }: Candidate,
  { isRequested }: CarryOutOptions,
  room: RemainingQuota,
): Waiting | null {
  const starting = fit.lowers && isRequested !== true ? untilStarted(situation, pod) : null;
  return starting ?? tooMuchInUse(situation, pod, fit.containers) ?? room.take(pod, fit.containers);
}

/** What a pod uses while it starts may be its most: nothing is lowered before that is over. */
function untilStarted({ now }: WorkloadSituation, { name, ready, readySince, containers }: PodRecord): Waiting | null {
  if (!ready) return waiting('rollout', `${name} is not ready`);
  const startedAt = Math.max(readySince ?? 0, ...containers.map((container) => container.startedAt ?? 0));
  const until = startedAt + AFTER_READY_MS;
  return now >= until ? null : waiting('start-up', `${name} has just started`, until);
}

/** It conforms when its kubelet answers again, and for this pod. */
function unread({ unreadPods }: WorkloadSituation, { name, uid, node }: PodRecord): Waiting | null {
  if (!unreadPods.has(uid)) return null;
  return waiting('stale-data', `${name}: its node ${node ?? ''} has reported no usage of it for two periods`);
}

/**
 * Why a pod is not lowered: what it uses now is unknown. null: it is known, or not needed, as for a raise or a roll-back that a user requested. Other pods
 * do not wait for such a pod: a node that is down keeps the pods of its DaemonSets.
 */
function usageUnknown(
  situation: WorkloadSituation,
  pod: PodRecord,
  fit: Extract<PodFit, { kind: 'change' }>,
  { isRequested }: CarryOutOptions,
): Waiting | null {
  if (!fit.lowers || isRequested === true) return null;
  return unread(situation, pod) ?? unmeasured(situation, pod, fit) ?? aheadOfClock(situation, fit);
}

/** Samples may hold one resource alone: the other is then as unknown as without any. */
function unmeasured({ advice }: WorkloadSituation, pod: PodRecord, { containers }: Extract<PodFit, { kind: 'change' }>): Waiting | null {
  for (const { name, from, to } of containers) {
    const known = advice.find(({ container }) => container === name);
    const unknown = RESOURCES.find((each) => lowersResource(from, to, each) && known !== undefined && known[each]?.isMeasured !== true);
    if (unknown === undefined) continue;
    return waiting('stale-data', `${pod.name}: ${unknown} of ${name} was not measured for 15 minutes`);
  }
  return null;
}

/** What is lowered is lowered by what is used now. */
function aheadOfClock(situation: WorkloadSituation, { containers }: Extract<PodFit, { kind: 'change' }>): Waiting | null {
  return waitsForClock(
    situation,
    containers.filter(({ from, to }) => lowersAnything(from, to)).map(({ name }) => name),
  );
}

/** Pods of a cordoned node are about to be evicted, and created elsewhere with what is in force: a reduction is not worth a write. */
function onCordonedNode({ cordonedNodes }: WorkloadSituation, { name, node }: PodRecord, fit: PodFit): Waiting | null {
  if (node === null || cordonedNodes?.has(node) !== true || (fit.kind === 'change' && fit.raises)) return null;
  return waiting('node-draining', `${name}: its node ${node} is cordoned`);
}

function whyNotNow(situation: WorkloadSituation, pod: PodRecord, fit: Exclude<PodFit, { kind: 'fits' }>): Waiting | null {
  if (isSizedAtCreationOnly(situation)) return waiting('restart', `${pod.name} gets it when it is created anew`);
  if (fit.kind === 'restart') return waiting('restart', fit.message);
  const unsupported = unsupportedByNode(pod, situation);
  if (unsupported !== null) return waiting('node-unsupported', unsupported);
  const draining = onCordonedNode(situation, pod, fit);
  if (draining !== null) return draining;
  const failure = forbiddingFailure(pod, fit.containers, situation);
  return failure === null ? (refusedByNode(pod)[0] ?? null) : waitAfter(situation, pod, failure);
}

/** Past its time it is tried again where a smaller request or another node makes it possible. */
function waitAfter({ now }: WorkloadSituation, { name }: PodRecord, failure: FailedResize): Waiting {
  const where = failure.pool === null ? '' : `node pool ${failure.pool}: `;
  return {
    reason: WAITS_FOR[failure.code],
    message: `${name}: ${where}${failure.message}`,
    until: retryAt(failure) > now ? retryAt(failure) : null,
  };
}

/** What a pod asks for already and its node does not give it; none where it gives, or is about to. */
function refusedByNode({ name, resize }: PodRecord): readonly Waiting[] {
  if (resize.state === 'none' || resize.state === 'in-progress') return [];
  const reason = resize.state === 'error' ? 'stuck' : 'node-capacity';
  return [waiting(reason, `${name}: the node says ${resize.state}${resize.message === '' ? '' : `, ${resize.message}`}`)];
}

function tooMuchInUse(situation: WorkloadSituation, pod: PodRecord, containers: readonly ContainerChange[]): Waiting | null {
  if (containers.every((change) => aboveWorkingSet(change, situation))) return null;
  return waiting('confidence', `${pod.name} uses too much memory right now for its limit to be lowered`);
}

/** Decided hours ago, carried out now: what the container uses at this moment has the last word on its memory limit. */
function aboveWorkingSet({ name, from, to }: ContainerChange, { advice }: WorkloadSituation): boolean {
  const [before, after] = [from.limits.memoryBytes, to.limits.memoryBytes];
  if (before === null || after === null || after >= before) return true;
  const latest = advice.find((each) => each.container === name)?.memoryEvidence?.latest;
  return latest !== undefined && after >= latest * WORKING_SET_HEADROOM;
}

/** Whether a pod may be evicted at all, as far as its own annotations say. */
export function mayBeEvicted(pod: PodRecord): boolean {
  const { annotations } = pod;
  return (
    annotations[POD_ANNOTATIONS.doNotDisrupt] !== 'true' &&
    annotations[POD_ANNOTATIONS.karpenterDoNotDisrupt] !== 'true' &&
    annotations[POD_ANNOTATIONS.safeToEvict] !== 'false'
  );
}

/** What the namespace's quotas leave, used up step by step. */
class RemainingQuota {
  readonly #situation: WorkloadSituation;
  readonly #taken = { requests: { cpu: 0, memory: 0 }, limits: { cpu: 0, memory: 0 } };

  constructor(situation: WorkloadSituation) {
    this.#situation = situation;
  }

  /** Takes what the changes add; null where there is room, else why not. */
  take(pod: PodRecord, containers: readonly ContainerChange[]): Waiting | null {
    for (const quota of this.#situation.quotas) {
      for (const part of ['requests', 'limits'] as const) {
        for (const resource of RESOURCES) {
          const field = FIELD[resource];
          const added = addedBy(containers, part, field);
          if (added > 0 && this.#taken[part][resource] + added > leftByQuota(quota, part, field)) {
            return waiting('quota', `ResourceQuota ${quota.name} leaves no room for the ${resource} ${part} of ${pod.name}`);
          }
        }
      }
    }
    for (const part of ['requests', 'limits'] as const) {
      for (const resource of RESOURCES) this.#taken[part][resource] += addedBy(containers, part, FIELD[resource]);
    }
    return null;
  }
}

function addedBy(containers: readonly ContainerChange[], part: keyof RequestsAndLimits, field: 'cpuMillicores' | 'memoryBytes'): number {
  return containers.reduce((sum, { from, to }) => sum + (to[part][field] ?? 0) - (from[part][field] ?? 0), 0);
}
