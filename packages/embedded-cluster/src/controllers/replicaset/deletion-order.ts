import type { Instant } from '#kube/units';
import { fromTimestamp } from '../../api/timestamp.ts';
import { isReady, readySince, restartsOf } from '../pods/pod-state.ts';
import type { Pod } from '../wire/pod.ts';

const COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1 };
const RUNNING_RANK = 2;

/**
 * Pods in the order in which a ReplicaSet deletes them: unassigned, not running, not ready, low deletion cost, on a node with more pods of
 * the same workload, ready or alive for a shorter time, more restarts. Ages are compared by powers of two, as in Kubernetes, so that the
 * name decides among similar ages. @param crowding number of pods of the same workload on the node
 */
export function sortForDeletion(pods: readonly Pod[], crowding: (node: string) => number, now: Instant): Pod[] {
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

/** Invalid annotations were refused when the pod was written; here they count as 0. */
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
