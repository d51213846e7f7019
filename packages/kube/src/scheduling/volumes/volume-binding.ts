// VolumeBinding filter: bound volumes must be accessible from the node, and unbound claims need a volume to bind or to provision.

import { isLabelSelectorMatch } from '../../match-labels.ts';
import { isAnyVolumeTermMet } from '../filters/node-affinity.ts';
import { final, type Refusal } from '../refusal.ts';
import { labelOf, type SchedulingNode } from '../scheduling-model.ts';
import type { PersistentVolume, StorageClass, StorageView, VolumeClaim } from './storage-model.ts';
import type { PodClaims } from './volume-claims.ts';

const ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";
const NO_SPACE = 'node(s) did not have enough free storage';
const VOLUME_GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** Provisioner of classes without dynamic provisioning. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Refuses nodes without access to the volumes of the claims. */
export function filterVolumes(claims: PodClaims, node: SchedulingNode, storage: StorageView): Refusal | null {
  const reasons: string[] = [];
  const bound = refuseBound(claims.bound, node, storage);
  const waiting = refuseWaiting(claims.waiting, node, storage);
  // In kube-scheduler's order.
  if (bound === ELSEWHERE) reasons.push(bound);
  if (waiting !== null) reasons.push(waiting);
  if (bound === VOLUME_GONE) reasons.push(bound);
  return reasons.length === 0 ? null : final(...reasons);
}

function refuseBound(claims: readonly VolumeClaim[], node: SchedulingNode, storage: StorageView): string | null {
  for (const { volumeName } of claims) {
    const volume = storage.findVolume(volumeName);
    if (volume === null) return VOLUME_GONE;
    if (!isReachable(volume, node)) return ELSEWHERE;
  }
  return null;
}

function refuseWaiting(claims: readonly VolumeClaim[], node: SchedulingNode, storage: StorageView): string | null {
  const toProvision: VolumeClaim[] = [];
  const toMatch: VolumeClaim[] = [];
  for (const claim of claims) {
    if (claim.selectedNode === null) toMatch.push(claim);
    else if (claim.selectedNode === node.name) toProvision.push(claim);
    else return NOTHING_TO_BIND;
  }
  // The smallest claims first, each with the smallest matching volume.
  toMatch.sort((a, b) => a.sizeBytes - b.sizeBytes);
  const matchedVolumes = new Set<string>();
  for (const claim of toMatch) {
    const volume = findMatching(claim, node, storage, matchedVolumes);
    if (volume === null) toProvision.push(claim);
    else matchedVolumes.add(volume.name);
  }
  for (const claim of toProvision) {
    const refused = refuseProvisioning(claim, node, storage);
    if (refused !== null) return refused;
  }
  return null;
}

function findMatching(
  claim: VolumeClaim,
  node: SchedulingNode,
  storage: StorageView,
  matchedVolumes: ReadonlySet<string>,
): PersistentVolume | null {
  let smallest: PersistentVolume | null = null;
  for (const volume of storage.volumesOfClass(claim.className)) {
    if (matchedVolumes.has(volume.name) || !canServe(volume, claim)) continue;
    // A volume that is reserved for the claim is its only candidate.
    if (volume.claim !== null) return isReachable(volume, node) ? volume : null;
    const free = volume.available && claim.accessModes.every((mode) => volume.accessModes.includes(mode));
    if (!free || (claim.selector !== null && !isLabelSelectorMatch(claim.selector, volume.labels))) continue;
    if (isReachable(volume, node) && (smallest === null || volume.capacityBytes < smallest.capacityBytes)) smallest = volume;
  }
  return smallest;
}

function canServe(volume: PersistentVolume, claim: VolumeClaim): boolean {
  if (volume.claim !== null) {
    const { namespace, name, uid } = volume.claim;
    if (namespace !== claim.namespace || name !== claim.name || (uid !== '' && uid !== claim.uid)) return false;
  }
  return (
    !volume.terminating &&
    volume.capacityBytes >= claim.sizeBytes &&
    volume.volumeMode === claim.volumeMode &&
    volume.attributesClass === claim.attributesClass
  );
}

function refuseProvisioning(claim: VolumeClaim, node: SchedulingNode, storage: StorageView): string | null {
  const storageClass = storage.findClass(claim.className);
  if (storageClass === null || storageClass.provisioner === '' || storageClass.provisioner === NO_PROVISIONER) return NOTHING_TO_BIND;
  if (!isTopologyAllowed(storageClass, node)) return NOTHING_TO_BIND;
  return hasCapacity(claim, storageClass, node, storage) ? null : NO_SPACE;
}

function isTopologyAllowed({ allowedTopologies }: StorageClass, node: SchedulingNode): boolean {
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some((term) => {
    if (term.size === 0) return false;
    for (const [key, values] of term) {
      const value = labelOf(node.labels, key);
      if (value === undefined || !values.includes(value)) return false;
    }
    return true;
  });
}

/** Only for drivers that publish capacity (KEP-1472). */
function hasCapacity(claim: VolumeClaim, { name, provisioner }: StorageClass, node: SchedulingNode, storage: StorageView): boolean {
  if (!storage.isCapacityReported(provisioner)) return true;
  return storage
    .capacities()
    .some(
      ({ className, nodes, largestBytes }) =>
        className === name &&
        largestBytes !== null &&
        largestBytes >= claim.sizeBytes &&
        nodes !== null &&
        isLabelSelectorMatch(nodes, node.labels),
    );
}

function isReachable({ nodeTerms }: PersistentVolume, node: SchedulingNode): boolean {
  return nodeTerms === null || isAnyVolumeTermMet(nodeTerms, node.labels);
}
