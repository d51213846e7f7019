// Claims, volumes and storage drivers for scheduling decisions.

import type { Labels, LabelSelector } from '../../label-selector.ts';
import type { NodeTerm } from '../../pod-spec/affinity.ts';

/** A PersistentVolumeClaim. */
export interface VolumeClaim {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty: none. */
  readonly className: string;
  /** Empty: not bound. */
  readonly volumeName: string;
  /** Whether the volume controller has completed the binding. */
  readonly bindCompleted: boolean;
  /** Whether its volume was deleted (phase Lost). */
  readonly lost: boolean;
  readonly terminating: boolean;
  readonly accessModes: readonly string[];
  readonly sizeBytes: number;
  readonly volumeMode: string;
  readonly attributesClass: string;
  readonly selector: LabelSelector | null;
  /** The node that its volume is provisioned for; null: not selected. */
  readonly selectedNode: string | null;
  /** UID of the pod that owns an ephemeral claim; null: none. */
  readonly ownerPodUid: string | null;
}

/** A PersistentVolume. */
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
  /** `claimRef`; an empty UID matches any claim of the name. */
  readonly claim: { readonly namespace: string; readonly name: string; readonly uid: string } | null;
  /** At least one must match; null: accessible from every node. */
  readonly nodeTerms: readonly NodeTerm[] | null;
  /** CSI volume; null: no CSI driver attaches it. */
  readonly attachment: VolumeHandle | null;
}

/** A volume of a CSI driver. */
export interface VolumeHandle {
  readonly driver: string;
  readonly id: string;
}

/** A StorageClass. */
export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  /** Whether volumeBindingMode is WaitForFirstConsumer. */
  readonly waitsForConsumer: boolean;
  /** Terms of which one must match the node of a new volume, with all its keys; empty: any node. */
  readonly allowedTopologies: readonly ReadonlyMap<string, readonly string[]>[];
  /** The CSI driver that attaches its volumes. */
  readonly driver: string;
}

/** A CSIStorageCapacity: capacity for new volumes of a class. */
export interface StorageCapacity {
  readonly className: string;
  /** The nodes with access; null: none. */
  readonly nodes: LabelSelector | null;
  /** Largest volume that can be provisioned; null: unknown. */
  readonly largestBytes: number | null;
}

/** Look-ups for pods with volumes. */
export interface StorageView {
  findClaim(namespace: string, name: string): VolumeClaim | null;
  findVolume(name: string): PersistentVolume | null;
  findClass(name: string): StorageClass | null;
  volumesOfClass(className: string): readonly PersistentVolume[];
  /** Whether a driver publishes CSIStorageCapacity objects, which are required then. */
  isCapacityReported(driver: string): boolean;
  capacities(): readonly StorageCapacity[];
  /** Maximum of attached volumes of a node by driver; absent: no limit. */
  volumeLimits(node: string): ReadonlyMap<string, number>;
  /** Volumes that are attached to the node. */
  attachedVolumes(node: string): readonly VolumeHandle[];
}
