// Whether another node autoscaler runs in the cluster, by what its nodes and workloads show: that needs no further permission.

import type { NodeRecord } from '#kube/records/node';
import type { WorkloadRecord } from '#kube/records/workload';

export interface NodeAutoscaler {
  readonly name: 'Karpenter' | 'Cluster Autoscaler';
  /** What shows it. */
  readonly seenAs: string;
}

const KARPENTER_LABELS = ['karpenter.sh/nodepool', 'karpenter.sh/provisioner-name'] as const;
/** The Cluster Autoscaler sets them on nodes that it may remove, or is about to: also where it runs out of sight. */
const CLUSTER_AUTOSCALER_TAINTS: readonly string[] = ['ToBeDeletedByClusterAutoscaler', 'DeletionCandidateOfClusterAutoscaler'];
/** The name of its Deployment, with the release's and the provider's of its chart. */
const CLUSTER_AUTOSCALER_WORKLOAD = /(^|-)cluster-autoscaler($|-)/;

/** null: none is seen. */
export function findNodeAutoscaler(
  nodes: Iterable<Pick<NodeRecord, 'name' | 'labels' | 'taints'>>,
  workloads: Iterable<Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'replicas'>>,
): NodeAutoscaler | null {
  for (const { name, labels, taints } of nodes) {
    const label = KARPENTER_LABELS.find((key) => labels[key] !== undefined);
    if (label !== undefined) return { name: 'Karpenter', seenAs: `the label ${label} of node ${name}` };
    const taint = taints.find(({ key }) => CLUSTER_AUTOSCALER_TAINTS.includes(key));
    if (taint !== undefined) return { name: 'Cluster Autoscaler', seenAs: `the taint ${taint.key} of node ${name}` };
  }
  for (const { kind, namespace, name, replicas } of workloads) {
    if (kind !== 'Deployment' || replicas.desired === 0 || !CLUSTER_AUTOSCALER_WORKLOAD.test(name)) continue;
    return { name: 'Cluster Autoscaler', seenAs: `the Deployment ${namespace}/${name}` };
  }
  return null;
}
