import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';

/** One container's part of a resize. */
export interface ContainerChange {
  readonly name: string;
  readonly from: RequestsAndLimits;
  readonly to: RequestsAndLimits;
}

/** One resize of a pod to make now. */
export interface ResizeStep {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  /**
   * `change`: a new decision. `correct-drift`: the pod differs from the values in force. `revert`: its node refused the values.
   * `start-up`: a boost begins or ends. `overage`: a temporary limit begins or ends.
   */
  readonly kind: 'change' | 'correct-drift' | 'revert' | 'start-up' | 'overage';
  readonly lowers: boolean;
  /** The step reverts a change, so its reductions wait for nothing. */
  readonly isRollBack?: true;
  readonly reason: string;
}

/** The first step of each pod: two resizes of one pod at once would overwrite each other. */
export function mergeStepsByPod(steps: readonly ResizeStep[]): readonly ResizeStep[] {
  return [...new Map(steps.toReversed().map((step) => [step.pod.uid, step])).values()].toReversed();
}
