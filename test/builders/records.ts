// Decoded records for tests. A test passes the fields that matter; the others describe a healthy object.

import { NO_SCHEDULING_FACTS } from '#kube/pod-spec/scheduling-facts';
import type { NodeRecord } from '#kube/records/node';
import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { OwnerRef, WorkloadRecord } from '#kube/records/workload';

export function aContainerRecord(given: Partial<ContainerRecord> = {}): ContainerRecord {
  return {
    name: 'app',
    sidecar: false,
    requests: { cpuMillicores: 100, memoryBytes: 128 * 2 ** 20 },
    limits: { cpuMillicores: null, memoryBytes: null },
    actual: null,
    allocated: null,
    resizePolicy: { cpu: 'NotRequired', memory: 'NotRequired' },
    state: 'running',
    waitingReason: null,
    startedAt: 0,
    ready: true,
    restarts: 0,
    lastTermination: null,
    ...given,
  };
}

export function aPodRecord(given: Partial<PodRecord> & { readonly name: string }): PodRecord {
  return {
    uid: `uid-${given.name}`,
    namespace: 'default',
    resourceVersion: '1',
    labels: {},
    annotations: {},
    createdAt: 0,
    deletionAt: null,
    node: null,
    phase: 'Running',
    ready: true,
    readySince: 0,
    unreadySince: null,
    schedulable: true,
    qosClass: 'Burstable',
    priority: 0,
    restartPolicy: 'Always',
    owner: null,
    hostNetwork: false,
    windows: false,
    ip: null,
    resize: { state: 'none', message: '', since: null },
    containers: [aContainerRecord()],
    resizedBy: null,
    scheduling: NO_SCHEDULING_FACTS,
    pinnedNode: null,
    ...given,
  };
}

export function aNodeRecord(given: Partial<NodeRecord> & { readonly name: string }): NodeRecord {
  return {
    uid: `uid-${given.name}`,
    resourceVersion: '1',
    labels: {},
    annotations: {},
    createdAt: 0,
    deletionAt: null,
    capacity: { cpuMillicores: 4_000, memoryBytes: 16 * 2 ** 30 },
    allocatable: { cpuMillicores: 3_900, memoryBytes: 15 * 2 ** 30 },
    podCapacity: 110,
    ready: true,
    unschedulable: false,
    taints: [],
    conditions: [],
    kubeletVersion: 'v1.36.0',
    operatingSystem: 'linux',
    providerId: '',
    internalIp: '127.0.0.1',
    kubeletPort: 10_250,
    machineType: null,
    zone: null,
    region: null,
    pool: null,
    capacityType: 'on-demand',
    ...given,
  };
}

export function aWorkloadRecord(given: Partial<WorkloadRecord> & { readonly kind: string; readonly name: string }): WorkloadRecord {
  return {
    namespace: 'default',
    apiVersion: ['Job', 'CronJob'].includes(given.kind) ? 'batch/v1' : 'apps/v1',
    uid: `${given.kind}-${given.name}`,
    resourceVersion: '1',
    labels: {},
    annotations: {},
    createdAt: 0,
    deletionAt: null,
    controller: null,
    containers: [],
    replicas: { desired: 1, current: 1, ready: 1 },
    rolloutInProgress: false,
    ...given,
  };
}

/** Owner reference by which a workload controls a pod or another workload. */
export function ownedBy(owner: WorkloadRecord): OwnerRef {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid };
}
