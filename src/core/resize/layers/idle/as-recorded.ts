// Compares a workload with its idle annotation. Without a Recommendation the annotation may be of an earlier idle period, because a user
// may have kept and restored it. So only values that match the annotation are restored.

import type { PodRecord } from '#kube/records/pod';
import { FIELD, isLess, RESOURCES } from '../../model/container-values.ts';
import type { IdleMemory } from '../../model/evidence/idle-memory.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { isScaled } from './idle-scale.ts';

type Recorded = Pick<IdleMemory, 'natural' | 'sizes'>;

/** The part of the record that the workload matches; null: none. */
export function matchRecord(idle: IdleMemory, situation: Pick<WorkloadSituation, 'workload' | 'pods' | 'hpas'>): IdleMemory | null {
  if (isScaled(situation, idle) && hasRecordedSizes(situation.pods, idle)) return idle;
  return situation.pods.some((pod) => hasIdleSize(pod, idle)) ? { ...idle, idleReplicas: null, autoscaler: null } : null;
}

/** Whether every pod has the idle sizes, or the natural ones where only the replicas were changed. */
export function hasRecordedSizes(pods: readonly Pick<PodRecord, 'containers'>[], idle: Recorded): boolean {
  const lowers = [...idle.sizes].some(([name, { requests }]) =>
    RESOURCES.some((resource) => isLess(requests[FIELD[resource]], idle.natural.get(name)?.requests[FIELD[resource]] ?? null)),
  );
  return pods.every((pod) => (lowers ? hasIdleSize(pod, idle) : hasNoOtherSize(pod, idle)));
}

/** Whether at least one request has its idle size, and all others their idle or natural size: not every node can lower both resources. */
export function hasIdleSize(pod: Pick<PodRecord, 'containers'>, { natural, sizes }: Recorded): boolean {
  const isAnyLowered = pod.containers.some(({ name, requests }) =>
    RESOURCES.some((resource) => {
      const now = requests[FIELD[resource]];
      const idleSize = sizes.get(name)?.requests[FIELD[resource]] ?? null;
      return now === idleSize && isLess(now, natural.get(name)?.requests[FIELD[resource]] ?? null);
    }),
  );
  return isAnyLowered && hasNoOtherSize(pod, { natural, sizes });
}

function hasNoOtherSize({ containers }: Pick<PodRecord, 'containers'>, { natural, sizes }: Recorded): boolean {
  return containers.every(({ name, requests }) =>
    RESOURCES.every((resource) => {
      const field = FIELD[resource];
      const recorded = [sizes, natural].flatMap((each) => each.get(name)?.requests[field] ?? []);
      return recorded.length === 0 || recorded.includes(requests[field] ?? Number.NaN);
    }),
  );
}
