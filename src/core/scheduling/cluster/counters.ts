import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import { grownInts } from '../columns/shared-arrays.ts';
import { newColumns, NONE, type SnapshotColumns } from '../columns/snapshot-columns.ts';

/** A selector of pods, indexed so that a class finds those that may match it. */
export interface Selection {
  readonly counter: number;
  /** Whether matching classes count in the counter, or are refused by its pods. */
  readonly list: 'memberOf' | 'hostile';
  /** Namespaces that it may match; null: any. */
  readonly namespaces: readonly string[] | null;
  /** A label that a pod must have to match; null: none. */
  readonly label: readonly [key: string, value: string] | null;
  readonly matches: (pod: SchedulingPod) => boolean;
}

/** Counters of pods by domain, with the selections that fill them. */
export class Counters {
  readonly #columns: SnapshotColumns;
  readonly #beforeNew: () => void;
  readonly #byText = new Map<string, number>();
  readonly #selections = new Map<string, Selection[]>();
  #size = 0;

  /** @param beforeNew called before a counter is made, and may throw */
  constructor(columns: SnapshotColumns, beforeNew: () => void) {
    this.#beforeNew = beforeNew;
    this.#columns = columns;
  }

  /** The counter of a text; a new one calls `onNew`. */
  idOf(text: string, key: number, group: number = NONE, onNew: (counter: number) => void = () => undefined): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    this.#beforeNew();
    const id = this.#size++;
    this.#byText.set(text, id);
    const columns = this.#columns.counters;
    columns.key = grownInts(columns.key, id + 1);
    columns.group = grownInts(columns.group, id + 1, NONE);
    columns.nonZero = grownInts(columns.nonZero, id + 1);
    columns.total = grownInts(columns.total, id + 1);
    columns.key[id] = key;
    columns.group[id] = group;
    onNew(id);
    return id;
  }

  /** Forgets all counters. Every count must be 0. */
  reset(): void {
    const { counters, counts } = newColumns();
    Object.assign(this.#columns.counters, counters);
    Object.assign(this.#columns.counts, counts);
    this.#byText.clear();
    this.#selections.clear();
    this.#size = 0;
  }

  addSelection(selection: Selection): void {
    for (const bucket of bucketsOf(selection)) {
      const list = this.#selections.get(bucket);
      if (list === undefined) this.#selections.set(bucket, [selection]);
      else list.push(selection);
    }
  }

  /** Selections that match a pod. @param labelKeys the label keys that any selector reads */
  *selectionsOf(pod: SchedulingPod, labelKeys: ReadonlySet<string>): Iterable<Selection> {
    const seen = new Set<Selection>();
    for (const bucket of bucketsOfPod(pod, labelKeys)) {
      for (const selection of this.#selections.get(bucket) ?? []) {
        // A selector that lists a namespace twice is in its bucket twice.
        if (seen.has(selection)) continue;
        seen.add(selection);
        if (selection.matches(pod)) yield selection;
      }
    }
  }
}

/** Buckets of the pods that a selection may match. */
export function bucketsOf({ namespaces, label }: Selection): readonly string[] {
  const suffix = label === null ? '' : JSON.stringify(label);
  return namespaces === null ? [`* ${suffix}`] : namespaces.map((namespace) => `${namespace} ${suffix}`);
}

/** Buckets of the selections that may match a pod. */
export function bucketsOfPod(pod: SchedulingPod, labelKeys: ReadonlySet<string>): readonly string[] {
  const labels = Object.entries(pod.labels).filter(([key]) => labelKeys.has(key));
  const suffixes = ['', ...labels.map((label) => JSON.stringify(label))];
  return suffixes.flatMap((suffix) => [`${pod.namespace} ${suffix}`, `* ${suffix}`]);
}
