import type { DurationMs } from '#kube/units';
import { workloadKey, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';

/** Counters since the cluster started. They never decrease: the difference of two readings is what happened in between. */
export interface ClusterCounters {
  oomKills: number;
  /** Starts of containers after an earlier end, whatever ended them. */
  restarts: number;
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
  return { oomKills: 0, restarts: 0, resizes: 0, evictions: 0, limitedMs: 0, throttledMs: 0, demandedCoreSeconds: 0, unmetCoreSeconds: 0 };
}

/** The same for one container of a workload, all of its pods together, those that are gone included. */
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

/** Who had what share in the cluster's counters. */
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

  /** Copies, so that a later reading can be held against them. */
  read(): readonly ContainerTally[] {
    return [...this.#byContainer.values()].map((tally) => ({ ...tally }));
  }
}
