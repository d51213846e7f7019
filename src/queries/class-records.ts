import type { RecommendationClass } from '../apis/http/types.generated.ts';
import type { RecommendationStatus } from '../apis/v1alpha1/index.ts';
import { readRequestsAndLimits } from '../core/recommendations/quantities.ts';

/** A DaemonSet's node classes in the API; empty where it is not sized by node class. */
export function classRecords(status: RecommendationStatus | undefined): readonly RecommendationClass[] {
  return (status?.classes ?? []).map(({ name, pods = 0, state = null, reason = null, message = null, containers = [] }) => ({
    name,
    pods,
    state,
    reason,
    message,
    containers: containers.map((container) => ({
      name: container.name,
      current: readRequestsAndLimits(container.current),
      recommended: readRequestsAndLimits(container.recommended),
    })),
  }));
}
