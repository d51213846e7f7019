import type { TargetRef } from '../core/model/cluster-records.ts';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import { MultiIndex } from './multi-index.ts';

/** Objects that each act on one workload, found by it. */
export class ByTarget<T extends { readonly target: TargetRef }> {
  readonly #all = new Map<string, T>();
  readonly #byTarget = new MultiIndex<T>();

  all(): Iterable<T> {
    return this.#all.values();
  }

  /** @param matches whether a target of the workload's kind and name is of its API group, too */
  of(workload: WorkloadKey, matches: (target: TargetRef) => boolean): readonly T[] {
    return [...this.#byTarget.of(workload)].filter(({ target }) => matches(target));
  }

  /** Takes an object's new state; null: it is gone. Answers whom it acts on now and acted on before, by kind and name. */
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
