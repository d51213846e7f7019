import { countOf } from './count-or-percent.ts';
import type { DisruptionBudgetRecord } from './cluster-records.ts';

/**
 * Whether a PodDisruptionBudget lets a pod be evicted while every replica is available. One that does not never will: drains
 * and evictions under it wait for ever. Shares are rounded up, as Kubernetes does; one with neither field allows nothing.
 * https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 * @param replicas that are wanted, of all that it selects
 */
export function canBeSatisfied(
  { minAvailable, maxUnavailable }: Pick<DisruptionBudgetRecord, 'minAvailable' | 'maxUnavailable'>,
  replicas: number,
): boolean {
  if (maxUnavailable !== null) return countOf(maxUnavailable, replicas, 0) > 0;
  return minAvailable !== null && countOf(minAvailable, replicas, 0) < replicas;
}
