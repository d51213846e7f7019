import type { DurationMs, Instant } from '#kube/units';
import type { ContainerRuntime, Termination } from './container-runtime.ts';
import type { EventWords } from '../../api/event-writer.ts';
import type { PodRuntime } from './pod-runtime.ts';

/** What a node does for the pods on it. */
export interface PodHost {
  now(): Instant;
  /** A lasting draw in [from, to) for what is named. */
  draw(what: string, from: number, to: number): number;
  /** Writes the pod's status. */
  publish(pod: PodRuntime): void;
  event(pod: PodRuntime, words: EventWords, container?: ContainerRuntime): void;
  /** How long an image takes to be pulled; it is present afterwards. 0 where it is present and need not be pulled. */
  pullMs(image: string, pullsAlways: boolean): DurationMs;
  containerStarted(pod: PodRuntime, container: ContainerRuntime): void;
  containerStopped(pod: PodRuntime, container: ContainerRuntime, termination: Termination): void;
  /** Readiness or life of the pod changed. */
  readinessChanged(pod: PodRuntime): void;
  /** Room on the node was given back. */
  roomFreed(): void;
  /** Every container has stopped after a deletion: the object may go. */
  finishDeletion(pod: PodRuntime): void;
}
