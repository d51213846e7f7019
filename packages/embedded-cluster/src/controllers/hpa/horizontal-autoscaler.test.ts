import { describe, expect, test } from '@jest/globals';
import { aDeployment } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import type { PodMetrics } from '../../api/providers.ts';
import type { Autoscaler } from '../wire/autoscaler.ts';
import type { Deployment } from '../wire/workload.ts';

/** Each pod requests 100m and has been running for a long time. */
function scaled(spec: Record<string, unknown> = {}, replicas = 2): { world: ControllerWorld; use: (cpuMillicores: number | null) => void } {
  let usage: number | null = 50;
  const podMetrics = (namespace?: string, name?: string): readonly PodMetrics[] =>
    usage === null
      ? []
      : [
          {
            namespace: namespace ?? '',
            name: name ?? '',
            labels: {},
            at: world.clock.now(),
            windowSeconds: 15,
            containers: [{ name: 'main', usage: { cpuNanocores: usage * 1e6, memoryBytes: 2 ** 26 } }],
          },
        ];
  const world: ControllerWorld = new ControllerWorld({
    controllers: { metrics: { podMetrics: (namespace, name) => podMetrics(namespace, name) } },
  });
  world.create('deployments.apps', aDeployment({ replicas }));
  world.converge();
  world.clock.advance(600_000);
  for (const name of world.podNames()) age(world, name);
  world.create('horizontalpodautoscalers.autoscaling', {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      ...spec,
    },
  });
  return {
    world,
    use: (cpuMillicores) => {
      usage = cpuMillicores;
    },
  };
}

function age(world: ControllerWorld, name: string): void {
  world.cluster.modifyStatus('pods', 'shop', name, (draft) => {
    draft['status'] = { ...(draft['status'] as object), startTime: '2026-11-01T00:00:00Z' };
  });
}

function pass(world: ControllerWorld, seconds: number): void {
  for (let second = 0; second < seconds; second += 15) {
    world.clock.advance(15_000);
    world.converge();
    for (const name of world.podNames()) age(world, name);
  }
}

const size = (world: ControllerWorld): number => (world.cluster.get('deployments.apps', 'shop', 'web') as Deployment).spec.replicas!;
const autoscaler = (world: ControllerWorld): Autoscaler =>
  world.cluster.get('horizontalpodautoscalers.autoscaling', 'shop', 'web') as Autoscaler;
const reason = (world: ControllerWorld, type: string): string | undefined =>
  autoscaler(world).status?.conditions?.find((condition) => condition.type === type)?.reason;

describe('an autoscaler', () => {
  test('does not scale a workload at its target', () => {
    const { world } = scaled();
    pass(world, 60);
    expect(size(world)).toBe(2);
    expect(autoscaler(world).status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '50m' } } }],
    });
    expect(reason(world, 'ScalingActive')).toBe('ValidMetricFound');
  });

  test('scales up at once, and reports it', () => {
    const { world, use } = scaled();
    use(100);
    pass(world, 15);
    expect(size(world)).toBe(4);
    expect(world.eventsAbout('web')).toContain(
      'SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
    );
  });

  test('scales down only after five minutes', () => {
    const { world, use } = scaled({}, 4);
    use(20);
    pass(world, 285);
    expect(size(world)).toBe(4);
    pass(world, 60);
    expect(size(world)).toBe(2);
  });

  test('never exceeds its bounds', () => {
    const { world, use } = scaled({ maxReplicas: 3 });
    use(400);
    pass(world, 60);
    expect(size(world)).toBe(3);
    expect(reason(world, 'ScalingLimited')).toBe('TooManyReplicas');
  });

  test('is disabled while the workload is scaled to zero', () => {
    const { world, use } = scaled({}, 0);
    use(400);
    pass(world, 60);
    expect(size(world)).toBe(0);
    expect(reason(world, 'ScalingActive')).toBe('ScalingDisabled');
  });

  test('does not scale without metrics, and reports the missing one', () => {
    const { world, use } = scaled();
    use(null);
    pass(world, 30);
    expect(size(world)).toBe(2);
    expect(reason(world, 'ScalingActive')).toBe('FailedGetResourceMetric');
  });

  test('does not scale down while one of its metrics is missing', () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '1' } } },
    ];
    const { world, use } = scaled({ metrics }, 4);
    use(10);
    pass(world, 600);
    expect(size(world)).toBe(4);
    use(100);
    pass(world, 15);
    expect(size(world)).toBe(8);
  });

  test.each([
    ['of that name', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' }],
    ['of that kind in the group', { apiVersion: 'apps.example.com/v1', kind: 'Deployment', name: 'web' }],
  ])('reports a missing target: nothing %s', (_, scaleTargetRef) => {
    const { world } = scaled({ scaleTargetRef });
    expect(reason(world, 'AbleToScale')).toBe('FailedGetScale');
  });

  test('does nothing but its check every 15 seconds', () => {
    const { world } = scaled();
    pass(world, 30);
    const writes = world.cluster.writes.length;
    world.clock.advance(3_600_000);
    expect(world.cluster.writes.length).toBe(writes);
  });
});
