import { gibPerVcpuPriceOf, splitNodePrice } from '../core/cost/node-price.ts';
import { requestCost } from '../core/cost/request-cost.ts';
import { NO_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { nodePricePerHour } from '#embedded-cluster/nodes/cluster-summary';

/** Monthly cost of requests, and of their unused part. */
export interface RequestedMoney {
  readonly requestedPerMonthUsd: Usd;
  readonly unusedPerMonthUsd: Usd;
}

/** Cost of the cluster's requests as the dashboard computes it: each pod at the price of its node, and usage above a request adds nothing. */
export function moneyOf({ nodes }: EmbeddedCluster): RequestedMoney {
  let requested = 0;
  let used = 0;
  const requests = nodes.requestsByNode();
  for (const { node, capacity, running } of nodes.kubelets.all()) {
    const machineType = node.metadata.labels?.['node.kubernetes.io/instance-type'] ?? null;
    const price = splitNodePrice(nodePricePerHour(node), capacity, gibPerVcpuPriceOf(machineType));
    requested += requestCost(requests.get(node.metadata.name) ?? NO_RESOURCES, price, HOURS_PER_MONTH);
    for (const { container } of running) used += requestCost(usedPart(container), price, HOURS_PER_MONTH);
  }
  return { requestedPerMonthUsd: requested, unusedPerMonthUsd: requested - used };
}

function usedPart(container: {
  readonly requests: OptionalResources;
  readonly grantedMillicores: number;
  readonly workingSetBytes: number;
}): OptionalResources {
  return {
    cpuMillicores: Math.min(container.requests.cpuMillicores ?? 0, container.grantedMillicores),
    memoryBytes: Math.min(container.requests.memoryBytes ?? 0, container.workingSetBytes),
  };
}
