import { parseMemoryBytes } from '#kube/quantity';
import { DAY_MS, GiB, type Bytes, type Instant } from '#kube/units';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import { between } from '../../clock/seeded-hash.ts';

/** The file system of a claim. */
export interface VolumeFill {
  readonly capacityBytes: Bytes;
  readonly usedBytes: Bytes;
  readonly inodes: number;
  readonly inodesUsed: number;
}

/** ext4 creates one inode for every 16 KiB. */
const BYTES_PER_INODE = 16 * 1024;
/** Upper bound of a file system's usage: a full disk is not simulated. */
const FULLEST = 0.97;

interface WireClaim {
  readonly metadata: { readonly creationTimestamp: string };
  readonly spec?: { readonly resources?: { readonly requests?: { readonly storage?: string } } };
  readonly status?: { readonly capacity?: { readonly storage?: string } };
}

/** Usage of a claim's volume: starts at a level and grows per day, both drawn from the seed. null: no such claim. */
export function volumeFill(
  cluster: Pick<ClusterAccess, 'get'>,
  seed: number,
  namespace: string,
  claim: string,
  now: Instant,
): VolumeFill | null {
  const object = cluster.get('persistentvolumeclaims', namespace, claim) as unknown as WireClaim | undefined;
  if (object === undefined) return null;
  const stated = object.status?.capacity?.storage ?? object.spec?.resources?.requests?.storage;
  const parsed = stated === undefined ? null : parseMemoryBytes(stated);
  const capacityBytes = parsed?.ok === true ? parsed.value : GiB;
  const key = `volume/${namespace}/${claim}`;
  const days = Math.max(0, (now - Date.parse(object.metadata.creationTimestamp)) / DAY_MS);
  const share = Math.min(FULLEST, between(seed, `${key}/fill`, 0.1, 0.6) + days * between(seed, `${key}/growth`, 0.0005, 0.01));
  const inodes = Math.floor(capacityBytes / BYTES_PER_INODE);
  return { capacityBytes, usedBytes: Math.floor(capacityBytes * share), inodes, inodesUsed: Math.floor(inodes * share * 0.3) };
}
