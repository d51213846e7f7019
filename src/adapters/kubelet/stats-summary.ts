import type { Instant } from '../../core/model/units.ts';
import type { NetworkUsage, VolumeUsage } from '../../core/model/usage.ts';
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

/**
 * The kubelet's `/stats/summary`: claims in use and pods' network counters. CPU and memory are read elsewhere, more often.
 *
 * @throws where the text is not JSON or a field has the wrong type
 */
export function readStatsSummary(node: string, text: string, now: Instant): SummaryReading {
  const summary = asObject(JSON.parse(text), 'stats summary');
  const volumes: VolumeUsage[] = [];
  const network: NetworkUsage[] = [];
  for (const pod of objectsAt(summary, 'pods')) {
    const ref = objectAt(pod, 'podRef');
    const namespace = textAt(ref, 'namespace');
    const name = textAt(ref, 'name');
    for (const volume of objectsAt(pod, 'volume')) {
      const claim = optionalObjectAt(volume, 'pvcRef');
      if (claim !== null) volumes.push(volumeUsage(namespace, name, textAt(claim, 'name'), volume, now));
    }
    const counters = optionalObjectAt(pod, 'network');
    if (counters !== null) network.push(networkUsage(namespace, name, counters, now));
  }
  return { node, volumes, network };
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
