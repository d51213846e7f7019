// Resizes that this process has written and the informers do not show yet, assumed as the scheduler assumes bindings. Without them a
// decision in between would not see the canary and would choose a second one.

import { copyContainer, copyPod, type PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ResizeStep } from '../../../core/resize/model/resize-step.ts';
import { hasSameValues } from '../../../core/resize/model/container-values.ts';

/** Informers lag by seconds. A resize that they do not show after this time was reverted by another writer. */
const ASSUMPTION_VALID_MS: DurationMs = 30 * SECOND_MS;

interface AssumedResize {
  readonly step: ResizeStep;
  readonly at: Instant;
}

export class AssumedResizes {
  /** By workload and pod uid. */
  readonly #resizes = new Map<WorkloadKey, Map<string, AssumedResize>>();

  assume(workload: WorkloadKey, steps: readonly ResizeStep[], at: Instant): void {
    if (steps.length === 0) return;
    const resizes = this.#resizes.get(workload) ?? new Map<string, AssumedResize>();
    for (const step of steps) resizes.set(step.pod.uid, { step, at });
    this.#resizes.set(workload, resizes);
  }

  forget(workload: WorkloadKey): void {
    this.#resizes.delete(workload);
  }

  /** The observed pods with the assumed resizes applied; drops resizes that the informers show or that have expired. */
  applyTo(workload: WorkloadKey, pods: readonly PodRecord[], now: Instant): readonly PodRecord[] {
    const resizes = this.#resizes.get(workload);
    if (resizes === undefined) return pods;
    const current = new Map([...resizes].filter(([uid, { at, step }]) => now - at < ASSUMPTION_VALID_MS && isUnobserved(pods, uid, step)));
    if (current.size === 0) this.#resizes.delete(workload);
    else this.#resizes.set(workload, current);
    return pods.map((pod) => {
      const resize = current.get(pod.uid);
      return resize === undefined ? pod : resizedPod(pod, resize);
    });
  }
}

/** Whether the pod is still shown with its values from before the step; other values are more recent. */
function isUnobserved(pods: readonly PodRecord[], uid: string, { containers }: ResizeStep): boolean {
  const pod = pods.find((candidate) => candidate.uid === uid);
  return pod !== undefined && containers.every(({ name, from }) => hasSameValues(containerOf(pod, name) ?? from, from));
}

function containerOf({ containers }: PodRecord, name: string): RequestsAndLimits | undefined {
  return containers.find((container) => container.name === name);
}

/** The resize is in progress until the informers show what the kubelet reports. */
function resizedPod(pod: PodRecord, { step, at }: AssumedResize): PodRecord {
  const to = new Map(step.containers.map((change) => [change.name, change.to]));
  const containers = pod.containers.map((container) => copyContainer(container, to.get(container.name) ?? {}));
  return copyPod(pod, { containers, resize: { state: 'in-progress', since: at, message: '' } as const });
}
