// What this process has just written to pods, until the informers show it. A decision that is made in between would take a
// canary for a pod that has nothing yet, and choose another one as well.

import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ResizeStep } from '../../core/resize/model/resize-step.ts';
import { sameValues } from '../../core/resize/model/container-values.ts';

/** Informers are seconds behind at the worst; what they do not show by then was undone by somebody. */
const BELIEVED_MS: DurationMs = 30 * SECOND_MS;

interface Written {
  readonly step: ResizeStep;
  readonly at: Instant;
}

export class OwnResizes {
  readonly #written = new Map<WorkloadKey, Map<string, Written>>();

  note(workload: WorkloadKey, steps: readonly ResizeStep[], at: Instant): void {
    if (steps.length === 0) return;
    const pods = this.#written.get(workload) ?? new Map<string, Written>();
    for (const step of steps) pods.set(step.pod.uid, { step, at });
    this.#written.set(workload, pods);
  }

  forget(workload: WorkloadKey): void {
    this.#written.delete(workload);
  }

  /** The pods as they are by now, as far as this process knows better than what it is shown. */
  over(workload: WorkloadKey, pods: readonly PodRecord[], now: Instant): readonly PodRecord[] {
    const written = this.#written.get(workload);
    if (written === undefined) return pods;
    const believed = new Map([...written].filter(([uid, { at, step }]) => now - at < BELIEVED_MS && isStillBehind(pods, uid, step)));
    if (believed.size === 0) this.#written.delete(workload);
    else this.#written.set(workload, believed);
    return pods.map((pod) => {
      const entry = believed.get(pod.uid);
      return entry === undefined ? pod : afterStep(pod, entry);
    });
  }
}

/** Shown as it was before the step: anything else is later news. */
function isStillBehind(pods: readonly PodRecord[], uid: string, { containers }: ResizeStep): boolean {
  const pod = pods.find((each) => each.uid === uid);
  return pod !== undefined && containers.every(({ name, from }) => sameValues(containerOf(pod, name) ?? from, from));
}

function containerOf({ containers }: PodRecord, name: string): RequestsAndLimits | undefined {
  return containers.find((each) => each.name === name);
}

/** Its node has not told of it, either. */
function afterStep(pod: PodRecord, { step, at }: Written): PodRecord {
  const to = new Map(step.containers.map((change) => [change.name, change.to]));
  const containers = pod.containers.map((container) => ({ ...container, ...to.get(container.name) }));
  return { ...pod, containers, resize: { state: 'in-progress', since: at, message: '' } };
}
