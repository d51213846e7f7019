import type { DurationMs, Instant } from '#kube/units';
import type { ContainerRuntime, Termination } from '../container-runtime.ts';
import type { EventText } from '../../../api/event-writer.ts';
import type { PodRuntime } from './pod-runtime.ts';

/** Services of a node for its pods. */
export interface PodHost {
  now(): Instant;
  /** A stable random value in [from, to) for a name. */
  draw(what: string, from: number, to: number): number;
  /** Writes the pod's status. */
  publish(pod: PodRuntime): void;
  event(pod: PodRuntime, words: EventText, container?: ContainerRuntime): void;
  /** Duration of an image pull, after which the image is present. 0 when it is present and need not be pulled. */
  pullMs(image: string, pullsAlways: boolean): DurationMs;
  containerStarted(pod: PodRuntime, container: ContainerRuntime): void;
  containerStopped(pod: PodRuntime, container: ContainerRuntime, termination: Termination): void;
  /** The readiness or the phase of the pod changed. */
  readinessChanged(pod: PodRuntime): void;
  /** Capacity of the node was freed. */
  retryDeferredResizes(): void;
  /** Every container has stopped after a deletion: the object may be removed. */
  finishDeletion(pod: PodRuntime): void;
}
