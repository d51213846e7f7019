// Claims, volumes, classes and drivers, decoded for scheduling.

import type { LabelSelector } from '#kube/label-selector';
import { readNodeTerms } from '#kube/pod-spec/affinity';
import { driverOf, findDisk, UNSPECIFIED } from '#kube/pod-spec/pod-volumes';
import type { Wire } from '#kube/wire';
import { parseMemoryBytes } from '#kube/quantity';
import type { PersistentVolume, StorageCapacity, StorageClass, VolumeClaim } from '#kube/scheduling/volumes/storage-model';
import type { KubeObject } from '../api/kube-object.ts';

/** Set by the volume controller when a claim and its volume are bound to each other. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Older than `storageClassName`, and takes precedence. */
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

interface WireClaim extends KubeObject {
  readonly spec: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly volumeAttributesClassName?: string;
    readonly selector?: LabelSelector;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly phase?: string };
}
interface WireVolume extends KubeObject {
  readonly spec: {
    readonly nodeAffinity?: { readonly required?: Wire };
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
    readonly capacity?: Readonly<Record<string, string>>;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
    readonly gcePersistentDisk?: { readonly pdName: string };
  };
  readonly status?: { readonly phase?: string };
}
interface WireClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}
interface WireCapacity extends KubeObject {
  readonly storageClassName: string;
  readonly nodeTopology?: LabelSelector;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
}
interface WireCsiNode extends KubeObject {
  readonly spec?: { readonly drivers?: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[] };
}

export function decodeClaim(object: KubeObject): VolumeClaim {
  const { metadata, spec, status } = object as WireClaim;
  const terms = decodeVolumeTerms(spec);
  return {
    ...terms,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    className: metadata.annotations?.[BETA_CLASS] ?? terms.className,
    volumeName: spec.volumeName ?? '',
    bindCompleted: metadata.annotations?.[BIND_COMPLETED] !== undefined,
    lost: status?.phase === 'Lost',
    terminating: metadata.deletionTimestamp !== undefined,
    sizeBytes: bytesOf(spec.resources?.requests?.['storage']),
    selector: spec.selector ?? null,
    selectedNode: metadata.annotations?.[SELECTED_NODE] ?? null,
    ownerPodUid: metadata.ownerReferences?.find(({ kind, controller }) => kind === 'Pod' && controller === true)?.uid ?? null,
  };
}

/** Fields that a claim requests and a volume offers. */
function decodeVolumeTerms(
  spec: WireClaim['spec'] | WireVolume['spec'],
): Pick<PersistentVolume, 'className' | 'accessModes' | 'volumeMode' | 'attributesClass'> {
  return {
    className: spec.storageClassName ?? '',
    accessModes: spec.accessModes ?? [],
    volumeMode: spec.volumeMode ?? 'Filesystem',
    attributesClass: spec.volumeAttributesClassName ?? '',
  };
}

export function decodeVolume(object: KubeObject): PersistentVolume {
  const { metadata, spec, status } = object as WireVolume;
  const { claimRef, csi } = spec;
  const required = spec.nodeAffinity?.required;
  const offer = decodeVolumeTerms(spec);
  return {
    ...offer,
    name: metadata.name,
    labels: metadata.labels ?? {},
    className: metadata.annotations?.[BETA_CLASS] ?? offer.className,
    available: status?.phase === 'Available',
    terminating: metadata.deletionTimestamp !== undefined,
    capacityBytes: bytesOf(spec.capacity?.['storage']),
    claim: claimRef === undefined ? null : { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '', uid: claimRef.uid ?? '' },
    nodeTerms: required === undefined ? null : readNodeTerms(required, 'spec.nodeAffinity.required', () => undefined),
    attachment: csi !== undefined ? { driver: csi.driver, id: csi.volumeHandle } : diskAttachment(object as WireVolume),
  };
}

/** A built-in disk is attached by its CSI driver after migration; null when no driver can attach it. */
function diskAttachment({ metadata, spec }: WireVolume): PersistentVolume['attachment'] {
  const disk = findDisk(spec);
  if (disk?.driver === undefined || disk.driver === null) return null;
  if (disk.kind !== 'gcePersistentDisk') return { driver: disk.driver, id: disk.id };
  const labels = metadata.labels ?? {};
  const zones = (labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? '').split('__');
  const place = zones.length === 1 ? `zones/${zones[0] === '' ? UNSPECIFIED : (zones[0] ?? '')}` : regionOf(zones);
  return place === null
    ? null
    : { driver: disk.driver, id: `projects/${UNSPECIFIED}/${place}/disks/${spec.gcePersistentDisk?.pdName ?? ''}` };
}

/** A disk of several zones belongs to their common region; zones without Google's naming have none. */
function regionOf(zones: readonly string[]): string | null {
  const regions = new Set(zones.map((zone) => /^([^-]*-[^-]*)-[^-]*$/.exec(zone)?.[1]));
  const [region] = regions;
  return regions.size === 1 && region !== undefined ? `regions/${region}` : null;
}

export function decodeClass(object: KubeObject): StorageClass {
  const { metadata, provisioner, volumeBindingMode, allowedTopologies } = object as WireClass;
  return {
    name: metadata.name,
    provisioner,
    waitsForConsumer: volumeBindingMode === 'WaitForFirstConsumer',
    allowedTopologies: (allowedTopologies ?? []).map(
      ({ matchLabelExpressions }) => new Map((matchLabelExpressions ?? []).map(({ key, values }) => [key, values])),
    ),
    driver: driverOf(provisioner),
  };
}

export function decodeCapacity(object: KubeObject): StorageCapacity {
  const { storageClassName, nodeTopology, capacity, maximumVolumeSize } = object as WireCapacity;
  const largest = maximumVolumeSize ?? capacity;
  return {
    className: storageClassName,
    nodes: nodeTopology ?? null,
    largestBytes: largest === undefined ? null : bytesOf(largest),
  };
}

/** Attach limit of each driver on a node; drivers without a limit are left out. */
export function decodeVolumeLimits(object: KubeObject | undefined): ReadonlyMap<string, number> {
  const drivers = (object as WireCsiNode | undefined)?.spec?.drivers ?? [];
  return new Map(
    drivers.flatMap(({ name, allocatable }) => (allocatable?.count === undefined ? [] : [[name, allocatable.count] as const])),
  );
}

function bytesOf(text: string | undefined): number {
  const parsed = parseMemoryBytes(text ?? '0');
  return parsed.ok ? parsed.value : 0;
}
