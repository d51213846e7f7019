// The played cluster as numbers and names: nodes, namespaces, workloads and their sizes. Both played processes derive the same plan from the
// number of nodes, so that kubelets need no list of the workloads.

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

export interface PlannedContainer {
  readonly name: string;
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly cpu?: string; readonly memory: string };
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

export interface PlannedWorkload {
  readonly index: number;
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly replicas: number;
  /** ReplicaSets with the current one; 0 for the other kinds. */
  readonly replicaSets: number;
  readonly containers: readonly PlannedContainer[];
}

export interface ClusterPlan {
  readonly nodes: number;
  readonly namespaces: readonly string[];
  readonly workloads: readonly PlannedWorkload[];
}

export const WORKLOADS_PER_NODE = 4;
/** Together with the DaemonSets: 30 pods a node. */
const DEPLOYMENT_REPLICAS = 7;
const STATEFUL_SET_REPLICAS = 5;
const DAEMON_SETS = 4;
/** 3.6 ReplicaSets a Deployment and 3 Deployments a node are 10.8 ReplicaSets a node. */
const REPLICA_SETS = [3, 4, 4, 3, 4] as const;
const NODES_PER_NAMESPACE = 25;
const MIN_NAMESPACES = 4;
/** Addresses of one block differ in the last octet, and share a serving certificate. */
export const BLOCK = 250;
const MiB = 2 ** 20;
const SIZES = [
  { cpu: 100, memory: 128 },
  { cpu: 250, memory: 256 },
  { cpu: 500, memory: 512 },
  { cpu: 150, memory: 1024 },
] as const;

export function planCluster(nodes: number): ClusterPlan {
  const teams = Math.max(MIN_NAMESPACES, Math.ceil(nodes / NODES_PER_NAMESPACE));
  const namespaces = ['kube-system', 'evenkeel-system', ...Array.from({ length: teams }, (_, index) => `team-${padded(index, 3)}`)];
  const workloads = Array.from({ length: nodes * WORKLOADS_PER_NODE }, (_, index) => planWorkload(index, nodes, teams));
  return { nodes, namespaces, workloads };
}

function planWorkload(index: number, nodes: number, teams: number): PlannedWorkload {
  const kind = kindOf(index);
  const names = { Deployment: 'api', StatefulSet: 'store', DaemonSet: 'agent' } as const;
  return {
    index,
    kind,
    namespace: kind === 'DaemonSet' ? 'kube-system' : `team-${padded(index % teams, 3)}`,
    name: `${names[kind]}-${padded(index, 5)}`,
    uid: uidOf('a', index),
    replicas: { Deployment: DEPLOYMENT_REPLICAS, StatefulSet: STATEFUL_SET_REPLICAS, DaemonSet: nodes }[kind],
    replicaSets: kind === 'Deployment' ? (REPLICA_SETS[Math.floor(index / WORKLOADS_PER_NODE) % REPLICA_SETS.length] ?? 0) : 0,
    containers: containersOf(index),
  };
}

function kindOf(index: number): WorkloadKind {
  if (index % WORKLOADS_PER_NODE !== WORKLOADS_PER_NODE - 1) return 'Deployment';
  return index < DAEMON_SETS * WORKLOADS_PER_NODE ? 'DaemonSet' : 'StatefulSet';
}

/** Every fourth workload has a sidecar: 5 containers to 4 workloads. */
function containersOf(index: number): readonly PlannedContainer[] {
  const app = SIZES[index % SIZES.length] ?? SIZES[0];
  const containers = [container('app', app.cpu, app.memory, index % 2 === 0)];
  if (index % WORKLOADS_PER_NODE === 0) containers.push(container('proxy', 50, 64, true));
  return containers;
}

function container(name: string, cpu: number, memory: number, isCpuLimited: boolean): PlannedContainer {
  return {
    name,
    requests: { cpu: `${cpu}m`, memory: `${memory}Mi` },
    limits: { ...(isCpuLimited ? { cpu: `${cpu * 2}m` } : {}), memory: `${memory * 2}Mi` },
    cpuMillicores: cpu,
    memoryBytes: memory * MiB,
  };
}

export function nodeName(index: number): string {
  return `node-${padded(index, 5)}`;
}

/** Loopback address of a node's kubelet. */
export function nodeAddress(index: number): string {
  return `127.20.${Math.floor(index / BLOCK)}.${1 + (index % BLOCK)}`;
}

/** Index of the node with this address. */
export function nodeOfAddress(address: string): number {
  const [, , block = '0', last = '1'] = address.replace(/^::ffff:/, '').split('.');
  return Number(block) * BLOCK + Number(last) - 1;
}

export function uidOf(prefix: string, index: number): string {
  return `${prefix.padStart(8, '0')}-1c1e-4c63-9d3a-${String(index).padStart(12, '0')}`;
}

function padded(index: number, digits: number): string {
  return String(index).padStart(digits, '0');
}

/** A pod that exists from the start. */
export interface PlannedPod {
  readonly workload: PlannedWorkload;
  readonly name: string;
  readonly uid: string;
  readonly node: number;
}

/** Names of the current ReplicaSet, or revision, of a workload. */
export function revisionHash(workload: PlannedWorkload, revision: number): string {
  return `${(workload.index % 0xfffff).toString(16).padStart(5, '6')}${(revision + 0xa00).toString(16)}b`;
}

export function* initialPods({ nodes, workloads }: ClusterPlan): Generator<PlannedPod> {
  let index = 0;
  for (const workload of workloads) {
    for (let ordinal = 0; ordinal < workload.replicas; ordinal++) {
      // Replicas of one workload are spread over the nodes.
      const node = workload.kind === 'DaemonSet' ? ordinal : (workload.index * 3 + ordinal * 11) % nodes;
      yield { workload, name: podName(workload, ordinal, String(ordinal).padStart(5, 'x')), uid: uidOf('b', index), node };
      index += 1;
    }
  }
}

/** @param suffix 5 characters of a pod that has no ordinal */
export function podName(workload: PlannedWorkload, ordinal: number, suffix: string, revision = workload.replicaSets): string {
  if (workload.kind === 'StatefulSet') return `${workload.name}-${ordinal}`;
  return workload.kind === 'DaemonSet' ? `${workload.name}-${suffix}` : `${workload.name}-${revisionHash(workload, revision)}-${suffix}`;
}
