// The newest sample of each container, by pod, with the pod's workload.

import type { PodRecord } from '#kube/records/pod';
import type { PodRef, UsageSample } from '#kube/records/usage';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import { SmallMap } from '../small-map.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';

/** A pod with the newest samples of its containers. */
export interface SampledPod {
  /** The current record, which avoids a look-up for each sample. */
  pod: PodRecord;
  /** null: its owner is unknown. */
  workload: WorkloadKey | null;
  readonly containers: SmallMap<UsageSample>;
}

/** Maximum of containers besides those of the pod's record: init and ephemeral ones. */
const MAX_OTHER_CONTAINERS = 16;

/** The newest samples by container. */
export interface ContainerSamples {
  readonly size: number;
  get(container: string): UsageSample | undefined;
  values(): Iterable<UsageSample>;
}

const NO_CONTAINERS: ContainerSamples = new SmallMap();

/** Samples of all pods. */
export class PodSamples {
  readonly #reader: Pick<ClusterReader, 'findPod' | 'workloadOf'>;
  /** By namespace, then name. */
  readonly #pods = new Map<string, Map<string, SampledPod>>();

  constructor(reader: Pick<ClusterReader, 'findPod' | 'workloadOf'>) {
    this.#reader = reader;
  }

  /** All pods with samples. */
  *pods(): Iterable<SampledPod> {
    for (const pods of this.#pods.values()) yield* pods.values();
  }

  containersOf(namespace: string, pod: string): ContainerSamples {
    return this.#pods.get(namespace)?.get(pod)?.containers ?? NO_CONTAINERS;
  }

  /**
   * Finds or adds the current pod of a name. A new pod of the same name (of a StatefulSet) has no samples. undefined: the pod does
   * not exist.
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
    const sampled: SampledPod = { pod, workload, containers: new SmallMap() };
    // Names of the record: those of a sample may be parts of a page's text, which they would keep in memory.
    let pods = this.#pods.get(namespace);
    if (pods === undefined) this.#pods.set(pod.namespace, (pods = new Map<string, SampledPod>()));
    pods.set(pod.name, sampled);
    return sampled;
  }

  /** Updates the record of a pod. undefined, or another UID: its samples are deleted. */
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

/** Why a container is refused; null: accepted. A node may report any container name, and each accepted one takes memory for a day. */
export function faultOfContainer(sampled: SampledPod | undefined, container: string): 'unknown-container' | null {
  if (sampled === undefined || sampled.containers.has(container)) return null;
  const { containers } = sampled.pod;
  if (sampled.containers.size < MAX_OTHER_CONTAINERS || containers.some(({ name }) => name === container)) return null;
  const others = sampled.containers.keys().filter((taken) => !containers.some(({ name }) => name === taken));
  return others.length < MAX_OTHER_CONTAINERS ? null : 'unknown-container';
}
