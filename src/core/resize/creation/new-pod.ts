import type { InitContainerRecord } from '#kube/records/pod-requests';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';

/** A pod as it asks to be created. */
export interface NewPod {
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** Its containers, and its sidecars, in the order of their names' first use. */
  readonly containers: readonly NewContainer[];
  /** Plain ones, which run before the others; absent: none. */
  readonly initContainers?: readonly NewInitContainer[];
  /** Of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources;
}

export interface NewInitContainer extends RequestsAndLimits, Pick<InitContainerRecord, 'sidecarsBefore'> {}

export interface NewContainer extends RequestsAndLimits {
  readonly name: string;
  readonly sidecar: boolean;
}
