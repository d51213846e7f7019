import { resolvable, type Refusal } from '../refusal.ts';
import type { SchedulingNode, SchedulingPod } from '../scheduling-model.ts';
import type { StorageView, VolumeClaim } from './storage-model.ts';

export const TOO_MANY_VOLUMES = resolvable('node(s) exceed max volume count');

/** Refuses nodes whose CSINode limit of attached volumes would be exceeded; a volume of several pods counts once. */
export function filterVolumeLimits(pod: SchedulingPod, node: SchedulingNode, storage: StorageView): Refusal | null {
  if (pod.claims.length + pod.disks.length === 0) return null;
  const limits = storage.volumeLimits(node.name);
  if (limits.size === 0) return null;
  const added = new Map<string, string>();
  collectVolumes(pod, storage, added);
  if (added.size === 0) return null;
  const attached = new Map<string, string>();
  for (const other of node.pods.values()) collectVolumes(other, storage, attached);
  for (const id of attached.keys()) added.delete(id);
  for (const { driver, id } of storage.attachedVolumes(node.name)) attached.set(`${driver}/${id}`, driver);
  const counts = new Map<string, number>();
  for (const driver of attached.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  const more = new Map<string, number>();
  for (const driver of added.values()) more.set(driver, (more.get(driver) ?? 0) + 1);
  for (const [driver, count] of more) {
    const limit = limits.get(driver);
    if (limit !== undefined && (counts.get(driver) ?? 0) + count > limit) return TOO_MANY_VOLUMES;
  }
  return null;
}

/** Adds the volumes of a pod that a CSI driver attaches, as driver by id. */
export function collectVolumes(pod: SchedulingPod, storage: StorageView, into: Map<string, string>): void {
  for (const { id, driver } of pod.disks) if (driver !== null) into.set(`${driver}/${id}`, driver);
  for (const { name } of pod.claims) {
    const claim = storage.findClaim(pod.namespace, name);
    const volume = claim === null ? null : handleOf(claim, storage);
    if (volume !== null) into.set(`${volume.driver}/${volume.id}`, volume.driver);
  }
}

/** The volume of a claim; an unbound claim counts for the driver of its class. */
function handleOf(claim: VolumeClaim, storage: StorageView): { readonly driver: string; readonly id: string } | null {
  const volume = claim.volumeName === '' ? null : storage.findVolume(claim.volumeName);
  if (volume !== null) return volume.attachment;
  const driver = claim.className === '' ? undefined : storage.findClass(claim.className)?.driver;
  return driver === undefined || driver === '' ? null : { driver, id: `claim ${claim.namespace}/${claim.name}` };
}
