// What a workload costs, what the recommendation would save, and what right-sizing has given back already.

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

/** One running pod, as far as money goes. */
export interface PricedPod extends RequestingPod<RequestsAndLimits & { readonly name: string; readonly sidecar: boolean }> {
  /** On its node. */
  readonly price: RequestPrice;
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
  plans: readonly Pick<ContainerPlan, 'name' | 'current' | 'target'>[],
  template: readonly (Pick<RequestsAndLimits, 'requests'> & { readonly name: string })[],
  away: ReplicasAway | null = null,
): WorkloadMoney {
  if (pods.length === 0 && away === null) return { costPerMonthUsd: null, potentialPerMonthUsd: null, reclaimedPerMonthUsd: null };
  let cost = 0;
  let potential = 0;
  let reclaimed = 0;
  const figuresOf = new Map(plans.map((each) => [each.name, each]));
  const templateOf = new Map(template.map((each) => [each.name, each.requests]));
  for (const pod of pods) {
    const { price } = pod;
    const asked = podRequests(pod, ({ requests }) => requests);
    const before = podRequests(pod, ({ name, requests }) => templateOf.get(name) ?? requests);
    const current = podRequests(pod, ({ name, requests }) => figuresOf.get(name)?.current.requests ?? requests);
    const target = podRequests(pod, ({ name, requests }) => targetOf(figuresOf.get(name), requests));
    cost += perMonth(asked, price);
    potential += perMonth(current, price) - perMonth(target, price);
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
  return {
    costPerMonthUsd: addKnown(a.costPerMonthUsd, b.costPerMonthUsd),
    potentialPerMonthUsd: addKnown(a.potentialPerMonthUsd, b.potentialPerMonthUsd),
    reclaimedPerMonthUsd: addKnown(a.reclaimedPerMonthUsd, b.reclaimedPerMonthUsd),
  };
}

// Where nothing is recommended of a resource, nothing is freed of it.
function targetOf(plans: Pick<ContainerPlan, 'current' | 'target'> | undefined, requests: OptionalResources): OptionalResources {
  if (plans === undefined) return requests;
  const { current, target } = plans;
  return target === null ? current.requests : withDefaults(target.requests, current.requests);
}

function perMonth(amount: Resources, price: RequestPrice): Usd {
  return requestCost(amount, price, HOURS_PER_MONTH);
}
