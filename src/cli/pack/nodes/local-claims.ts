import { isObject } from '#kube/json';
import { claimsOf, readClaims } from '#kube/pod-spec/pod-volumes';
import { objectAt, textAt, type Wire } from '#kube/wire';
import type { ManifestObject } from '../../read-manifests.ts';

/** Claims that are bound to a volume on the disk of a node. */
export class LocalClaims {
  readonly #claims: ReadonlySet<string>;

  /** @param objects of which PersistentVolumes and PersistentVolumeClaims are read. @throws WireError */
  constructor(objects: readonly ManifestObject[]) {
    const local = new Set(
      objects
        .filter(({ object }) => object.kind === 'PersistentVolume' && isLocal(objectAt(object, 'spec')))
        .map(({ object }) => object.metadata.name),
    );
    this.#claims = new Set(
      objects
        .filter(({ object }) => object.kind === 'PersistentVolumeClaim' && local.has(textAt(objectAt(object, 'spec'), 'volumeName')))
        .map(({ object: { metadata } }) => keyOf(metadata.namespace ?? 'default', metadata.name ?? '')),
    );
  }

  /** Whether a pod mounts one. @throws WireError */
  isUsedBy(spec: Wire, namespace: string): boolean {
    // Without the name of the pod, claims have the names that the spec states.
    return this.#claims.size > 0 && claimsOf(readClaims(spec, ''), '').some(({ name }) => this.#claims.has(keyOf(namespace, name)));
  }
}

function isLocal(spec: Wire): boolean {
  return isObject(spec['local']) || isObject(spec['hostPath']);
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
