// The newest sample of each container, by pod, and the workload that the pod belongs to.

import type { PodRecord } from '#kube/records/pod';
import type { PodRef, UsageSample } from '#kube/records/usage';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { ClusterReader } from '../ports/cluster-reader.ts';

/** One pod with what its containers use. */
export interface SampledPod {
  /** Kept current: looking it up by its names for each sample would cost more than the sample. */
  pod: PodRecord;
  /** null: its owner is not known yet. */
  workload: WorkloadKey | null;
  readonly containers: Map<string, UsageSample>;
}

/** Init and ephemeral containers of a pod that are taken besides those of its record. */
const MAX_OTHER_CONTAINERS = 16;

const NO_CONTAINERS: ReadonlyMap<string, UsageSample> = new Map();

export class PodSamples {
  readonly #reader: Pick<ClusterReader, 'findPod' | 'workloadOf'>;
  /** By namespace, then name. */
  readonly #pods = new Map<string, Map<string, SampledPod>>();

  constructor(reader: Pick<ClusterReader, 'findPod' | 'workloadOf'>) {
    this.#reader = reader;
  }

  /** Every pod that was sampled. */
  *pods(): Iterable<SampledPod> {
    for (const pods of this.#pods.values()) yield* pods.values();
  }

  containersOf(namespace: string, pod: string): ReadonlyMap<string, UsageSample> {
    return this.#pods.get(namespace)?.get(pod)?.containers ?? NO_CONTAINERS;
  }

  /**
   * The pod that has this name now, added where it was not sampled before. A successor of the same name (a StatefulSet's) begins anew.
   * undefined: there is no such pod.
   */
  findOrAdd({ namespace, pod: name }: PodRef): SampledPod | undefined {
    const known = this.#pods.get(namespace)?.get(name);
    if (known !== undefined && known.workload !== null) return known;
    const pod = this.#reader.findPod(namespace, name);
    if (pod === undefined) return undefined;
    const owner = this.#reader.workloadOf(pod);
    const workload = owner === undefined ? null : workloadKey(owner);
    if (known?.pod.uid === pod.uid) {
      known.workload = workload;
      return known;
    }
    const sampled: SampledPod = { pod, workload, containers: new Map() };
    let pods = this.#pods.get(namespace);
    if (pods === undefined) this.#pods.set(namespace, (pods = new Map<string, SampledPod>()));
    pods.set(name, sampled);
    return sampled;
  }

  /** Takes the record that a pod has now. undefined, or a pod of another uid: the samples of the one before are dropped. */
  update(namespace: string, name: string, pod: PodRecord | undefined): void {
    const pods = this.#pods.get(namespace);
    const known = pods?.get(name);
    if (pods === undefined || known === undefined) return;
    if (known.pod.uid === pod?.uid) {
      known.pod = pod;
      known.workload = null; // its owner may have become known: looked up at the next sample
      return;
    }
    pods.delete(name);
    if (pods.size === 0) this.#pods.delete(namespace);
  }
}

/** Why a container of a pod is not taken; null: it is. A node may report any name, and each that is taken costs a day of slots. */
export function faultOfContainer(sampled: SampledPod | undefined, container: string): 'unknown-container' | null {
  if (sampled === undefined || sampled.containers.has(container)) return null;
  const { containers } = sampled.pod;
  if (sampled.containers.size < MAX_OTHER_CONTAINERS || containers.some(({ name }) => name === container)) return null;
  const others = [...sampled.containers.keys()].filter((taken) => !containers.some(({ name }) => name === taken));
  return others.length < MAX_OTHER_CONTAINERS ? null : 'unknown-container';
}
