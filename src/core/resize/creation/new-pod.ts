import type { InitContainerRecord } from '#kube/records/pod-requests';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';

/** The part of a pod's create request that its size depends on. */
export interface NewPod {
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** Containers and sidecars, in the order of their names' first use. */
  readonly containers: readonly NewContainer[];
  /** Init containers without sidecars; absent: none. */
  readonly initContainers?: readonly NewInitContainer[];
  /** Pod overhead of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources;
}

export interface NewInitContainer extends RequestsAndLimits, Pick<InitContainerRecord, 'sidecarsBefore'> {}

export interface NewContainer extends RequestsAndLimits {
  readonly name: string;
  readonly sidecar: boolean;
}
