import type { KubeObject, OwnerReference } from '../api/kube-object.ts';

/** `namespace/name`; a cluster-scoped object has an empty namespace. */
export type ObjectKey = string;

export function keyOf(object: KubeObject): ObjectKey {
  return joinKey(object.metadata.namespace, object.metadata.name);
}

export function joinKey(namespace: string | null | undefined, name: string): ObjectKey {
  return `${namespace ?? ''}/${name}`;
}

export function splitKey(key: ObjectKey): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The one owner that manages the object, where there is one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** The reference that makes `owner` the manager of what it creates. */
export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
