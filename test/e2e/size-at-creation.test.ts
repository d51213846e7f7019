// What has to do with how pods begin: more CPU while they start and back in place, and work that comes in runs.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { aWorkload, ConstantWorld, TOO_LARGE } from './constant-world.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { startController } from './controller-process.ts';
import { eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

let fixture: TestFixture;
let here: ConstantWorld;

beforeAll(async () => {
  fixture = new TestFixture();
  here = await ConstantWorld.start(fixture, [aWorkload('slow-start', TOO_LARGE)]);
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

/** CPU requests of the pods that live, in millicores. */
async function cpus(app: string): Promise<readonly number[]> {
  const pods = (await here.cluster.pods(NAMESPACE)).filter(({ metadata }) => metadata.labels?.['app'] === app);
  return pods.flatMap(({ spec }) => spec.containers.map(({ resources }) => millicores(resources?.requests?.cpu)));
}

function millicores(text = ''): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
}

describe('A CronJob', () => {
  test(
    'is learnt by its runs, and reports that their size is set at creation only',
    async () => {
      await here.createPolicy('report');
      await here.cluster.create(`/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`, cronJob('report'));
      const {
        message,
        containers = [],
        confidence,
      } = await here.recommendationOf(
        'report',
        'awaits a restart: admission is disabled',
        ({ state, reason }) => state === 'awaiting' && reason === 'restart',
      );
      expect(message).toContain('pods of a CronJob get new values only at creation, which requires controller.admission.enabled');
      // Every reading of a run is within a few per cent of what its containers use.
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
    'is given to new pods, is nowhere taken for what is in force, and is taken back, also by a controller that was killed meanwhile',
    async () => {
      await here.createPolicy('slow-start', { startup: { boostRatio: 3, duration: '3h' } });
      // Memory alone may have been changed first: the change waited for is the one of CPU.
      const cpuOf = ({ lastApplied }: RecommendationStatus): number => millicores(lastApplied?.containers?.[0]?.requests?.cpu ?? '500m');
      const lowered = (status: RecommendationStatus): boolean => status.state === 'applied' && cpuOf(status) < 500;
      const inForce = cpuOf(
        await here.recommendationOf('slow-start', 'recommends less: the load is constant and far below the request', lowered),
      );
      // Three hours after they became ready the first pods have what is in force and no more.
      await eventuallyReads(
        'no boost left: it ends three hours after a pod is ready',
        HANG_MS,
        () => cpus('slow-start'),
        (all) => all.length === 2 && all.every((cpu) => cpu === inForce),
      );

      const now = new Date().toISOString();
      await here.cluster.merge(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/slow-start`, {
        spec: { template: { metadata: { annotations: { restartedAt: now } } } },
      });
      // It has them for three hours of the cluster's time, 36 seconds of the machine's: the watch misses none of it.
      await here.watch.until('a new pod with three times of it: each starts with the boost', HANG_MS, () =>
        here.watch.valuesOf('slow-start/app').some(({ requests }) => requests.cpuMillicores === inForce * 3),
      );
      await here.controller.process.kill();
      const { requests } =
        (
          await here.recommendationOf(
            'slow-start',
            'reports a boost: it is recorded before a pod has it',
            ({ boosts = [] }) => boosts.length > 0,
          )
        ).containers?.[0]?.current ?? {};
      expect(millicores(requests?.cpu)).toBeLessThanOrEqual(500);

      const again = await startController(fixture, {
        'kubernetes.kubeconfig': here.world.kubeconfig,
        'controller.leaderElect': 'false',
        'controller.warmUp': '1m',
      });
      await eventuallyReads(
        'all of it given back: the boost has ended, and a controller runs again',
        HANG_MS,
        () => cpus('slow-start'),
        (all) => all.length === 2 && all.every((cpu) => cpu === inForce),
      );
      await here.recommendationOf('slow-start', 'reports no boost: all have ended', ({ boosts }) => boosts === undefined);
      await again.process.kill();
    },
    HANG_TEST_MS,
  );
});

/** Every 5 minutes three minutes of work that uses 200m and 100Mi. */
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
