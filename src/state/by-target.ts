import type { TargetRef } from '../core/model/cluster-records.ts';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import { MultiIndex } from './multi-index.ts';

/** Index of objects with a target reference (HPA, VPA, ScaledObject) by their target workload. */
export class ByTarget<T extends { readonly target: TargetRef }> {
  readonly #all = new Map<string, T>();
  readonly #byTarget = new MultiIndex<T>();

  all(): Iterable<T> {
    return this.#all.values();
  }

  /** Objects that target a workload. @param isMatch whether the API group of a target with its kind and name matches, too */
  of(workload: WorkloadKey, isMatch: (target: TargetRef) => boolean): readonly T[] {
    return [...this.#byTarget.of(workload)].filter(({ target }) => isMatch(target));
  }

  /** Stores an object's new state; null: it was deleted. Returns its targets now and before. */
  put(key: string, record: T | null): readonly WorkloadKey[] {
    const touched = new Set<WorkloadKey>();
    const previous = this.#all.get(key);
    if (previous !== undefined) {
      touched.add(workloadKey(previous.target));
      this.#byTarget.delete(workloadKey(previous.target), key);
      this.#all.delete(key);
    }
    if (record !== null) {
      touched.add(workloadKey(record.target));
      this.#byTarget.set(workloadKey(record.target), key, record);
      this.#all.set(key, record);
    }
    return [...touched];
  }
}
