import type { ControllerPorts, Stop } from './controller-ports.ts';
import { readAmount } from '../admission/amounts.ts';
import type { ObjectKey } from './object-key.ts';
import { joinKey, splitKey } from './object-key.ts';
import { watchKeys } from './owners/owner-watch.ts';
import type { Pod } from './wire/pod.ts';
import type { Claim, StorageClass, Volume } from './wire/storage.ts';
import { WorkList } from './work-list.ts';

const CLAIMS = 'persistentvolumeclaims';
const VOLUMES = 'persistentvolumes';
const CLASSES = 'storageclasses.storage.k8s.io';
const COMPONENT = 'persistentvolume-controller';
const DEFAULT_CLASS_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';
/** Annotations by which the scheduler recognizes a bound claim. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/** The default class of the embedded cluster; its volumes need no disk and no time. */
const STANDARD_CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } },
  provisioner: 'evenkeel.io/embedded',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
};

/** Binds each claim to a matching volume, provisions volumes by class, expands them, and deletes released ones. */
export function startClaims(ports: ControllerPorts): Stop {
  const { cluster, clock } = ports;
  if (cluster.get(CLASSES, null, STANDARD_CLASS.metadata.name) === undefined) cluster.create(CLASSES, STANDARD_CLASS);
  const binder = new Binder(ports);
  const work = new WorkList(clock, (key) => binder.reconcile(key));
  const stops = [
    watchKeys(cluster, CLAIMS, (key) => work.add(key)),
    cluster.onChange(VOLUMES, ({ type }) => {
      if (type === 'ADDED') for (const claim of cluster.list(CLAIMS) as readonly Claim[]) if (isUnbound(claim)) work.add(keyOfClaim(claim));
    }),
    cluster.onChange('pods', ({ type, object, previous }) => {
      // A claim with WaitForFirstConsumer waits for this.
      const pod = object as Pod;
      if (type === 'DELETED' || (previous !== undefined && (previous as Pod).spec.nodeName === pod.spec.nodeName)) return;
      for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
        if (persistentVolumeClaim !== undefined) work.add(joinKey(pod.metadata.namespace, persistentVolumeClaim.claimName));
      }
    }),
  ];
  return work.stopAfter(stops);
}

class Binder {
  readonly #ports: ControllerPorts;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
  }

  reconcile(key: ObjectKey): void {
    const { cluster } = this.#ports;
    const { namespace, name } = splitKey(key);
    const claim = cluster.get(CLAIMS, namespace, name) as Claim | undefined;
    if (claim === undefined) this.#release(namespace, name);
    else if (!isUnbound(claim)) this.#grow(claim);
    else if (claim.metadata.deletionTimestamp === undefined) this.#bind(claim);
  }

  #bind(claim: Claim): void {
    const { cluster, events } = this.#ports;
    const className = claim.spec.storageClassName;
    const found = this.#findVolume(claim);
    if (found !== undefined) {
      this.#join(claim, found);
      return;
    }
    const storageClass =
      className === undefined || className === '' ? undefined : (cluster.get(CLASSES, null, className) as StorageClass | undefined);
    if (storageClass === undefined || storageClass.provisioner === 'kubernetes.io/no-provisioner') {
      const why =
        className === undefined || className === ''
          ? 'no storage class is set'
          : `storageclass.storage.k8s.io "${className}" provisions none`;
      const message = `no persistent volumes available for this claim and ${why}`;
      events.emit(claim, COMPONENT, 'Normal', 'FailedBinding', message);
      return;
    }
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !this.#hasConsumer(claim)) {
      const message = 'waiting for first consumer to be created before binding';
      events.emit(claim, COMPONENT, 'Normal', 'WaitForFirstConsumer', message);
      return;
    }
    this.#join(claim, this.#provision(claim, storageClass));
  }

  /** A volume that an administrator created: available, of the class, with the access modes and large enough; the smallest of them. */
  #findVolume(claim: Claim): Volume | undefined {
    const wanted = readAmount(claim.spec.resources?.requests?.['storage'] ?? '0')?.nano ?? 0n;
    const sizeOf = ({ spec }: Volume): bigint => readAmount(spec.capacity?.['storage'] ?? '0')?.nano ?? 0n;
    const isSuitable = (volume: Volume): boolean => {
      const { claimRef, accessModes = [] } = volume.spec;
      if (claim.spec.volumeName !== undefined && claim.spec.volumeName !== '') return volume.metadata.name === claim.spec.volumeName;
      const isFree = claimRef === undefined || (claimRef.name === claim.metadata.name && claimRef.namespace === claim.metadata.namespace);
      return (
        isFree &&
        (volume.spec.storageClassName ?? '') === (claim.spec.storageClassName ?? '') &&
        (claim.spec.accessModes ?? []).every((mode) => accessModes.includes(mode)) &&
        sizeOf(volume) >= wanted
      );
    };
    const fitting = (this.#ports.cluster.list(VOLUMES) as readonly Volume[]).filter(isSuitable);
    return [...fitting].sort((a, b) => (sizeOf(a) < sizeOf(b) ? -1 : sizeOf(a) > sizeOf(b) ? 1 : 0))[0];
  }

  #provision(claim: Claim, storageClass: StorageClass): Volume {
    const name = `pvc-${claim.metadata.uid}`;
    const { cluster, events } = this.#ports;
    const volume = cluster.create(VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, annotations: { [PROVISIONED_BY]: storageClass.provisioner } },
      spec: {
        accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
        capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: storageClass.metadata.name,
        volumeMode: claim.spec.volumeMode ?? 'Filesystem',
        csi: { driver: storageClass.provisioner, volumeHandle: name },
      },
    });
    events.emit(claim, storageClass.provisioner, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`);
    return volume as Volume;
  }

  #join(claim: Claim, volume: Volume): void {
    const { cluster } = this.#ports;
    const { name, namespace = '', uid } = claim.metadata;
    cluster.modify(VOLUMES, null, volume.metadata.name, (draft) => {
      (draft as Volume).spec.claimRef = { ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, namespace, name, uid };
    });
    this.#phase(VOLUMES, null, volume.metadata.name, 'Bound');
    cluster.modify(CLAIMS, namespace, name, (draft) => {
      (draft as Claim).spec.volumeName = volume.metadata.name;
      draft.metadata.annotations = { ...draft.metadata.annotations, [BIND_COMPLETED]: 'yes' };
    });
    cluster.modifyStatus(CLAIMS, namespace, name, (draft) => {
      const { accessModes = [], capacity = {} } = volume.spec;
      draft['status'] = { phase: 'Bound', accessModes, capacity };
    });
  }

  /** An expansion takes effect at once: the volumes here have no file system to grow. */
  #grow(claim: Claim): void {
    const { cluster } = this.#ports;
    const { name, namespace = '' } = claim.metadata;
    const wanted = claim.spec.resources?.requests?.['storage'];
    const has = claim.status?.capacity?.['storage'];
    if (wanted === undefined || has === undefined || (readAmount(wanted)?.nano ?? 0n) <= (readAmount(has)?.nano ?? 0n)) return;
    cluster.modify(VOLUMES, null, claim.spec.volumeName ?? '', (draft) => {
      const { spec } = draft as Volume;
      spec.capacity = { ...spec.capacity, storage: wanted };
    });
    cluster.modifyStatus(CLAIMS, namespace, name, (draft) => {
      const { status } = draft as Claim;
      draft['status'] = { ...status, capacity: { ...status?.capacity, storage: wanted } };
    });
    this.#ports.events.emit(claim, COMPONENT, 'Normal', 'FileSystemResizeSuccessful', 'The volume has been expanded');
  }

  #release(namespace: string, name: string): void {
    const { cluster } = this.#ports;
    for (const volume of cluster.list(VOLUMES) as readonly Volume[]) {
      const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
      if (claimRef?.name !== name || claimRef.namespace !== namespace || claimRef.uid === undefined) continue;
      if (persistentVolumeReclaimPolicy === 'Delete') cluster.delete(VOLUMES, null, volume.metadata.name, { uid: volume.metadata.uid });
      else this.#phase(VOLUMES, null, volume.metadata.name, 'Released');
    }
  }

  #phase(resource: string, namespace: string | null, name: string, phase: string): void {
    this.#ports.cluster.modifyStatus(resource, namespace, name, (draft) => {
      draft['status'] = { ...(draft['status'] as object | undefined), phase };
    });
  }

  #hasConsumer(claim: Claim): boolean {
    const pods = this.#ports.cluster.list('pods', { namespace: claim.metadata.namespace ?? '' }) as readonly Pod[];
    return pods.some(({ spec }) => (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === claim.metadata.name));
  }
}

function isUnbound(claim: Claim): boolean {
  return claim.status?.phase !== 'Bound';
}

function keyOfClaim({ metadata }: Claim): ObjectKey {
  return joinKey(metadata.namespace, metadata.name);
}
