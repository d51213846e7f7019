import type { Bytes } from '#kube/units';

/** A pod as the kubelet ranks it when its node runs out of memory. */
export interface EvictionCandidate {
  readonly priority: number;
  readonly requestedMemoryBytes: Bytes;
  readonly usedMemoryBytes: Bytes;
}

/**
 * The kubelet's order under memory pressure, first to go first: pods that use more than they request, then the lower
 * priority, then the greater use above the request (Kubernetes documentation, "Node-pressure eviction").
 */
export function compareForEviction(a: EvictionCandidate, b: EvictionCandidate): number {
  const aExceeds = a.usedMemoryBytes > a.requestedMemoryBytes;
  const bExceeds = b.usedMemoryBytes > b.requestedMemoryBytes;
  if (aExceeds !== bExceeds) return aExceeds ? -1 : 1;
  if (a.priority !== b.priority) return a.priority - b.priority;
  return b.usedMemoryBytes - b.requestedMemoryBytes - (a.usedMemoryBytes - a.requestedMemoryBytes);
}

/** From this priority on (system-cluster-critical and above) the kubelet never evicts. */
export const CRITICAL_PRIORITY = 2_000_000_000;
