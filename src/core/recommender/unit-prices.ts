import type { OptionalResources } from '../model/resources.ts';
import { GiB, HOURS_PER_MONTH, type Usd } from '../model/units.ts';

/** What a requested unit costs where the workload runs. */
export interface UnitPrices {
  readonly perCoreHourUsd: Usd;
  readonly perGiBHourUsd: Usd;
}

/** Cost of requests per month; an unset request costs nothing. */
export function requestsCostPerMonth(requests: OptionalResources, prices: UnitPrices): Usd {
  const cpu = ((requests.cpuMillicores ?? 0) / 1000) * prices.perCoreHourUsd;
  const memory = ((requests.memoryBytes ?? 0) / GiB) * prices.perGiBHourUsd;
  return (cpu + memory) * HOURS_PER_MONTH;
}

/** Mean unit prices over the nodes that a workload's pods run on; null where it runs nowhere. */
export function meanUnitPrices(prices: readonly UnitPrices[]): UnitPrices | null {
  if (prices.length === 0) return null;
  const sum = (pick: (price: UnitPrices) => Usd) => prices.reduce((total, price) => total + pick(price), 0) / prices.length;
  return { perCoreHourUsd: sum((price) => price.perCoreHourUsd), perGiBHourUsd: sum((price) => price.perGiBHourUsd) };
}
