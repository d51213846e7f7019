// From which nodes the volume of a claim can be reached: by the node affinity and zone labels of its PersistentVolume, or by the topologies
// in which its StorageClass creates one.

import type { Labels } from '#kube/label-selector';
import { isEveryRequirementMet } from '#kube/match-labels';
import type { PersistentVolume, StorageClass, VolumeClaim } from '#kube/scheduling/volumes/storage-model';

/** A claim of the manifests. */
export interface ManifestClaim extends Omit<VolumeClaim, 'className'> {
  /** Empty: it binds to a volume that exists; null: it has the default class. */
  readonly className: string | null;
}

/** Claims, volumes and classes of the manifests. */
export interface ManifestStorage {
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, ManifestClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  /** Class of claims that name none; null: unknown. */
  readonly defaultClass: string | null;
}

/** A claim that a pod mounts. */
export interface ClaimNeed {
  readonly namespace: string;
  readonly name: string;
  /** The class of a claim that is created with the pod; null: its class is the default one; undefined: it is not created with the pod. */
  readonly createdWithClass?: string | null;
}

export type VolumeReach =
  | {
      readonly kind: 'known';
      readonly isReachable: (labels: Labels) => boolean;
      /** The claim as the scheduler sees it; null: it is bound before a pod is scheduled, to a volume that does not exist yet. */
      readonly claim: VolumeClaim | null;
      /** What is not known of the place; null: all is. */
      readonly note: string | null;
    }
  /** Nothing is known of where the volume is. */
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'unusable'; readonly why: string };

const ZONE_SEPARATOR = '__';
export const REGION_KEYS: readonly string[] = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];
/** Labels of a volume for the places from which it is reached. */
const PLACE_KEYS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone', ...REGION_KEYS];
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** @param labelKeys that pools state: by others a volume's place cannot be compared */
export function reachOf(need: ClaimNeed, storage: ManifestStorage, labelKeys: ReadonlySet<string>): VolumeReach {
  const claim = storage.claims.get(`${need.namespace}/${need.name}`) ?? createdClaim(need);
  if (claim === null) return unknown('is not in the file');
  if (claim.lost) return { kind: 'unusable', why: 'has lost its volume' };
  const volumeName = claim.volumeName === '' ? reservedVolume(claim, storage) : claim.volumeName;
  if (volumeName !== null) return reachOfVolume({ ...claim, volumeName, bindCompleted: true }, storage, labelKeys);
  return reachOfClass(claim, storage, labelKeys);
}

function unknown(why: string): VolumeReach {
  return { kind: 'unknown', why };
}

function createdClaim({ namespace, name, createdWithClass }: ClaimNeed): ManifestClaim | null {
  if (createdWithClass === undefined) return null;
  return {
    ...{
      uid: '',
      namespace,
      name,
      className: createdWithClass,
      volumeName: '',
      bindCompleted: false,
      lost: false,
      terminating: false,
    },
    ...{
      accessModes: [],
      sizeBytes: 0,
      volumeMode: 'Filesystem',
      attributesClass: '',
      selector: null,
      selectedNode: null,
      ownerPodUid: null,
    },
  };
}

/** The volume whose `claimRef` names the claim. */
function reservedVolume({ namespace, name }: ManifestClaim, { volumes }: ManifestStorage): string | null {
  for (const volume of volumes.values()) if (volume.claim?.namespace === namespace && volume.claim.name === name) return volume.name;
  return null;
}

function reachOfVolume(claim: ManifestClaim, { volumes }: ManifestStorage, labelKeys: ReadonlySet<string>): VolumeReach {
  const volume = volumes.get(claim.volumeName);
  if (volume === undefined) return unknown(`is bound to the volume ${claim.volumeName}, which was not found`);
  const missing = keysOfVolume(volume).find((key) => !labelKeys.has(key));
  if (missing !== undefined) return unknown(`is bound to the volume ${volume.name}, whose place is by ${missing}, which no pool states`);
  return {
    kind: 'known',
    isReachable: (labels) => isVolumeReachable(volume, labels),
    claim: { ...claim, className: claim.className ?? '' },
    note: null,
  };
}

function keysOfVolume({ nodeTerms, labels }: PersistentVolume): string[] {
  const ofTerms = (nodeTerms ?? []).flatMap((term) => term.labels.map(({ key }) => key));
  return [...ofTerms, ...PLACE_KEYS.filter((key) => Object.hasOwn(labels, key)).map((key) => currentKey(key))];
}

/** Labels of nodes that are older than Kubernetes 1.17 count as the present ones. */
function currentKey(key: string): string {
  return key.replace('failure-domain.beta.', 'topology.');
}

function isVolumeReachable({ nodeTerms, labels: ofVolume }: PersistentVolume, labels: Labels): boolean {
  const isInZone = PLACE_KEYS.every((key) => {
    const zones = Object.hasOwn(ofVolume, key) ? ofVolume[key]?.split(ZONE_SEPARATOR) : undefined;
    return zones === undefined || zones.some((zone) => zone.trim() === (labels[key] ?? labels[currentKey(key)]));
  });
  return isInZone && (nodeTerms === null || nodeTerms.some((term) => term.labels.length > 0 && isEveryRequirementMet(term.labels, labels)));
}

/** A claim without a volume. */
function reachOfClass(claim: ManifestClaim, storage: ManifestStorage, labelKeys: ReadonlySet<string>): VolumeReach {
  const className = claim.className ?? storage.defaultClass;
  if (className === null) return unknown('names no StorageClass, and the file has no default one');
  if (className === '') return unknown('has the empty StorageClass, with which it binds to a volume that exists');
  const storageClass = storage.classes.get(className);
  if (storageClass === undefined) return unknown(`has the StorageClass ${className}, which was not found`);
  if (storageClass.provisioner === NO_PROVISIONER) return unknown(`has the StorageClass ${className}, which creates no volumes`);
  const { allowedTopologies, waitsForConsumer } = storageClass;
  const missing = allowedTopologies.flatMap((term) => [...term.keys()]).find((key) => !labelKeys.has(key));
  if (missing !== undefined) return unknown(`has the StorageClass ${className}, whose topologies are by ${missing}, which no pool states`);
  if (!waitsForConsumer && allowedTopologies.length !== 1) {
    return unknown(`has the StorageClass ${className}, which creates the volume before the pod is placed, anywhere`);
  }
  return {
    kind: 'known',
    isReachable: (labels) => allowedTopologies.length === 0 || allowedTopologies.some((term) => isTopologyMet(term, labels)),
    claim: waitsForConsumer ? { ...claim, className } : null,
    note:
      waitsForConsumer || isOnePlace(allowedTopologies)
        ? null
        : `has the StorageClass ${className}, which creates the volume before the pod is placed, in one of several places`,
  };
}

function isTopologyMet(term: ReadonlyMap<string, readonly string[]>, labels: Labels): boolean {
  return term.size > 0 && [...term].every(([key, values]) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? ''));
}

function isOnePlace(terms: readonly ReadonlyMap<string, readonly string[]>[]): boolean {
  return terms.every((term) => [...term.values()].every((values) => values.length === 1));
}
