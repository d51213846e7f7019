// What a pod mounts, as far as scheduling looks at it: claims, and disks that it names itself.

import { booleanAt, objectsAt, optionalObjectAt, textAt, textsAt, type Wire } from '../wire.ts';

/** A claim that a pod mounts. */
export interface ClaimUse {
  readonly name: string;
  /** Made for this pod alone, from a template in the pod. */
  readonly ephemeral: boolean;
}

/** A claim as all pods of a template mount it: the claims of a StatefulSet, and ephemeral ones, have the name of their pod in theirs. */
export interface ClaimTemplate {
  /** Without the name of the pod. */
  readonly name: string;
  readonly podName: 'first' | 'last' | null;
  readonly ephemeral: boolean;
}

/** A disk that a pod names itself, without a claim, of a kind that cannot be mounted anywhere twice. */
export interface InlineDisk {
  readonly kind: 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi' | 'rbd' | 'other';
  /** Equal for the same disk. */
  readonly id: string;
  /** Ceph's monitors; the same image behind other monitors is another image. */
  readonly monitors: readonly string[];
  readonly readOnly: boolean;
  /** The CSI driver that attaches it by now; null when none does. */
  readonly driver: string | null;
}

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

/** The driver that attaches what a provisioner makes. */
export function driverOf(provisioner: string): string {
  return MIGRATED_DRIVERS.get(provisioner) ?? provisioner;
}

/** @throws WireError */
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

/** @throws WireError */
export function readDisks(spec: Wire): readonly InlineDisk[] {
  return objectsAt(spec, 'volumes', 'spec.volumes').flatMap((volume) => findDisk(volume) ?? []);
}

/** A disk that a volume names in one of the built-in ways, of a pod or of a PersistentVolume. @throws WireError */
export function findDisk(source: Wire): InlineDisk | null {
  for (const field in DISKS) {
    const given = optionalObjectAt(source, field);
    if (given !== null) return DISKS[field]?.(given) ?? null;
  }
  return null;
}

/** By the field of the volume. Kinds that can be mounted often count against their driver's limit all the same: `other`. */
const DISKS: Readonly<Record<string, (given: Wire) => InlineDisk>> = {
  gcePersistentDisk: (given) => ({
    ...diskOf('gcePersistentDisk', gceDiskId(textAt(given, 'pdName')), 'gce-pd'),
    readOnly: isReadOnly(given),
  }),
  awsElasticBlockStore: (given) => ({
    ...diskOf('awsElasticBlockStore', textAt(given, 'volumeID'), 'aws-ebs'),
    readOnly: isReadOnly(given),
  }),
  iscsi: (given) => ({ ...diskOf('iscsi', textAt(given, 'iqn'), null), readOnly: isReadOnly(given) }),
  rbd: (given) => {
    const pool = textAt(given, 'pool');
    const id = `${pool === '' ? 'rbd' : pool}/${textAt(given, 'image')}`;
    return { ...diskOf('rbd', id, null), readOnly: isReadOnly(given), monitors: textsAt(given, 'monitors', 'rbd.monitors') };
  },
  azureDisk: (given) => diskOf('other', textAt(given, 'diskURI'), 'azure-disk'),
  cinder: (given) => diskOf('other', textAt(given, 'volumeID'), 'cinder'),
  portworxVolume: (given) => diskOf('other', textAt(given, 'volumeID'), 'portworx-volume'),
};

function diskOf(kind: InlineDisk['kind'], id: string, provisioner: string | null): InlineDisk {
  return { kind, id, monitors: [], readOnly: false, driver: provisioner === null ? null : driverOf(`kubernetes.io/${provisioner}`) };
}

function isReadOnly(given: Wire): boolean {
  return booleanAt(given, 'readOnly');
}

function gceDiskId(pdName: string): string {
  return `projects/${UNSPECIFIED}/zones/${UNSPECIFIED}/disks/${pdName}`;
}
