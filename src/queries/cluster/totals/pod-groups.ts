import type { Usd } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import { shareCost } from '../../../core/cost/cost-shares.ts';
import { COLUMN, ExactSums, usdOfParts } from './exact-sums.ts';

/** Sums over the pods of a node. */
export class NodeSums extends ExactSums {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

/** Sums over the pods of a namespace, and the costs of its workloads. */
export class NamespaceSums extends ExactSums {
  readonly name: string;
  readonly #owners = new Map<WorkloadKey | null, OwnerSums>();
  #shares: ReadonlyMap<WorkloadKey, Usd> | null = null;

  constructor(name: string) {
    super();
    this.name = name;
  }

  /** The pods of a workload; null: the pods without a workload. */
  ownerAt(key: WorkloadKey | null): OwnerSums {
    let owner = this.#owners.get(key);
    if (owner === undefined) this.#owners.set(key, (owner = { key, namespace: this, cost: 0, priced: 0, pods: 0 }));
    return owner;
  }

  addOf(owner: OwnerSums, row: Float64Array, sign: 1 | -1): void {
    this.add(row, sign);
    const [cost, priced, pods] = [row[COLUMN.cost] ?? 0, row[COLUMN.priced] ?? 0, row[COLUMN.pods] ?? 0];
    if (cost === 0 && priced === 0 && pods === 0) return;
    owner.cost += sign * cost;
    owner.priced += sign * priced;
    owner.pods += sign * pods;
    this.#shares = null;
    // Workloads come and go for ever.
    if (owner.pods === 0) this.#owners.delete(owner.key);
  }

  /** Costs of the workloads in cents, which add up to the cost of the namespace with the pods without a workload. */
  workloadCosts(): ReadonlyMap<WorkloadKey, Usd> {
    this.#shares ??= this.#share();
    return this.#shares;
  }

  #share(): ReadonlyMap<WorkloadKey, Usd> {
    const costs: [WorkloadKey, Usd][] = [];
    for (const { key, cost, priced } of this.#owners.values()) if (key !== null && priced > 0) costs.push([key, usdOfParts(cost)]);
    // By key, so that the remainder goes to the same one of equal workloads, whatever the order of their changes.
    costs.sort(([a], [b]) => (a < b ? -1 : 1));
    return shareCost(this.exactCostPerMonthUsd, new Map(costs));
  }
}

/** The costs of the pods of one owner in a namespace. */
export interface OwnerSums {
  readonly key: WorkloadKey | null;
  readonly namespace: NamespaceSums;
  cost: number;
  priced: number;
  pods: number;
}
