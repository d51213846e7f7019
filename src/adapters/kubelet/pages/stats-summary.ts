import type { Bytes, Instant, Ratio } from '#kube/units';
import type { ContainerPressure, ContainerRef, NetworkUsage, VolumeUsage } from '#kube/records/usage';
import type { SummaryReading } from '../../../ports/usage/usage-source.ts';
import {
  asObject,
  numberAt,
  objectAt,
  objectsAt,
  optionalInstantAt,
  optionalNumberAt,
  optionalObjectAt,
  textAt,
  type Wire,
} from '../../kubernetes/wire.ts';

/** Memory of a container without page cache. */
export interface ContainerRss extends ContainerRef {
  readonly bytes: Bytes;
}

interface StatsReading extends SummaryReading {
  readonly rss: readonly ContainerRss[];
}

/**
 * Decodes the kubelet's `/stats/summary`: volumes of claims, pod network counters, memory without page cache and container pressure. CPU
 * and memory usage come from `/metrics/resource`, which is read more often.
 * @throws WireError where a field has the wrong type
 */
export function readStatsSummary(node: string, json: unknown, now: Instant): StatsReading {
  const summary = asObject(json, 'stats summary');
  const volumes: VolumeUsage[] = [];
  const network: NetworkUsage[] = [];
  const rss: ContainerRss[] = [];
  const pressure = new PressureReader(objectAt(summary, 'node'), now);
  for (const pod of objectsAt(summary, 'pods')) {
    const ref = objectAt(pod, 'podRef');
    const namespace = textAt(ref, 'namespace');
    const name = textAt(ref, 'name');
    for (const volume of objectsAt(pod, 'volume')) {
      const claim = optionalObjectAt(volume, 'pvcRef');
      if (claim !== null) volumes.push(volumeUsage(namespace, name, textAt(claim, 'name'), volume, now));
    }
    for (const container of objectsAt(pod, 'containers')) {
      const of = { namespace, pod: name, container: textAt(container, 'name') };
      const bytes = optionalNumberAt(objectAt(container, 'memory'), 'rssBytes');
      if (bytes !== null) rss.push({ ...of, bytes });
      pressure.take(of, container);
    }
    const counters = optionalObjectAt(pod, 'network');
    if (counters !== null) network.push(networkUsage(namespace, name, counters, now));
  }
  return { node, volumes, network, pressure: pressure.result(), rss };
}

/**
 * Container pressure from `avg300` of `some`, since the summary is read every 5 minutes. `total` is unusable: it is documented in
 * nanoseconds, but cAdvisor passes on the kernel's microseconds.
 */
class PressureReader {
  readonly #now: Instant;
  readonly #found: ContainerPressure[] = [];
  /** A kubelet with PSI support reports zeros on a kernel without it: where no task has ever waited, pressure counts as unmeasured. */
  #measured: boolean;

  constructor(node: Wire, now: Instant) {
    this.#now = now;
    this.#measured = hasWaited(someOf(node, 'cpu'));
  }

  take(of: ContainerRef, container: Wire): void {
    const [cpu, memory] = [someOf(container, 'cpu'), someOf(container, 'memory')];
    const [cpuRatio, memoryRatio] = [averageRatio(cpu), averageRatio(memory)];
    if (cpuRatio === null && memoryRatio === null) return;
    this.#measured ||= hasWaited(cpu) || hasWaited(memory);
    this.#found.push({ ...of, at: this.#now, cpuRatio, memoryRatio });
  }

  /** null: not measured. */
  result(): readonly ContainerPressure[] | null {
    return this.#measured ? this.#found : null;
  }
}

function someOf(stats: Wire, resource: 'cpu' | 'memory'): Wire {
  return objectAt(objectAt(objectAt(stats, resource), 'psi'), 'some');
}

function hasWaited(some: Wire): boolean {
  return numberAt(some, 'total', 0) > 0;
}

function averageRatio(some: Wire): Ratio | null {
  const percent = optionalNumberAt(some, 'avg300');
  return percent === null ? null : Math.min(1, Math.max(0, percent / 100));
}

function volumeUsage(namespace: string, pod: string, claim: string, volume: Wire, now: Instant): VolumeUsage {
  return {
    namespace,
    pod,
    claim,
    at: optionalInstantAt(volume, 'time') ?? now,
    usedBytes: numberAt(volume, 'usedBytes', 0),
    capacityBytes: numberAt(volume, 'capacityBytes', 0),
  };
}

function networkUsage(namespace: string, pod: string, counters: Wire, now: Instant): NetworkUsage {
  return {
    namespace,
    pod,
    at: optionalInstantAt(counters, 'time') ?? now,
    receiveBytes: numberAt(counters, 'rxBytes', 0),
  };
}
