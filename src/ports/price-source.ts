import type { RequestPrice } from '../core/cost/request-cost.ts';
import type { NodeRecord } from '#kube/records/node';
import type { Usd } from '#kube/units';

/** A node's hourly price and the split that attributes it to CPU and memory: cores × CPU + GiB × memory of its capacity = perHourUsd. */
export interface NodePrice extends RequestPrice {
  readonly perHourUsd: Usd;
  /** Origin of the price, with its date: `list price, us-central1, 2026-08-06`, the same with `, times 0.63 of prices.file`,
   * `prices.file`, `prices.file, europe-west1`, `rates of prices.file`, `estimate from vCPU and memory`. */
  readonly source: string;
  /** Whether no price list has the machine type. */
  readonly estimate: boolean;
}

/** Prices of nodes; a node without a list price gets an estimate. */
export interface PriceSource {
  priceOf(node: Pick<NodeRecord, 'machineType' | 'region' | 'zone' | 'capacityType' | 'capacity' | 'labels'>): NodePrice;
}
