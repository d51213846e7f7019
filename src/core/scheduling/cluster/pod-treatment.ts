import type { PodRole } from '../columns/snapshot-columns.ts';

/** What the scheduling rules do not say of a pod. */
export interface PodTreatment {
  /**
   * `unowned`: no controller makes another one; `protected`: a rule of the caller forbids to move it; `daemonSet` and `mirror`: it goes
   * with its node.
   */
  readonly role: Exclude<PodRole, 'terminating'>;
  /** PodDisruptionBudgets that select it, by number. */
  readonly budgets: readonly number[];
}

/** Of a pod that no rule of the caller restricts. */
export const MOVABLE: PodTreatment = { role: 'movable', budgets: [] };
