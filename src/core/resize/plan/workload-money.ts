// What a workload costs, what the recommendation would save, and what right-sizing has given back already.

import { GiB, HOURS_PER_MONTH, type Usd } from '../../model/units.ts';
import { NO_RESOURCES, addResources, type OptionalResources, type RequestsAndLimits, type Resources } from '../../model/resources.ts';
import type { ContainerFigures } from '../model/container-figures.ts';

/** Price of what is requested on one pod's node. */
export interface RequestPrice {
  readonly perCoreHourUsd: Usd;
  readonly perGiBHourUsd: Usd;
}

/** One running pod, as far as money goes. */
export interface PricedPod {
  readonly price: RequestPrice;
  readonly containers: readonly (RequestsAndLimits & { readonly name: string })[];
}

/** US dollars per month of 730 hours; null where no pod is on a node. */
export interface WorkloadMoney {
  readonly costPerMonthUsd: Usd | null;
  /** Not applied yet; negative where more is needed. */
  readonly potentialPerMonthUsd: Usd | null;
  /** Given back so far against the template, which right-sizing never touches. */
  readonly reclaimedPerMonthUsd: Usd | null;
}

/** Replicas that are gone while the workload is idle, at what they would cost. */
export interface ReplicasAway {
  readonly count: number;
  readonly price: RequestPrice;
}

/** @param template requests by container as the workload states them */
export function workloadMoney(
  pods: readonly PricedPod[],
  figures: readonly Pick<ContainerFigures, 'name' | 'current' | 'target'>[],
  template: readonly (Pick<RequestsAndLimits, 'requests'> & { readonly name: string })[],
  away: ReplicasAway | null = null,
): WorkloadMoney {
  if (pods.length === 0 && away === null) return { costPerMonthUsd: null, potentialPerMonthUsd: null, reclaimedPerMonthUsd: null };
  const freed = figures.reduce<Resources>(
    (sum, { current, target }) => (target === null ? sum : plusDifference(sum, current.requests, target.requests)),
    NO_RESOURCES,
  );
  let cost = 0;
  let potential = 0;
  let reclaimed = 0;
  for (const { price, containers } of pods) {
    const asked = containers.reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES);
    const before = containers.reduce(
      (sum, { name, requests }) => addResources(sum, template.find((each) => each.name === name)?.requests ?? requests),
      NO_RESOURCES,
    );
    cost += perMonth(asked, price);
    potential += perMonth(freed, price);
    reclaimed += perMonth(before, price) - perMonth(asked, price);
  }
  if (away !== null) {
    const replica = template.reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES);
    reclaimed += perMonth(replica, away.price) * away.count;
  }
  return { costPerMonthUsd: cost, potentialPerMonthUsd: potential, reclaimedPerMonthUsd: reclaimed };
}

/** Of pods of different nodes, together; what is not known of one is left out. */
export function addMoney(a: WorkloadMoney, b: WorkloadMoney): WorkloadMoney {
  const sum = (one: Usd | null, other: Usd | null): Usd | null => (one === null ? other : one + (other ?? 0));
  return {
    costPerMonthUsd: sum(a.costPerMonthUsd, b.costPerMonthUsd),
    potentialPerMonthUsd: sum(a.potentialPerMonthUsd, b.potentialPerMonthUsd),
    reclaimedPerMonthUsd: sum(a.reclaimedPerMonthUsd, b.reclaimedPerMonthUsd),
  };
}

// Where nothing is recommended of a resource, nothing is freed of it.
function plusDifference(sum: Resources, from: OptionalResources, to: OptionalResources): Resources {
  const difference = (was: number | null, is: number | null): number => (is === null ? 0 : (was ?? 0) - is);
  return {
    cpuMillicores: sum.cpuMillicores + difference(from.cpuMillicores, to.cpuMillicores),
    memoryBytes: sum.memoryBytes + difference(from.memoryBytes, to.memoryBytes),
  };
}

function perMonth(amount: Resources, price: RequestPrice): Usd {
  return ((amount.cpuMillicores / 1000) * price.perCoreHourUsd + (amount.memoryBytes / GiB) * price.perGiBHourUsd) * HOURS_PER_MONTH;
}
