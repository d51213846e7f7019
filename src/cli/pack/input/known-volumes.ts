// Volumes as far as pools can be compared with them, and what a packing does not count of them.

import type { PersistentVolume } from '#kube/scheduling/volumes/storage-model';
import { type ManifestStorage, REGION_KEYS } from '../../../core/packing-rules/volume-reach.ts';
import type { ManifestWorkload } from './read-manifest-workloads.ts';

export interface KnownVolumes {
  readonly storage: ManifestStorage;
  readonly notes: readonly string[];
}

/** Volumes without their regions where no pool states one. @param labelKeys that pools state */
export function knownVolumes(storage: ManifestStorage, labelKeys: ReadonlySet<string>): KnownVolumes {
  if (REGION_KEYS.some((key) => labelKeys.has(key))) return { storage, notes: [] };
  const regional = [...storage.volumes.values()].filter(({ labels }) => REGION_KEYS.some((key) => Object.hasOwn(labels, key)));
  const [first] = regional;
  if (first === undefined) return { storage, notes: [] };
  const named =
    regional.length === 1 ? `volume ${first.name} has a region` : `volume ${first.name} and ${regional.length - 1} more have a region`;
  return {
    storage: {
      ...storage,
      volumes: new Map([...storage.volumes, ...regional.map((volume) => [volume.name, withoutRegion(volume)] as const)]),
    },
    notes: [`${named}, and no pool states ${REGION_KEYS[0] ?? ''}: regions are not compared`],
  };
}

function withoutRegion(volume: PersistentVolume): PersistentVolume {
  const labels = Object.fromEntries(Object.entries(volume.labels).filter(([key]) => !REGION_KEYS.includes(key)));
  return { ...volume, labels };
}

/** Nodes attach a number of volumes that pools do not state. */
export function attachNotes(workloads: readonly ManifestWorkload[]): string[] {
  return workloads.some(({ claimsOf }) => claimsOf !== null) ? [VOLUMES_NOT_COUNTED] : [];
}

export const VOLUMES_NOT_COUNTED = 'how many volumes a node can attach is not counted: pods with volumes may need more nodes';
