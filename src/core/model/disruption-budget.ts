import { resolveCount } from './count-or-percent.ts';
import type { DisruptionBudgetRecord } from './cluster-records.ts';

/**
 * Whether a PodDisruptionBudget allows an eviction while every replica is available. If not, it never does: drains and
 * evictions wait for ever. Percentages round up, as in Kubernetes; a budget with neither field allows no eviction.
 * https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 * @param replicas desired replicas of all pods that it selects
 */
export function canBeSatisfied(
  { minAvailable, maxUnavailable }: Pick<DisruptionBudgetRecord, 'minAvailable' | 'maxUnavailable'>,
  replicas: number,
): boolean {
  if (maxUnavailable !== null) return resolveCount(maxUnavailable, replicas, 0) > 0;
  return minAvailable !== null && resolveCount(minAvailable, replicas, 0) < replicas;
}
