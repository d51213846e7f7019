import type { Instant } from '#kube/units';
import { fromTimestamp } from '../../api/timestamp.ts';
import { isReady, readySince, restartsOf } from '../pods/pod-state.ts';
import type { Pod } from '../wire/pod.ts';

const COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1 };
const RUNNING_RANK = 2;

/**
 * The pods in the order in which a ReplicaSet gives them up, the cheapest loss first: without a node, not running, not
 * ready, of low deletion cost, on a node that holds more of the same workload, ready or alive for a shorter time, often
 * restarted. Ages are compared by powers of two, as Kubernetes does, so that the name decides among near-equals.
 * @param crowding how many pods of the same workload the node holds
 */
export function inDeletionOrder(pods: readonly Pod[], crowding: (node: string) => number, now: Instant): Pod[] {
  const rank = new Map(pods.map((pod) => [pod, deletionRank(pod, crowding, now)]));
  return [...pods].sort((a, b) => compareRanks(rank.get(a) ?? [], rank.get(b) ?? []) || (a.metadata.name < b.metadata.name ? -1 : 1));
}

function deletionRank(pod: Pod, crowding: (node: string) => number, now: Instant): number[] {
  const node = pod.spec.nodeName ?? '';
  const ready = isReady(pod);
  return [
    node === '' ? 0 : 1,
    PHASE_RANK[pod.status.phase ?? ''] ?? RUNNING_RANK,
    ready ? 1 : 0,
    deletionCost(pod),
    node === '' ? 0 : -crowding(node),
    ready ? ageBucket(now - readySince(pod)) : 0,
    -restartsOf(pod),
    ageBucket(now - fromTimestamp(pod.metadata.creationTimestamp)),
  ];
}

/** Annotations that are no whole number were refused when the pod was written; they count as nothing here. */
function deletionCost(pod: Pod): number {
  const cost = Number(pod.metadata.annotations?.[COST_ANNOTATION] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

function ageBucket(ageMs: number): number {
  return Math.floor(Math.log2(Math.max(1, ageMs / 1000)));
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
