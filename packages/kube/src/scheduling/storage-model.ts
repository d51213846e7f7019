// What scheduling reads of claims, volumes and drivers.

import type { Labels, LabelSelector } from '../label-selector.ts';
import type { NodeTerm } from '../pod-spec/affinity.ts';

export interface VolumeClaim {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty: none. */
  readonly className: string;
  /** Empty: no volume has been chosen. */
  readonly volumeName: string;
  /** The volume controller has finished binding it. */
  readonly bindCompleted: boolean;
  /** Its volume is gone. */
  readonly lost: boolean;
  readonly terminating: boolean;
  readonly accessModes: readonly string[];
  readonly sizeBytes: number;
  readonly volumeMode: string;
  readonly attributesClass: string;
  readonly selector: LabelSelector | null;
  /** The node that its volume is being made for; null: not chosen. */
  readonly selectedNode: string | null;
  /** Of the pod whose template it was made from; null: of none. */
  readonly ownerPodUid: string | null;
}

export interface PersistentVolume {
  readonly name: string;
  readonly labels: Labels;
  readonly className: string;
  readonly available: boolean;
  readonly terminating: boolean;
  readonly capacityBytes: number;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
  readonly attributesClass: string;
  /** The claim that it is for; an empty uid means whichever has the name. */
  readonly claim: { readonly namespace: string; readonly name: string; readonly uid: string } | null;
  /** Any of them must match; null: it can be had everywhere. */
  readonly nodeTerms: readonly NodeTerm[] | null;
  /** Attached by a CSI driver; null when by none. */
  readonly attachment: VolumeHandle | null;
}

export interface VolumeHandle {
  readonly driver: string;
  readonly id: string;
}

export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  /** Volumes are chosen or made when the first consumer is placed. */
  readonly waitsForConsumer: boolean;
  /** Any of them must match the node that a volume is made for; none: everywhere. Within one, all keys. */
  readonly allowedTopologies: readonly ReadonlyMap<string, readonly string[]>[];
  /** The CSI driver that attaches its volumes. */
  readonly driver: string;
}

/** Room that a driver reports for new volumes of a class. */
export interface StorageCapacity {
  readonly className: string;
  /** The nodes that can reach it; null: none can. */
  readonly nodes: LabelSelector | null;
  /** The greatest volume that can be made; null where it is not known. */
  readonly largestBytes: number | null;
}

/** Look-ups; each is asked for pods with volumes alone. */
export interface StorageView {
  findClaim(namespace: string, name: string): VolumeClaim | null;
  findVolume(name: string): PersistentVolume | null;
  findClass(name: string): StorageClass | null;
  volumesOfClass(className: string): readonly PersistentVolume[];
  /** Whether a driver reports capacity, so that it must be looked at. */
  reportsCapacity(driver: string): boolean;
  capacities(): readonly StorageCapacity[];
  /** How many volumes of each driver the node can have attached; a driver that is missing has no limit. */
  volumeLimits(node: string): ReadonlyMap<string, number>;
  /** Attached to the node by now, whichever pod it was for. */
  attachedVolumes(node: string): readonly VolumeHandle[];
}
