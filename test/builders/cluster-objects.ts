// Nodes and pods as the API server returns them.

export type Json = Readonly<Record<string, unknown>>;

export function aNode(name: string, changes: { labels?: Json; spec?: Json; annotations?: Json } = {}): Json {
  const labels = { 'node.kubernetes.io/instance-type': 'large', 'kubernetes.io/hostname': name, ...changes.labels };
  const amounts = { cpu: '8', memory: '32Gi', pods: '110' };
  return {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations: changes.annotations }, spec: changes.spec ?? {} },
    status: { capacity: amounts, allocatable: amounts },
  };
}

export const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };

/** Requests one core and 1 GiB. @param node null: it is pending */
export function aPod(name: string, node: string | null, changes: { metadata?: Json; spec?: Json; status?: Json } = {}): Json {
  const containers = [{ name: 'main', resources: { requests: { cpu: '1', memory: '1Gi' } } }];
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, namespace: 'shop', labels: { app: 'web' }, ownerReferences: [OWNER], ...changes.metadata },
    spec: { ...(node === null ? {} : { nodeName: node }), containers, ...changes.spec },
    status: { phase: node === null ? 'Pending' : 'Running', ...changes.status },
  };
}

/** Rules of a pod that spreads those of `app: web` over zones. */
export const ZONE_SPREAD: Json = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};

export function listOf(...items: readonly Json[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
