// Objects whose controller is in the same file: `kubectl get all` prints a Deployment, its ReplicaSet and the pods of that.

import { booleanAt, objectsAt, textAt, textsByKeyAt, type Wire } from '#kube/wire';
import type { ManifestObject } from '../../../read-manifests.ts';
import { groupOf } from './workload-kinds.ts';

const TEMPLATE_HASH = 'pod-template-hash';

/** The objects without those whose controller is among them, so that the pods of each workload count once. @throws WireError */
export function withoutOwned(objects: readonly ManifestObject[]): readonly ManifestObject[] {
  const known = new Set(objects.map(({ object: { apiVersion, kind, metadata } }) => keyOf(apiVersion, kind, metadata)));
  return objects.filter(({ object: { metadata } }) => {
    const wire: Wire = metadata;
    const owners = objectsAt(wire, 'ownerReferences', 'metadata.ownerReferences');
    const controller = owners.find((owner) => booleanAt(owner, 'controller', false, 'metadata.ownerReferences[].controller'));
    if (controller === undefined) return true;
    const [apiVersion, kind, name] = [textAt(controller, 'apiVersion'), textAt(controller, 'kind'), textAt(controller, 'name')];
    if (known.has(keyOf(apiVersion, kind, { ...metadata, name }))) return false;
    // Of a ReplicaSet that is not in the file: its Deployment may be.
    const hash = kind === 'ReplicaSet' ? textsByKeyAt(wire, 'labels', 'metadata.labels')[TEMPLATE_HASH] : undefined;
    if (hash === undefined || !name.endsWith(`-${hash}`)) return true;
    return !known.has(keyOf(apiVersion, 'Deployment', { ...metadata, name: name.slice(0, -hash.length - 1) }));
  });
}

export function ownedNotes(leftOut: number): string[] {
  if (leftOut === 0) return [];
  return [`${leftOut === 1 ? '1 object' : `${leftOut} objects`} left out whose controller is in the file, too: pods count once`];
}

function keyOf(apiVersion: string, kind: string, { namespace = 'default', name = '' }: ManifestObject['object']['metadata']): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}
