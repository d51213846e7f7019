// Resizes of replicas that alone were given more CPU, and their way back.

import type { PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Millicores } from '#kube/units';
import type { ContainerPlan } from '../model/container-plan.ts';
import { withAmount, type Values } from '../model/container-values.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { HotReplica, ResizeMemory, WorkloadSituation } from '../model/situation.ts';
import { carryOut } from './carry-out.ts';
import { isAlikeAgain } from './hot-replicas.ts';

/** Raises of hot replicas that have it not yet, and the way back of those that are alike again. */
export function stepsOfHotReplicas(situation: WorkloadSituation, plans: readonly ContainerPlan[]): readonly ResizeStep[] {
  const { memory, pods, now, gateState } = situation;
  const given = memory.hotReplicas.filter(({ cpu }) => cpu !== null);
  return pods.flatMap((pod) => {
    const own = given.filter(({ uid }) => uid === pod.uid);
    if (own.length === 0) return [];
    const isBack = own.every((each) => isAlikeAgain(each, now));
    if (isBack && gateState.warmUpUntil !== null && gateState.warmUpUntil > now) return [];
    const because = isBack
      ? 'its CPU use is like that of the other replicas again'
      : 'it uses more than 3 × the median CPU of the replicas';
    return carryOut({ ...situation, pods: [pod] }, commonValues(pod, own, plans, memory), { kind: 'correct-drift', most: 1, because })
      .steps;
  });
}

/**
 * What the pod has, with the CPU that the other replicas have or that the change under way raises them to. Reductions are left to the
 * stages of the change: a pod that has had its turn keeps what it was lowered to, the others what they have.
 */
function commonValues(
  { containers }: PodRecord,
  own: readonly HotReplica[],
  plans: readonly ContainerPlan[],
  { apply, previous }: Pick<ResizeMemory, 'apply' | 'previous'>,
): Values {
  return new Map(
    containers.map(({ name, requests, limits }) => {
      const inForce = own.some(({ container }) => container === name) ? plans.find((each) => each.name === name)?.inForce : undefined;
      if (inForce === undefined) return [name, { requests, limits }] as const;
      const after = apply?.values.get(name) ?? inForce;
      const before = (apply === null ? undefined : previous?.values.get(name)) ?? after;
      const cpuOf = (part: keyof RequestsAndLimits, present: OptionalResources): OptionalResources =>
        withAmount(present, 'cpu', commonCpu(after[part].cpuMillicores, before[part].cpuMillicores, present.cpuMillicores));
      return [name, { requests: cpuOf('requests', requests), limits: cpuOf('limits', limits) }] as const;
    }),
  );
}

function commonCpu(after: Millicores | null, before: Millicores | null, present: Millicores | null): Millicores | null {
  if (after === null || before === null || present === null || after >= before) return after;
  return Math.max(after, Math.min(present, before));
}
