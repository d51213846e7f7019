// Sizes at the start of pods: the startup boost, which is removed in place, and workloads that run as Jobs.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { aWorkload, ConstantWorld, TOO_LARGE } from './constant-world.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { startController } from './controller-process.ts';
import { eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

let fixture: TestFixture;
let world: ConstantWorld;

beforeAll(async () => {
  fixture = new TestFixture();
  world = await ConstantWorld.start(fixture, [aWorkload('slow-start', TOO_LARGE)]);
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

/** CPU requests of the existing pods, in millicores. */
async function cpus(app: string): Promise<readonly number[]> {
  const pods = (await world.cluster.pods(NAMESPACE)).filter(({ metadata }) => metadata.labels?.['app'] === app);
  return pods.flatMap(({ spec }) => spec.containers.map(({ resources }) => millicores(resources?.requests?.cpu)));
}

function millicores(text = ''): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
}

describe('A CronJob', () => {
  test(
    'is sized by its runs, and reports that their size is set at creation only',
    async () => {
      await world.createPolicy('report');
      await world.cluster.create(`/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`, cronJob('report'));
      const {
        message,
        containers = [],
        confidence,
      } = await world.recommendationOf(
        'report',
        'awaits a restart: admission is disabled',
        ({ state, reason }) => state === 'awaiting' && reason === 'restart',
      );
      expect(message).toContain('pods of a CronJob get new values only at creation, which requires controller.admission.enabled');
      // Every sample of a run is within a few per cent of the containers' usage.
      const [container] = containers;
      expect(millicores(container?.recommended?.requests?.cpu)).toBeGreaterThanOrEqual(200);
      expect(millicores(container?.recommended?.requests?.cpu)).toBeLessThan(400);
      expect(confidence).toBeGreaterThanOrEqual(0.25);
      for (const cpu of await cpus('report')) expect(cpu).toBe(500);
    },
    HANG_TEST_MS,
  );
});

describe('More CPU to start', () => {
  test(
    'is given to new pods, is not reported as the applied size, and is removed, also by a controller that was killed meanwhile',
    async () => {
      await world.createPolicy('slow-start', { startup: { boostRatio: 3, duration: '3h' } });
      // Memory may be changed first; this waits for the change of CPU.
      const cpuOf = ({ lastApplied }: RecommendationStatus): number => millicores(lastApplied?.containers?.[0]?.requests?.cpu ?? '500m');
      const isLowered = (status: RecommendationStatus): boolean => status.state === 'applied' && cpuOf(status) < 500;
      const inForce = cpuOf(
        await world.recommendationOf('slow-start', 'recommends less: the load is constant and far below the request', isLowered),
      );
      // Three hours after they became ready, the first pods have the applied size.
      await eventuallyReads(
        'no boost left: it ends three hours after a pod is ready',
        HANG_MS,
        () => cpus('slow-start'),
        (all) => all.length === 2 && all.every((cpu) => cpu === inForce),
      );

      const now = new Date().toISOString();
      await world.cluster.merge(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/slow-start`, {
        spec: { template: { metadata: { annotations: { restartedAt: now } } } },
      });
      // It lasts three hours of the cluster's time, 36 seconds of the machine's, so the watch sees all of it.
      await world.watch.until('a new pod with three times of it: each starts with the boost', HANG_MS, () =>
        world.watch.valuesOf('slow-start/app').some(({ requests }) => requests.cpuMillicores === inForce * 3),
      );
      await world.controller.process.kill();
      const { requests } =
        (
          await world.recommendationOf(
            'slow-start',
            'reports a boost: it is recorded before a pod has it',
            ({ boosts = [] }) => boosts.length > 0,
          )
        ).containers?.[0]?.current ?? {};
      expect(millicores(requests?.cpu)).toBeLessThanOrEqual(500);

      const again = await startController(fixture, {
        'kubernetes.kubeconfig': world.world.kubeconfig,
        'controller.leaderElect': 'false',
        'controller.warmUp': '1m',
      });
      await eventuallyReads(
        'the whole boost removed: the boost has ended, and a controller runs again',
        HANG_MS,
        () => cpus('slow-start'),
        (all) => all.length === 2 && all.every((cpu) => cpu === inForce),
      );
      await world.recommendationOf('slow-start', 'reports no boost: all have ended', ({ boosts }) => boosts === undefined);
      await again.process.kill();
    },
    HANG_TEST_MS,
  );
});

/** A CronJob that runs every 5 minutes for three minutes, with 200m and 100Mi. */
function cronJob(name: string): object {
  const labels = { app: name };
  const usage = { main: { profile: 'steady', cpu: '200m', memory: '100Mi', runSeconds: 180 } };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        spec: {
          template: {
            metadata: { labels, annotations: { 'simulator.evenkeel.io/usage': JSON.stringify(usage) } },
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'main', image: 'registry.example/report:1', resources: TOO_LARGE }],
            },
          },
        },
      },
    },
  };
}
