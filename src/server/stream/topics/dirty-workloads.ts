import type { WorkloadKey } from '#kube/records/workload';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';

/** Workloads whose recommendation record may have changed. */
export class DirtyWorkloads {
  readonly #keys = new Set<WorkloadKey>();
  #areAll: boolean;

  /** @param areAll true: every workload counts as changed until the first `take` */
  constructor(areAll: boolean) {
    this.#areAll = areAll;
  }

  mark(change: ClusterChange): void {
    switch (change.kind) {
      case 'recommendation':
        this.#keys.add(change.workload);
        break;
      case 'workload':
        this.#keys.add(change.key);
        break;
      case 'pod':
        if (change.workload !== null) this.#keys.add(change.workload);
        break;
      case 'hpa':
        for (const key of change.workloads) this.#keys.add(key);
        break;
      case 'podresizepolicy':
        this.#areAll = true;
        break;
      default:
        break;
    }
  }

  /** The changed workloads, those that are gone included. @param all lists every workload; called only where a change affects all */
  keys(all: () => Iterable<WorkloadKey>): ReadonlySet<WorkloadKey> {
    return new Set(this.#areAll ? [...this.#keys, ...all()] : this.#keys);
  }

  /** Returns and clears the changed workloads. */
  take(all: () => Iterable<WorkloadKey>): ReadonlySet<WorkloadKey> {
    const keys = this.keys(all);
    this.clear();
    return keys;
  }

  clear(): void {
    this.#keys.clear();
    this.#areAll = false;
  }
}
