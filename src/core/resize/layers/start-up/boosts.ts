// Finds boosted pods and their values without the boost. All other layers plan with pods `withoutBoosts`, so that a boost never counts as
// a value in force, as drift or as a saving.

import { POD_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { copyContainer, copyPod, type ContainerRecord, type PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Values } from '../../model/container-values.ts';
import type { PlannedPod } from '../../model/planned-pod.ts';
import type { StartUpBoost, WorkloadSituation } from '../../model/situation.ts';
import { requestBounds } from '../../policy/container-rules.ts';
import { containerMode, containerPolicyOf, modeInForce } from '../../policy/policy-rules.ts';
import { readBoostAtCreation, type BoostAtCreation } from './boost-at-creation.ts';

/** The part of a situation that decides which boosts count. */
export type BoostContext = Pick<WorkloadSituation, 'policy' | 'policyProblem' | 'overrides' | 'memory'>;

/** Values of a pod's boosted containers without the boost; empty: none is boosted. */
export function valuesWithoutBoost(pod: PodRecord, context: BoostContext): Values {
  const boost = context.memory.boosts.find(({ uid }) => uid === pod.uid);
  const base = boost?.values ?? boostedAtCreation(pod, context);
  const usual = pod.containers.flatMap((container) => {
    const values = base.get(container.name);
    return values === undefined || isSameCpu(container, values) ? [] : [[container.name, values] as const];
  });
  return new Map(usual);
}

/** The pods without their boosts. Boosted pods have a resize in progress, so that they do not count as settled. */
export function withoutBoosts(pods: readonly PodRecord[], context: BoostContext): readonly PlannedPod[] {
  return pods.map((pod): PlannedPod => {
    const usual = valuesWithoutBoost(pod, context);
    if (usual.size === 0) return pod;
    const containers = pod.containers.map((container) => {
      const base = usual.get(container.name);
      return base === undefined ? container : withCpuOf(container, base);
    });
    return copyPod(pod, { containers, resize: { state: 'in-progress', message: 'start-up boost', since: null } as const, live: pod });
  });
}

/** `values` with the CPU of `base`. */
export function cpuOf(values: RequestsAndLimits, base: RequestsAndLimits): RequestsAndLimits {
  const from = (amounts: OptionalResources, of: OptionalResources): OptionalResources => ({ ...amounts, cpuMillicores: of.cpuMillicores });
  return { requests: from(values.requests, base.requests), limits: from(values.limits, base.limits) };
}

export function isSameCpu(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return a.requests.cpuMillicores === b.requests.cpuMillicores && a.limits.cpuMillicores === b.limits.cpuMillicores;
}

/** The stored boosts of existing pods. */
export function boostsOf(pods: readonly PodRecord[], boosts: readonly StartUpBoost[]): readonly StartUpBoost[] {
  const uids = new Set(pods.map(({ uid }) => uid));
  return boosts.filter(({ uid }) => uids.has(uid));
}

function withCpuOf(container: ContainerRecord, base: RequestsAndLimits): ContainerRecord {
  return copyContainer(container, {
    ...cpuOf(container, base),
    actual: container.actual === null ? null : cpuOf(container.actual, base),
    allocated: container.allocated === null ? null : { ...container.allocated, cpuMillicores: base.requests.cpuMillicores },
  });
}

/** Whether pods of the workload may be changed: in mode Approve only once a size was approved. */
export function canChangePods({ policy, policyProblem, overrides, memory }: BoostContext): boolean {
  const mode = modeInForce(policy, overrides);
  const allowed = mode === 'Auto' || (mode === 'Approve' && memory.lastApplied !== null);
  return allowed && !overrides.excluded && overrides.problems.length === 0 && policyProblem === null;
}

/** Whether this container may be changed where the workload may. */
export function canChangeContainer({ policy, overrides }: BoostContext, container: string): boolean {
  return ['Auto', 'Approve'].includes(containerMode(containerPolicyOf(policy, container), modeInForce(policy, overrides)));
}

/**
 * Values without the boost of a pod that the webhook created with one, by the pod's annotation. Any user who may patch pods can write
 * it, so it can only lower CPU, not below the policy's minimum, and only where pods may be changed. It counts while the pod has exactly
 * the boosted CPU.
 */
function boostedAtCreation(pod: PodRecord, context: BoostContext): Values {
  const annotation = pod.annotations[POD_ANNOTATIONS.startUp];
  const base = new Map<string, RequestsAndLimits>();
  if (annotation === undefined || !canChangePods(context)) return base;
  for (const [name, created] of readBoostAtCreation(annotation)) {
    const container = pod.containers.find((each) => each.name === name);
    if (container === undefined || !isSameCpu(container, created.boosted) || !canChangeContainer(context, name)) continue;
    const lowered = loweredBase(name, created, context);
    const settled = context.memory.lastApplied?.values.get(name);
    if (lowered !== null && (settled === undefined || !isSameCpu(settled, created.boosted))) base.set(name, cpuOf(container, lowered));
  }
  return base;
}

/** The base, raised to the minimum request; null where that is not below the boosted values. */
function loweredBase(name: string, { base, boosted }: BoostAtCreation, { policy, overrides }: BoostContext): RequestsAndLimits | null {
  const [request, limit] = [base.requests.cpuMillicores, base.limits.cpuMillicores];
  if (request === null || (limit === null) !== (boosted.limits.cpuMillicores === null)) return null;
  const least = Math.max(request, requestBounds('cpu', policy, overrides, name, null).min.value);
  const limitOfLeast = limit === null ? null : Math.max(limit, least);
  if (least >= (boosted.requests.cpuMillicores ?? 0) || (limitOfLeast ?? 0) > (boosted.limits.cpuMillicores ?? 0)) return null;
  return {
    requests: { ...base.requests, cpuMillicores: least },
    limits: { ...base.limits, cpuMillicores: limitOfLeast },
  };
}
