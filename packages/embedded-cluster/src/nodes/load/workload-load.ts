import type { WorkloadRef } from '#kube/records/workload';
import { hashText } from '../../clock/seeded-hash.ts';

/** Pods of one workload differ by at most this much in what reaches them. */
const SKEW = 0.06;
/** Replicas that are up but not ready carry none of the load; being there costs this share. */
const IDLE_SHARE = 0.04;
/** Working set that moves with a replica's share of the load. */
const MEMORY_SHARE = 0.15;
/** However much load falls on one replica, its memory grows no further than for this many shares. */
const MAX_MEMORY_LOAD = 2;

/**
 * The load on one workload: as much as its first replicas carried together, shared over those that are ready. Workloads
 * whose pods each have their own work (DaemonSet, Job, bare pods) share nothing.
 */
export class WorkloadLoad {
  readonly ref: WorkloadRef;
  readonly #firstReplicas: number;
  readonly #shared: boolean;
  #ready = 0;

  constructor(ref: WorkloadRef, firstReplicas: number, shared: boolean) {
    this.ref = ref;
    this.#firstReplicas = Math.max(1, firstReplicas);
    this.#shared = shared;
  }

  get readyReplicas(): number {
    return this.#ready;
  }

  addReady(change: 1 | -1): void {
    this.#ready += change;
  }

  /** A pod's lasting bias, around 1. */
  skewOf(seed: number, pod: string): number {
    return 1 + SKEW * (2 * (hashText(seed, pod) / 0x100000000) - 1);
  }

  /** Factor on a replica's CPU need. */
  cpuFactor(ready: boolean, skew: number): number {
    if (!this.#shared) return 1;
    if (!ready) return IDLE_SHARE;
    return (this.#firstReplicas / Math.max(1, this.#ready)) * (this.#ready > 1 ? skew : 1);
  }

  /** Factor on a replica's working set. */
  memoryFactor(ready: boolean, skew: number): number {
    if (!this.#shared) return 1;
    const load = ready ? Math.min(MAX_MEMORY_LOAD, this.#firstReplicas / Math.max(1, this.#ready)) : 0;
    const bias = this.#ready > 1 ? 1 + (skew - 1) / 2 : 1;
    return (1 - MEMORY_SHARE + MEMORY_SHARE * load) * bias;
  }
}
