import type { Refusal } from '#kube/scheduling/refusal';
import type { SchedulingPod } from '#kube/scheduling/scheduling-model';
import { explainRefusals } from '#kube/scheduling/select-node';
import type { ColumnarCluster } from '../cluster/columnar-cluster.ts';
import { NodeRemovals } from './node-removals.ts';
import { EXCLUDED, GOES, NO_ROOM, POD_OUTCOMES, UNMODELLED } from './removal-columns.ts';
import { NONE } from '../columns/snapshot-columns.ts';

/** What would become of a pod if its node went. */
export interface RemovedPod {
  readonly pod: SchedulingPod;
  readonly outcome: (typeof POD_OUTCOMES)[number];
  /** Where it would probably go; null: nowhere. kube-scheduler looks at a sample of large clusters, so that it may choose otherwise. */
  readonly destination: string | null;
  /** The scheduler's message of a pod that fits nowhere, or the feature that is not modelled; null for other outcomes. */
  readonly detail: string | null;
}

/** The answer to "what if this node went". */
export interface NodeRemoval {
  readonly node: string;
  /** In the order of the scheduling queue. */
  readonly pods: readonly RemovedPod[];
  /** Whether no pod blocks it. */
  readonly isPossible: boolean;
  /** What the removal saves; 0 if a pod blocks it. */
  readonly savedPerHourUsd: number;
}

/**
 * What if one node went: the answer of `NodeRemovals` with names and reasons. The cluster is unchanged afterwards.
 *
 * @throws Error if there is no such node
 */
export function whatIfRemoved(cluster: ColumnarCluster, node: string, costPerHourUsd: number): NodeRemoval {
  const index = cluster.nodeOf(node);
  const messages = new Map<number, string>();
  const removals = new NodeRemovals(cluster.snapshot);
  removals.compute(index, (slot) => messages.set(slot, explainNoRoom(cluster, slot)));
  const { outcome, destination } = removals.result;
  const pods = cluster.podsOn(index).map((pod): RemovedPod => {
    const slot = cluster.slotOf(pod.uid);
    const to = destination[slot] ?? NONE;
    const code = outcome[slot] ?? 0;
    return {
      ...{ pod, outcome: POD_OUTCOMES[code] ?? 'is protected', destination: to === NONE ? null : cluster.nodeNameOf(to) },
      detail: code === NO_ROOM ? (messages.get(slot) ?? null) : detailOf(cluster, slot, code),
    };
  });
  const isPossible = pods.every(({ pod }) => (outcome[cluster.slotOf(pod.uid)] ?? 0) <= GOES);
  return { node, pods, isPossible, savedPerHourUsd: isPossible ? costPerHourUsd : 0 };
}

function detailOf(cluster: ColumnarCluster, slot: number, code: number): string | null {
  if (code === EXCLUDED) return cluster.excludedOf(cluster.classAt(slot));
  if (code !== UNMODELLED) return null;
  const [feature] = cluster.podAt(slot)?.unmodelled ?? [];
  return feature ?? 'an ephemeral volume, whose next claim is unknown';
}

/** kube-scheduler's message for a pod that fits on none of the other nodes. */
function explainNoRoom(cluster: ColumnarCluster, slot: number): string {
  const { nodes } = cluster.snapshot.columns;
  const refused = new Map<number, Refusal>();
  for (let node = 0; node < nodes.count; node++) {
    const refusal = nodes.present[node] === 1 ? cluster.explain(cluster.classAt(slot), node) : null;
    if (refusal !== null) refused.set(node, refusal);
  }
  return explainRefusals(refused.size, { excluded: null, refused });
}
