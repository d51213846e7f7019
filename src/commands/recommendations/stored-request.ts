import { isDeepStrictEqual } from 'node:util';
import type { RecommendationSpecApprovedContainer, RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { USER_REQUEST_EXPIRES_AFTER_MS } from '../../core/resize/model/situation.ts';
import { instantOf } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';

/**
 * Whether an approval or rejection of the same values is stored and still in force, so that repeating it changes nothing: it is not older
 * than 7 days nor ahead, and since then the values were not rolled back and no greater ones were deployed.
 */
export function isStillInForce(
  stored: { readonly at?: string; readonly containers?: readonly RecommendationSpecApprovedContainer[] } | undefined,
  values: readonly RecommendationSpecApprovedContainer[],
  status: RecommendationStatus | undefined,
  now: Instant,
): boolean {
  const at = instantOf(stored?.at);
  if (at === null || at > now || now - at >= USER_REQUEST_EXPIRES_AFTER_MS) return false;
  const hasLapsed = [status, ...(status?.classes ?? [])].some(
    (each) => at <= (instantOf(each?.rolledBack?.at) ?? -Infinity) || at === instantOf(each?.endedApprovalAt),
  );
  return !hasLapsed && isDeepStrictEqual(stored?.containers, values);
}
