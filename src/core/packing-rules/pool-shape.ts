// A pool as a shape of nodes: a machine type in a zone with a capacity type, and the labels and taints of its nodes.

import type { Labels } from '#kube/label-selector';
import type { Taint } from '#kube/records/node';
import type { MachineType, PoolOffering } from '../packing/packing-problem.ts';

export interface PoolShape extends MachineType {
  readonly offering: PoolOffering;
  /** Labels of its nodes, without `kubernetes.io/hostname`. */
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

export const HOSTNAME_LABEL = 'kubernetes.io/hostname';
export const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Labels for the zone of a node. The last three are those that storage drivers of GKE, EKS and AKS write into volumes. */
const ZONE_LABELS = [
  ZONE_LABEL,
  'failure-domain.beta.kubernetes.io/zone',
  'topology.gke.io/zone',
  'topology.ebs.csi.aws.com/zone',
  'topology.disk.csi.azure.com/zone',
];

/** Labels that the kubelet, the cloud and autoscalers write on a node, and those that the pool states, which count where both have one. */
export function nodeLabels({ machineType, zone, capacityType }: PoolOffering, stated: Labels): Labels {
  return {
    'node.kubernetes.io/instance-type': machineType,
    'beta.kubernetes.io/instance-type': machineType,
    'kubernetes.io/os': 'linux',
    ...(zone === null ? {} : Object.fromEntries(ZONE_LABELS.map((key) => [key, zone]))),
    ...(capacityType === null ? {} : capacityLabels(capacityType)),
    ...stated,
  };
}

function capacityLabels(capacityType: 'spot' | 'on-demand'): Labels {
  return {
    'evenkeel.io/capacity-type': capacityType,
    'karpenter.sh/capacity-type': capacityType,
    'eks.amazonaws.com/capacityType': capacityType === 'spot' ? 'SPOT' : 'ON_DEMAND',
    ...(capacityType === 'spot' && { 'cloud.google.com/gke-spot': 'true', 'kubernetes.azure.com/scalesetpriority': 'spot' }),
  };
}

/** Keys of labels that a node of some pool has. */
export function labelKeysOf(shapes: readonly PoolShape[]): ReadonlySet<string> {
  return new Set(shapes.flatMap(({ labels }) => Object.keys(labels)));
}
