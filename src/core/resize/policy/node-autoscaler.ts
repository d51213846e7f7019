// Detects another node autoscaler in the cluster from nodes and workloads, which needs no further permission.

import type { NodeRecord } from '#kube/records/node';
import type { WorkloadRecord } from '#kube/records/workload';

export interface NodeAutoscaler {
  readonly name: 'Karpenter' | 'Cluster Autoscaler';
  /** The object by which it was detected, as a message. */
  readonly seenAs: string;
}

const KARPENTER_LABELS = ['karpenter.sh/nodepool', 'karpenter.sh/provisioner-name'] as const;
/** The Cluster Autoscaler sets these taints on nodes that it may remove or is removing, also where it runs outside the cluster. */
const CLUSTER_AUTOSCALER_TAINTS: readonly string[] = ['ToBeDeletedByClusterAutoscaler', 'DeletionCandidateOfClusterAutoscaler'];
/** Name of its Deployment, with the prefix and suffix that its Helm chart adds. */
const CLUSTER_AUTOSCALER_WORKLOAD = /(^|-)cluster-autoscaler($|-)/;

/** Finds Karpenter or the Cluster Autoscaler; null: neither is detected. */
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
