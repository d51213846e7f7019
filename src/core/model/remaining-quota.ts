import type { ResourceQuotaRecord } from './cluster-records.ts';
import type { OptionalResources } from '#kube/records/resources';

/**
 * What a ResourceQuota leaves of one resource, in millicores or bytes; Infinity where it does not bound it, negative where more
 * is used than it allows since it was lowered.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export function leftByQuota(
  { hardRequests, usedRequests, hardLimits, usedLimits }: ResourceQuotaRecord,
  part: 'requests' | 'limits',
  field: keyof OptionalResources,
): number {
  const [hard, used] = part === 'requests' ? [hardRequests[field], usedRequests[field]] : [hardLimits[field], usedLimits[field]];
  return hard === null ? Infinity : hard - (used ?? 0);
}
