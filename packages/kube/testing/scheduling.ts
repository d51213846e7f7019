import type { SchedulingNode, SchedulingPod, SchedulingView } from '../src/scheduling/scheduling-model.ts';
import { NodeDraft } from '../src/scheduling/node-draft.ts';
import type { StorageView } from '../src/scheduling/volumes/storage-model.ts';

/** A cluster without volumes. */
const NO_STORAGE: StorageView = {
  findClaim: () => null,
  findVolume: () => null,
  findClass: () => null,
  volumesOfClass: () => [],
  isCapacityReported: () => false,
  capacities: () => [],
  volumeLimits: () => new Map(),
  attachedVolumes: () => [],
};

type Amounts = Readonly<Record<string, number>>;

/** A pending pod; `requests` are plain numbers. */
export function aSchedulingPod({
  requests = {},
  ...rest
}: Partial<Omit<SchedulingPod, 'requests'>> & { requests?: Amounts } = {}): SchedulingPod {
  const name = rest.name ?? 'web';
  return {
    ...{
      uid: `uid-${name}`,
      namespace: 'shop',
      name,
      labels: {},
      priority: 0,
      mayPreempt: true,
      createdAt: 0,
      startedAt: null,
      terminating: false,
    },
    ...{
      requests: new Map(Object.entries(requests)),
      ports: [],
      nodeName: null,
      nodeSelector: {},
      nodeTerms: null,
      preferredNodeTerms: [],
    },
    ...{ affinity: [], antiAffinity: [], preferredAffinity: [], preferredAntiAffinity: [], tolerations: [], spread: [] },
    ...{ ownerUid: null, claims: [], disks: [], features: [], gates: [], unmodelled: [] },
    ...rest,
    ...(Object.keys(requests).length > 0 && { requests: new Map(Object.entries(requests)) }),
  };
}

/** A node with 4 CPUs, 16 GiB, capacity for 110 pods, and the given pods. */
export function aSchedulingNode({
  allocatable = {},
  pods = [],
  ...rest
}: Partial<Pick<SchedulingNode, 'name' | 'labels' | 'taints' | 'unschedulable' | 'declaredFeatures'>> & {
  allocatable?: Amounts;
  pods?: readonly SchedulingPod[];
} = {}): SchedulingNode {
  const name = rest.name ?? 'a';
  const node = new NodeDraft({
    ...{ name, labels: { 'kubernetes.io/hostname': name }, taints: [], unschedulable: false, declaredFeatures: new Set<string>() },
    ...rest,
    allocatable: new Map(Object.entries({ cpu: 4000, memory: 16 * 2 ** 30, pods: 110, ...allocatable })),
    ...{ pods: new Map(), antiAffinePods: new Map(), requested: new Map() },
  });
  for (const pod of pods) node.add({ ...pod, nodeName: name });
  return node;
}

export function aSchedulingView(
  nodes: readonly SchedulingNode[],
  {
    storage = {},
    namespaces = {},
  }: { storage?: Partial<StorageView>; namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>> } = {},
): SchedulingView {
  return { nodes, storage: { ...NO_STORAGE, ...storage }, namespaceLabels: (namespace) => namespaces[namespace] ?? {} };
}
