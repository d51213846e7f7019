import type { RecommendationSpecApprovedContainer, RecommendationStatus } from '../apis/v1alpha1/index.ts';

/** The values exactly as `status.containers[].recommended` shows them, which is how spec keeps what a person decided on. */
export function recommendedValues(status: RecommendationStatus | undefined): readonly RecommendationSpecApprovedContainer[] {
  return (status?.containers ?? []).flatMap(({ name, recommended }) =>
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
