import type { Usd } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import { roundParts, toCents } from './cents.ts';

/** Exact amounts: what some pods cost, and what of it they use; null where it is not known. */
export interface ExactCost {
  readonly costPerMonthUsd: Usd | null;
  readonly usedCostPerMonthUsd: Usd | null;
}

/** The same money in whole cents at every level: workloads make their namespace, namespaces make the cluster. */
export interface CostShares {
  readonly costPerMonthUsd: Usd | null;
  readonly usedCostPerMonthUsd: Usd | null;
  readonly byNamespace: ReadonlyMap<string, { readonly costPerMonthUsd: Usd; readonly wastePerMonthUsd: Usd | null }>;
  readonly byWorkload: ReadonlyMap<WorkloadKey, Usd>;
}

/**
 * Rounds from the top down, the largest part taking the remainder each time, so that no sum of what is shown is a cent
 * off what is shown beside it. Pods of no workload are the rest of their namespace.
 * @param namespaceOf namespace of a workload's key
 */
export function costShares(
  total: ExactCost,
  namespaces: ReadonlyMap<string, ExactCost>,
  workloads: ReadonlyMap<WorkloadKey, ExactCost>,
  namespaceOf: (key: WorkloadKey) => string,
): CostShares {
  const costPerMonthUsd = total.costPerMonthUsd === null ? null : toCents(total.costPerMonthUsd);
  const usedCostPerMonthUsd = total.usedCostPerMonthUsd === null ? null : toCents(total.usedCostPerMonthUsd);
  const costs = shares(
    known(namespaces, ({ costPerMonthUsd: cost }) => cost),
    costPerMonthUsd,
  );
  const wastes = known(namespaces, ({ costPerMonthUsd: cost, usedCostPerMonthUsd: used }) =>
    cost === null || used === null ? null : cost - used,
  );
  // Where a namespace's usage is not known its waste is not either, and the others stand for themselves.
  const wasteTotal =
    wastes.size === costs.size && costPerMonthUsd !== null && usedCostPerMonthUsd !== null
      ? toCents(costPerMonthUsd - usedCostPerMonthUsd)
      : null;
  const wasteShares = shares(wastes, wasteTotal);
  return {
    costPerMonthUsd,
    usedCostPerMonthUsd,
    byNamespace: new Map(
      [...costs].map(([name, cost]) => [name, { costPerMonthUsd: cost, wastePerMonthUsd: wasteShares.get(name) ?? null }]),
    ),
    byWorkload: workloadShares(namespaces, workloads, namespaceOf, costs),
  };
}

function workloadShares(
  namespaces: ReadonlyMap<string, ExactCost>,
  workloads: ReadonlyMap<WorkloadKey, ExactCost>,
  namespaceOf: (key: WorkloadKey) => string,
  costs: ReadonlyMap<string, Usd>,
): ReadonlyMap<WorkloadKey, Usd> {
  const members = new Map<string, Map<WorkloadKey | null, Usd>>();
  for (const [key, { costPerMonthUsd: cost }] of workloads) {
    if (cost === null) continue;
    const namespace = namespaceOf(key);
    const group = members.get(namespace) ?? new Map<WorkloadKey | null, Usd>();
    group.set(key, cost);
    members.set(namespace, group);
  }
  const result = new Map<WorkloadKey, Usd>();
  for (const [namespace, group] of members) {
    const exact = namespaces.get(namespace)?.costPerMonthUsd ?? 0;
    group.set(null, exact - [...group.values()].reduce((sum, cost) => sum + cost, 0));
    for (const [key, cost] of shares(group, costs.get(namespace) ?? null)) if (key !== null) result.set(key, cost);
  }
  return result;
}

function known<Key, Value>(all: ReadonlyMap<Key, Value>, amountOf: (value: Value) => Usd | null): ReadonlyMap<Key, Usd> {
  const amounts = new Map<Key, Usd>();
  for (const [key, value] of all) {
    const amount = amountOf(value);
    if (amount !== null) amounts.set(key, amount);
  }
  return amounts;
}

/** @param total what the shares add up to; null: what they add up to by themselves */
function shares<Key>(amounts: ReadonlyMap<Key, Usd>, total: Usd | null): ReadonlyMap<Key, Usd> {
  const exact = [...amounts.values()];
  const rounded = roundParts(exact, total ?? exact.reduce((sum, amount) => sum + amount, 0));
  return new Map([...amounts.keys()].map((key, index) => [key, rounded[index] ?? 0]));
}
