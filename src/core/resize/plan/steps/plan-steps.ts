// Selects the pods to resize now, so that they get the values in force or those of the change under way.

import { POD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { AFTER_READY_MS } from '../../../recommender/start-up.ts';
import { keepOverages } from '../container/keep-overages.ts';
import type { PodRecord } from '#kube/records/pod';
import { getRemainingQuota } from '../../../model/remaining-quota.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { WORKING_SET_HEADROOM } from '../container/container-target.ts';
import { awaitClock } from '../blockers/clock-skew.ts';
import { FIELD, greaterValues, hasReduction, isReduced, RESOURCES, type Values } from '../../model/container-values.ts';
import { isSizedAtCreationOnly } from '../blockers/creation-only.ts';
import { findForbiddingFailure, refusedResources, retryAt, withoutRefused, type RefusedResource } from './failed-resizes.ts';
import { withHotReplica } from '../pod/hot-replicas.ts';
import { waiting, type Waiting } from '../../model/waiting.ts';
import { withOomBumps } from '../container/oom-bumps.ts';
import { keepMemory } from '../pod/keep-memory.ts';
import { unsupportedByNode } from '../pod/node-support.ts';
import { fitPod, isReachable, type PodFit } from '../pod/pod-change.ts';
import type { RefusalCode } from '#kube/records/refusal-code';
import type { ContainerChange } from '../../model/resize-step.ts';
import type { FailedResize, WorkloadSituation } from '../../model/situation.ts';
import { isResizedWithWorkload } from '../../policy/container-rules.ts';
import type { ResizeStep } from '../../model/resize-step.ts';

/** Waiting reason of a pod after a refusal. */
export const WAITING_REASONS: Readonly<Record<RefusalCode, Waiting['reason']>> = {
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

/** Reasons that end by themselves once a new pod has started. */
const STARTING: readonly Waiting['reason'][] = ['rollout', 'start-up'];

/** Progress of the pods towards the wanted values, and the next steps. */
export interface StepPlan {
  readonly steps: readonly ResizeStep[];
  /** Pods that have the values, actuated by their kubelet. */
  readonly actuated: readonly PodRecord[];
  /** Pods that have the values or can be given them now or later. */
  readonly reachable: number;
  readonly waits: readonly Waiting[];
}

/** How values are applied to the pods. */
export interface StepOptions {
  readonly kind: 'change' | 'correct-drift' | 'overage';
  /** Maximum number of pods that have the values afterwards. It bounds reductions only. */
  readonly maxPods: number;
  readonly isRollBack?: boolean;
  /** A user requested the roll-back: it reduces also pods that are starting or whose usage is unknown. */
  readonly isRequested?: boolean;
  /** Containers of which a pod keeps its own memory where it is greater; absent: none. */
  readonly keepMemoryOf?: readonly string[];
  readonly reason: string;
}

/** The values of containers that are resized as the workload is. Those in force for the others date from before their mode was restricted. */
export function ofResizedContainers({ policy, overrides }: WorkloadSituation, values: Values): Values {
  if (policy.exceptions.length === 0) return values;
  return new Map([...values].filter(([name]) => isResizedWithWorkload(policy, overrides, name)));
}

/** Steps towards `wanted`, and the reasons of pods that wait. Temporary overages are kept unless the kind is `overage`. */
export function planSteps(situation: WorkloadSituation, wanted: Values, options: StepOptions): StepPlan {
  const values = valuesToApply(situation, wanted, options);
  const actuated: PodRecord[] = [];
  const waits: Waiting[] = [];
  let withValuesCount = 0;
  let reachable = 0;
  /** Pods with a pending resize and without usage, whose node may be down. They count as reachable only where no other pod is. */
  let unreportedCount = 0;
  const candidates: Candidate[] = [];
  for (const pod of situation.pods) {
    if (!isReachable(pod)) continue;
    const ofPod = withHotReplica(withOomBumps(values, pod, situation.memory.oomBumps), pod, situation);
    const { fit, refused } = fitWithoutRefusals(situation, pod, keepMemory(ofPod, pod, options.keepMemoryOf ?? []));
    waits.push(...refused.map(({ failure }) => waitAfterRefusal(situation, pod, failure)));
    if (fit.kind === 'fits') {
      if (refused.length > 0 && !hasOtherChange(situation, options, refused)) continue;
      if (pod.resize.state === 'in-progress' && awaitUsage(situation, pod) !== null) {
        unreportedCount += 1;
        continue;
      }
      withValuesCount += 1;
      reachable += 1;
      if (pod.resize.state === 'none') actuated.push(pod);
      waits.push(...waitForNode(pod));
      continue;
    }
    const wait = findPodBlocker(situation, pod, fit);
    if (wait !== null) {
      waits.push(wait);
      continue;
    }
    if (fit.kind !== 'change') continue;
    const unknown = findUnknownUsage(situation, pod, fit, options);
    if (unknown === null) reachable += 1;
    candidates.push({ pod, fit, unknown });
  }
  candidates.sort(candidateOrder(situation));
  const taken = selectSteps(situation, candidates, withValuesCount, options);
  return { steps: taken.steps, actuated, reachable: reachable === 0 ? unreportedCount : reachable, waits: [...waits, ...taken.waits] };
}

/** Selects the candidates that are resized now. @param before number of pods that have the values already */
function selectSteps(
  situation: WorkloadSituation,
  candidates: readonly Candidate[],
  before: number,
  options: StepOptions,
): Pick<StepPlan, 'steps' | 'waits'> {
  const { kind, reason, isRollBack, maxPods } = options;
  const steps: ResizeStep[] = [];
  const waits: Waiting[] = [];
  const remainingQuota = new RemainingQuota(situation);
  let withValuesCount = before;
  for (const candidate of candidates) {
    const { pod, fit } = candidate;
    const isInTurn = !fit.lowers || withValuesCount < maxPods;
    const wait = candidate.unknown ?? (isInTurn ? findCandidateBlocker(situation, candidate, options, remainingQuota) : null);
    if (isInTurn && wait === null) {
      withValuesCount += 1;
      steps.push({ pod, containers: fit.containers, kind, lowers: fit.lowers, ...(isRollBack === true ? { isRollBack } : {}), reason });
      continue;
    }
    const raise = separateRaise(candidate, options);
    const noCapacity = raise === null ? null : remainingQuota.take(pod, raise.containers);
    if (raise !== null && noCapacity === null) steps.push(raise);
    const reported = wait ?? noCapacity;
    // Only a change reports pods that are starting: drift correction reaches them once they have started.
    if (reported !== null && (kind === 'change' || !STARTING.includes(reported.reason))) waits.push(reported);
  }
  return { steps, waits };
}

/** The change from a pod's values to the wanted ones, without resources that its node refuses. */
function fitWithoutRefusals(
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

/** Whether the change under way also changes a resource that was not refused: a pod that has the new values of that resource counts as done. */
function hasOtherChange(
  { memory: { apply, previous } }: WorkloadSituation,
  { kind }: StepOptions,
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

function valuesToApply({ memory }: WorkloadSituation, wanted: Values, { kind }: StepOptions): Values {
  return kind === 'overage' ? wanted : keepOverages(wanted, memory.limitExceptions);
}

interface Candidate {
  readonly pod: PodRecord;
  readonly fit: Extract<PodFit, { kind: 'change' }>;
  /** Its usage is unknown, so it is not reduced; null: the usage is known or not needed. */
  readonly unknown: Waiting | null;
}

/**
 * Order of candidates: pods that are only raised, which need no canary; then ready pods, because a canary that is starting or failing
 * proves nothing; of a StatefulSet the highest ordinal first, as in its rolling updates, because the lowest is usually the primary.
 */
function candidateOrder({ workload }: WorkloadSituation): (a: Candidate, b: Candidate) => number {
  const ordinal = ({ pod }: Candidate): number => (workload.kind === 'StatefulSet' ? Number(/-(\d+)$/.exec(pod.name)?.[1] ?? 0) : 0);
  return (a, b) => Number(a.fit.lowers) - Number(b.fit.lowers) || Number(b.pod.ready) - Number(a.pod.ready) || ordinal(b) - ordinal(a);
}

/** The raising part of a change, which waits neither for stages nor for the start: without it the pod may never become ready. null: none. */
function separateRaise({ pod, fit }: Candidate, { kind, reason }: StepOptions): ResizeStep | null {
  if (!fit.raises) return null;
  const raised: Values = new Map(fit.containers.map(({ name, from, to }) => [name, greaterValues(from, to)]));
  // The raise alone may change the pod's QoS class, which Kubernetes forbids.
  const alone = fitPod(pod, raised, '');
  return alone.kind === 'change' ? { pod, containers: alone.containers, kind, lowers: false, reason } : null;
}

/** Why a reachable pod is not resized yet; null: it is resized now. */
function findCandidateBlocker(
  situation: WorkloadSituation,
  { pod, fit }: Candidate,
  { isRequested }: StepOptions,
  remainingQuota: RemainingQuota,
): Waiting | null {
  const starting = fit.lowers && isRequested !== true ? awaitStart(situation, pod) : null;
  return starting ?? findMemoryInUse(situation, pod, fit.containers) ?? remainingQuota.take(pod, fit.containers);
}

/** Waits until the pod has started: its usage while starting may be its highest, so it is not reduced before. */
function awaitStart({ now }: WorkloadSituation, { name, ready, readySince, containers }: PodRecord): Waiting | null {
  if (!ready) return waiting('rollout', `${name} is not ready`);
  const startedAt = Math.max(readySince ?? 0, ...containers.map((container) => container.startedAt ?? 0));
  const until = startedAt + AFTER_READY_MS;
  return now >= until ? null : waiting('start-up', `${name} has just started`, until);
}

/** Waits until usage of the pod is reported again. */
function awaitUsage({ unreadPods }: WorkloadSituation, { name, uid, node }: PodRecord): Waiting | null {
  if (!unreadPods.has(uid)) return null;
  return waiting('stale-data', `${name}: node ${node ?? ''} has reported no usage of the pod for two sampling periods`);
}

/**
 * Why a pod is not reduced while its usage is unknown; null: its usage is known, or not needed for a raise or a requested roll-back. Other
 * pods do not wait for such a pod: the pods of a DaemonSet stay on a node that is down.
 */
function findUnknownUsage(
  situation: WorkloadSituation,
  pod: PodRecord,
  fit: Extract<PodFit, { kind: 'change' }>,
  { isRequested }: StepOptions,
): Waiting | null {
  if (!fit.lowers || isRequested === true) return null;
  return awaitUsage(situation, pod) ?? findUnmeasuredResource(situation, pod, fit) ?? awaitClockOfPod(situation, fit);
}

/** Samples may contain only one resource; usage of the other is then unknown. */
function findUnmeasuredResource(
  { advice }: WorkloadSituation,
  pod: PodRecord,
  { containers }: Extract<PodFit, { kind: 'change' }>,
): Waiting | null {
  for (const { name, from, to } of containers) {
    const known = advice.find(({ container }) => container === name);
    const unknown = RESOURCES.find((each) => isReduced(from, to, each) && known !== undefined && known[each]?.isMeasured !== true);
    if (unknown === undefined) continue;
    return waiting('stale-data', `${pod.name}: ${unknown} of ${name} was not measured for 15 minutes`);
  }
  return null;
}

/** Reductions depend on present usage, which is dropped while clocks differ. */
function awaitClockOfPod(situation: WorkloadSituation, { containers }: Extract<PodFit, { kind: 'change' }>): Waiting | null {
  return awaitClock(
    situation,
    containers.filter(({ from, to }) => hasReduction(from, to)).map(({ name }) => name),
  );
}

/** Pods of a cordoned node are probably evicted soon and created elsewhere with the values in force, so a reduction is not worth a write. */
function findCordonedNode({ cordonedNodes }: WorkloadSituation, { name, node }: PodRecord, fit: PodFit): Waiting | null {
  if (node === null || cordonedNodes?.has(node) !== true || (fit.kind === 'change' && fit.raises)) return null;
  return waiting('node-draining', `${name}: node ${node} is cordoned`);
}

function findPodBlocker(situation: WorkloadSituation, pod: PodRecord, fit: Exclude<PodFit, { kind: 'fits' }>): Waiting | null {
  if (isSizedAtCreationOnly(situation)) return waiting('restart', `${pod.name} gets the values when it is re-created`);
  if (fit.kind === 'restart') return waiting('restart', fit.message);
  const unsupported = unsupportedByNode(pod, situation);
  if (unsupported !== null) return waiting('node-unsupported', unsupported);
  const draining = findCordonedNode(situation, pod, fit);
  if (draining !== null) return draining;
  const failure = findForbiddingFailure(pod, fit.containers, situation);
  return failure === null ? (waitForNode(pod)[0] ?? null) : waitAfterRefusal(situation, pod, failure);
}

/** The waiting reason after a refusal. Without `until` the resize is retried once a smaller request or another node makes it feasible. */
function waitAfterRefusal({ now }: WorkloadSituation, { name }: PodRecord, failure: FailedResize): Waiting {
  const where = failure.pool === null ? '' : `node pool ${failure.pool}: `;
  return {
    reason: WAITING_REASONS[failure.code],
    message: `${name}: ${where}${failure.message}`,
    until: retryAt(failure) > now ? retryAt(failure) : null,
  };
}

/** The waiting reason of a pod whose desired resize its node deferred or failed; empty where it is actuated or in progress. */
function waitForNode({ name, resize }: PodRecord): readonly Waiting[] {
  if (resize.state === 'none' || resize.state === 'in-progress') return [];
  const reason = resize.state === 'error' ? 'stuck' : 'node-capacity';
  return [waiting(reason, `${name}: the resize is ${resize.state} on its node${resize.message === '' ? '' : `, ${resize.message}`}`)];
}

function findMemoryInUse(situation: WorkloadSituation, pod: PodRecord, containers: readonly ContainerChange[]): Waiting | null {
  if (containers.every((change) => isAboveWorkingSet(change, situation))) return null;
  return waiting('confidence', `${pod.name} uses too much memory at present to lower its memory limit`);
}

/** Whether a lower memory limit leaves headroom above present usage: the change may have been decided hours ago. */
function isAboveWorkingSet({ name, from, to }: ContainerChange, { advice }: WorkloadSituation): boolean {
  const [before, after] = [from.limits.memoryBytes, to.limits.memoryBytes];
  if (before === null || after === null || after >= before) return true;
  const latest = advice.find((each) => each.container === name)?.memoryEvidence?.latest;
  return latest !== undefined && after >= latest * WORKING_SET_HEADROOM;
}

/** Whether the pod's annotations permit an eviction. */
export function isEvictable(pod: Pick<PodRecord, 'annotations'>): boolean {
  const { annotations } = pod;
  return (
    annotations[POD_ANNOTATIONS.doNotDisrupt] !== 'true' &&
    annotations[POD_ANNOTATIONS.karpenterDoNotDisrupt] !== 'true' &&
    annotations[POD_ANNOTATIONS.safeToEvict] !== 'false'
  );
}

/** Remaining capacity of the namespace's ResourceQuotas, which each step reduces. */
class RemainingQuota {
  readonly #situation: WorkloadSituation;
  readonly #taken = { requests: { cpu: 0, memory: 0 }, limits: { cpu: 0, memory: 0 } };

  constructor(situation: WorkloadSituation) {
    this.#situation = situation;
  }

  /** Reserves what the changes add; null where the quotas allow it, else the waiting reason. */
  take(pod: PodRecord, containers: readonly ContainerChange[]): Waiting | null {
    for (const quota of this.#situation.quotas) {
      for (const part of ['requests', 'limits'] as const) {
        for (const resource of RESOURCES) {
          const field = FIELD[resource];
          const added = addedBy(containers, part, field);
          if (added > 0 && this.#taken[part][resource] + added > getRemainingQuota(quota, part, field)) {
            return waiting('quota', `ResourceQuota ${quota.name} would be exceeded by the ${resource} ${part} of ${pod.name}`);
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
