// Prices of machine types by zone and capacity type: what the administrator states, then the default list with its discounts, then rates by
// size. A pool without nodes has a price, too.

import type { CapacityType } from './node-price.ts';
import { estimateNodePrice } from './node-price.ts';
import { familyOf, findMachinePrice, MACHINE_PRICES_SOURCE } from '#kube/machines/machine-prices';
import { GiB, type Ratio, type Usd } from '#kube/units';
import type { Resources } from '#kube/records/resources';

/** What an administrator states of one machine type; null: not stated. */
export interface StatedMachine {
  readonly onDemand: Usd | null;
  readonly spot: Usd | null;
}

/** Size of a machine, before what the operating system and the kubelet reserve. */
export interface MachineSize {
  readonly vcpu: number;
  readonly memoryGib: number;
  readonly gpus: number;
}

/** Prices of an administrator, who pays them. */
export interface StatedPrices {
  readonly machines: ReadonlyMap<string, StatedMachine>;
  /** Sizes by machine type, which count before those of the default list. */
  readonly sizes: ReadonlyMap<string, MachineSize>;
  /** Prices that differ from `machines`, by zone or region, then by machine type. */
  readonly zones: ReadonlyMap<string, ReadonlyMap<string, StatedMachine>>;
  /** Parts of the default list's on-demand prices that are paid, by machine type, family or `*`: 0.63 pays 37 % less. */
  readonly discounts: ReadonlyMap<string, Ratio>;
  readonly rates: { readonly perCoreHour: Usd; readonly perGiBHour: Usd; readonly spotRatio: Ratio } | null;
  /** Price of a core in units of one GiB of memory; null: that of the family. */
  readonly cpuToMemory: Ratio | null;
}

export const NO_STATED_PRICES: StatedPrices = {
  machines: new Map(),
  sizes: new Map(),
  zones: new Map(),
  discounts: new Map(),
  rates: null,
  cpuToMemory: null,
};

/** A machine that runs or may be bought. null: unknown. */
export interface Offering {
  readonly machineType: string | null;
  readonly capacityType: CapacityType;
  readonly zone: string | null;
  readonly region: string | null;
}

export interface OfferingPrice {
  readonly perHourUsd: Usd;
  /** Origin of the price, with its date: `list price, us-central1, 2026-08-06`, `prices.file`, `prices.file, europe-west1`. */
  readonly source: string;
  /** Whether it is computed from the size of the machine, since no list has the machine type. */
  readonly estimate: boolean;
}

/** Prices of machine types. */
export class PriceCatalogue {
  readonly #stated: StatedPrices;

  constructor(stated: StatedPrices = NO_STATED_PRICES) {
    this.#stated = stated;
  }

  /**
   * Price of a machine: of the file for its zone, its region, everywhere; of the default list; by the rates of the file; by rates of a
   * general-purpose machine.
   * @param capacity of a node; null: `sizeOf` the machine type
   * @returns null where the machine type is in no list and its size is unknown
   */
  priceOf(offering: Offering, capacity: Resources | null): OfferingPrice | null {
    return this.#statedPrice(offering) ?? this.#listPrice(offering) ?? this.#estimate(offering, capacity);
  }

  /** Size of a machine of the type: of the file, then of the default list; null: neither has it. */
  sizeOf(machineType: string): MachineSize | null {
    const stated = this.#stated.sizes.get(machineType);
    if (stated !== undefined) return stated;
    const listed = findMachinePrice(machineType);
    return listed === undefined ? null : { vcpu: listed[0], memoryGib: listed[1], gpus: listed[4] ?? 0 };
  }

  #statedPrice({ machineType, capacityType, zone, region }: Offering): OfferingPrice | null {
    if (machineType === null) return null;
    const { machines, zones } = this.#stated;
    const places = [zone, region].flatMap((place) => (place === null ? [] : [{ source: `prices.file, ${place}`, list: zones.get(place) }]));
    for (const { source, list } of [...places, { source: 'prices.file', list: machines }]) {
      const machine = list?.get(machineType);
      const perHourUsd = (capacityType === 'spot' ? machine?.spot : machine?.onDemand) ?? null;
      if (perHourUsd !== null) return { perHourUsd, source, estimate: false };
    }
    return null;
  }

  #listPrice({ machineType, capacityType }: Offering): OfferingPrice | null {
    const listed = machineType === null ? undefined : findMachinePrice(machineType);
    if (machineType === null || listed === undefined) return null;
    const [, , onDemand, spot] = listed;
    if (capacityType === 'spot') return spot === null ? null : { perHourUsd: spot, source: MACHINE_PRICES_SOURCE, estimate: false };
    const paid = this.#discountOf(machineType);
    const source = paid === 1 ? MACHINE_PRICES_SOURCE : `${MACHINE_PRICES_SOURCE}, times ${paid} of prices.file`;
    return { perHourUsd: onDemand * paid, source, estimate: false };
  }

  /** The most specific one. */
  #discountOf(machineType: string): Ratio {
    const { discounts } = this.#stated;
    return discounts.get(machineType) ?? discounts.get(familyOf(machineType)) ?? discounts.get('*') ?? 1;
  }

  #estimate({ machineType, capacityType }: Offering, capacity: Resources | null): OfferingPrice | null {
    const size = capacity ?? this.#resourcesOf(machineType);
    if (size === null) return null;
    const { rates } = this.#stated;
    if (rates === null) {
      return { perHourUsd: estimateNodePrice(size, capacityType), source: 'estimate from vCPU and memory', estimate: true };
    }
    const onDemand = (size.cpuMillicores / 1000) * rates.perCoreHour + (size.memoryBytes / GiB) * rates.perGiBHour;
    const perHourUsd = capacityType === 'spot' ? onDemand * rates.spotRatio : onDemand;
    return { perHourUsd, source: 'rates of prices.file', estimate: true };
  }

  #resourcesOf(machineType: string | null): Resources | null {
    const size = machineType === null ? null : this.sizeOf(machineType);
    return size === null ? null : { cpuMillicores: size.vcpu * 1000, memoryBytes: size.memoryGib * GiB };
  }
}
