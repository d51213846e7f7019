import type { Recommendation } from '../../../src/apis/v1alpha1/index.ts';
import { HOUR_MS, type Instant } from '#kube/units';
import type { DashboardWorld } from '../dashboard-world.ts';

/** Makes one workload of the shop idle for three hours: a CPU request of 10m, memory unchanged. */
export function makeIdle(world: DashboardWorld, name: string, now: Instant): void {
  world.cluster.recommendationList = world.cluster.recommendationList.map((recommendation) =>
    recommendation.spec.targetRef.name === name ? idled(recommendation, now) : recommendation,
  );
}

function idled(recommendation: Recommendation, now: Instant): Recommendation {
  const natural = recommendation.status?.containers?.[0]?.current?.requests ?? {};
  return {
    ...recommendation,
    status: {
      ...recommendation.status,
      state: 'idle',
      idle: {
        since: new Date(now - 3 * HOUR_MS).toISOString(),
        replicas: 3,
        wakeTriggers: 'CPU of 10m over all replicas; also an autoscaler, a roll-out, or a user request',
        natural: [{ name: 'app', requests: natural, limits: {} }],
        sizes: [{ name: 'app', requests: { ...natural, cpu: '10m' } }],
      },
    },
  };
}
