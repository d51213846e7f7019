import type { ClaimUse, InlineDisk, SchedulingPod } from '../../core/scheduling/scheduling-model.ts';
import type { Pod } from '../actors/wire/pod.ts';

/** CSI drivers that have taken over from what was built into Kubernetes, by the name of the built-in provisioner. */
const MIGRATED_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** What a built-in disk does not say of itself, in the words of the driver that has taken over. */
export const UNSPECIFIED = 'UNSPECIFIED';

function inlineDiskId(pdName: string): string {
  return `projects/${UNSPECIFIED}/zones/${UNSPECIFIED}/disks/${pdName}`;
}

/** The driver that attaches what a provisioner makes. */
export function driverOf(provisioner: string): string {
  return MIGRATED_DRIVERS.get(provisioner) ?? provisioner;
}

/** The built-in ways to name a disk. */
export interface DiskSource {
  readonly gcePersistentDisk?: { readonly pdName: string; readonly readOnly?: boolean };
  readonly awsElasticBlockStore?: { readonly volumeID: string; readonly readOnly?: boolean };
  readonly azureDisk?: { readonly diskURI: string };
  readonly cinder?: { readonly volumeID: string };
  readonly portworxVolume?: { readonly volumeID: string };
  readonly iscsi?: { readonly iqn: string; readonly readOnly?: boolean };
  readonly rbd?: { readonly monitors: readonly string[]; readonly pool?: string; readonly image: string; readonly readOnly?: boolean };
}

interface WireVolumeSource extends DiskSource {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

/** What a pod mounts that scheduling looks at. */
export function decodeVolumes({ metadata, spec }: Pod): Pick<SchedulingPod, 'claims' | 'disks'> {
  const volumes = (spec.volumes ?? []) as readonly WireVolumeSource[];
  return {
    claims: volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimUse[] => {
      if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
      return ephemeral === undefined ? [] : [{ name: `${metadata.name}-${name}`, ephemeral: true }];
    }),
    disks: volumes.flatMap((volume) => findDisk(volume) ?? []),
  };
}

/** A disk that a volume names in one of the built-in ways, of a pod or of a PersistentVolume. */
export function findDisk(source: DiskSource): InlineDisk | null {
  const { gcePersistentDisk, awsElasticBlockStore, iscsi, rbd } = source;
  const disk = (kind: InlineDisk['kind'], id: string, readOnly = false, driver: string | null = null): InlineDisk => ({
    ...{ kind, id, readOnly, driver },
    monitors: kind === 'rbd' ? (rbd?.monitors ?? []) : [],
  });
  if (gcePersistentDisk !== undefined)
    return disk('gcePersistentDisk', inlineDiskId(gcePersistentDisk.pdName), gcePersistentDisk.readOnly, driverOf('kubernetes.io/gce-pd'));
  if (awsElasticBlockStore !== undefined)
    return disk('awsElasticBlockStore', awsElasticBlockStore.volumeID, awsElasticBlockStore.readOnly, driverOf('kubernetes.io/aws-ebs'));
  if (iscsi !== undefined) return disk('iscsi', iscsi.iqn, iscsi.readOnly);
  if (rbd !== undefined) return disk('rbd', `${rbd.pool ?? 'rbd'}/${rbd.image}`, rbd.readOnly);
  return findOtherDisk(source, disk);
}

type DiskOf = (kind: InlineDisk['kind'], id: string, readOnly?: boolean, driver?: string | null) => InlineDisk;

/** Kinds that can be mounted often, and count against their driver's limit all the same. */
function findOtherDisk({ azureDisk, cinder, portworxVolume }: DiskSource, disk: DiskOf): InlineDisk | null {
  if (azureDisk !== undefined) return disk('other', azureDisk.diskURI, false, driverOf('kubernetes.io/azure-disk'));
  if (cinder !== undefined) return disk('other', cinder.volumeID, false, driverOf('kubernetes.io/cinder'));
  if (portworxVolume !== undefined) return disk('other', portworxVolume.volumeID, false, driverOf('kubernetes.io/portworx-volume'));
  return null;
}
