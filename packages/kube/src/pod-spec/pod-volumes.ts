// Volumes of a pod that scheduling depends on: claims and inline disks.

import { booleanAt, objectsAt, optionalObjectAt, textAt, textsAt, type Wire } from '../wire.ts';

/** A claim that a pod mounts. */
export interface ClaimUse {
  readonly name: string;
  /** Whether it is a generic ephemeral volume of the pod. */
  readonly ephemeral: boolean;
}

/** A claim in a form that all pods of a template share: names of StatefulSet claims and ephemeral ones include the pod's name. */
export interface ClaimTemplate {
  /** Name without that of the pod. */
  readonly name: string;
  readonly podName: 'first' | 'last' | null;
  readonly ephemeral: boolean;
}

/** An inline disk of a pod or PersistentVolume, of a kind that scheduling restricts. */
export interface InlineDisk {
  readonly kind: 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi' | 'rbd' | 'other';
  /** Equal for the same disk. */
  readonly id: string;
  /** Ceph monitors: an image on other monitors is another disk. */
  readonly monitors: readonly string[];
  readonly readOnly: boolean;
  /** The CSI driver that attaches it; null: none. */
  readonly driver: string | null;
}

/** CSI drivers that replace built-in provisioners (CSI migration). */
const MIGRATED_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** Placeholder of the migrated driver for unspecified parts of a disk's id. */
export const UNSPECIFIED = 'UNSPECIFIED';

/** The CSI driver that attaches the volumes of a provisioner. */
export function driverOf(provisioner: string): string {
  return MIGRATED_DRIVERS.get(provisioner) ?? provisioner;
}

/** Parses the claims of a pod spec. @throws WireError */
export function readClaims(spec: Wire, podName: string): readonly ClaimTemplate[] {
  return objectsAt(spec, 'volumes', 'spec.volumes').flatMap((volume): ClaimTemplate[] => {
    const claim = optionalObjectAt(volume, 'persistentVolumeClaim', 'spec.volumes[].persistentVolumeClaim');
    if (claim !== null) {
      const name = textAt(claim, 'claimName', 'spec.volumes[].persistentVolumeClaim.claimName');
      const isOfPod = name.endsWith(`-${podName}`);
      return [{ name: isOfPod ? name.slice(0, -podName.length) : name, podName: isOfPod ? 'last' : null, ephemeral: false }];
    }
    if (optionalObjectAt(volume, 'ephemeral', 'spec.volumes[].ephemeral') === null) return [];
    return [{ name: `-${textAt(volume, 'name', 'spec.volumes[].name')}`, podName: 'first', ephemeral: true }];
  });
}

/** The claims of one pod of a template. */
export function claimsOf(templates: readonly ClaimTemplate[], pod: string): readonly ClaimUse[] {
  return templates.map(({ name, podName, ephemeral }) => ({
    name: podName === null ? name : podName === 'first' ? `${pod}${name}` : `${name}${pod}`,
    ephemeral,
  }));
}

/** Parses the inline disks of a pod spec. @throws WireError */
export function readDisks(spec: Wire): readonly InlineDisk[] {
  return objectsAt(spec, 'volumes', 'spec.volumes').flatMap((volume) => findDisk(volume) ?? []);
}

/** Finds the inline disk of a pod's volume or a PersistentVolume; null: none. @throws WireError */
export function findDisk(source: Wire): InlineDisk | null {
  for (const field in DISKS) {
    const given = optionalObjectAt(source, field);
    if (given !== null) return DISKS[field]?.(given) ?? null;
  }
  return null;
}

/** Parsers by field of the volume. Kinds without a restriction on mounts are `other`, and count for the driver's limit. */
const DISKS: Readonly<Record<string, (disk: Wire) => InlineDisk>> = {
  gcePersistentDisk: (disk) => ({
    ...diskOf('gcePersistentDisk', gceDiskId(textAt(disk, 'pdName')), 'gce-pd'),
    readOnly: isReadOnly(disk),
  }),
  awsElasticBlockStore: (disk) => ({
    ...diskOf('awsElasticBlockStore', textAt(disk, 'volumeID'), 'aws-ebs'),
    readOnly: isReadOnly(disk),
  }),
  iscsi: (disk) => ({ ...diskOf('iscsi', textAt(disk, 'iqn'), null), readOnly: isReadOnly(disk) }),
  rbd: (disk) => {
    const pool = textAt(disk, 'pool');
    const id = `${pool === '' ? 'rbd' : pool}/${textAt(disk, 'image')}`;
    return { ...diskOf('rbd', id, null), readOnly: isReadOnly(disk), monitors: textsAt(disk, 'monitors', 'rbd.monitors') };
  },
  azureDisk: (disk) => diskOf('other', textAt(disk, 'diskURI'), 'azure-disk'),
  cinder: (disk) => diskOf('other', textAt(disk, 'volumeID'), 'cinder'),
  portworxVolume: (disk) => diskOf('other', textAt(disk, 'volumeID'), 'portworx-volume'),
};

function diskOf(kind: InlineDisk['kind'], id: string, provisioner: string | null): InlineDisk {
  return { kind, id, monitors: [], readOnly: false, driver: provisioner === null ? null : driverOf(`kubernetes.io/${provisioner}`) };
}

function isReadOnly(disk: Wire): boolean {
  return booleanAt(disk, 'readOnly');
}

function gceDiskId(pdName: string): string {
  return `projects/${UNSPECIFIED}/zones/${UNSPECIFIED}/disks/${pdName}`;
}
