import type { WorkloadRef } from '#kube/records/workload';
import { hashText } from '../../clock/seeded-hash.ts';

/** Maximum deviation of the load among pods of one workload. */
const SKEW = 0.06;
/** Share of the load of replicas that are running but not ready: overhead only. */
const IDLE_SHARE = 0.04;
/** Part of the working set that varies with a replica's share of the load. */
const MEMORY_SHARE = 0.15;
/** Maximum number of shares that a replica's memory grows for, however much load it gets. */
const MAX_MEMORY_LOAD = 2;

/**
 * Load of one workload: the total of its first replicas, distributed over the ready ones. Workloads whose pods have separate work
 * (DaemonSet, Job, bare pods) do not share.
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

  /** A pod's constant bias, around 1. */
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
