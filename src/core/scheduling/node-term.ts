// What a term of a node affinity asks of a node; of pods and of volumes alike.

import type { LabelRequirement } from '../model/label-selector.ts';

/** All of its requirements must hold. A term without any matches nothing. */
export interface NodeTerm {
  readonly labels: readonly LabelRequirement[];
  /** `metadata.name` alone. */
  readonly fields: readonly LabelRequirement[];
}
