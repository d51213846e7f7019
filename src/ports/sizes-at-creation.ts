import type { NewPod } from '../core/resize/creation/new-pod.ts';
import type { SizeAtCreation } from '../core/resize/creation/size-at-creation.ts';
import type { OwnerRef } from '#kube/records/workload';

/** A pod that asks to be made, as far as its size is concerned. */
export interface CreationRequest extends NewPod {
  readonly namespace: string;
  /** Its controller; null: none. */
  readonly owner: OwnerRef | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Node that it is made for; null: the scheduler chooses one. */
  readonly node: string | null;
  /** Empty: none. */
  readonly priorityClass: string;
  /** It is ended after a time (`activeDeadlineSeconds`). */
  readonly terminating: boolean;
}

/** Answers from memory, at once. */
export interface SizesAtCreation {
  /** null: the pod is created as it asks. */
  sizeOf(request: CreationRequest): SizeAtCreation | null;
}
