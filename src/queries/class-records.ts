import type { RecommendationClass } from '../apis/http/types.generated.ts';
import type { RecommendationStatus } from '../apis/v1alpha1/index.ts';
import { readRequestsAndLimits } from '../core/recommendations/quantities.ts';

/** A DaemonSet's classes of nodes as the API shows them; none where they are not told apart. */
export function classRecords(status: RecommendationStatus | undefined): readonly RecommendationClass[] {
  return (status?.classes ?? []).map(({ name, pods = 0, state = null, reason = null, message = null, containers = [] }) => ({
    name,
    pods,
    state,
    reason,
    message,
    containers: containers.map((each) => ({
      name: each.name,
      current: readRequestsAndLimits(each.current),
      recommended: readRequestsAndLimits(each.recommended),
    })),
  }));
}
