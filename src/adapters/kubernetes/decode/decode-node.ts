import type { NodeCondition, NodeRecord, Taint } from '#kube/records/node';
import { annotationsOf, metadataOf, oneOf } from './decode-metadata.ts';
import { countOf, wholeResources } from './decode-quantities.ts';
import type { Interner } from './interner.ts';
import { booleanAt, numberAt, objectAt, objectsAt, optionalInstantAt, textAt, type Wire } from '../wire.ts';

/** Kubelet port of a node whose status has none. */
const KUBELET_PORT = 10_250;
const DEFAULT_POD_CAPACITY = 110;

const POOL_LABELS = [
  'evenkeel.io/pool',
  'cloud.google.com/gke-nodepool',
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'kubernetes.azure.com/agentpool',
  'agentpool',
];

/** Labels of clouds and autoscalers for spot and preemptible nodes. */
export const SPOT_LABELS: readonly (readonly [label: string, value: string])[] = [
  ['evenkeel.io/capacity-type', 'spot'],
  ['cloud.google.com/gke-spot', 'true'],
  ['cloud.google.com/gke-preemptible', 'true'],
  ['karpenter.sh/capacity-type', 'spot'],
  ['eks.amazonaws.com/capacitytype', 'spot'],
  ['kubernetes.azure.com/scalesetpriority', 'spot'],
];

const RETAINED_ANNOTATIONS = new Set(['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'karpenter.sh/do-not-disrupt']);

/** Decodes a Node. @throws WireError */
export function readNode(wire: Wire, interner: Interner): NodeRecord {
  const metadata = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const status = objectAt(wire, 'status');
  const info = objectAt(status, 'nodeInfo', 'status.nodeInfo');
  const conditions = objectsAt(status, 'conditions', 'status.conditions').map((condition) => readCondition(condition, interner));
  const { labels } = metadata;
  const capacity = objectAt(status, 'capacity', 'status.capacity');
  const allocatable = objectAt(status, 'allocatable', 'status.allocatable');
  return {
    uid: metadata.uid,
    name: interner.text(metadata.name),
    resourceVersion: metadata.resourceVersion,
    labels,
    annotations: annotationsOf(wire, interner, RETAINED_ANNOTATIONS),
    createdAt: metadata.createdAt,
    deletionAt: metadata.deletionAt,
    capacity: wholeResources(capacity, 'status.capacity'),
    allocatable: wholeResources(status['allocatable'] === undefined ? capacity : allocatable, 'status.allocatable'),
    podCapacity: podCapacity(allocatable, capacity),
    ready: conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    unschedulable: booleanAt(spec, 'unschedulable', false, 'spec.unschedulable'),
    taints: objectsAt(spec, 'taints', 'spec.taints').map((taint) => readTaint(taint, interner)),
    conditions,
    kubeletVersion: interner.text(textAt(info, 'kubeletVersion')),
    operatingSystem: interner.text(textAt(info, 'operatingSystem') || 'linux'),
    providerId: textAt(spec, 'providerID', 'spec.providerID'),
    internalIp: internalIp(status),
    kubeletPort:
      numberAt(objectAt(objectAt(status, 'daemonEndpoints'), 'kubeletEndpoint'), 'Port', 0, 'kubeletEndpoint.Port') || KUBELET_PORT,
    machineType: labels['node.kubernetes.io/instance-type'] ?? labels['beta.kubernetes.io/instance-type'] ?? null,
    zone: labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? null,
    region: labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? null,
    pool: POOL_LABELS.map((label) => labels[label]).find((pool) => pool !== undefined && pool !== '') ?? null,
    capacityType: isSpot(labels) ? 'spot' : 'on-demand',
  };
}

function isSpot(labels: Readonly<Record<string, string>>): boolean {
  for (const label in labels) {
    const value = labels[label]?.toLowerCase();
    const name = label.toLowerCase();
    if (SPOT_LABELS.some(([spotLabel, spotValue]) => spotLabel === name && spotValue === value)) return true;
  }
  return false;
}

function readCondition(condition: Wire, interner: Interner): NodeCondition {
  return {
    type: interner.text(textAt(condition, 'type')),
    status: oneOf(textAt(condition, 'status'), ['True', 'False'], 'Unknown'),
    reason: interner.text(textAt(condition, 'reason')),
    message: interner.text(textAt(condition, 'message')),
    // Heartbeat times are omitted: they change every few minutes without a change of state.
    lastTransitionAt: optionalInstantAt(condition, 'lastTransitionTime'),
  };
}

function readTaint(taint: Wire, interner: Interner): Taint {
  return {
    key: interner.text(textAt(taint, 'key')),
    value: interner.text(textAt(taint, 'value')),
    effect: oneOf(textAt(taint, 'effect'), ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], 'NoSchedule'),
  };
}

function internalIp(status: Wire): string | null {
  const addresses = objectsAt(status, 'addresses', 'status.addresses');
  const internal = addresses.find((address) => address['type'] === 'InternalIP');
  return internal === undefined ? null : textAt(internal, 'address');
}

function podCapacity(allocatable: Wire, capacity: Wire): number {
  const pods = allocatable['pods'] ?? capacity['pods'];
  return pods === undefined || pods === null ? DEFAULT_POD_CAPACITY : countOf(pods, 'status.allocatable.pods');
}
