// Which pods are to be touched now so that they come to the values that are in force or on their way.

import { POD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { besideOverages } from '../../exceptions/beside-overages.ts';
import type { PodRecord } from '../../model/pod.ts';
import type { RequestsAndLimits } from '../../model/resources.ts';
import { WORKING_SET_HEADROOM } from './container-target.ts';
import { FIELD, RESOURCES, type Values } from './container-values.ts';
import { isSizedAtBirthAlone } from './births.ts';
import { forbiddingFailure, halfStep, isOverRules, retryAt } from './failed-resizes.ts';
import type { Waiting } from './waiting.ts';
import { fitPod, isResizable, type ContainerChange, type PodFit } from './pod-change.ts';
import type { WorkloadSituation } from './situation.ts';
import type { ResizeStep } from './resize-step.ts';

/** Why a pod gets half of a step; told by it, too, that it was tried. */
export const HALF = 'half of it, since its node had no room for all';

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
  readonly kind: 'change' | 'conform' | 'overage';
  /** Most pods that may have the values after this; pods that only grow are not held to it. */
  readonly most: number;
  readonly because: string;
}

/** @param wanted what the pods should have; temporary overages are carried out by themselves */
export function carryOut(situation: WorkloadSituation, wanted: Values, options: CarryOutOptions): CarryOut {
  const values = valuesNow(situation, wanted, options);
  const steps: ResizeStep[] = [];
  const settled: PodRecord[] = [];
  const waits: Waiting[] = [];
  let having = 0;
  let reachable = 0;
  const candidates: { readonly pod: PodRecord; readonly fit: Extract<PodFit, { kind: 'change' }> }[] = [];
  for (const pod of situation.pods) {
    if (!isResizable(pod)) continue;
    const fit = fitPod(pod, values, situation.kubeletVersions.get(pod.node ?? '') ?? '', situation.now);
    if (fit.kind === 'fits') {
      having += 1;
      reachable += 1;
      if (pod.resize.state === 'none') settled.push(pod);
      waits.push(...refusedByNode(pod));
      continue;
    }
    const wait = whyNotNow(situation, pod, fit);
    if (wait !== null) {
      steps.push(...halfSteps(situation, pod, fit, options.kind));
      waits.push(wait);
      continue;
    }
    reachable += 1;
    if (fit.kind === 'change') candidates.push({ pod, fit });
  }
  // What only grows has nothing to prove: first, and as many as there are. Then ready pods: a canary that is starting or
  // failing by itself would prove nothing.
  candidates.sort((a, b) => Number(a.fit.lowers) - Number(b.fit.lowers) || Number(b.pod.ready) - Number(a.pod.ready));
  const room = new QuotaRoom(situation);
  for (const { pod, fit } of candidates) {
    if (fit.lowers && having >= options.most) break;
    if (fit.lowers && !pod.ready) {
      waits.push(...untilReady(pod, options));
      continue;
    }
    const tight = tooMuchInUse(situation, pod, fit.containers) ?? room.take(pod, fit.containers);
    if (tight !== null) {
      waits.push(tight);
      continue;
    }
    having += 1;
    steps.push({ pod, containers: fit.containers, kind: options.kind, lowers: fit.lowers, because: options.because });
  }
  return { steps, settled, reachable, waits };
}

function valuesNow({ memory }: WorkloadSituation, wanted: Values, { kind }: CarryOutOptions): Values {
  return kind === 'overage' ? wanted : besideOverages(wanted, memory.limitExceptions);
}

function halfSteps(situation: WorkloadSituation, pod: PodRecord, fit: PodFit, kind: ResizeStep['kind']): readonly ResizeStep[] {
  const half = fit.kind === 'change' ? halfStep(situation, pod, fit.containers) : null;
  return half === null ? [] : [{ pod, containers: half, kind, lowers: false, because: HALF }];
}

// Pods that are being born conform as they become ready; a change waits for them, and says so.
function untilReady({ name }: PodRecord, { kind }: CarryOutOptions): readonly Waiting[] {
  return kind === 'change' ? [waitFor('rollout', `${name} is not ready`)] : [];
}

// It conforms when its kubelet answers again. The others do not wait for it: a dead node keeps its DaemonSets' pods.
function unread({ unreadNodes }: WorkloadSituation, { name, node }: PodRecord): Waiting | null {
  if (node === null || !unreadNodes.has(node)) return null;
  return waitFor('stale-data', `${name}: its node ${node} has told no usage for two periods`);
}

function whyNotNow(situation: WorkloadSituation, pod: PodRecord, fit: Exclude<PodFit, { kind: 'fits' }>): Waiting | null {
  if (isSizedAtBirthAlone(situation)) return waitFor('restart', `${pod.name} gets it when it is born again`);
  if (fit.kind === 'restart') return waitFor('restart', fit.message);
  const blind = unread(situation, pod);
  if (blind !== null) return blind;
  const failure = forbiddingFailure(pod, fit.containers, situation.memory.failures, situation.now, situation.freeOnNodes);
  if (failure !== null) {
    // A node with static CPU or memory management will never resize this pod: only a restart helps.
    const forGood = failure.state === 'infeasible' && /static|exclusive/i.test(failure.message);
    const reason = forGood ? 'restart' : isOverRules(failure.message) ? 'quota' : 'capacity';
    return { reason, message: `${pod.name}: ${failure.message}`, until: retryAt(failure) };
  }
  return refusedByNode(pod)[0] ?? null;
}

/** What a pod asks for already and its node does not give it; none where it gives, or is about to. */
function refusedByNode({ name, resize }: PodRecord): readonly Waiting[] {
  if (resize.state === 'none' || resize.state === 'in-progress') return [];
  return [waitFor('capacity', `${name}: the node says ${resize.state}${resize.message === '' ? '' : `, ${resize.message}`}`)];
}

function tooMuchInUse(situation: WorkloadSituation, pod: PodRecord, containers: readonly ContainerChange[]): Waiting | null {
  if (containers.every((change) => aboveWorkingSet(change, situation))) return null;
  return waitFor('confidence', `${pod.name} uses too much memory right now for its limit to be lowered`);
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
class QuotaRoom {
  readonly #situation: WorkloadSituation;
  readonly #taken = { requests: { cpu: 0, memory: 0 }, limits: { cpu: 0, memory: 0 } };

  constructor(situation: WorkloadSituation) {
    this.#situation = situation;
  }

  /** Takes what the changes add; null where there is room, else why not. */
  take(pod: PodRecord, containers: readonly ContainerChange[]): Waiting | null {
    for (const quota of this.#situation.quotas) {
      for (const part of ['requests', 'limits'] as const) {
        const [hard, used] = part === 'requests' ? [quota.hardRequests, quota.usedRequests] : [quota.hardLimits, quota.usedLimits];
        for (const resource of RESOURCES) {
          const field = FIELD[resource];
          const added = addedBy(containers, part, field);
          const bound = hard[field];
          if (bound === null || added <= 0) continue;
          if ((used[field] ?? 0) + this.#taken[part][resource] + added > bound) {
            return waitFor('quota', `ResourceQuota ${quota.name} leaves no room for the ${resource} ${part} of ${pod.name}`);
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

function waitFor(reason: Waiting['reason'], message: string): Waiting {
  return { reason, message, until: null };
}
