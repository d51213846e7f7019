import { booleanAt, numberAt, type Wire } from '#kube/wire';
import type { ManifestObject } from '../../read-manifests.ts';

/** What a pod spec says of its priority. */
export interface StatedPriority {
  readonly priority: number | null;
  /** Empty: none. */
  readonly className: string;
}

/** Every cluster has these. */
const SYSTEM_CLASSES: readonly (readonly [string, number])[] = [
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
];

/** The PriorityClasses of manifests. */
export class PriorityClasses {
  readonly #values = new Map(SYSTEM_CLASSES);
  readonly #arePoolsLimited: boolean;
  #default = 0;

  constructor(arePoolsLimited: boolean) {
    this.#arePoolsLimited = arePoolsLimited;
  }

  /** Adds an object. Returns false where it is of another kind. @throws WireError */
  read(object: ManifestObject['object']): boolean {
    if (object.kind !== 'PriorityClass') return false;
    const wire: Wire = object;
    const value = numberAt(wire, 'value', 0);
    this.#values.set(object.metadata.name ?? '', value);
    if (booleanAt(wire, 'globalDefault')) this.#default = value;
    return true;
  }

  /** Null: the class is not known, and priority matters, since pools have a `max`. */
  priorityOf({ priority, className }: StatedPriority): number | null {
    if (priority !== null) return priority;
    if (className === '') return this.#default;
    return this.#values.get(className) ?? (this.#arePoolsLimited ? null : 0);
  }
}
