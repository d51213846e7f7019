// JSON of a node with the fields and the size of a real one.

import { CREATED, fieldsOf, managed } from './managed-fields.ts';
import { slot, TextTemplate } from './text-template.ts';

const KUBELET_VERSION = 'v1.36.0';
const GiB = 2 ** 20; // in Ki

export interface NodeValues {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly address: string;
  readonly zone: string;
  readonly heartbeatAt: string;
  readonly mark: string;
}

const NODE = new TextTemplate<keyof NodeValues>(
  {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name: slot('name'),
      uid: slot('uid'),
      resourceVersion: slot('version'),
      creationTimestamp: CREATED,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': slot('name'),
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': 'n2-standard-16',
        'topology.kubernetes.io/region': 'europe-west3',
        'topology.kubernetes.io/zone': slot('zone'),
        'cloud.google.com/gke-nodepool': 'general',
        'bench.evenkeel.dev/mark': slot('mark'),
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      managedFields: [
        managed('kubelet', { 'f:metadata': { 'f:annotations': {}, 'f:labels': {} } }),
        managed(
          'kubelet',
          { 'f:status': fieldsOf(['allocatable', 'capacity', 'conditions', 'images', 'nodeInfo']) },
          { subresource: 'status' },
        ),
      ],
    },
    spec: { podCIDR: '10.0.0.0/24', providerID: `gce://bench/europe-west3-a/${slot('name')}` },
    status: {
      capacity: { cpu: '16', 'ephemeral-storage': '98831908Ki', memory: `${64 * GiB}Ki`, pods: '110' },
      allocatable: { cpu: '15890m', 'ephemeral-storage': '47093746742', memory: `${60 * GiB}Ki`, pods: '110' },
      conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
        type,
        status: type === 'Ready' ? 'True' : 'False',
        lastHeartbeatTime: slot('heartbeatAt'),
        lastTransitionTime: CREATED,
        reason: type === 'Ready' ? 'KubeletReady' : `KubeletHasNo${type}`,
        message: type === 'Ready' ? 'kubelet is posting ready status' : `kubelet has no ${type}`,
      })),
      addresses: [
        { type: 'InternalIP', address: slot('address') },
        { type: 'Hostname', address: slot('name') },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: '8a2f0b6c4d1e4f7aa9c3d5e6f7081920',
        systemUUID: '8a2f0b6c-4d1e-4f7a-a9c3-d5e6f7081920',
        bootID: '0d9f6a3e-52f0-4a0e-9a54-5f2a9b1c7d21',
        kernelVersion: '6.12.0-generic',
        osImage: 'Ubuntu 24.04 LTS',
        containerRuntimeVersion: 'containerd://2.1.0',
        kubeletVersion: KUBELET_VERSION,
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
      images: Array.from({ length: 40 }, (_, index) => ({
        names: [
          `registry.example.com/team/service-${index}@sha256:${'3f9a7c1e5b8d2460'.repeat(4)}`,
          `registry.example.com/team/service-${index}:1.${index}.0`,
        ],
        sizeBytes: 48_123_456 + index,
      })),
    },
  },
  ['name', 'uid', 'version', 'address', 'zone', 'heartbeatAt', 'mark'],
);

export function nodeText(values: NodeValues): string {
  return NODE.text(values);
}
