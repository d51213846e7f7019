import type { LabelSelector } from '#kube/label-selector';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Autoscaler } from '../wire/autoscaler.ts';

/** Kinds of the group apps; the same name in another group is another kind. */
const RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments.apps',
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
};

/** Target of an autoscaler. */
export interface ScaleTarget {
  readonly resource: string;
  readonly object: KubeObject;
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: LabelSelector;
}

/** undefined when it does not exist, or is of a kind that is not supported. */
export function findScaleTarget(cluster: ClusterAccess, { metadata, spec }: Autoscaler): ScaleTarget | undefined {
  const { apiVersion = '', kind, name } = spec.scaleTargetRef;
  const resource = apiVersion.startsWith('apps/') ? RESOURCES[kind] : undefined;
  const object = resource === undefined ? undefined : cluster.get(resource, metadata.namespace ?? '', name);
  if (resource === undefined || object === undefined) return undefined;
  const target = object as KubeObject & { spec: { replicas?: number; selector: LabelSelector }; status?: { replicas?: number } };
  return {
    resource,
    object,
    replicas: target.spec.replicas ?? 1,
    statusReplicas: target.status?.replicas ?? 0,
    selector: target.spec.selector,
  };
}

export function rescale(cluster: ClusterAccess, { resource, object }: ScaleTarget, replicas: number): void {
  cluster.modify(resource, object.metadata.namespace ?? '', object.metadata.name, (draft) => {
    (draft['spec'] as { replicas: number }).replicas = replicas;
  });
}
