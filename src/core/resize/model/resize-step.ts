import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';

/** One container's part of a resize. */
export interface ContainerChange {
  readonly name: string;
  readonly from: RequestsAndLimits;
  readonly to: RequestsAndLimits;
}

/** One resize to be made now. */
export interface ResizeStep {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  /** change: a new decision; conform: a pod that lacks what is in force; write-back: the node could not; start-up: more CPU to start, or back; overage: a temporary limit, or back. */
  readonly kind: 'change' | 'correct-drift' | 'revert' | 'start-up' | 'overage';
  readonly lowers: boolean;
  /** Takes a change back: what it lowers waits for nothing. */
  readonly isRollBack?: true;
  readonly because: string;
}

/** The first step for each pod: two resizes of one pod at once would undo each other. */
export function onceForEachPod(steps: readonly ResizeStep[]): readonly ResizeStep[] {
  return [...new Map(steps.toReversed().map((step) => [step.pod.uid, step])).values()].toReversed();
}
