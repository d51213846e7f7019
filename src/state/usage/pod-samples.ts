// The newest sample of each container, by pod, with the pod's workload.

import type { PodRecord } from '#kube/records/pod';
import type { PodRef, UsageSample } from '#kube/records/usage';
import { workloadKey, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';
import { NumberRows } from '#kube/number-rows';
import { CompactMap } from '#kube/compact-map';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';

/** Columns of a sample's row. */
const COLUMNS = [
  'at',
  'clockOffsetMs',
  'cpuMillicores',
  'memoryBytes',
  'cpuPeakMillicores',
  'memoryPeakBytes',
  'memoryRssBytes',
  'throttledRatio',
  'throttledSpanMs',
  'oomEvents',
  'cpuPressureRatio',
  'memoryPressureRatio',
] as const satisfies readonly (keyof UsageSample)[];

/** The newest samples by container. */
export interface ContainerSamples {
  readonly size: number;
  get(container: string): UsageSample | undefined;
  values(): Iterable<UsageSample>;
}

/** Maximum of containers besides those of the pod's record: init and ephemeral ones. */
const MAX_OTHER_CONTAINERS = 16;

/** A pod with the newest samples of its containers. */
export class SampledPod implements ContainerSamples {
  /** The current record, which avoids a look-up for each sample. */
  pod: PodRecord;
  /** null: its owner is unknown. */
  workload: WorkloadKey | null;
  readonly #rows: NumberRows;
  /** Rows by container. */
  readonly #places = new CompactMap<number>();

  constructor(pod: PodRecord, workload: WorkloadKey | null, rows: NumberRows) {
    this.pod = pod;
    this.workload = workload;
    this.#rows = rows;
  }

  get size(): number {
    return this.#places.size;
  }

  containers(): readonly string[] {
    return [...this.#places.keys()];
  }

  has(container: string): boolean {
    return this.#places.has(container);
  }

  get(container: string): UsageSample | undefined {
    const row = this.#places.get(container);
    return row === undefined ? undefined : this.#sampleOf(row);
  }

  values(): readonly UsageSample[] {
    return Array.from(this.#places.values(), (row) => this.#sampleOf(row));
  }

  set(container: string, sample: UsageSample): void {
    let row = this.#places.get(container);
    if (row === undefined) this.#places.set(container, (row = this.#rows.add()));
    for (let column = 0; column < COLUMNS.length; column += 1) {
      const name = COLUMNS[column];
      if (name !== undefined) this.#rows.set(row, column, sample[name] ?? null);
    }
  }

  /** Deletes the samples. */
  clear(): void {
    for (const row of this.#places.values()) this.#rows.delete(row);
    this.#places.clear();
  }

  #sampleOf(row: number): UsageSample {
    const value = (column: number): number | null => this.#rows.get(row, column);
    return {
      at: value(0) ?? 0,
      clockOffsetMs: value(1),
      cpuMillicores: value(2),
      memoryBytes: value(3),
      cpuPeakMillicores: value(4),
      memoryPeakBytes: value(5),
      memoryRssBytes: value(6),
      throttledRatio: value(7),
      throttledSpanMs: value(8),
      oomEvents: value(9),
      cpuPressureRatio: value(10),
      memoryPressureRatio: value(11),
    };
  }
}

const NO_CONTAINERS: ContainerSamples = { size: 0, get: () => undefined, values: () => [] };

/** Samples of all pods. */
export class PodSamples {
  readonly #reader: Pick<ClusterReader, 'findPod' | 'workloadOf'>;
  /** By namespace, then name. */
  readonly #pods = new Map<string, Map<string, SampledPod>>();
  readonly #rows = new NumberRows(COLUMNS.length);
  /** One key for all pods of a workload: the reader gives all of them one reference. */
  readonly #workloadKeys = new WeakMap<WorkloadRef, WorkloadKey>();

  constructor(reader: Pick<ClusterReader, 'findPod' | 'workloadOf'>) {
    this.#reader = reader;
  }

  /** All pods with samples. */
  *pods(): Iterable<SampledPod> {
    for (const pods of this.#pods.values()) yield* pods.values();
  }

  containersOf(namespace: string, pod: string): ContainerSamples {
    return this.#pods.get(namespace)?.get(pod) ?? NO_CONTAINERS;
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
    const workload = owner === undefined ? null : this.#keyOf(owner);
    if (known?.pod.uid === pod.uid) {
      known.workload = workload;
      return known;
    }
    known?.clear();
    const sampled = new SampledPod(pod, workload, this.#rows);
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
    known.clear();
    pods.delete(name);
    if (pods.size === 0) this.#pods.delete(namespace);
  }

  #keyOf(workload: WorkloadRef): WorkloadKey {
    let key = this.#workloadKeys.get(workload);
    if (key === undefined) this.#workloadKeys.set(workload, (key = workloadKey(workload)));
    return key;
  }
}

/** Why a container is refused; null: accepted. A node may report any container name, and each accepted one takes memory for a day. */
export function faultOfContainer(sampled: SampledPod | undefined, container: string): 'unknown-container' | null {
  if (sampled === undefined || sampled.has(container)) return null;
  const { containers } = sampled.pod;
  if (sampled.size < MAX_OTHER_CONTAINERS || containers.some(({ name }) => name === container)) return null;
  const others = sampled.containers().filter((taken) => !containers.some(({ name }) => name === taken));
  return others.length < MAX_OTHER_CONTAINERS ? null : 'unknown-container';
}
