import type { PodRecord } from '../../model/pod.ts';
import type { ContainerChange } from './pod-change.ts';

/** One resize to be made now. */
export interface ResizeStep {
  readonly pod: PodRecord;
  readonly containers: readonly ContainerChange[];
  /** change: a new decision; conform: a pod that lacks what is in force; write-back: the node could not; start-up: more CPU to start, or back; overage: a temporary limit, or back. */
  readonly kind: 'change' | 'conform' | 'write-back' | 'start-up' | 'overage';
  readonly lowers: boolean;
  readonly because: string;
}
