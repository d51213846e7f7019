import { workloadKey, type WorkloadKey, type WorkloadRef } from '../core/model/workload.ts';
import { MultiIndex } from './multi-index.ts';

/** Objects that each act on one workload, found by it. */
export class ByTarget<T extends { readonly target: WorkloadRef }> {
  readonly #all = new Map<string, T>();
  readonly #byTarget = new MultiIndex<T>();

  all(): Iterable<T> {
    return this.#all.values();
  }

  of(workload: WorkloadKey): readonly T[] {
    return [...this.#byTarget.of(workload)];
  }

  /** Takes an object's new state; null: it is gone. Answers whom it acts on now and acted on before. */
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
