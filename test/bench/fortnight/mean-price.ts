import { gibPerVcpuPriceOf, splitNodePrice } from '../../../src/core/cost/node-price.ts';
import { meanRequestPrice, requestCost } from '../../../src/core/cost/request-cost.ts';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { type ClusterSummary, nodePricePerHour } from '#embedded-cluster/nodes/cluster-summary';

/**
 * Monthly cost of the cluster's requests at the mean price of its nodes' cores and GiB: runs that place pods on nodes of other types stay
 * comparable.
 */
export function costAtMeanPrice(cluster: EmbeddedCluster, summary: ClusterSummary): Usd {
  const prices = [...cluster.nodes.kubelets.all()].map(({ node, capacity }) => {
    const machineType = node.metadata.labels?.['node.kubernetes.io/instance-type'] ?? null;
    return splitNodePrice(nodePricePerHour(node), capacity, gibPerVcpuPriceOf(machineType));
  });
  const price = meanRequestPrice(prices);
  const { requestedCpuMillicores: cpuMillicores, requestedMemoryBytes: memoryBytes } = summary;
  return price === null ? 0 : requestCost({ cpuMillicores, memoryBytes }, price, HOURS_PER_MONTH);
}
