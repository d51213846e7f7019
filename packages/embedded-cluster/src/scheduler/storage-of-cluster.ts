import type { StorageView, VolumeHandle } from '#kube/scheduling/volumes/storage-model';
import type { ClusterAccess } from '../api/cluster-access.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { decodeCapacity, decodeClaim, decodeClass, decodeVolume, decodeVolumeLimits } from './decode-storage.ts';

/** Resources whose changes may make volumes available: pods that wait for a volume are retried. */
export const STORAGE_RESOURCES = [
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
] as const;

type Reader = Pick<ClusterAccess, 'get' | 'list'>;

/** The cluster's storage for scheduling, read and decoded per request, because few pods need it. */
export function storageOf(cluster: Reader): StorageView {
  const found = <T>(object: KubeObject | undefined, decode: (object: KubeObject) => T): T | null =>
    object === undefined ? null : decode(object);
  return {
    findClaim: (namespace, name) => found(cluster.get('persistentvolumeclaims', namespace, name), decodeClaim),
    findVolume: (name) => found(cluster.get('persistentvolumes', null, name), decodeVolume),
    findClass: (name) => found(cluster.get('storageclasses.storage.k8s.io', null, name), decodeClass),
    volumesOfClass: (className) =>
      cluster
        .list('persistentvolumes')
        .map(decodeVolume)
        .filter((volume) => volume.className === className),
    isCapacityReported: (driver) => {
      const object = cluster.get('csidrivers.storage.k8s.io', null, driver) as { spec?: { storageCapacity?: boolean } } | undefined;
      return object?.spec?.storageCapacity === true;
    },
    capacities: () => cluster.list('csistoragecapacities.storage.k8s.io').map(decodeCapacity),
    volumeLimits: (node) => decodeVolumeLimits(cluster.get('csinodes.storage.k8s.io', null, node)),
    attachedVolumes: (node) => attachedTo(cluster, node),
  };
}

interface WireAttachment {
  readonly spec: { readonly attacher: string; readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } };
}

function attachedTo(cluster: Reader, node: string): readonly VolumeHandle[] {
  const attachments = cluster.list('volumeattachments.storage.k8s.io') as unknown as readonly WireAttachment[];
  return attachments.flatMap(({ spec: { attacher, nodeName, source } }) => {
    if (nodeName !== node || source.persistentVolumeName === undefined) return [];
    const volume = cluster.get('persistentvolumes', null, source.persistentVolumeName) as
      { readonly spec: { readonly csi?: { readonly volumeHandle: string } } } | undefined;
    return volume?.spec.csi === undefined ? [] : [{ driver: attacher, id: volume.spec.csi.volumeHandle }];
  });
}
