// Hourly price of a node, and its split between CPU and memory.

import { GiB } from '#kube/units';
import type { Resources } from '#kube/records/resources';
import type { Ratio, Usd } from '#kube/units';
import { familyOf } from '#kube/machines/machine-prices';
import { ESTIMATE_RATES, GIB_PER_VCPU_PRICE, USUAL_GIB_PER_VCPU_PRICE } from './price-rates.ts';
import type { RequestPrice } from './request-cost.ts';

/** Purchase option of a node. */
export type CapacityType = 'spot' | 'on-demand';

/**
 * Splits a node's price so that cores × core rate + GiB × GiB rate equals the price.
 * @param gibPerCore price of one core in units of one GiB of memory (`gibPerVcpuPriceOf`)
 */
export function splitNodePrice(perHourUsd: Usd, capacity: Resources, gibPerCore: Ratio): RequestPrice {
  const shares = (capacity.cpuMillicores / 1000) * gibPerCore + capacity.memoryBytes / GiB;
  if (shares <= 0) return { perCoreHourUsd: 0, perGiBHourUsd: 0 };
  const perGiBHourUsd = perHourUsd / shares;
  return { perCoreHourUsd: perGiBHourUsd * gibPerCore, perGiBHourUsd };
}

/** Price of one core in units of one GiB for the family of a machine type; the usual proportion for unknown families. */
export function gibPerVcpuPriceOf(machineType: string | null): Ratio {
  return GIB_PER_VCPU_PRICE.get(familyOf(machineType ?? '')) ?? USUAL_GIB_PER_VCPU_PRICE;
}

/** Price of a general-purpose machine of the size. */
export function estimateNodePrice(capacity: Resources, capacityType: CapacityType): Usd {
  const { vcpuUsdPerHour, gibUsdPerHour, spotRatio } = ESTIMATE_RATES;
  const onDemand = (capacity.cpuMillicores / 1000) * vcpuUsdPerHour + (capacity.memoryBytes / GiB) * gibUsdPerHour;
  return capacityType === 'spot' ? onDemand * spotRatio : onDemand;
}
