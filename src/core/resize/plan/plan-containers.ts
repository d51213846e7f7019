// The plans of a workload: for each container the values in force, the target and the reasons.

import type { ContainerRecord, PodRecord, QosClass } from '#kube/records/pod';
import { raiseAmount, UNSET_RESOURCES, type RequestsAndLimits, type ResourceName } from '#kube/records/resources';
import type { Bytes } from '#kube/units';
import { withoutOverages } from './container/keep-overages.ts';
import { approvedBaselinesOf } from './container/approved-baselines.ts';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import { containerMode, containerPolicyOf, modeInForce, type ContainerPolicy } from '../policy/policy-rules.ts';
import { requestBounds } from '../policy/container-rules.ts';
import { boundByAutoscalers } from './autoscalers/autoscaler-bounds.ts';
import { withinPodCaps } from './pod/pod-caps.ts';
import { containerTarget, keepBurstable, limitsFor } from './container/container-target.ts';
import type { TargetInputs } from '../model/container-plan.ts';
import { FIELD, qosOf, withAmount, type Values } from '../model/container-values.ts';
import { KILL_COUNTS_FOR_MS } from '../model/evidence/counted-kill.ts';
import type { DueChange } from './due/due-changes.ts';
import { cpuLimitStep, NO_CPU_LIMIT_STEP } from './container/cpu-limit.ts';
import { excludeHotReplicas } from './pod/hot-replicas.ts';
import { isTreatedAsLeak } from './container/leak.ts';
import { boundingNode } from './pod/largest-node.ts';
import { boundByBumps } from './container/oom-bumps.ts';
import { limitBound } from './container/limit-bound.ts';
import { canLowerMemoryLimit } from './pod/pod-change.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

const NOTHING: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };

/** Cached plans. A situation is immutable, so its plans are computed once for all layers. */
const plansBySituation = new WeakMap<WorkloadSituation, readonly ContainerPlan[]>();

/** Plans of all containers of the template, and of those that only the pods have, such as injected sidecars. */
export function planContainers(situation: WorkloadSituation): readonly ContainerPlan[] {
  let plans = plansBySituation.get(situation);
  if (plans === undefined) plansBySituation.set(situation, (plans = computePlans(situation)));
  return plans;
}

function computePlans(situation: WorkloadSituation): readonly ContainerPlan[] {
  const { workload, advice, policy, memory } = situation;
  const current = mostFrequentValues(situation);
  const settled = memory.apply?.values ?? memory.lastApplied?.values;
  const guaranteed = qosInForce(situation, current) === 'Guaranteed';
  const applies = ['Auto', 'Approve'].includes(modeInForce(policy, situation.overrides));
  const names = [...new Set([...workload.containers.map(({ name }) => name), ...current.keys()])];
  const plans = names.map((name): ContainerPlan => {
    const deployed = workload.containers.find((container) => container.name === name);
    const { requests, limits } = current.get(name) ?? deployed ?? NOTHING;
    const present: RequestsAndLimits = { requests, limits };
    const inForce =
      memory.idle?.natural.get(name) ??
      (applies ? settled?.get(name) : undefined) ??
      withoutOverages(name, present, memory.limitExceptions);
    const known = advice.find((each) => each.container === name) ?? null;
    const containerPolicy = containerPolicyOf(policy, name);
    const base = { name, current: present, inForce, advice: known, policy: containerPolicy };
    const off = containerMode(containerPolicy, modeInForce(policy, situation.overrides)) === 'Off';
    if (known === null || off || !(known.enoughHistory || isRecentlyKilled(known, situation)))
      return { ...base, target: null, targetInputs: null };
    const targetInputs = targetInputsOf(base, known, guaranteed, situation);
    const mode = modeInForce(policy, situation.overrides);
    const { target, hotCpu } = excludeHotReplicas(containerTarget(targetInputs), targetInputs, name, mode, situation);
    return { ...base, target, targetInputs, hotCpu, killedPod: killedPodValues(target, targetInputs, name, situation) };
  });
  return boundByAutoscalers(withinPodCaps(plans, situation), situation);
}

function targetInputsOf(
  { name, inForce, policy }: Pick<ContainerPlan, 'name' | 'inForce' | 'policy'>,
  advice: ContainerAdvice,
  guaranteed: boolean,
  situation: WorkloadSituation,
): TargetInputs {
  const { workload, pods, memory, limitRanges, overrides, now } = situation;
  const template = workload.containers.find((container) => container.name === name);
  return {
    now,
    current: inForce,
    advice,
    policy,
    guaranteed,
    limitRanges,
    memoryLimitMayFall: pods.every((pod) => canLowerMemoryLimitOn(pod, name, situation)),
    memoryLimitLoweredAt: memory.reductions.get(name)?.memoryLimit ?? null,
    memoryLimitBound: limitBoundOf('memory', name, policy, guaranteed, situation),
    cpuLimitStep:
      policy.controlled === 'requests'
        ? NO_CPU_LIMIT_STEP
        : cpuLimitStep(situation, name, inForce.limits.cpuMillicores, limitBoundOf('cpu', name, policy, guaranteed, situation)),
    maxCpuRequest: requestBounds('cpu', situation.policy, overrides, name, null).max?.value ?? null,
    templateCpuLimit: template?.limits.cpuMillicores ?? null,
    ...(template === undefined ? {} : { deployed: template }),
    leaks: isTreatedAsLeak(name, advice, situation),
    minLimitByKills: boundedNeedOf(advice.oom?.limitNeed ?? 0, inForce, name, situation),
    minLimits: approvedBaselinesOf(name, memory.limitExceptions),
    goMaxProcs: template?.goMaxProcs ?? null,
  };
}

/**
 * The target for the resources that change; other resources keep the values in force. A raise of one amount lowers no other amount
 * of the resource.
 */
export function partOfTarget(plan: ContainerPlan, changes: readonly DueChange[]): RequestsAndLimits {
  const { target, targetInputs, inForce } = plan;
  if (target === null || targetInputs === null) return inForce;
  let { requests, limits } = inForce;
  for (const { resource, direction } of changes) {
    const field = FIELD[resource];
    const least = direction === 'raise' ? inForce : null;
    requests = withAmount(requests, resource, raiseAmount(target.requests[field], least?.requests[field] ?? null));
    limits = withAmount(limits, resource, raiseAmount(target.limits[field], least?.limits[field] ?? null));
  }
  return { requests: keepBurstable(targetInputs, requests, limits), limits };
}

/** Most frequent values of each container; of equally frequent ones, those of the first pod by name. */
function mostFrequentValues({ pods, workload, memory }: WorkloadSituation): Values {
  const running = pods.filter((pod) => pod.phase === 'Running');
  // Pods with values of their own, after an OOM kill or as a hot replica, do not count.
  const hasOwnValues = (uid: string): boolean =>
    memory.oomBumps.some((bump) => bump.uid === uid) || memory.hotReplicas.some((hot) => hot.uid === uid && hot.cpu !== null);
  const usual = running.filter(({ uid }) => !hasOwnValues(uid));
  const counted = usual.length > 0 ? usual : running.length > 0 ? running : pods;
  const tallies = new Map<string, Map<string, Tally>>();
  for (const { containers } of counted) {
    for (const container of containers) {
      let tally = tallies.get(container.name);
      if (tally === undefined) tallies.set(container.name, (tally = new Map<string, Tally>()));
      count(tally, container);
    }
  }
  const values = new Map<string, RequestsAndLimits>();
  for (const [name, tally] of tallies) {
    const [most] = [...tally.values()].sort((a, b) => b.count - a.count);
    if (most !== undefined) values.set(name, most.values);
  }
  return values.size > 0 ? values : new Map(workload.containers.map((container) => [container.name, container]));
}

interface Tally {
  count: number;
  readonly values: RequestsAndLimits;
}

// Thousands of pods have few distinct values: each distinct value is stored once.
function count(tally: Map<string, Tally>, { requests, limits }: ContainerRecord): void {
  const key = `${requests.cpuMillicores}/${requests.memoryBytes}/${limits.cpuMillicores}/${limits.memoryBytes}`;
  const known = tally.get(key);
  if (known === undefined) tally.set(key, { count: 1, values: { requests, limits } });
  else known.count += 1;
}

function qosInForce({ pods }: WorkloadSituation, current: Values): QosClass {
  return pods[0]?.qosClass ?? qosOf([...current.values()]);
}

function canLowerMemoryLimitOn(pod: PodRecord, name: string, { kubeletVersions }: WorkloadSituation): boolean {
  const container = pod.containers.find((each) => each.name === name);
  return container === undefined || canLowerMemoryLimit(container, kubeletVersions.get(pod.node ?? '') ?? '');
}

function boundedNeedOf(need: Bytes, { limits }: RequestsAndLimits, container: string, { memory, policy, now }: WorkloadSituation): Bytes {
  return boundByBumps(need, limits.memoryBytes ?? 0, { container, bumps: memory.oomBumps, maxBumps: policy.oom.maxBumps, now });
}

/** Values of a pod that was OOM-killed at its limit; null: those of the others. */
function killedPodValues(
  target: RequestsAndLimits,
  inputs: TargetInputs,
  name: string,
  situation: WorkloadSituation,
): RequestsAndLimits | null {
  const { advice, current } = inputs;
  const minLimitByKills = boundedNeedOf(advice.oom?.killedPodNeed ?? 0, current, name, situation);
  if (inputs.leaks === true || minLimitByKills <= (target.limits.memoryBytes ?? minLimitByKills)) return null;
  const most = requestBounds('memory', situation.policy, situation.overrides, name, null).max?.value ?? Infinity;
  const least = Math.max(target.requests.memoryBytes ?? 0, Math.min(advice.oom?.requestNeed ?? 0, most));
  const made = limitsFor(
    { ...inputs, minLimitByKills },
    withAmount(target.requests, 'memory', target.requests.memoryBytes === null ? null : least),
  );
  return { requests: made.requests, limits: made.limits };
}

function limitBoundOf(
  resource: ResourceName,
  name: string,
  present: ContainerPolicy,
  guaranteed: boolean,
  situation: WorkloadSituation,
): number | null {
  const { policy, overrides, workload } = situation;
  const maxRequest = requestBounds(resource, policy, overrides, name, null).max?.value ?? null;
  const template = workload.containers.find((container) => container.name === name);
  return limitBound({ resource, maxRequest, limit: present[resource].limit, guaranteed, template, largestNode: boundingNode(situation) });
}

/** Whether the container was OOM-killed within a day, for which no history is required. */
function isRecentlyKilled(advice: ContainerAdvice, { now }: WorkloadSituation): boolean {
  return advice.lastOomAt !== null && now - advice.lastOomAt < KILL_COUNTS_FOR_MS;
}
