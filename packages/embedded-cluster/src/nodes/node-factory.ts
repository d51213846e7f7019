import { formatCpu } from '#kube/quantity';
import { GiB, type Instant } from '#kube/units';
import { toTimestamp } from '../api/timestamp.ts';
import { KUBELET_ANNOTATION, type KubeletConfiguration } from './kubelet/kubelet-configuration.ts';
import { nodeSizeOf, type MachineType } from './machine-types.ts';

const KUBELET_VERSION = 'v1.36.0';
const MAX_PODS = 110;
const SWAP_BYTES = 4 * GiB;
/** Project name in provider ids. */
const PROJECT = 'evenkeel-demo';
/** Boot disk of 100 GB as GKE presents it. */
const EPHEMERAL_CAPACITY = '98831908Ki';
const EPHEMERAL_ALLOCATABLE = '47060071478';

export interface NodeSpec {
  readonly name: string;
  readonly machineType: MachineType;
  readonly pool: string;
  /** `us-central1-a`. */
  readonly zone: string;
  readonly spot: boolean;
  /** Port of the node's kubelet on 127.0.0.1. */
  readonly kubeletPort: number;
  /** `v1.33.4`; default: that of the embedded API server. */
  readonly kubeletVersion?: string;
  /** Default: that of Kubernetes. */
  readonly kubelet?: KubeletConfiguration;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** A Node as GKE registers it: well-known labels, provider id, allocatable after reservations, ready immediately. */
export function nodeObject(spec: NodeSpec, now: Instant): object {
  const { name, zone } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: nodeLabels(spec), annotations: { 'node.alpha.kubernetes.io/ttl': '0', ...kubeletAnnotation(spec) } },
    spec: {
      providerID: `gce://${PROJECT}/${zone}/${name}`,
      ...(spec.taints === undefined ? {} : { taints: spec.taints }),
    },
    status: nodeStatus(spec, now),
  };
}

function kubeletAnnotation({ kubelet }: NodeSpec): Record<string, string> {
  return kubelet === undefined ? {} : { [KUBELET_ANNOTATION]: JSON.stringify(kubelet) };
}

function nodeLabels(spec: NodeSpec): Record<string, string> {
  const { machineType, name, pool, zone, spot } = spec;
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'cloud.google.com/gke-nodepool': pool,
    'cloud.google.com/gke-os-distribution': 'cos',
    'cloud.google.com/gke-provisioning': spot ? 'spot' : 'standard',
    ...(spot ? { 'cloud.google.com/gke-spot': 'true' } : {}),
    'cloud.google.com/machine-family': machineType.family,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': machineType.name,
    'topology.gke.io/zone': zone,
    'topology.kubernetes.io/region': regionOf(zone),
    'topology.kubernetes.io/zone': zone,
    ...spec.labels,
  };
}

function nodeStatus({ machineType, name, kubeletPort, kubeletVersion = KUBELET_VERSION, kubelet }: NodeSpec, now: Instant): object {
  const { capacity, allocatable } = nodeSizeOf(machineType);
  const shared = { 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', pods: String(MAX_PODS) };
  return {
    capacity: {
      cpu: formatCpu(capacity.cpuMillicores),
      memory: `${capacity.memoryBytes / 1024}Ki`,
      'ephemeral-storage': EPHEMERAL_CAPACITY,
      ...shared,
    },
    allocatable: {
      cpu: formatCpu(allocatable.cpuMillicores),
      memory: `${allocatable.memoryBytes / 1024}Ki`,
      'ephemeral-storage': EPHEMERAL_ALLOCATABLE,
      ...shared,
    },
    conditions: nodeConditions(now),
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: 'containerd://2.1.4',
      kernelVersion: '6.12.0+',
      kubeProxyVersion: '',
      kubeletVersion,
      machineID: '',
      operatingSystem: 'linux',
      osImage: 'Container-Optimized OS from Google',
      systemUUID: '',
      ...(kubelet?.swapBehavior === 'LimitedSwap' ? { swap: { capacity: SWAP_BYTES } } : {}),
    },
  };
}

function nodeConditions(now: Instant): object[] {
  const at = toTimestamp(now);
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  });
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

/** `us-central1-a` → `us-central1`. */
function regionOf(zone: string): string {
  return zone.slice(0, zone.lastIndexOf('-'));
}
