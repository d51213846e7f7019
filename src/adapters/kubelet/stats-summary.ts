import type { Bytes, Instant } from '../../core/model/units.ts';
import type { ContainerRef, NetworkUsage, VolumeUsage } from '../../core/model/usage.ts';
import type { SummaryReading } from '../../ports/usage-source.ts';
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
} from '../kubernetes/wire.ts';

/** Memory of a container that is not page cache. */
export interface ContainerRss extends ContainerRef {
  readonly bytes: Bytes;
}

interface StatsReading extends SummaryReading {
  readonly rss: readonly ContainerRss[];
}

/**
 * The kubelet's `/stats/summary`: claims in use, pods' network counters, and how much of memory is not page cache. CPU
 * and memory as a whole are read elsewhere, more often.
 *
 * @throws where a field has the wrong type
 */
export function readStatsSummary(node: string, json: unknown, now: Instant): StatsReading {
  const summary = asObject(json, 'stats summary');
  const volumes: VolumeUsage[] = [];
  const network: NetworkUsage[] = [];
  const rss: ContainerRss[] = [];
  for (const pod of objectsAt(summary, 'pods')) {
    const ref = objectAt(pod, 'podRef');
    const namespace = textAt(ref, 'namespace');
    const name = textAt(ref, 'name');
    for (const volume of objectsAt(pod, 'volume')) {
      const claim = optionalObjectAt(volume, 'pvcRef');
      if (claim !== null) volumes.push(volumeUsage(namespace, name, textAt(claim, 'name'), volume, now));
    }
    for (const container of objectsAt(pod, 'containers')) {
      const bytes = optionalNumberAt(objectAt(container, 'memory'), 'rssBytes');
      if (bytes !== null) rss.push({ namespace, pod: name, container: textAt(container, 'name'), bytes });
    }
    const counters = optionalObjectAt(pod, 'network');
    if (counters !== null) network.push(networkUsage(namespace, name, counters, now));
  }
  return { node, volumes, network, rss };
}

function volumeUsage(namespace: string, pod: string, claim: string, volume: Wire, now: Instant): VolumeUsage {
  return {
    namespace,
    pod,
    claim,
    at: optionalInstantAt(volume, 'time') ?? now,
    usedBytes: numberAt(volume, 'usedBytes', 0),
    capacityBytes: numberAt(volume, 'capacityBytes', 0),
    inodesUsed: optionalNumberAt(volume, 'inodesUsed'),
    inodes: optionalNumberAt(volume, 'inodes'),
  };
}

function networkUsage(namespace: string, pod: string, counters: Wire, now: Instant): NetworkUsage {
  return {
    namespace,
    pod,
    at: optionalInstantAt(counters, 'time') ?? now,
    receiveBytes: numberAt(counters, 'rxBytes', 0),
    transmitBytes: numberAt(counters, 'txBytes', 0),
    receiveErrors: numberAt(counters, 'rxErrors', 0),
    transmitErrors: numberAt(counters, 'txErrors', 0),
  };
}
