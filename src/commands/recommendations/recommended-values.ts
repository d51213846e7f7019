import type {
  RecommendationSpecApprovedContainer,
  RecommendationStatus,
  RecommendationStatusContainer,
} from '../../apis/v1alpha1/index.ts';
import { classedName } from '../../core/resize/layers/node-classes/class-name.ts';

/** maxItems of the CRD's schema. */
const MAX_VALUES = 64;

/**
 * The values of `status.containers[].recommended`, and those of each node class as `container@class`, in the form in which the spec stores
 * the values that a user has decided on.
 */
export function recommendedValues(status: RecommendationStatus | undefined): readonly RecommendationSpecApprovedContainer[] {
  const byClass = (status?.classes ?? []).flatMap(({ name, containers = [] }) =>
    valuesOf(containers).map((values) => ({ ...values, name: classedName(values.name, name) })),
  );
  return [...valuesOf(status?.containers ?? []), ...byClass].slice(0, MAX_VALUES);
}

function valuesOf(
  containers: readonly Pick<RecommendationStatusContainer, 'name' | 'recommended'>[],
): readonly RecommendationSpecApprovedContainer[] {
  return containers.flatMap(({ name, recommended }) =>
    recommended === undefined
      ? []
      : [
          {
            name,
            ...(recommended.requests === undefined ? {} : { requests: recommended.requests }),
            ...(recommended.limits === undefined ? {} : { limits: recommended.limits }),
          },
        ],
  );
}
