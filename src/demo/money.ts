import { gibPerVcpuPriceOf, splitNodePrice } from '../core/cost/node-price.ts';
import { meanRequestPrice, requestCost, type RequestPrice } from '../core/cost/request-cost.ts';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { type ClusterSummary, nodePricePerHour } from '#embedded-cluster/nodes/cluster-summary';

/** Monthly cost of requests, and of their unused part. */
export interface RequestedMoney {
  readonly requestedPerMonthUsd: Usd;
  readonly unusedPerMonthUsd: Usd;
}

/**
 * Cost of the cluster's requests at the mean price of its nodes' cores and GiB, since the placement of pods on nodes of different types is
 * random.
 */
export function moneyOf(cluster: EmbeddedCluster, summary: ClusterSummary): RequestedMoney {
  const price = meanPrice(cluster);
  const perMonth = (cpuMillicores: number, memoryBytes: number): Usd =>
    price === null ? 0 : requestCost({ cpuMillicores, memoryBytes }, price, HOURS_PER_MONTH);
  const unusedCpu = Math.max(0, summary.requestedCpuMillicores - summary.usedCpuMillicores);
  const unusedMemory = Math.max(0, summary.requestedMemoryBytes - summary.usedMemoryBytes);
  return {
    requestedPerMonthUsd: perMonth(summary.requestedCpuMillicores, summary.requestedMemoryBytes),
    unusedPerMonthUsd: perMonth(unusedCpu, unusedMemory),
  };
}

function meanPrice(cluster: EmbeddedCluster): RequestPrice | null {
  const prices = [...cluster.nodes.kubelets.all()].map(({ node, capacity }) => {
    const machineType = node.metadata.labels?.['node.kubernetes.io/instance-type'] ?? null;
    return splitNodePrice(nodePricePerHour(node), capacity, gibPerVcpuPriceOf(machineType));
  });
  return meanRequestPrice(prices);
}
