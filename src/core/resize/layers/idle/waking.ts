// Decides whether an idled workload wakes: because of load, a failure, a user request, or a changed policy or setting.

import { WORKLOAD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import type { ResizeMode } from '../../../../apis/conditions.ts';
import { formatDuration } from '../../../model/duration.ts';
import { formatCpu } from '#kube/quantity';
import type { PodRecord } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import { isSameResources } from '#kube/records/resources';
import { UNREADY_MS } from '../../plan/verify/roll-back-criteria.ts';
import { findOtherManager } from '../../plan/blockers/other-manager.ts';
import { hasCrashed } from '../../plan/pod/pod-change.ts';
import { findPendingRollback } from '../../plan/due/remembered-roll-back.ts';
import { hasFailedSince } from '../../plan/verify/restart-rates.ts';
import { MAX_GAP_MS } from '../../model/evidence/idle-tracker.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { isEvenkeelManager } from '../../../model/field-managers.ts';
import { boundsOf } from '../../policy/workload-overrides.ts';
import type { IdleMemory } from '../../model/evidence/idle-memory.ts';
import { wakeThreshold } from '../../policy/idle-rules.ts';
import { hasIdleSize } from './as-recorded.ts';
import { describeExternalScale } from './idle-scale.ts';

/** Why a workload wakes. Only `load` lengthens the time until it is idled again. */
export interface WakeReason {
  readonly by: 'load' | 'record' | 'other';
  readonly reason: string;
}

/** The annotation is in the informer's cache long before this, so a missing one was removed by a user. */
const ANNOTATION_SEEN_AFTER_MS: DurationMs = 5 * MINUTE_MS;

/** Message about what wakes a workload of a policy. */
export function wakeTriggers(cpuThreshold: number, replicas: number | null): string {
  if (replicas === 0) return 'user request, since load of 0 replicas is not visible; also a change of mode, policy or replicas';
  return `CPU of ${formatCpu(wakeThreshold({ cpuThreshold }))} over all replicas; also an autoscaler, a roll-out, or a user request`;
}

/** Why the workload wakes now; null: it stays idle. */
export function findWakeReason(situation: WorkloadSituation, mode: ResizeMode, idle: IdleMemory): WakeReason | null {
  const because = findPolicyReason(situation, mode, idle);
  // The annotation may be of an earlier idle period, so it only restores a workload, and does not keep it idle.
  if (situation.isIdleRecorded === true) return { by: 'record', reason: because ?? 'its Recommendation was deleted' };
  if (because !== null) return { by: 'other', reason: because };
  const load = findLoadReason(situation, idle) ?? findFailureReason(situation, idle);
  if (load !== null) return { by: 'load', reason: load };
  const silent = situation.pods.find((pod) => isUnreported(situation, pod, idle));
  return silent === undefined ? null : { by: 'other', reason: `no usage of ${silent.name} for ${formatDuration(MAX_GAP_MS)}` };
}

/** Message about a failing pod, whose idle size may be too small; null: none. */
function findFailureReason({ pods, now }: WorkloadSituation, { since }: IdleMemory): string | null {
  const isCrashLooping = ({ containers }: PodRecord): boolean =>
    containers.some(
      (container) => container.state === 'waiting' && hasCrashed(container) && hasFailedSince(container.lastTermination, since),
    );
  const looping = pods.find(isCrashLooping);
  if (looping !== undefined) return `${looping.name} is in CrashLoopBackOff`;
  const isDown = ({ phase, deletionAt, ready, unreadySince }: PodRecord): boolean =>
    phase === 'Running' &&
    deletionAt === null &&
    !ready &&
    unreadySince !== null &&
    unreadySince >= since &&
    now - unreadySince >= UNREADY_MS;
  const down = pods.find(isDown);
  return down === undefined ? null : `${down.name} is not ready`;
}

/** Whether a pod has reported no usage for 15 minutes: its load would not be noticed. */
function isUnreported(
  { now, activity }: WorkloadSituation,
  { name, phase, deletionAt, createdAt }: PodRecord,
  { since }: IdleMemory,
): boolean {
  const samples = activity?.samples;
  if (samples === undefined || phase !== 'Running' || deletionAt !== null) return false;
  return now - Math.max(since, createdAt, samples.since, samples.newest.get(name) ?? 0) >= MAX_GAP_MS;
}

/** Message about a setting, policy or user that ends idle mode; null: none. */
function findPolicyReason(situation: WorkloadSituation, mode: ResizeMode, idle: IdleMemory): string | null {
  const { policy, policyProblem, gateState, userRequests, overrides } = situation;
  if (gateState.idleWorkloads !== true) return 'the setting features.idleWorkloads is off';
  const inForce = overrides.excluded ? 'Off' : mode;
  if (inForce !== 'Auto') return `the mode is ${inForce}`;
  if (policyProblem !== null || !policy.idle.enabled) return 'idle mode is disabled in the policy';
  if (policy.paused || userRequests.paused) return 'the policy or Recommendation is paused';
  return findUserReason(situation, idle);
}

function findUserReason(situation: WorkloadSituation, idle: IdleMemory): string | null {
  const { userRequests } = situation;
  if (userRequests.wake !== null && userRequests.wake.at >= idle.since)
    return `requested by ${userRequests.wake.by === '' ? 'a user' : userRequests.wake.by}`;
  if (findPendingRollback(situation) !== null) return 'a roll-back was requested';
  if (isBelowFloor(situation, idle)) return `the annotation ${WORKLOAD_ANNOTATIONS.floor} is above the idle size`;
  if (isAnnotationRemoved(situation, idle)) return `the annotation ${WORKLOAD_ANNOTATIONS.idle} was removed`;
  const externallyResized = situation.pods.find((pod) => isResizedByOthers(pod, idle));
  if (externallyResized !== undefined)
    return `${externallyResized.name} was resized by ${externallyResized.resizedBy?.manager ?? 'another manager'}`;
  return findOtherManager(situation);
}

function findLoadReason(situation: WorkloadSituation, idle: IdleMemory): string | null {
  const { activity, advice, hpas, policy } = situation;
  const lastInUseAt = activity?.lastInUseAt ?? null;
  // A sample at the time of idling counts, because the decision was made from earlier ones.
  if (lastInUseAt !== null && lastInUseAt >= idle.since) {
    const used = Math.round(activity?.cpuMillicores ?? 0);
    return `load: CPU reached ${formatCpu(wakeThreshold(policy.idle))} over all replicas, ${formatCpu(used)} at the last sample`;
  }
  if (advice.some(({ lastOomAt }) => lastOomAt !== null && lastOomAt > idle.since)) return 'an OOM kill';
  const growing = hpas.find(({ desiredReplicas, currentReplicas }) => desiredReplicas > currentReplicas);
  if (growing !== undefined) return `HorizontalPodAutoscaler ${growing.name} wants more replicas`;
  if (isRollingOut(situation, idle)) return 'a roll-out';
  return describeExternalScale(situation, idle);
}

/**
 * Whether a roll-out is in progress. A change of replicas looks like one until the workload's controller has observed it, so it counts
 * only with pods of two ReplicaSets where replicas may change.
 */
function isRollingOut({ workload, pods, hpas }: WorkloadSituation, { idleReplicas }: IdleMemory): boolean {
  if (!workload.rolloutInProgress) return false;
  if (idleReplicas === null && hpas.length === 0) return true;
  return new Set(pods.map(({ owner }) => owner?.uid)).size > 1;
}

/** Returns a predicate for pods that waking does not restore, because another manager has resized them. */
export function selectUnrestored(situation: WorkloadSituation, idle: IdleMemory): (pod: PodRecord) => boolean {
  const managed = findOtherManager(situation) !== null;
  const recorded = idle.waking?.by === 'record';
  return (pod) => isResizedByOthers(pod, idle) || (managed && !isIdled(pod, idle)) || (recorded && !hasIdleSize(pod, idle));
}

function isResizedByOthers({ resizedBy }: PodRecord, { since }: IdleMemory): boolean {
  // Times in managedFields are whole seconds.
  return resizedBy !== null && resizedBy.at >= Math.ceil(since / SECOND_MS) * SECOND_MS && !isEvenkeelManager(resizedBy.manager);
}

function isIdled({ containers }: PodRecord, { sizes }: IdleMemory): boolean {
  return containers.every(({ name, requests }) => {
    const small = sizes.get(name)?.requests ?? requests;
    return isSameResources(requests, small);
  });
}

function isBelowFloor({ overrides }: WorkloadSituation, { sizes, natural }: IdleMemory): boolean {
  return [...sizes].some(([name, { requests }]) => {
    const floor = boundsOf(overrides.floor, name);
    const before = natural.get(name)?.requests;
    const isBelow = (field: 'cpuMillicores' | 'memoryBytes'): boolean => {
      const [has, least, had] = [requests[field], floor[field], before?.[field] ?? null];
      return has !== null && least !== null && had !== null && has < Math.min(least, had);
    };
    return isBelow('cpuMillicores') || isBelow('memoryBytes');
  });
}

function isAnnotationRemoved({ now, workload }: WorkloadSituation, { since }: IdleMemory): boolean {
  return now - since >= ANNOTATION_SEEN_AFTER_MS && workload.annotations[WORKLOAD_ANNOTATIONS.idle] === undefined;
}
