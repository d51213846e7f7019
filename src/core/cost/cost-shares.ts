import type { Usd } from '#kube/units';
import { roundParts } from './cents.ts';

/**
 * Rounds the costs of a namespace's workloads to cents, the largest taking the remainder, so that with the pods without a workload they add
 * up to the cost of the namespace. The cost of the cluster is the sum of its namespaces' cents: what a namespace costs is independent of
 * the other ones.
 * @param total exact cost of the namespace
 * @param workloads exact costs
 */
export function shareCost<Key>(total: Usd, workloads: ReadonlyMap<Key, Usd>): ReadonlyMap<Key, Usd> {
  const keys = [...workloads.keys()];
  const costs = [...workloads.values()];
  const withoutWorkload = total - costs.reduce((sum, cost) => sum + cost, 0);
  const rounded = roundParts([...costs, withoutWorkload], total);
  return new Map(keys.map((key, index) => [key, rounded[index] ?? 0]));
}
