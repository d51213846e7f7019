import type { PodRecord } from '#kube/records/pod';

/** A pod as decisions see it: with the values that it has but for what a layer gives it for a while, such as more CPU to start. */
export interface PlannedPod extends PodRecord {
  /** The pod as the API server has it: resized and evicted in the place of this one. Absent where both are the same. */
  readonly live?: PodRecord;
}

export function livePod(pod: PlannedPod): PodRecord {
  return pod.live ?? pod;
}
