import type { NodeSelectorTerm } from '../actors/wire/pod.ts';
import type { ClusterAccess } from '../api/cluster-access.ts';
import { decodeNodeTerm } from './decode-pod.ts';
import { matchesNodeTerm } from './node-filters.ts';
import type { SchedulingNode, SchedulingPod } from './scheduling-model.ts';

interface WireClaim {
  readonly spec?: { readonly volumeName?: string };
}
interface WireVolume {
  readonly spec?: { readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } } };
}

/** A pod waits for its claims to exist. */
export function findMissingClaim(cluster: Pick<ClusterAccess, 'get'>, pod: SchedulingPod): string | null {
  return pod.claims.find((name) => cluster.get('persistentvolumeclaims', pod.namespace, name) === undefined) ?? null;
}

/**
 * Whether a claim keeps the pod off a node: a bound volume does on nodes that it cannot be attached to. A claim not bound
 * yet keeps it off none: its volume is made where the pod goes.
 */
export function volumeConflict(cluster: Pick<ClusterAccess, 'get'>, pod: SchedulingPod, node: SchedulingNode): string | null {
  for (const name of pod.claims) {
    const claim = cluster.get('persistentvolumeclaims', pod.namespace, name) as WireClaim | undefined;
    const volumeName = claim?.spec?.volumeName ?? '';
    if (volumeName === '') continue;
    const volume = cluster.get('persistentvolumes', null, volumeName) as WireVolume | undefined;
    const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms;
    if (terms !== undefined && !terms.some((term) => matchesNodeTerm(decodeNodeTerm(term), node)))
      return 'node(s) had volume node affinity conflict';
  }
  return null;
}
