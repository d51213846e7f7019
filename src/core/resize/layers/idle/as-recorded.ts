// Whether a workload is as its idle record says that it was made. A record without a Recommendation may be of an earlier idle period:
// a user of the namespace may have kept it and put it back. Only what is as it says is given back.

import type { PodRecord } from '#kube/records/pod';
import { FIELD, isLess, RESOURCES } from '../../model/container-values.ts';
import type { IdleMemory } from '../../model/idle-memory.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { isScaled } from './idle-scale.ts';

type Recorded = Pick<IdleMemory, 'natural' | 'sizes'>;

/** The record as far as the workload is as it says; null: nothing of it is. */
export function asRecorded(idle: IdleMemory, situation: Pick<WorkloadSituation, 'workload' | 'pods' | 'hpas'>): IdleMemory | null {
  if (isScaled(situation, idle) && haveRecordedSizes(situation.pods, idle)) return idle;
  return situation.pods.some((pod) => isMadeSmall(pod, idle)) ? { ...idle, idleReplicas: null, autoscaler: null } : null;
}

/** Of every pod: the idle sizes, or the natural ones where fewer replicas were all that was changed. */
export function haveRecordedSizes(pods: readonly Pick<PodRecord, 'containers'>[], idle: Recorded): boolean {
  const lowers = [...idle.sizes].some(([name, { requests }]) =>
    RESOURCES.some((resource) => isLess(requests[FIELD[resource]], idle.natural.get(name)?.requests[FIELD[resource]] ?? null)),
  );
  return pods.every((pod) => (lowers ? isMadeSmall(pod, idle) : hasNoOtherSize(pod, idle)));
}

/** A request is at its idle size, and each other one at its idle or its natural size: not every node can lower both. */
export function isMadeSmall(pod: Pick<PodRecord, 'containers'>, { natural, sizes }: Recorded): boolean {
  const hasIdleSize = pod.containers.some(({ name, requests }) =>
    RESOURCES.some((resource) => {
      const now = requests[FIELD[resource]];
      const idleSize = sizes.get(name)?.requests[FIELD[resource]] ?? null;
      return now === idleSize && isLess(now, natural.get(name)?.requests[FIELD[resource]] ?? null);
    }),
  );
  return hasIdleSize && hasNoOtherSize(pod, { natural, sizes });
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
