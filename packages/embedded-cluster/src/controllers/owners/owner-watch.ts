import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Stop } from '../controller-ports.ts';
import type { ObjectKey } from '../object-key.ts';
import { controllerOf, joinKey, keyOf } from '../object-key.ts';

/** Calls with the key of every changed object of `resource`. */
export function watchKeys(cluster: ClusterAccess, resource: string, add: (key: ObjectKey) => void): Stop {
  return cluster.onChange(resource, ({ object }) => add(keyOf(object)));
}

/** Calls with the key of the controller of `kind` of every changed object, and of the former controller after an ownership change. */
export function watchOwners(cluster: ClusterAccess, resource: string, kind: string, add: (key: ObjectKey) => void): Stop {
  return cluster.onChange(resource, ({ object, previous }) => {
    const key = ownerKey(object, kind);
    const before = previous === undefined ? undefined : ownerKey(previous, kind);
    if (key !== undefined) add(key);
    if (before !== undefined && before !== key) add(before);
  });
}

function ownerKey(object: KubeObject, kind: string): ObjectKey | undefined {
  const owner = controllerOf(object);
  return owner?.kind === kind ? joinKey(object.metadata.namespace, owner.name) : undefined;
}
