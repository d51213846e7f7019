import type { NodeRecord } from '../../src/core/model/node.ts';
import { amounts, T0 } from './rightsizing.ts';

/** Of 16 CPUs and 64 GiB, ready since the beginning. */
export function aLargeNode(name: string): NodeRecord {
  const size = { cpuMillicores: 16_000, memoryBytes: amounts(null, '64Gi').memoryBytes! };
  return {
    uid: `uid-${name}`,
    name,
    resourceVersion: '1',
    labels: {},
    annotations: {},
    createdAt: T0,
    deletionAt: null,
    capacity: size,
    allocatable: size,
    podCapacity: 110,
    ready: true,
    unschedulable: false,
    taints: [],
    conditions: [],
    kubeletVersion: 'v1.36.0',
    operatingSystem: 'linux',
    providerId: '',
    internalIp: null,
    kubeletPort: 10250,
    machineType: 'e2-standard-16',
    zone: null,
    region: null,
    pool: null,
    capacityType: 'on-demand',
  };
}
