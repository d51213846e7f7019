// What a node costs an hour, and how that splits between CPU and memory.

import { GiB } from '#kube/units';
import type { Resources } from '#kube/records/resources';
import type { Ratio, Usd } from '#kube/units';
import { DEFAULT_MACHINE_PRICES, ESTIMATE_RATES, GIB_PER_VCPU_PRICE, USUAL_GIB_PER_VCPU_PRICE } from './default-prices.ts';
import type { RequestPrice } from './request-cost.ts';

export type CapacityType = 'spot' | 'on-demand';

/**
 * Splits a node's price so that cores × core rate + GiB × GiB rate is the price.
 * @param gibPerCore what one core costs, in GiB of memory (`gibPerVcpuPriceOf`)
 */
export function splitNodePrice(perHourUsd: Usd, capacity: Resources, gibPerCore: Ratio): RequestPrice {
  const shares = (capacity.cpuMillicores / 1000) * gibPerCore + capacity.memoryBytes / GiB;
  if (shares <= 0) return { perCoreHourUsd: 0, perGiBHourUsd: 0 };
  const perGiBHourUsd = perHourUsd / shares;
  return { perCoreHourUsd: perGiBHourUsd * gibPerCore, perGiBHourUsd };
}

/** What one core costs in GiB for a machine type's family; the usual proportion for families that are not known. */
export function gibPerVcpuPriceOf(machineType: string | null): Ratio {
  return GIB_PER_VCPU_PRICE[machineType?.split('-', 1)[0] ?? ''] ?? USUAL_GIB_PER_VCPU_PRICE;
}

/** The default list's price; null where the machine type is not in it (or has no spot price). */
export function findListPrice(machineType: string | null, capacityType: CapacityType): Usd | null {
  const price =
    machineType === null || !Object.hasOwn(DEFAULT_MACHINE_PRICES, machineType) ? undefined : DEFAULT_MACHINE_PRICES[machineType];
  if (price === undefined) return null;
  return capacityType === 'spot' ? price[3] : price[2];
}

/** A price from nothing but the size: what a general-purpose machine of that size costs. */
export function estimateNodePrice(capacity: Resources, capacityType: CapacityType): Usd {
  const { vcpuUsdPerHour, gibUsdPerHour, spotRatio } = ESTIMATE_RATES;
  const onDemand = (capacity.cpuMillicores / 1000) * vcpuUsdPerHour + (capacity.memoryBytes / GiB) * gibUsdPerHour;
  return capacityType === 'spot' ? onDemand * spotRatio : onDemand;
}
