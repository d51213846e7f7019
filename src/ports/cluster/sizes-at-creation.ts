import type { NewPod } from '../../core/resize/creation/new-pod.ts';
import type { SizeAtCreation } from '../../core/resize/creation/size-at-creation.ts';
import type { OwnerRef } from '#kube/records/workload';

/** The fields of a pod's admission request that its size at creation depends on. */
export interface CreationRequest extends NewPod {
  readonly namespace: string;
  /** Its controller; null: none. */
  readonly owner: OwnerRef | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.nodeName`, or the node of a DaemonSet pod's affinity; null: the scheduler chooses one. */
  readonly node: string | null;
  /** Empty: none. */
  readonly priorityClass: string;
  /** Whether `activeDeadlineSeconds` is set, as in the quota scope Terminating. */
  readonly terminating: boolean;
}

/** Sizes of pods at admission; synchronous, from memory. */
export interface SizesAtCreation {
  /** null: the pod keeps its requests and limits. */
  sizeOf(request: CreationRequest): SizeAtCreation | null;
}
