import type { DurationMs } from '#kube/units';
import { workloadKey, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';

/** Counters since the cluster started. They never decrease: the difference of two readings describes the time between them. */
export interface ClusterCounters {
  oomKills: number;
  /** Starts of containers after an earlier end, whatever its cause. */
  restarts: number;
  /** Actuated resizes, one per pod. */
  resizes: number;
  /** Pods evicted by their node's kubelet or through the eviction API. */
  evictions: number;
  /** Running time of CPU-limited containers, and the part of it with a demand above the limit. */
  limitedMs: DurationMs;
  throttledMs: DurationMs;
  /** CPU demand of containers, and the part that was not granted. */
  demandedCoreSeconds: number;
  unmetCoreSeconds: number;
}

export function newCounters(): ClusterCounters {
  return { oomKills: 0, restarts: 0, resizes: 0, evictions: 0, limitedMs: 0, throttledMs: 0, demandedCoreSeconds: 0, unmetCoreSeconds: 0 };
}

/** The same for one container of a workload, over all of its pods, including deleted ones. */
export interface ContainerTally {
  readonly workload: WorkloadKey;
  readonly container: string;
  oomKills: number;
  restarts: number;
  limitedMs: DurationMs;
  throttledMs: DurationMs;
  demandedCoreSeconds: number;
  unmetCoreSeconds: number;
}

/** Contributions to the cluster's counters by container. */
export class ContainerTallies {
  readonly #byContainer = new Map<string, ContainerTally>();

  of(ref: WorkloadRef, container: string): ContainerTally {
    const workload = workloadKey(ref);
    const key = `${workload}/${container}`;
    let tally = this.#byContainer.get(key);
    if (tally === undefined) {
      const none = { oomKills: 0, restarts: 0, limitedMs: 0, throttledMs: 0, demandedCoreSeconds: 0, unmetCoreSeconds: 0 };
      tally = { workload, container, ...none };
      this.#byContainer.set(key, tally);
    }
    return tally;
  }

  /** Copies, to be compared with later readings. */
  read(): readonly ContainerTally[] {
    return [...this.#byContainer.values()].map((tally) => ({ ...tally }));
  }
}
