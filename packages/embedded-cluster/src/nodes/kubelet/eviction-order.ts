import type { Bytes } from '#kube/units';

/** A pod in the kubelet's ranking under memory pressure. */
export interface EvictionCandidate {
  readonly priority: number;
  readonly requestedMemoryBytes: Bytes;
  readonly usedMemoryBytes: Bytes;
}

/**
 * The kubelet's eviction order under memory pressure: pods with usage above requests first, then lower priority, then the greater excess
 * over requests (Kubernetes documentation, "Node-pressure eviction").
 */
export function compareForEviction(a: EvictionCandidate, b: EvictionCandidate): number {
  const aExceeds = a.usedMemoryBytes > a.requestedMemoryBytes;
  const bExceeds = b.usedMemoryBytes > b.requestedMemoryBytes;
  if (aExceeds !== bExceeds) return aExceeds ? -1 : 1;
  if (a.priority !== b.priority) return a.priority - b.priority;
  return b.usedMemoryBytes - b.requestedMemoryBytes - (a.usedMemoryBytes - a.requestedMemoryBytes);
}

/** The kubelet never evicts pods with at least this priority (system-cluster-critical and above). */
export const CRITICAL_PRIORITY = 2_000_000_000;
