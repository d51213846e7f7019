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

  /** Returns and clears the changed workloads, deleted ones included. @param all lists every workload; called only where a change affects all */
  take(all: () => Iterable<WorkloadKey>): ReadonlySet<WorkloadKey> {
    const keys = new Set(this.#areAll ? [...this.#keys, ...all()] : this.#keys);
    this.clear();
    return keys;
  }

  clear(): void {
    this.#keys.clear();
    this.#areAll = false;
  }
}
