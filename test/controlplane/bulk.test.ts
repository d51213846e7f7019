// Bulk requests and a reset on a real API server. The program has only its ServiceAccount's token.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BULK_ITEMS, BULK_NAMESPACE, BULK_POLICY, bulkDeployment, proveBulk } from '../e2e/bulk-proof.ts';
import { logged, startController, type Controller } from '../e2e/controller-process.ts';
import { send } from '../e2e/dashboard.ts';
import { eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { proveReset } from '../e2e/reset-proof.ts';
import { RealCluster } from './real-cluster.ts';

const OWN_NAMESPACE = 'evenkeel-system';
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${BULK_NAMESPACE}/deployments`;

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await RealCluster.start({ name: 'bulk', nodes: 2 });
  fixture.addCleanup(() => cluster.stop());
  for (const name of [OWN_NAMESPACE, BULK_NAMESPACE, 'shop']) await cluster.kubectl('create', 'namespace', name);
  await cluster.kubectl('apply', '-n', OWN_NAMESPACE, '-k', join(ROOT, 'config/rbac'));
  controller = await startController(fixture, {
    'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, 'evenkeel-controller'),
    'kubelet.port': String(cluster.ports.kubelet),
    namespace: OWN_NAMESPACE,
    'kubelet.interval': '5s',
  });
  await cluster.api.expect({ method: 'POST', path: '/apis/evenkeel.io/v1alpha1/podresizepolicies', body: BULK_POLICY });
  const deployments = Array.from({ length: BULK_ITEMS }, (_, index) => bulkDeployment(index));
  await Promise.all(deployments.map((body) => cluster.api.expect({ method: 'POST', path: DEPLOYMENTS, body, timeoutMs: HANG_MS })));
  const web = bulkDeployment(0, 2) as { metadata: object };
  await cluster.api.expect({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/shop/deployments',
    body: { ...web, metadata: { ...web.metadata, namespace: 'shop', name: 'web' } },
  });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

test(
  'bulks of 500 are carried out item by item; 501 change nothing',
  () =>
    proveBulk({
      name: 'real API server',
      dashboard: controller.dashboard,
      list: async () => (await cluster.api.expect<{ readonly items: never[] }>({ path: DEPLOYMENTS })).items,
      policy: () => cluster.api.expect({ path: '/apis/evenkeel.io/v1alpha1/podresizepolicies/bulk' }),
    }),
  HANG_TEST_MS,
);

test(
  'a reset restarts once, deletes the Recommendation, removes the annotations, and is not undone',
  async () => {
    await proveReset({
      dashboard: controller.dashboard,
      withinMs: HANG_MS,
      get: (path) => cluster.api.expect({ path }),
      merge: async (path, body) => {
        const headers = { 'content-type': 'application/merge-patch+json' };
        await cluster.api.expect({ method: 'PATCH', path, headers, body });
      },
      namespace: 'shop',
      name: 'web',
    });
    expect(logged(controller.process, 'Restarted workload')).toHaveLength(1);
  },
  HANG_TEST_MS,
);

test(
  'an override that violates a cross-field rule of the policy is refused with the server’s message, and kubectl shows an active one',
  async () => {
    const broken = { field: 'memory', value: { min: '2Gi', max: '1Gi' }, reason: 'proof' };
    const refused = await send(controller.dashboard, 'PUT', 'policy-overrides/PodResizePolicy/bulk', broken);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const override = async (expiresIn: string): Promise<number> => {
      const body = { field: 'cooldown', value: '2h', expiresIn, reason: 'proof' };
      return (await send(controller.dashboard, 'PUT', 'policy-overrides/PodResizePolicy/bulk', body)).status;
    };
    expect(await override('1h')).toBe(200);
    const getOverrides = (): Promise<string> =>
      cluster.kubectl('get', 'prp', 'bulk', '-o', 'jsonpath={.metadata.annotations.evenkeel\\.io/overrides}');
    expect(await getOverrides()).toContain('"cooldown":{"value":"2h"');
    expect(await override('1s')).toBe(200);
    await eventuallyReads('the override is removed: it has expired', HANG_MS, getOverrides, (text) => text === '');
  },
  HANG_TEST_MS,
);
