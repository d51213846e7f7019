import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { requestCost } from '../../core/cost/request-cost.ts';
import type { Usd } from '#kube/units';
import type { RecommendationPorts } from './ports.ts';

/** What a change of requests adds to the cost per hour at the price of the pod's node; null where that is not known. */
export function costDelta(
  { cluster, prices }: Pick<RecommendationPorts, 'cluster' | 'prices'>,
  pod: PodRecord,
  { from, to }: { readonly from: RequestsAndLimits; readonly to: RequestsAndLimits },
): Usd | null {
  const node = pod.node === null ? undefined : cluster.findNode(pod.node);
  if (node === undefined) return null;
  const added = {
    cpuMillicores: (to.requests.cpuMillicores ?? 0) - (from.requests.cpuMillicores ?? 0),
    memoryBytes: (to.requests.memoryBytes ?? 0) - (from.requests.memoryBytes ?? 0),
  };
  return requestCost(added, prices.priceOf(node), 1);
}
