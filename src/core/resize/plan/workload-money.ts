// Costs of a workload, and the potential and realised savings by right-sizing.

import { requestCost, type RequestPrice } from '../../cost/request-cost.ts';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import { podRequests, type RequestingPod } from '#kube/records/pod-requests';
import {
  addKnown,
  withDefaults,
  NO_RESOURCES,
  addResources,
  type OptionalResources,
  type RequestsAndLimits,
  type Resources,
} from '#kube/records/resources';
import type { ContainerPlan } from '../model/container-plan.ts';

/** A running pod with its price. */
export interface PricedPod extends RequestingPod<RequestsAndLimits & { readonly name: string; readonly sidecar: boolean }> {
  /** Price on the pod's node. */
  readonly price: RequestPrice;
}

/** US dollars per month of 730 hours; null where no pod is on a node. */
export interface WorkloadMoney {
  readonly costPerMonthUsd: Usd | null;
  /** Savings of the recommendation that is not applied yet; negative where it raises requests. */
  readonly potentialPerMonthUsd: Usd | null;
  /** Savings so far against the template, which right-sizing never changes. */
  readonly reclaimedPerMonthUsd: Usd | null;
}

/** Replicas removed while the workload is idle, with the price that they would have. */
export interface RemovedReplicas {
  readonly count: number;
  readonly price: RequestPrice;
}

/** Money of a workload. @param template deployed requests of each container */
export function workloadMoney(
  pods: readonly PricedPod[],
  plans: readonly Pick<ContainerPlan, 'name' | 'current' | 'target'>[],
  template: readonly (Pick<RequestsAndLimits, 'requests'> & { readonly name: string })[],
  removedReplicas: RemovedReplicas | null = null,
): WorkloadMoney {
  if (pods.length === 0 && removedReplicas === null)
    return { costPerMonthUsd: null, potentialPerMonthUsd: null, reclaimedPerMonthUsd: null };
  let cost = 0;
  let potential = 0;
  let reclaimed = 0;
  const planByName = new Map(plans.map((each) => [each.name, each]));
  const templateOf = new Map(template.map((each) => [each.name, each.requests]));
  for (const pod of pods) {
    const { price } = pod;
    const requestedAmounts = podRequests(pod, ({ requests }) => requests);
    const before = podRequests(pod, ({ name, requests }) => templateOf.get(name) ?? requests);
    const current = podRequests(pod, ({ name, requests }) => planByName.get(name)?.current.requests ?? requests);
    const target = podRequests(pod, ({ name, requests }) => targetOf(planByName.get(name), requests));
    cost += perMonth(requestedAmounts, price);
    potential += perMonth(current, price) - perMonth(target, price);
    reclaimed += perMonth(before, price) - perMonth(requestedAmounts, price);
  }
  if (removedReplicas !== null) {
    const replica = template.reduce((sum, { requests }) => addResources(sum, requests), NO_RESOURCES);
    reclaimed += perMonth(replica, removedReplicas.price) * removedReplicas.count;
  }
  return { costPerMonthUsd: cost, potentialPerMonthUsd: potential, reclaimedPerMonthUsd: reclaimed };
}

/** Sum of the money of pods on different nodes; unknown amounts are ignored. */
export function addMoney(a: WorkloadMoney, b: WorkloadMoney): WorkloadMoney {
  return {
    costPerMonthUsd: addKnown(a.costPerMonthUsd, b.costPerMonthUsd),
    potentialPerMonthUsd: addKnown(a.potentialPerMonthUsd, b.potentialPerMonthUsd),
    reclaimedPerMonthUsd: addKnown(a.reclaimedPerMonthUsd, b.reclaimedPerMonthUsd),
  };
}

// A resource without a recommendation counts with its present request.
function targetOf(plan: Pick<ContainerPlan, 'current' | 'target'> | undefined, requests: OptionalResources): OptionalResources {
  if (plan === undefined) return requests;
  const { current, target } = plan;
  return target === null ? current.requests : withDefaults(target.requests, current.requests);
}

function perMonth(amount: Resources, price: RequestPrice): Usd {
  return requestCost(amount, price, HOURS_PER_MONTH);
}
