// Resizes of hot replicas: the raise, and the return to the common values.

import type { PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Millicores } from '#kube/units';
import type { ContainerPlan } from '../model/container-plan.ts';
import { withAmount, type Values } from '../model/container-values.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { HotReplica, ResizeMemory, WorkloadSituation } from '../model/situation.ts';
import { planSteps } from './steps/plan-steps.ts';
import { isSimilarAgain } from './pod/hot-replicas.ts';

/** Raises of hot replicas, and reductions of replicas that are similar to the others again. */
export function listHotReplicaSteps(situation: WorkloadSituation, plans: readonly ContainerPlan[]): readonly ResizeStep[] {
  const { memory, pods, now, gateState } = situation;
  const given = memory.hotReplicas.filter(({ cpu }) => cpu !== null);
  return pods.flatMap((pod) => {
    const ofPod = given.filter(({ uid }) => uid === pod.uid);
    if (ofPod.length === 0) return [];
    const isBack = ofPod.every((each) => isSimilarAgain(each, now));
    if (isBack && gateState.warmUpUntil !== null && gateState.warmUpUntil > now) return [];
    const reason = isBack ? 'CPU usage is similar to the other replicas again' : 'CPU usage is more than 3 × the median of the replicas';
    return planSteps({ ...situation, pods: [pod] }, commonValues(pod, ofPod, plans, memory), { kind: 'correct-drift', maxPods: 1, reason })
      .steps;
  });
}

/**
 * The pod's values with the CPU of the other replicas, or with that to which the change under way raises them. Reductions are left to
 * the stages of the change: a pod keeps its present CPU between the previous and the new value.
 */
function commonValues(
  { containers }: PodRecord,
  ofPod: readonly HotReplica[],
  plans: readonly ContainerPlan[],
  { apply, previous }: Pick<ResizeMemory, 'apply' | 'previous'>,
): Values {
  return new Map(
    containers.map(({ name, requests, limits }) => {
      const inForce = ofPod.some(({ container }) => container === name) ? plans.find((each) => each.name === name)?.inForce : undefined;
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
