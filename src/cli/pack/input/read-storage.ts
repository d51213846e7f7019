// Claims, volumes and storage classes of manifests.

import { readLabelSelector } from '#kube/label-selector';
import { readNodeTerms } from '#kube/pod-spec/affinity';
import { driverOf } from '#kube/pod-spec/pod-volumes';
import type { PersistentVolume, StorageClass } from '#kube/scheduling/volumes/storage-model';
import { objectAt, objectsAt, optionalObjectAt, optionalTextAt, textAt, textsAt, textsByKeyAt, type Wire } from '#kube/wire';
import { readAmounts } from '#kube/amounts';
import type { ManifestClaim } from '../../../core/packing-rules/volume-reach.ts';

/** Claims, volumes and classes as they are read. */
export class StorageReader {
  readonly claims = new Map<string, ManifestClaim>();
  readonly volumes = new Map<string, PersistentVolume>();
  readonly classes = new Map<string, StorageClass>();
  defaultClass: string | null = null;

  /** Adds an object. Returns false where it is of another kind. @throws WireError */
  read(kind: string, object: Wire, { namespace, name }: { readonly namespace: string; readonly name: string }): boolean {
    const onUnknown = (): void => undefined;
    switch (kind) {
      case 'PersistentVolumeClaim':
        this.claims.set(`${namespace}/${name}`, claimOf(object, namespace, name));
        return true;
      case 'PersistentVolume':
        this.volumes.set(name, volumeOf(object, name, onUnknown));
        return true;
      case 'StorageClass': {
        this.classes.set(name, classOf(object, name));
        const annotations = objectAt(objectAt(object, 'metadata'), 'annotations', 'metadata.annotations');
        if (annotations['storageclass.kubernetes.io/is-default-class'] === 'true') this.defaultClass = name;
        return true;
      }
      default:
        return false;
    }
  }
}

function claimOf(object: Wire, namespace: string, name: string): ManifestClaim {
  const spec = objectAt(object, 'spec');
  const volumeName = textAt(spec, 'volumeName', 'spec.volumeName');
  const selector = optionalObjectAt(spec, 'selector', 'spec.selector');
  return {
    uid: textAt(objectAt(object, 'metadata'), 'uid'),
    namespace,
    name,
    className: optionalTextAt(spec, 'storageClassName', 'spec.storageClassName'),
    volumeName,
    bindCompleted: volumeName !== '',
    lost: textAt(objectAt(object, 'status'), 'phase') === 'Lost',
    terminating: false,
    accessModes: textsAt(spec, 'accessModes', 'spec.accessModes'),
    sizeBytes:
      readAmounts(objectAt(objectAt(spec, 'resources', 'spec.resources'), 'requests', 'spec.resources.requests')).get('storage') ?? 0,
    volumeMode: textAt(spec, 'volumeMode', 'spec.volumeMode') || 'Filesystem',
    attributesClass: '',
    selector: selector === null ? null : readLabelSelector(selector, 'spec.selector', () => undefined),
    selectedNode: null,
    ownerPodUid: null,
  };
}

function volumeOf(object: Wire, name: string, onUnknown: () => void): PersistentVolume {
  const spec = objectAt(object, 'spec');
  const claim = optionalObjectAt(spec, 'claimRef', 'spec.claimRef');
  const required = optionalObjectAt(objectAt(spec, 'nodeAffinity', 'spec.nodeAffinity'), 'required', 'spec.nodeAffinity.required');
  return {
    name,
    labels: textsByKeyAt(objectAt(object, 'metadata'), 'labels', 'metadata.labels'),
    className: textAt(spec, 'storageClassName', 'spec.storageClassName'),
    available: claim === null,
    terminating: false,
    capacityBytes: readAmounts(objectAt(spec, 'capacity', 'spec.capacity')).get('storage') ?? 0,
    accessModes: textsAt(spec, 'accessModes', 'spec.accessModes'),
    volumeMode: textAt(spec, 'volumeMode', 'spec.volumeMode') || 'Filesystem',
    attributesClass: '',
    claim: claim === null ? null : { namespace: textAt(claim, 'namespace'), name: textAt(claim, 'name'), uid: textAt(claim, 'uid') },
    nodeTerms: required === null ? null : readNodeTerms(required, 'spec.nodeAffinity.required', onUnknown),
    attachment: null,
  };
}

function classOf(object: Wire, name: string): StorageClass {
  const provisioner = textAt(object, 'provisioner');
  return {
    name,
    provisioner,
    waitsForConsumer: textAt(object, 'volumeBindingMode') === 'WaitForFirstConsumer',
    allowedTopologies: objectsAt(object, 'allowedTopologies').map(
      (term) =>
        new Map(
          objectsAt(term, 'matchLabelExpressions', 'allowedTopologies[].matchLabelExpressions').map((expression) => [
            textAt(expression, 'key', 'allowedTopologies[].matchLabelExpressions[].key'),
            textsAt(expression, 'values', 'allowedTopologies[].matchLabelExpressions[].values'),
          ]),
        ),
    ),
    driver: driverOf(provisioner),
  };
}
