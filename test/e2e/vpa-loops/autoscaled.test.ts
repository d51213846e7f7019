// Problems that users of VPA and KRR report about workloads with a HorizontalPodAutoscaler, played with default settings.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anHpa, daytime, LoopScene, resources, type LoopWorkload } from './scene.ts';
import { HANG_TEST_MS } from '../../eventually.ts';

const HOURS = 40;
/** Target in percent of the request, which a replica uses most of the time. */
const UTILIZATION = 60;

/** The load of four replicas, with and without an autoscaler. */
const served = (name: string, request: string): LoopWorkload => ({
  kind: 'Deployment',
  name,
  replicas: 4,
  resources: resources([request, '512Mi'], [null, '1Gi']),
  uses: (hour) => ({ cpuMillicores: 120 + 180 * daytime(hour), memoryMib: 160 }),
});

interface Scaler {
  readonly spec: { readonly metrics: readonly { readonly resource: { readonly target: { readonly averageUtilization: number } } }[] };
}

describe('workloads with a HorizontalPodAutoscaler', () => {
  let scene: LoopScene | undefined;
  /** Replica counts at the same hours of the day, before and with Evenkeel. */
  const before: number[] = [];
  const since: number[] = [];

  beforeAll(async () => {
    scene = await LoopScene.start({
      workloads: [served('web', '500m')],
      objects: [anHpa('web', UTILIZATION, [2, 12])],
      nodes: 4,
      maxDays: 3,
      onPastHour: (past, hoursLeft) => {
        if (hoursLeft < 24) before.push(past.pods('web').length);
      },
    });
    for (let hour = 0; hour < HOURS; hour++) {
      await scene.hours(1);
      if (hour >= HOURS - 24) since.push(scene.pods('web').length);
    }
  }, HANG_TEST_MS);
  afterAll(() => scene?.end());

  // kubernetes/autoscaler#6060, #6247, #8493: HPA and VPA on the same workload work against each other.
  test('get lower requests, and have as many replicas as before at the same hours of the day', () => {
    for (const { cpu, memory } of scene!.inForce('web')) {
      expect(memory).toBeLessThan(256);
      expect(cpu).toBeLessThan(500);
    }
    const day = (replicas: readonly number[]): readonly number[] =>
      Array.from({ length: 24 }, (_, hour) => replicas[hour] ?? 0).sort((a, b) => a - b);
    for (const [index, replicas] of day(since).entries()) expect(Math.abs(replicas - (day(before)[index] ?? 0))).toBeLessThanOrEqual(1);
    const scaler = scene!.list('horizontalpodautoscalers.autoscaling')[0] as unknown as Scaler;
    expect(scaler.spec.metrics[0]?.resource.target.averageUtilization).toBeGreaterThan(UTILIZATION);
  });

  // robusta-dev/krr#169, #198, #206: no advice for a workload with an autoscaler.
  test('have a recommendation, CPU and memory', () => {
    const { requests } = scene!.recommendation('web');
    expect(requests?.recommended).toMatchObject({ cpu: expect.stringMatching(/^\d+m?$/), memory: expect.stringMatching(/^\d+Mi$/) });
  });

  test('no pod was evicted', () => {
    expect(scene!.evictions()).toBe(0);
  });
});
