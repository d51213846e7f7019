// The scheduler's view of a cluster in wire format.

import type { SchedulingView } from '#kube/scheduling/scheduling-model';
import type { KubeObject } from '#embedded-cluster/api/kube-object';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { decodeSchedulingPod } from '#embedded-cluster/scheduler/decode-pod';
import { NodeEntry } from '#embedded-cluster/scheduler/node-entry';
import { storageOf } from '#embedded-cluster/scheduler/storage-of-cluster';
import type { WireCluster, WireObject } from './wire-cluster.ts';

/** The cluster as the scheduler's informers see it. */
export function viewOf(cluster: WireCluster): SchedulingView {
  const entries = new Map<string, NodeEntry>();
  for (const node of cluster.nodes) {
    const entry = new NodeEntry(node.metadata.name);
    entry.update(node as unknown as KubeObject);
    entries.set(entry.name, entry);
  }
  for (const wire of cluster.pods as unknown as readonly Pod[]) {
    if (wire.status.phase === 'Succeeded' || wire.status.phase === 'Failed') continue;
    entries.get(wire.spec.nodeName ?? '')?.add(decodeSchedulingPod(wire));
  }
  const labels = new Map(cluster.namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return {
    nodes: [...entries.values()],
    storage: storageOf(readerOf(cluster)),
    namespaceLabels: (namespace) => labels.get(namespace) ?? {},
  };
}

function readerOf(cluster: WireCluster): Parameters<typeof storageOf>[0] {
  const lists: Readonly<Record<string, readonly WireObject[]>> = {
    persistentvolumeclaims: cluster.claims,
    persistentvolumes: cluster.volumes,
    'storageclasses.storage.k8s.io': cluster.storageClasses,
    'csinodes.storage.k8s.io': cluster.csiNodes,
    'csidrivers.storage.k8s.io': cluster.csiDrivers,
    'csistoragecapacities.storage.k8s.io': cluster.storageCapacities,
    'volumeattachments.storage.k8s.io': cluster.volumeAttachments,
  };
  const list = (resource: string): readonly KubeObject[] => (lists[resource] ?? []) as unknown as readonly KubeObject[];
  return {
    list,
    get: (resource, namespace, name) =>
      list(resource).find(({ metadata }) => metadata.name === name && (namespace === null || metadata.namespace === namespace)),
  };
}
