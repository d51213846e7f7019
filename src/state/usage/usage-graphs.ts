// Usage of the last day in 5-minute slots for graphs, by container of each workload and by node.

import type { Instant } from '#kube/units';
import { CompactMap } from '#kube/compact-map';
import type { NodeUsage, UsageSample, UsageSeries } from '#kube/records/usage';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { UsagePoint } from '../../ports/usage/usage-rollups.ts';
import { faultOfSample } from './sample-gate.ts';
import { UsageRing, type UsageSlot } from './usage-ring.ts';

/** Ring buffers of all containers and nodes. */
export class UsageGraphs {
  readonly #rings = new Map<WorkloadKey, CompactMap<UsageRing>>();
  readonly #nodeRings = new Map<string, UsageRing>();
  readonly #listeners = new Set<(point: UsagePoint) => void>();

  /** Calls the listener with each complete 5-minute point of each container, for history. Returns the cancel function. */
  onPoint(listener: (point: UsagePoint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void {
    const ring = this.#ringOf(workload, container);
    if (!ring.add(pod, sample) || this.#listeners.size === 0) return;
    const slot = ring.lastComplete();
    if (slot === null) return;
    const { at, cpuMillicores, memoryBytes, replicas } = slot;
    const point = { key: `${workload}/${container}`, at, cpuMillicores, memoryBytes, replicas };
    for (const listener of this.#listeners) listener(point);
  }

  addNode(usage: NodeUsage): void {
    let ring = this.#nodeRings.get(usage.node);
    if (ring === undefined) this.#nodeRings.set(usage.node, (ring = new UsageRing()));
    ring.add(usage.node, usage);
  }

  /** Adds recorded usage to the graphs without notifying the listeners. */
  load(series: UsageSeries, now: Instant): void {
    if (series.workload === null) return;
    const ring = this.#ringOf(workloadKey(series.workload), series.container);
    let previous: UsageSample | null = null;
    for (const sample of series.samples) {
      if (faultOfSample(sample, now, previous, null) !== null) continue;
      previous = sample;
      ring.add(series.pod, sample);
    }
  }

  /** Slots of one container that begin in [from, to). */
  series(workload: WorkloadKey, container: string, from: Instant, to: Instant): readonly UsageSlot[] {
    return this.#rings.get(workload)?.get(container)?.slots(from, to) ?? [];
  }

  /** Containers of a workload with usage, sorted. */
  seriesOf(workload: WorkloadKey): readonly string[] {
    return [...(this.#rings.get(workload)?.keys() ?? [])].sort();
  }

  nodeSeries(node: string, from: Instant, to: Instant): readonly UsageSlot[] {
    return this.#nodeRings.get(node)?.slots(from, to) ?? [];
  }

  forget(workload: WorkloadKey): void {
    this.#rings.delete(workload);
  }

  forgetNode(node: string): void {
    this.#nodeRings.delete(node);
  }

  #ringOf(workload: WorkloadKey, container: string): UsageRing {
    let byContainer = this.#rings.get(workload);
    if (byContainer === undefined) this.#rings.set(workload, (byContainer = new CompactMap<UsageRing>()));
    let ring = byContainer.get(container);
    if (ring === undefined) byContainer.set(container, (ring = new UsageRing()));
    return ring;
  }
}
