import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject, OwnerReference } from '../../api/kube-object.ts';
import { controllerOf } from '../object-key.ts';
import type { Pod } from '../wire/pod.ts';
import { customResources } from '../namespaces/custom-resources.ts';

/** Built-in kinds with pods and a scale. */
const SCALED: Readonly<Record<string, string>> = {
  'apps/Deployment': 'deployments.apps',
  'apps/ReplicaSet': 'replicasets.apps',
  'apps/StatefulSet': 'statefulsets.apps',
  '/ReplicationController': 'replicationcontrollers',
};

export type ExpectedScale = { readonly kind: 'known'; readonly replicas: number } | { readonly kind: 'unknown'; readonly why: string };

/** Replicas that the controllers of these pods request in total, each controller counted once. */
export function expectedScale(cluster: ClusterAccess, pods: readonly Pod[]): ExpectedScale {
  const replicasByController = new Map<string, number>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined) return { kind: 'unknown', why: `pod ${pod.metadata.name} has no controller with a scale` };
    if (replicasByController.has(reference.uid)) continue;
    const found = topScale(cluster, pod.metadata.namespace ?? '', reference);
    if (found === undefined) return { kind: 'unknown', why: `${reference.kind} ${reference.name} has no scale subresource` };
    replicasByController.set(found.uid, found.replicas);
    // Another pod of the same ReplicaSet does not look up its Deployment again.
    if (found.uid !== reference.uid) replicasByController.set(reference.uid, 0);
  }
  return { kind: 'known', replicas: [...replicasByController.values()].reduce((sum, replicas) => sum + replicas, 0) };
}

function topScale(cluster: ClusterAccess, namespace: string, reference: OwnerReference): { uid: string; replicas: number } | undefined {
  const resource = scaledResource(cluster, reference);
  const object = resource === undefined ? undefined : cluster.get(resource, namespace, reference.name);
  if (object?.metadata.uid !== reference.uid) return undefined;
  // A Deployment expects the pods of all its revisions; its ReplicaSets are not counted separately.
  const owner = reference.kind === 'ReplicaSet' ? controllerOf(object) : undefined;
  if (owner !== undefined) return topScale(cluster, namespace, owner);
  return { uid: object.metadata.uid, replicas: replicasOf(object) };
}

function scaledResource(cluster: ClusterAccess, { apiVersion, kind }: OwnerReference): string | undefined {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return (
    SCALED[`${group}/${kind}`] ??
    customResources(cluster).find((each) => each.group === group && each.kind === kind && each.scaled)?.resource
  );
}

function replicasOf(object: KubeObject): number {
  const { replicas } = (object['spec'] ?? {}) as { replicas?: number };
  return replicas ?? 1;
}
