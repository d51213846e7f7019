// Bulk requests and a reset on the embedded cluster, with the built program over HTTP.

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BreakableCluster } from './breakable-cluster.ts';
import { BULK_ITEMS, BULK_NAMESPACE, BULK_POLICY, bulkDeployment, proveBulk } from './bulk-proof.ts';
import { PATHS } from './cluster-client.ts';
import { constantInput } from './constant-cluster.ts';
import { aWorkload, TOO_LARGE } from './constant-world.ts';
import { startController, type Controller } from './controller-process.ts';
import { HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { proveReset } from './reset-proof.ts';
import { TestFixture } from './processes.ts';

const DEPLOYMENTS = `/apis/apps/v1/namespaces/${BULK_NAMESPACE}/deployments`;

let fixture: TestFixture;
let world: BreakableCluster;
let controller: Controller;

beforeAll(async () => {
  fixture = new TestFixture();
  world = await BreakableCluster.start(fixture, constantInput(fixture, 'bulk', [aWorkload('web', TOO_LARGE)], 60));
  await world.client.create('/api/v1/namespaces', { metadata: { name: BULK_NAMESPACE } });
  controller = await startController(fixture, { 'kubernetes.kubeconfig': world.kubeconfig, 'controller.leaderElect': 'false' });
  await world.client.create(PATHS.policies, BULK_POLICY);
  for (let index = 0; index < BULK_ITEMS; index += 1) await world.client.create(DEPLOYMENTS, bulkDeployment(index));
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

test(
  'bulks of 500 are carried out item by item; 501 change nothing',
  () =>
    proveBulk({
      name: 'embedded cluster',
      dashboard: controller.dashboard,
      list: () => world.client.list(DEPLOYMENTS),
      policy: () => world.client.policy(BULK_POLICY.metadata.name),
    }),
  HANG_TEST_MS,
);

test(
  'a reset restarts once, deletes the Recommendation, removes the annotations, and is not undone',
  async () => {
    await proveReset({
      dashboard: controller.dashboard,
      withinMs: HANG_MS,
      get: (path) => world.client.get(path),
      merge: (path, body) => world.client.merge(path, body),
      namespace: 'shop',
      name: 'web',
    });
    expect(controller.process.stderr.filter((line) => line.includes('"message":"Restarted workload"'))).toHaveLength(1);
  },
  HANG_TEST_MS,
);
