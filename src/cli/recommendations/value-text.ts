import type { RecommendationStatusContainer } from '../../apis/v1alpha1/index.ts';

/** `app: cpu 500m → 120m, memory 512Mi → 256Mi; sidecar: unchanged` */
export function describeContainers(containers: readonly RecommendationStatusContainer[]): string {
  return containers
    .filter(({ recommended }) => recommended !== undefined)
    .map(({ name, current, recommended }) => {
      const changes = (['cpu', 'memory'] as const).flatMap((resource) => {
        const [from, to] = [current?.requests?.[resource] ?? 'unset', recommended?.requests?.[resource]];
        return to === undefined || to === from ? [] : [`${resource} ${from} → ${to}`];
      });
      return `${name}: ${changes.length === 0 ? 'unchanged' : changes.join(', ')}`;
    })
    .join('; ');
}
