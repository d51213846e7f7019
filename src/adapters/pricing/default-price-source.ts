import { gibPerVcpuPriceOf, splitNodePrice } from '../../core/cost/node-price.ts';
import { NO_STATED_PRICES, PriceCatalogue, type StatedPrices } from '../../core/cost/price-catalogue.ts';
import type { NodePrice, PriceSource } from '../../ports/price-source.ts';

type PricedNode = Parameters<PriceSource['priceOf']>[0];

/** Prices of nodes by the catalogue; a node always has a size, and so a price. */
export class DefaultPriceSource implements PriceSource {
  readonly #catalogue: PriceCatalogue;
  readonly #cpuToMemory: number | null;
  /** Prices of records, which are immutable: sums, health and lists ask for those of all nodes. */
  readonly #prices = new WeakMap<PricedNode, NodePrice>();

  constructor(stated: StatedPrices = NO_STATED_PRICES) {
    this.#catalogue = new PriceCatalogue(stated);
    this.#cpuToMemory = stated.cpuToMemory;
  }

  priceOf(node: PricedNode): NodePrice {
    const known = this.#prices.get(node);
    if (known !== undefined) return known;
    const price = this.#compute(node);
    this.#prices.set(node, price);
    return price;
  }

  #compute(node: PricedNode): NodePrice {
    const price = this.#catalogue.priceOf(node, node.capacity);
    if (price === null) throw new Error(`a node of machine type ${node.machineType} has no price`);
    const gibPerCore = this.#cpuToMemory ?? gibPerVcpuPriceOf(node.machineType);
    return { ...price, ...splitNodePrice(price.perHourUsd, node.capacity, gibPerCore) };
  }
}
