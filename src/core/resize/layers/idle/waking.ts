// What wakes an idle workload. Anything that asks for its natural size, and anything that no longer asks for the small one.

import { WORKLOAD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import type { ResizeMode } from '../../../../apis/conditions.ts';
import { formatDuration } from '../../../model/duration.ts';
import { formatCpu } from '#kube/quantity';
import type { PodRecord } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import { sameResources } from '#kube/records/resources';
import { UNREADY_MS } from '../../plan/roll-back-criteria.ts';
import { otherManager } from '../../plan/other-manager.ts';
import { hasCrashed } from '../../plan/pod-change.ts';
import { rollbackToCarryOut } from '../../plan/remembered-change.ts';
import { failedSince } from '../../plan/restart-rates.ts';
import { MAX_GAP_MS } from '../../model/idle-tracker.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { isOwnManager } from '../../../model/field-managers.ts';
import { boundsOf } from '../../policy/workload-overrides.ts';
import type { IdleMemory } from '../../model/idle-memory.ts';
import { wakeThreshold } from '../../policy/idle-rules.ts';
import { isMadeSmall } from './as-recorded.ts';
import { scaledByOthers } from './idle-scale.ts';

/** `load` alone counts against falling idle the next time. */
export interface WakeReason {
  readonly by: 'load' | 'record' | 'other';
  readonly because: string;
}

/** Our own note is on the workload long before this, as the informers show it: without it, a person has taken it away. */
const NOTE_SEEN_AFTER_MS: DurationMs = 5 * MINUTE_MS;

/** In words for people: the same for every workload of a policy. */
export function wakeTriggers(cpuThreshold: number, replicas: number | null): string {
  if (replicas === 0) return 'request: with no replicas there is no load to be seen; also a change of mode, policy or replicas';
  return `CPU of ${formatCpu(wakeThreshold({ cpuThreshold }))} over all replicas; also an autoscaler, a roll-out, or a request`;
}

export function wakeReason(situation: WorkloadSituation, mode: ResizeMode, idle: IdleMemory): WakeReason | null {
  const because = byWord(situation, mode, idle);
  // A record may be of an earlier idle period: it gives back what a workload had, and makes nothing small.
  if (situation.isIdleRecorded === true) return { by: 'record', because: because ?? 'its Recommendation was deleted' };
  if (because !== null) return { by: 'other', because };
  const load = byLoad(situation, idle) ?? byFailure(situation, idle);
  if (load !== null) return { by: 'load', because: load };
  const silent = situation.pods.find((pod) => isSilent(situation, pod, idle));
  return silent === undefined ? null : { by: 'other', because: `no usage of ${silent.name} for ${formatDuration(MAX_GAP_MS)}` };
}

/** A pod that fails may lack what it had before. */
function byFailure({ pods, now }: WorkloadSituation, { since }: IdleMemory): string | null {
  const loops = ({ containers }: PodRecord): boolean =>
    containers.some((container) => container.state === 'waiting' && hasCrashed(container) && failedSince(container.lastTermination, since));
  const looping = pods.find(loops);
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

/** Load that is not measured would not wake it. */
function isSilent({ now, activity }: WorkloadSituation, { name, phase, deletionAt, createdAt }: PodRecord, { since }: IdleMemory): boolean {
  const samples = activity?.samples;
  if (samples === undefined || phase !== 'Running' || deletionAt !== null) return false;
  return now - Math.max(since, createdAt, samples.since, samples.newest.get(name) ?? 0) >= MAX_GAP_MS;
}

/** What people, policies and settings say. */
function byWord(situation: WorkloadSituation, mode: ResizeMode, idle: IdleMemory): string | null {
  const { policy, policyProblem, gateState, userRequests, overrides } = situation;
  if (gateState.idleWorkloads !== true) return 'the setting features.idleWorkloads is off';
  const inForce = overrides.excluded ? 'Off' : mode;
  if (inForce !== 'Auto') return `the mode is ${inForce}`;
  if (policyProblem !== null || !policy.idle.enabled) return 'its policy makes no idle workload small';
  if (policy.paused || userRequests.paused) return 'it is paused';
  return byPerson(situation, idle);
}

function byPerson(situation: WorkloadSituation, idle: IdleMemory): string | null {
  const { userRequests } = situation;
  if (userRequests.wake !== null && userRequests.wake.at >= idle.since)
    return `asked for by ${userRequests.wake.by === '' ? 'a person' : userRequests.wake.by}`;
  if (rollbackToCarryOut(situation) !== null) return 'a roll-back was asked for';
  if (isBelowFloor(situation, idle)) return `the annotation ${WORKLOAD_ANNOTATIONS.floor} asks for more`;
  if (noteIsGone(situation, idle)) return `the annotation ${WORKLOAD_ANNOTATIONS.idle} was taken away`;
  const byHand = situation.pods.find((pod) => isResizedByOthers(pod, idle));
  if (byHand !== undefined) return `${byHand.name} was resized by ${byHand.resizedBy?.manager ?? 'somebody else'}`;
  return otherManager(situation);
}

function byLoad(situation: WorkloadSituation, idle: IdleMemory): string | null {
  const { activity, advice, hpas, policy } = situation;
  const inUseAt = activity?.inUseAt ?? null;
  // Of the same moment counts: what it was judged by was quiet.
  if (inUseAt !== null && inUseAt >= idle.since) {
    const used = Math.round(activity?.cpuMillicores ?? 0);
    return `load: CPU reached ${formatCpu(wakeThreshold(policy.idle))} over all replicas, ${formatCpu(used)} as last seen`;
  }
  if (advice.some(({ lastOomAt }) => lastOomAt !== null && lastOomAt > idle.since)) return 'an OOM kill';
  const growing = hpas.find(({ desiredReplicas, currentReplicas }) => desiredReplicas > currentReplicas);
  if (growing !== undefined) return `HorizontalPodAutoscaler ${growing.name} wants more replicas`;
  if (isRollingOut(situation, idle)) return 'a roll-out';
  return scaledByOthers(situation, idle);
}

/** A change of replicas looks like one for a moment, until its controller has seen it: while replicas change, pods of two owners show a roll-out. */
function isRollingOut({ workload, pods, hpas }: WorkloadSituation, { idleReplicas }: IdleMemory): boolean {
  if (!workload.rolloutInProgress) return false;
  if (idleReplicas === null && hpas.length === 0) return true;
  return new Set(pods.map(({ owner }) => owner?.uid)).size > 1;
}

/** Pods that do not get a waking workload's natural size: another manager has resized them since. */
export function leftToOthers(situation: WorkloadSituation, idle: IdleMemory): (pod: PodRecord) => boolean {
  const managed = otherManager(situation) !== null;
  const recorded = idle.waking?.by === 'record';
  return (pod) => isResizedByOthers(pod, idle) || (managed && !isIdled(pod, idle)) || (recorded && !isMadeSmall(pod, idle));
}

function isResizedByOthers({ resizedBy }: PodRecord, { since }: IdleMemory): boolean {
  // Times of the server's record are whole seconds.
  return resizedBy !== null && resizedBy.at >= Math.ceil(since / SECOND_MS) * SECOND_MS && !isOwnManager(resizedBy.manager);
}

function isIdled({ containers }: PodRecord, { sizes }: IdleMemory): boolean {
  return containers.every(({ name, requests }) => {
    const small = sizes.get(name)?.requests ?? requests;
    return sameResources(requests, small);
  });
}

function isBelowFloor({ overrides }: WorkloadSituation, { sizes, natural }: IdleMemory): boolean {
  return [...sizes].some(([name, { requests }]) => {
    const floor = boundsOf(overrides.floor, name);
    const before = natural.get(name)?.requests;
    const below = (field: 'cpuMillicores' | 'memoryBytes'): boolean => {
      const [has, least, had] = [requests[field], floor[field], before?.[field] ?? null];
      return has !== null && least !== null && had !== null && has < Math.min(least, had);
    };
    return below('cpuMillicores') || below('memoryBytes');
  });
}

function noteIsGone({ now, workload }: WorkloadSituation, { since }: IdleMemory): boolean {
  return now - since >= NOTE_SEEN_AFTER_MS && workload.annotations[WORKLOAD_ANNOTATIONS.idle] === undefined;
}
