import type { ResourceQuotaRecord } from './cluster-records.ts';
import type { OptionalResources } from '#kube/records/resources';

/**
 * Remaining amount of a ResourceQuota for one resource, in millicores or bytes; Infinity if the quota does not limit it,
 * negative after the quota was lowered below the usage.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export function getRemainingQuota(
  { hardRequests, usedRequests, hardLimits, usedLimits }: ResourceQuotaRecord,
  part: 'requests' | 'limits',
  field: keyof OptionalResources,
): number {
  const [hard, used] = part === 'requests' ? [hardRequests[field], usedRequests[field]] : [hardLimits[field], usedLimits[field]];
  return hard === null ? Infinity : hard - (used ?? 0);
}
