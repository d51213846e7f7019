import type { OptionalResources } from '#kube/records/resources';
import { GiB, HOURS_PER_MONTH, type Usd } from '#kube/units';
import { roundParts, toCents } from './cents.ts';
import { requestCost, type RequestPrice } from './request-cost.ts';

/** Savings of a change as a sum of lines. */
export interface SavingsArithmetic {
  readonly lines: readonly { readonly label: string; readonly perMonthUsd: Usd }[];
  readonly totalPerMonthUsd: Usd | null;
  readonly priceSource: string | null;
}

/** A price with its source. */
export interface SourcedPrice extends RequestPrice {
  readonly source: string;
}

interface ContainerChange {
  readonly name: string;
  readonly current: { readonly requests: OptionalResources };
  readonly recommended: { readonly requests: OptionalResources };
}

/** Pods with the same recommendation, and the price of each pod's node. */
export interface PricedPart {
  /** Node class; null: all pods of the workload. */
  readonly where: string | null;
  readonly containers: readonly ContainerChange[];
  readonly podPrices: readonly SourcedPrice[];
}

/**
 * Savings as lines, for each price: number of pods × freed amount × price. The recommendation states the savings at its
 * decision, with earlier replicas and prices; a last line has the difference, so that the lines add up to it.
 */
export function explainSavings(record: { readonly savingsPerMonthUsd: Usd | null }, parts: readonly PricedPart[]): SavingsArithmetic {
  const podPrices = parts.flatMap((part) => part.podPrices);
  if (record.savingsPerMonthUsd === null || podPrices.length === 0)
    return { lines: [], totalPerMonthUsd: record.savingsPerMonthUsd, priceSource: null };
  const lines = parts.flatMap((part) =>
    [...groupByPrice(part.podPrices).values()].flatMap(({ price, pods }) =>
      part.containers.flatMap((container) => linesOf(container, part.where, price, pods)),
    ),
  );
  const total = lines.reduce((sum, line) => sum + line.exact, 0);
  const rounded = roundParts(
    lines.map((line) => line.exact),
    total,
  );
  const difference = toCents(record.savingsPerMonthUsd - toCents(total));
  return {
    lines: [
      ...lines.map(({ label }, index) => ({ label, perMonthUsd: rounded[index] ?? 0 })),
      ...(difference === 0 ? [] : [{ label: 'Changes of replicas or prices since the decision', perMonthUsd: difference }]),
    ],
    totalPerMonthUsd: record.savingsPerMonthUsd,
    priceSource: [...new Set(podPrices.map((price) => price.source))].join('; '),
  };
}

function linesOf(
  { name, current, recommended }: ContainerChange,
  where: string | null,
  price: SourcedPrice,
  pods: number,
): { label: string; exact: Usd }[] {
  const freed = (current: number | null, target: number | null): number => (target === null ? 0 : (current ?? 0) - target);
  const cpu = freed(current.requests.cpuMillicores, recommended.requests.cpuMillicores);
  const memory = freed(current.requests.memoryBytes, recommended.requests.memoryBytes);
  const money = (perHour: number): string => `$${(perHour * HOURS_PER_MONTH).toFixed(3)}`;
  const subject = `${name}${where === null ? '' : ` on ${where}`}: ${pods} ${pods === 1 ? 'pod' : 'pods'}`;
  return [
    {
      label: `${subject} × ${signed(cpu / 1000)} cores × ${money(price.perCoreHourUsd)}`,
      freed: cpu,
      exact: requestCost({ cpuMillicores: pods * cpu, memoryBytes: null }, price, HOURS_PER_MONTH),
    },
    {
      label: `${subject} × ${signed(memory / GiB)} GiB × ${money(price.perGiBHourUsd)}`,
      freed: memory,
      exact: requestCost({ cpuMillicores: null, memoryBytes: pods * memory }, price, HOURS_PER_MONTH),
    },
  ].filter((line) => line.freed !== 0);
}

function signed(amount: number): string {
  const text = String(Math.round(Math.abs(amount) * 1000) / 1000);
  return amount < 0 ? `−${text}` : text;
}

function groupByPrice(prices: readonly SourcedPrice[]): ReadonlyMap<string, { price: SourcedPrice; pods: number }> {
  const groups = new Map<string, { price: SourcedPrice; pods: number }>();
  for (const price of prices) {
    const key = `${price.perCoreHourUsd}/${price.perGiBHourUsd}`;
    const group = groups.get(key) ?? { price, pods: 0 };
    groups.set(key, { price, pods: group.pods + 1 });
  }
  return groups;
}
