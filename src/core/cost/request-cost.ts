// Cost of requests.

import type { OptionalResources } from '#kube/records/resources';
import { GiB, type Usd } from '#kube/units';

/** Hourly prices of one requested core and one requested GiB, on one node or averaged over several. */
export interface RequestPrice {
  readonly perCoreHourUsd: Usd;
  readonly perGiBHourUsd: Usd;
}

/** Cost of requests for a number of hours, in USD; an unset request costs nothing. */
export function requestCost({ cpuMillicores, memoryBytes }: OptionalResources, price: RequestPrice, hours: number): Usd {
  return (((cpuMillicores ?? 0) / 1000) * price.perCoreHourUsd + ((memoryBytes ?? 0) / GiB) * price.perGiBHourUsd) * hours;
}

/** Mean of each price; null: no prices. */
export function meanRequestPrice(prices: readonly RequestPrice[]): RequestPrice | null {
  if (prices.length === 0) return null;
  const mean = (pick: (price: RequestPrice) => Usd): Usd => prices.reduce((sum, price) => sum + pick(price), 0) / prices.length;
  return { perCoreHourUsd: mean((price) => price.perCoreHourUsd), perGiBHourUsd: mean((price) => price.perGiBHourUsd) };
}
