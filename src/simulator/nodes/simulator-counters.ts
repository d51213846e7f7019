import type { DurationMs } from '../../core/model/units.ts';

/** What happened since the cluster began; only ever counted up, so that two readings tell what happened in between. */
export interface ClusterCounters {
  oomKills: number;
  /** Resizes put into force, by pod. */
  resizes: number;
  /** Pods evicted by their node's kubelet or through the eviction API. */
  evictions: number;
  /** Running time of containers with a CPU limit, and the part of it in which they wanted more than it. */
  limitedMs: DurationMs;
  throttledMs: DurationMs;
  /** CPU that containers wanted, and the part that they were not given. */
  demandedCoreSeconds: number;
  unmetCoreSeconds: number;
}

export function newCounters(): ClusterCounters {
  return { oomKills: 0, resizes: 0, evictions: 0, limitedMs: 0, throttledMs: 0, demandedCoreSeconds: 0, unmetCoreSeconds: 0 };
}
