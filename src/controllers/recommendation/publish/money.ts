// What a workload costs and saves, at the prices of the nodes that its pods run on.

import { copyPod, type PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { Usd } from '#kube/units';
import { meanRequestPrice, requestCost } from '../../../core/cost/request-cost.ts';
import { duePlans } from '../../../core/resize/layers/idle/idle.ts';
import { withoutBoosts } from '../../../core/resize/layers/start-up/boosts.ts';
import type { ContainerPlan } from '../../../core/resize/model/container-plan.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import type { WorkloadSituation } from '../../../core/resize/model/situation.ts';
import { addMoney, workloadMoney, type RemovedReplicas, type WorkloadMoney } from '../../../core/resize/plan/workload-money.ts';
import type { RecommendationPorts } from '../ports.ts';

type PricePorts = Pick<RecommendationPorts, 'cluster' | 'prices'>;

/** Cost and savings of a workload per month in US dollars; where node classes differ, the sum of all classes. */
export function calculateMoney(ports: PricePorts, situation: WorkloadSituation, decision: WorkloadDecision): WorkloadMoney {
  const { classes } = decision;
  if (classes === undefined) return moneyOfPods(ports, situation, duePlans(decision));
  return classes
    .map((nodeClass) =>
      moneyOfPods(ports, { ...situation, pods: nodeClass.pods, memory: nodeClass.decision.memory }, duePlans(nodeClass.decision)),
    )
    .reduce(addMoney);
}

/** US dollars per hour that a change of requests adds, at the price of the pod's node; null where the node is unknown. */
export function costDelta(
  { cluster, prices }: PricePorts,
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

function moneyOfPods({ cluster, prices }: PricePorts, situation: WorkloadSituation, plans: readonly ContainerPlan[]): WorkloadMoney {
  const priced = withoutBoosts(situation.pods, situation).flatMap((pod) => {
    const node = pod.node === null ? undefined : cluster.findNode(pod.node);
    return node === undefined ? [] : [copyPod(pod, { price: prices.priceOf(node) })];
  });
  return workloadMoney(priced, plans, situation.workload.containers, replicasAway({ cluster, prices }, situation));
}

/** Replicas removed by idle mode, at the mean price of all nodes: they run on none. */
function replicasAway({ cluster, prices }: PricePorts, { memory, pods }: WorkloadSituation): RemovedReplicas | null {
  const count = Math.max(0, (memory.idle?.idleReplicas ?? null) === null ? 0 : (memory.idle?.replicas ?? 0) - pods.length);
  const price = count === 0 ? null : meanRequestPrice([...cluster.nodes()].map((node) => prices.priceOf(node)));
  return price === null ? null : { count, price };
}
