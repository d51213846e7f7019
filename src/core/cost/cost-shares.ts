import type { Usd } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import { roundParts, toCents } from './cents.ts';

/** Cost of the requests of some pods, and of the used part of them, not rounded; null: unknown. */
export interface ExactCost {
  readonly costPerMonthUsd: Usd | null;
  readonly usedCostPerMonthUsd: Usd | null;
}

/** Costs in whole cents that add up: workloads to their namespace, namespaces to the cluster. */
export interface CostShares {
  readonly costPerMonthUsd: Usd | null;
  readonly usedCostPerMonthUsd: Usd | null;
  readonly byNamespace: ReadonlyMap<string, { readonly costPerMonthUsd: Usd; readonly wastePerMonthUsd: Usd | null }>;
  readonly byWorkload: ReadonlyMap<WorkloadKey, Usd>;
}

const WORKLOADS_PER_STEP = 2_000;

/**
 * Rounds costs from the cluster down to workloads, the largest part taking the remainder, so that shown parts add up to the
 * shown sums. Pods without a workload are the remainder of their namespace.
 * Yields where the computation may be interrupted: 20,000 workloads at once would block other work.
 * @param namespaceOf namespace of a workload's key
 */
export function* computeCostShares(
  total: ExactCost,
  namespaces: ReadonlyMap<string, ExactCost>,
  workloads: ReadonlyMap<WorkloadKey, ExactCost>,
  namespaceOf: (key: WorkloadKey) => string,
): Generator<void, CostShares, void> {
  const costPerMonthUsd = total.costPerMonthUsd === null ? null : toCents(total.costPerMonthUsd);
  const usedCostPerMonthUsd = total.usedCostPerMonthUsd === null ? null : toCents(total.usedCostPerMonthUsd);
  const costs = roundShares(
    knownAmounts(namespaces, ({ costPerMonthUsd: cost }) => cost),
    costPerMonthUsd,
  );
  const wastes = knownAmounts(namespaces, ({ costPerMonthUsd: cost, usedCostPerMonthUsd: used }) =>
    cost === null || used === null ? null : cost - used,
  );
  // Without the usage of some namespace the total waste is unknown, and the others are rounded without it.
  const wasteTotal =
    wastes.size === costs.size && costPerMonthUsd !== null && usedCostPerMonthUsd !== null
      ? toCents(costPerMonthUsd - usedCostPerMonthUsd)
      : null;
  const wasteShares = roundShares(wastes, wasteTotal);
  return {
    costPerMonthUsd,
    usedCostPerMonthUsd,
    byNamespace: new Map(
      [...costs].map(([name, cost]) => [name, { costPerMonthUsd: cost, wastePerMonthUsd: wasteShares.get(name) ?? null }]),
    ),
    byWorkload: yield* workloadShares(namespaces, workloads, namespaceOf, costs),
  };
}

function* workloadShares(
  namespaces: ReadonlyMap<string, ExactCost>,
  workloads: ReadonlyMap<WorkloadKey, ExactCost>,
  namespaceOf: (key: WorkloadKey) => string,
  costs: ReadonlyMap<string, Usd>,
): Generator<void, ReadonlyMap<WorkloadKey, Usd>, void> {
  const members = new Map<string, Map<WorkloadKey | null, Usd>>();
  let count = 0;
  for (const [key, { costPerMonthUsd: cost }] of workloads) {
    if (++count % WORKLOADS_PER_STEP === 0) yield;
    if (cost === null) continue;
    const namespace = namespaceOf(key);
    const group = members.get(namespace) ?? new Map<WorkloadKey | null, Usd>();
    group.set(key, cost);
    members.set(namespace, group);
  }
  const result = new Map<WorkloadKey, Usd>();
  count = 0;
  for (const [namespace, group] of members) {
    count += group.size;
    if (count >= WORKLOADS_PER_STEP) {
      count = 0;
      yield;
    }
    const exact = namespaces.get(namespace)?.costPerMonthUsd ?? 0;
    group.set(null, exact - [...group.values()].reduce((sum, cost) => sum + cost, 0));
    for (const [key, cost] of roundShares(group, costs.get(namespace) ?? null)) if (key !== null) result.set(key, cost);
  }
  return result;
}

function knownAmounts<Key, Value>(all: ReadonlyMap<Key, Value>, amountOf: (value: Value) => Usd | null): ReadonlyMap<Key, Usd> {
  const amounts = new Map<Key, Usd>();
  for (const [key, value] of all) {
    const amount = amountOf(value);
    if (amount !== null) amounts.set(key, amount);
  }
  return amounts;
}

/** @param total sum of the rounded shares; null: the sum of the amounts */
function roundShares<Key>(amounts: ReadonlyMap<Key, Usd>, total: Usd | null): ReadonlyMap<Key, Usd> {
  const exact = [...amounts.values()];
  const rounded = roundParts(exact, total ?? exact.reduce((sum, amount) => sum + amount, 0));
  return new Map([...amounts.keys()].map((key, index) => [key, rounded[index] ?? 0]));
}
