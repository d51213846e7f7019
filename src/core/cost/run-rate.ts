// Monthly cost of the nodes: by machine type and price, and by used, requested but unused, and idle capacity.

import type { ClusterArithmetic } from '../../apis/http/types.generated.ts';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import { roundParts, toCents } from './cents.ts';
import type { CapacityType } from './node-price.ts';

/** The fields of a node that its cost depends on. */
export interface BilledNode {
  readonly machineType: string | null;
  readonly capacityType: CapacityType;
  /** Price of the node; null: unknown, so the node is in no line. */
  readonly price: { readonly perHourUsd: Usd; readonly source: string; readonly estimate: boolean } | null;
}

/** Run rate of a cluster. Its lines add up to the same cent as its used, unused and idle cost. */
export type RunRate = Omit<ClusterArithmetic, 'reclaimedPerMonthUsd' | 'deployedRequests'>;

/** Nodes by machine type and price. */
export interface NodeBill {
  readonly lines: readonly Line[];
  readonly perHourUsd: Usd;
}

/** Costs of the requests on the nodes, and of the used part of them, in cents; null: unknown. */
interface RequestCosts {
  readonly costPerMonthUsd: Usd | null;
  readonly usedCostPerMonthUsd: Usd | null;
}

/** One line for each machine type and price, the most expensive first. */
export function billNodes(nodes: readonly BilledNode[]): NodeBill {
  const lines = linesOf(nodes);
  return { lines, perHourUsd: lines.reduce((sum, { quantity, perHourUsd }) => sum + quantity * perHourUsd, 0) };
}

/** Run rate of nodes with the requests on them. */
export function computeRunRate({ lines }: NodeBill, { costPerMonthUsd, usedCostPerMonthUsd }: RequestCosts): RunRate {
  const exact = lines.map((line) => line.quantity * line.perHourUsd * HOURS_PER_MONTH);
  const total = exact.reduce((sum, amount) => sum + amount, 0);
  const rounded = roundParts(exact, total);
  const requested = Math.min(costPerMonthUsd ?? 0, toCents(total));
  return {
    usedPerMonthUsd: usedCostPerMonthUsd,
    requestedUnusedPerMonthUsd: usedCostPerMonthUsd === null ? null : toCents(requested - usedCostPerMonthUsd),
    idlePerMonthUsd: toCents(toCents(total) - requested),
    lines: lines.map((line, index) => ({ ...line, perHourUsd: Math.round(line.perHourUsd * 1e6) / 1e6, perMonthUsd: rounded[index] ?? 0 })),
  };
}

type Line = Omit<RunRate['lines'][number], 'perMonthUsd'>;

function linesOf(nodes: readonly BilledNode[]): readonly Line[] {
  const groups = new Map<string, Line>();
  for (const { machineType, capacityType, price } of nodes) {
    if (price === null) continue;
    const label = `${machineType ?? 'unknown machine type'}${capacityType === 'spot' ? ' spot' : ''}`;
    const key = `${label} ${price.perHourUsd} ${price.source}`;
    const group = groups.get(key) ?? { label, quantity: 0, perHourUsd: price.perHourUsd, source: price.source, estimate: price.estimate };
    groups.set(key, { ...group, quantity: group.quantity + 1 });
  }
  return [...groups.values()].sort((a, b) => b.quantity * b.perHourUsd - a.quantity * a.perHourUsd || (a.label < b.label ? -1 : 1));
}
