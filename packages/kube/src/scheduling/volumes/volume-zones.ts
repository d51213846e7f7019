import { final, type Refusal } from '../refusal.ts';
import { labelOf, type SchedulingNode } from '../scheduling-model.ts';
import type { StorageView } from './storage-model.ts';
import type { PodClaims } from './volume-claims.ts';

const OTHER_ZONE = final('node(s) had no available volume zone');

const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const OLD_REGION = 'failure-domain.beta.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const KEYS = [OLD_ZONE, OLD_REGION, ZONE, REGION];
const NEW_KEYS: ReadonlyMap<string, string> = new Map([
  [OLD_ZONE, ZONE],
  [OLD_REGION, REGION],
]);

/** Separator of the zones in a volume's label. */
const BETWEEN_ZONES = '__';

/** Zones or regions of a volume's label. */
export interface VolumeZone {
  readonly key: string;
  readonly values: readonly string[];
}

/** Zones and regions of the pod's bound volumes. */
export function zonesOf(claims: PodClaims, storage: StorageView): readonly VolumeZone[] {
  const zones: VolumeZone[] = [];
  for (const { volumeName } of claims.shared) {
    const labels = storage.findVolume(volumeName)?.labels ?? {};
    for (const key of KEYS) {
      const values = labelOf(labels, key)
        ?.split(BETWEEN_ZONES)
        .map((value) => value.trim());
      // kube-scheduler ignores a label with an empty part.
      if (values !== undefined && !values.includes('')) zones.push({ key, values });
    }
  }
  return zones;
}

/** Refuses nodes in other zones. A node without zone labels is accepted, because its cluster has one zone. */
export function filterZones(zones: readonly VolumeZone[], node: SchedulingNode): Refusal | null {
  if (zones.length === 0 || !KEYS.some((key) => labelOf(node.labels, key) !== undefined)) return null;
  for (const { key, values } of zones) {
    const value = labelOf(node.labels, key) ?? labelOf(node.labels, NEW_KEYS.get(key) ?? key);
    if (value === undefined || !values.includes(value)) return OTHER_ZONE;
  }
  return null;
}
