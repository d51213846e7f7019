import type { PodRecord } from '#kube/records/pod';

/** A pod with its values without temporary increases by a layer, such as a start-up boost: decisions compare targets with these. */
export interface PlannedPod extends PodRecord {
  /** The pod as the API server has it, which resizes and evictions address. Absent where both are the same. */
  readonly live?: PodRecord;
}

/** The pod as the API server has it. */
export function livePod(pod: PlannedPod): PodRecord {
  return pod.live ?? pod;
}
