// Sums of pods in whole numbers: adding a pod and subtracting it again gives exactly the sum of before, in any order, for any time.

import { NO_RESOURCES, UNSET_RESOURCES, type OptionalResources, type Resources } from '#kube/records/resources';
import type { Usd } from '#kube/units';
import { toCents } from '../../../core/cost/cents.ts';

/** Requests and usage of a set of pods. */
export interface Sums {
  readonly pods: number;
  readonly requested: Resources;
  /** Requests as deployed: those of the pods' templates. */
  readonly deployed: Resources;
  /** Recommended requests; containers without a recommendation count with their requests. */
  readonly recommended: Resources;
  /** Whether any container has a recommendation. */
  readonly anyRecommended: boolean;
  /** Sum of limits; null for a resource where any container has none. */
  readonly limits: OptionalResources;
  /** null for a resource where no container's usage is known. */
  readonly used: OptionalResources;
}

/** Sums of no pods. */
export const NO_SUMS: Sums = {
  pods: 0,
  requested: NO_RESOURCES,
  deployed: NO_RESOURCES,
  recommended: NO_RESOURCES,
  anyRecommended: false,
  limits: NO_RESOURCES,
  used: UNSET_RESOURCES,
};

/** Columns of a row of numbers: amounts first, then counts. The columns from `measured` on are summed for the cluster only. */
export const COLUMN = {
  requestedCpu: 0,
  requestedMemory: 1,
  deployedCpu: 2,
  deployedMemory: 3,
  recommendedCpu: 4,
  recommendedMemory: 5,
  limitCpu: 6,
  limitMemory: 7,
  usedCpu: 8,
  usedMemory: 9,
  /** Cost of the requests at the prices of their nodes. */
  cost: 10,
  /** Cost of the used part of the requests; usage above a request adds nothing. */
  usedCost: 11,
  /** Pods that use capacity of a node. */
  pods: 12,
  recommended: 13,
  withoutCpuLimit: 14,
  withoutMemoryLimit: 15,
  cpuKnown: 16,
  memoryKnown: 17,
  priced: 18,
  usedPriced: 19,
  measured: 20,
  overMemory: 21,
  overCpu: 22,
  total: 23,
  running: 24,
  pending: 25,
  unschedulable: 26,
  failed: 27,
  active: 28,
} as const;

export const AMOUNTS = COLUMN.pods;
const GROUP_WIDTH = COLUMN.measured;
export const WIDTH = COLUMN.active + 1;

/** Parts of a millicore and of a US dollar. Powers of two, so that a sum divides without error; totals of large clusters stay below 2^53. */
const CPU_PARTS = 2 ** 16;
const USD_PARTS = 2 ** 26;

export const cpuParts = (millicores: number): number => Math.round(millicores * CPU_PARTS);
export const millicoresOfParts = (parts: number): number => parts / CPU_PARTS;
export const memoryParts = (bytes: number): number => Math.round(bytes);
export const usdParts = (amount: Usd): number => Math.round(amount * USD_PARTS);
export const usdOfParts = (parts: number): Usd => parts / USD_PARTS;

/** Exact sums of rows. */
export class ExactSums {
  readonly #values: Float64Array;
  #sums: Sums | null = null;

  /** @param width columns that are summed */
  constructor(width: number = GROUP_WIDTH) {
    this.#values = new Float64Array(width);
  }

  /** Adds a row, or subtracts it. */
  add(row: Float64Array, sign: 1 | -1): void {
    const values = this.#values;
    for (let column = 0; column < values.length; column += 1) values[column] = (values[column] ?? 0) + sign * (row[column] ?? 0);
    this.#sums = null;
  }

  count(column: number): number {
    return this.#values[column] ?? 0;
  }

  get isEmpty(): boolean {
    return this.count(COLUMN.pods) === 0;
  }

  /** Cost of the requests in cents; null where no pod has a price. */
  get costPerMonthUsd(): Usd | null {
    return this.count(COLUMN.priced) === 0 ? null : toCents(this.exactCostPerMonthUsd);
  }

  /** The cost without rounding. */
  get exactCostPerMonthUsd(): Usd {
    return usdOfParts(this.count(COLUMN.cost));
  }

  /** Cost of the used part in cents; null where no usage is known. */
  get usedCostPerMonthUsd(): Usd | null {
    return this.count(COLUMN.usedPriced) === 0 ? null : toCents(usdOfParts(this.count(COLUMN.usedCost)));
  }

  /** The same object until the next change. */
  sums(): Sums {
    this.#sums ??= this.#read();
    return this.#sums;
  }

  #read(): Sums {
    if (this.isEmpty) return NO_SUMS;
    const at = (column: number): number => this.count(column);
    const resources = (cpu: number, memory: number): Resources => ({ cpuMillicores: millicoresOfParts(at(cpu)), memoryBytes: at(memory) });
    const limits = resources(COLUMN.limitCpu, COLUMN.limitMemory);
    const used = resources(COLUMN.usedCpu, COLUMN.usedMemory);
    return {
      pods: at(COLUMN.pods),
      requested: resources(COLUMN.requestedCpu, COLUMN.requestedMemory),
      deployed: resources(COLUMN.deployedCpu, COLUMN.deployedMemory),
      recommended: resources(COLUMN.recommendedCpu, COLUMN.recommendedMemory),
      anyRecommended: at(COLUMN.recommended) > 0,
      limits: {
        cpuMillicores: at(COLUMN.withoutCpuLimit) > 0 ? null : limits.cpuMillicores,
        memoryBytes: at(COLUMN.withoutMemoryLimit) > 0 ? null : limits.memoryBytes,
      },
      used: {
        cpuMillicores: at(COLUMN.cpuKnown) === 0 ? null : used.cpuMillicores,
        memoryBytes: at(COLUMN.memoryKnown) === 0 ? null : used.memoryBytes,
      },
    };
  }
}
