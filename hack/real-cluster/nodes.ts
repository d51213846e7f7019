import { getMachineType } from '#embedded-cluster/nodes/machine-types';
import { nodeObject } from '#embedded-cluster/nodes/node-factory';
import { kubernetesVersion } from './binaries.ts';

export interface NodePool {
  readonly count: number;
  /** Assigned round-robin, like the zones. */
  readonly machineTypes: readonly string[];
  readonly zones: readonly string[];
  /** Every n-th node is spot; 0: none. */
  readonly spotEvery: number;
}

export const DEFAULT_POOL: Omit<NodePool, 'count'> = {
  machineTypes: ['e2-standard-4', 'n2-standard-8'],
  zones: ['us-central1-a', 'us-central1-b', 'us-central1-c'],
  spotEvery: 4,
};

/** Node objects as kubelets register them; kwok keeps them Ready. */
export function nodeObjects(pool: NodePool, kubeletPort: number): readonly NodeWire[] {
  return Array.from({ length: pool.count }, (_, index) => kwokNode(pool, index, kubeletPort));
}

function kwokNode(pool: NodePool, index: number, kubeletPort: number): NodeWire {
  const typeName = dealt(pool.machineTypes, index);
  const machineType = getMachineType(typeName);
  // Zones change less often than types: with two of each in step, they would never mix.
  const zone = dealt(pool.zones, Math.floor(index / pool.machineTypes.length));
  const spot = pool.spotEvery > 0 && index % pool.spotEvery === pool.spotEvery - 1;
  const name = `kwok-${String(index + 1).padStart(4, '0')}`;
  const node = nodeObject(
    { name, machineType, pool: `${typeName}${spot ? '-spot' : ''}`, zone, spot, kubeletPort },
    Date.now(),
  ) as NodeWire;
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels: { ...node.metadata.labels, type: 'kwok' },
      annotations: { ...node.metadata.annotations, 'kwok.x-k8s.io/node': 'fake' },
    },
    status: {
      ...node.status,
      addresses: [
        { type: 'InternalIP', address: nodeAddress(index) },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: { ...node.status.nodeInfo, kubeletVersion: kubernetesVersion() },
    },
  };
}

/** Each node has a unique loopback address, because kubelets are identified by their address as in a real cluster. */
function nodeAddress(index: number): string {
  return `127.10.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

function dealt(values: readonly string[], index: number): string {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('nodes need at least one machine type and one zone');
  return value;
}

export interface NodeWire {
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations: object };
  readonly status: { readonly nodeInfo: object; readonly addresses?: readonly object[] };
}
