import type { RecommendationStatus, RecommendationStatusContainer } from '../../apis/v1alpha1/index.ts';

/** `app: cpu 500m → 120m, memory limit 1Gi → 512Mi; sidecar: unchanged; app on big: cpu 2 → 1`: everything that a decision covers. */
export function describeValues(status: RecommendationStatus | undefined): string {
  const ofClasses = (status?.classes ?? []).flatMap(({ name, containers = [] }) => describeContainers(containers, ` on ${name}`));
  return [...describeContainers(status?.containers ?? []), ...ofClasses].join('; ');
}

function describeContainers(
  containers: readonly Pick<RecommendationStatusContainer, 'name' | 'current' | 'recommended'>[],
  where = '',
): readonly string[] {
  return containers.flatMap(({ name, current, recommended }) => {
    if (recommended === undefined) return [];
    const changes = (['requests', 'limits'] as const).flatMap((part) =>
      (['cpu', 'memory'] as const).flatMap((resource) => {
        const [from, to] = [current?.[part]?.[resource] ?? 'unset', recommended[part]?.[resource]];
        return to === undefined || to === from ? [] : [`${resource}${part === 'limits' ? ' limit' : ''} ${from} → ${to}`];
      }),
    );
    return [`${name}${where}: ${changes.length === 0 ? 'unchanged' : changes.join(', ')}`];
  });
}
