import { DEFAULT_PRICES_SOURCE } from '../../core/cost/default-prices.ts';
import { estimateNodePrice, findListPrice, gibPerVcpuPriceOf, splitNodePrice } from '../../core/cost/node-price.ts';
import { GiB } from '#kube/units';
import type { NodePrice, PriceSource } from '../../ports/price-source.ts';
import type { PriceOverrides } from './price-overrides.ts';

type PricedNode = Parameters<PriceSource['priceOf']>[0];

/** Prices nodes by the administrator's prices, then the default list, then an estimate from the node's size. */
export class DefaultPriceSource implements PriceSource {
  readonly #overrides: PriceOverrides | null;
  /** Prices of records, which are immutable: sums, health and lists ask for those of all nodes. */
  readonly #prices = new WeakMap<PricedNode, NodePrice>();

  constructor(overrides: PriceOverrides | null = null) {
    this.#overrides = overrides;
  }

  priceOf(node: PricedNode): NodePrice {
    const known = this.#prices.get(node);
    if (known !== undefined) return known;
    const price = this.#compute(node);
    this.#prices.set(node, price);
    return price;
  }

  #compute(node: PricedNode): NodePrice {
    const { perHourUsd, source, estimate } = this.#hourly(node);
    const gibPerCore = this.#overrides?.cpuToMemory ?? gibPerVcpuPriceOf(node.machineType);
    return { perHourUsd, ...splitNodePrice(perHourUsd, node.capacity, gibPerCore), source, estimate };
  }

  #hourly(node: PricedNode): Pick<NodePrice, 'perHourUsd' | 'source' | 'estimate'> {
    const override = node.machineType === null ? undefined : this.#overrides?.machines.get(node.machineType);
    const stated = node.capacityType === 'spot' ? override?.spot : override?.onDemand;
    if (stated !== undefined && stated !== null) return { perHourUsd: stated, source: 'prices.file', estimate: false };
    const listed = findListPrice(node.machineType, node.capacityType);
    if (listed !== null) return { perHourUsd: listed, source: DEFAULT_PRICES_SOURCE, estimate: false };
    const rates = this.#overrides?.rates ?? null;
    if (rates !== null) {
      const onDemand = (node.capacity.cpuMillicores / 1000) * rates.perCoreHour + (node.capacity.memoryBytes / GiB) * rates.perGiBHour;
      return {
        perHourUsd: node.capacityType === 'spot' ? onDemand * rates.spotRatio : onDemand,
        source: 'rates of prices.file',
        estimate: true,
      };
    }
    return { perHourUsd: estimateNodePrice(node.capacity, node.capacityType), source: 'estimate from vCPU and memory', estimate: true };
  }
}
