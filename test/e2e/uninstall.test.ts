// `evenkeel uninstall --restore` while a controller runs: killed twice, resumed, and run once more.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClusterClient, Pod, Resources } from './cluster-client.ts';
import { PATHS } from './cluster-client.ts';
import { aQuickPolicy, type ConstantWorkload, NAMESPACE, startConstantCluster } from './constant-cluster.ts';
import { type Controller, logged, startController } from './controller-process.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { type RunningProcess, TestFixture } from './processes.ts';

const SPEED = 300;

const TOO_LARGE: Resources = { requests: { cpu: '1', memory: '1Gi' } };
const TOO_SMALL: Resources = { requests: { cpu: '50m', memory: '128Mi' } };
const WORKLOADS: readonly ConstantWorkload[] = [
  {
    kind: 'Deployment',
    name: 'web',
    replicas: 3,
    containers: [{ name: 'app', resources: TOO_LARGE, uses: { cpuMillicores: 130, memoryMib: 210 } }],
  },
  {
    kind: 'StatefulSet',
    name: 'cache',
    replicas: 2,
    containers: [{ name: 'app', resources: TOO_SMALL, uses: { cpuMillicores: 310, memoryMib: 300 } }],
  },
];
const WEB = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web`;
const CONTROLLER_LEASE = '/apis/coordination.k8s.io/v1/namespaces/evenkeel-system/leases/evenkeel-controller';

describe('evenkeel uninstall --restore', () => {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'killed twice and resumed: every size of Evenkeel is restored, annotations and sizes of users remain, and another run changes nothing',
    async () => {
      const { demo, cluster } = await startConstantCluster(fixture, 'uninstall', WORKLOADS, SPEED);
      const controller = await rightSized(cluster, demo.kubeconfig);
      const [theirs] = await podsOf(cluster, 'web');
      if (theirs === undefined) throw new Error('web has no pod');
      await byAPerson(cluster, WEB, { metadata: { annotations: { 'evenkeel.io/ceiling': '{"*":{"cpu":"2"}}' } } });
      const uninstall = (...more: readonly string[]): RunningProcess =>
        fixture.startProcess('src/demo/main.ts', ['uninstall', '--restore', '--kubeconfig', demo.kubeconfig, ...more]);

      // A dry run reports the changes and makes none. The controller still runs, so a pod may change between a read and a write.
      await eventually('a dry run that names all five pods: none changes once all are right-sized', HANG_MS, async () => {
        const dry = uninstall('--dry-run');
        const { code } = await dry.exit();
        return code === 0 && dry.stdout.filter((line) => line.includes('would change pod ')).length === 5;
      });
      expect(await writersOfPods(cluster)).not.toContain('evenkeel-uninstall');
      expect((await cluster.recommendations()).length).toBe(2);

      const first = uninstall();
      await first.line('stdout', /controllers are paused/);
      await first.kill();
      await eventually(
        'the controller no longer leads: its lease was taken',
        HANG_MS,
        () => logged(controller.process, 'No longer leader').length === 1,
      );
      // The controller no longer acts, so a user's change is not reverted.
      await byAPerson(cluster, `/api/v1/namespaces/${NAMESPACE}/pods/${theirs.metadata.name}/resize`, {
        spec: { containers: [{ name: 'app', resources: { requests: { cpu: '777m', memory: '256Mi' } } }] },
      });
      const second = uninstall();
      // The first run may have done most of the work before it was killed.
      await second.line('stdout', /^ {2}pod |pods resized back/);
      await second.kill();

      const third = uninstall();
      expect(await third.exit()).toMatchObject({ code: 0 });
      expect(third.stdout.join('\n')).toContain('evenkeel uninstall: complete');
      for (const pod of await podsOf(cluster, 'web')) {
        const requests = pod.metadata.name === theirs.metadata.name ? { cpu: '777m', memory: '256Mi' } : TOO_LARGE.requests;
        expect(pod.spec.containers[0]?.resources?.requests).toEqual(requests);
      }
      for (const pod of await podsOf(cluster, 'cache')) expect(pod.spec.containers[0]?.resources).toEqual(TOO_SMALL);
      await eventually('the kubelets have carried it out: nothing else changes the pods', HANG_MS, async () =>
        (await podsOf(cluster, 'cache')).every(({ status }) => status.containerStatuses?.[0]?.resources?.requests?.cpu === '50m'),
      );
      expect(await annotationsOf(cluster, WEB)).toEqual(['evenkeel.io/ceiling']);
      expect(await cluster.recommendations()).toEqual([]);
      const policy = await cluster.policy('quick');
      expect(policy.status).toBeUndefined();
      expect(policy.metadata.annotations ?? {}).toEqual({});

      // Without a controller there is nothing to pause, and the next run changes nothing.
      await controller.process.kill();
      const again = uninstall();
      expect(await again.exit()).toMatchObject({ code: 0 });
      expect(again.stdout).toEqual(
        expect.arrayContaining(['  pods resized back: 0', expect.stringMatching(/^ {2}annotations removed: 0/)]),
      );
      await expect(cluster.get(CONTROLLER_LEASE)).rejects.toThrow(/404/);
      await expect(cluster.get('/api/v1/namespaces/evenkeel-system/configmaps/evenkeel-pause')).rejects.toThrow(/404/);
    },
    HANG_TEST_MS,
  );

  test(
    'a restore that a quota refuses is reported with the server’s message, the rest is restored, and the exit code is not 0',
    async () => {
      const { demo, cluster } = await startConstantCluster(fixture, 'quota', WORKLOADS, SPEED);
      const controller = await rightSized(cluster, demo.kubeconfig);
      await controller.process.kill();
      // The quota admits one of web's three pods with its original size, not two.
      await cluster.create(`/api/v1/namespaces/${NAMESPACE}/resourcequotas`, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'tight' },
        spec: { hard: { 'requests.memory': '2500Mi' } },
      });
      await eventually('the quota counts: its controller runs', HANG_MS, async () => {
        const { status } = await cluster.get<{ readonly status?: { readonly used?: object } }>(
          `/api/v1/namespaces/${NAMESPACE}/resourcequotas/tight`,
        );
        return status?.used !== undefined && Object.keys(status.used).length > 0;
      });
      const run = (...more: readonly string[]): RunningProcess =>
        fixture.startProcess('src/demo/main.ts', ['uninstall', '--restore', '--kubeconfig', demo.kubeconfig, ...more]);
      const tight = run();
      expect(await tight.exit()).toMatchObject({ code: 3 });
      expect(tight.stderr.filter((line) => /^left: pod shop\/web-.*exceeded quota: tight/.test(line)).length).toBeGreaterThan(0);
      for (const pod of await podsOf(cluster, 'cache')) expect(pod.spec.containers[0]?.resources).toEqual(TOO_SMALL);
      expect(await run('--best-effort').exit()).toMatchObject({ code: 0 });

      await cluster.delete(`/api/v1/namespaces/${NAMESPACE}/resourcequotas/tight`);
      expect(await run().exit()).toMatchObject({ code: 0 });
      for (const pod of await podsOf(cluster, 'web')) expect(pod.spec.containers[0]?.resources).toEqual(TOO_LARGE);
    },
    HANG_TEST_MS,
  );

  /** Resolves when every pod has another size than its template and no change is in progress. */
  async function rightSized(cluster: ClusterClient, kubeconfig: string): Promise<Controller> {
    const controller = await startController(fixture, { 'kubernetes.kubeconfig': kubeconfig, 'controller.warmUp': '1m' });
    await cluster.create(PATHS.policies, aQuickPolicy('quick'));
    await eventuallyReads(
      'both workloads right-sized: the load is constant',
      HANG_MS,
      () => cluster.recommendations(),
      (all) => all.length === 2 && all.every(({ status }) => status?.state === 'applied' && status.apply === undefined),
    );
    await eventually('every pod has other requests than it was created with: both workloads are applied', HANG_MS, async () => {
      const original = new Set([TOO_LARGE.requests?.cpu, TOO_SMALL.requests?.cpu]);
      return (await cluster.pods(NAMESPACE)).every(({ spec }) => !original.has(spec.containers[0]?.resources?.requests?.cpu));
    });
    await eventually('web has its annotation: it is written after the change', HANG_MS, async () =>
      (await annotationsOf(cluster, WEB)).includes('evenkeel.io/resized'),
    );
    return controller;
  }
});

async function podsOf(cluster: ClusterClient, app: string): Promise<readonly Pod[]> {
  const pods = await cluster.pods(NAMESPACE);
  return pods.filter(({ metadata }) => metadata.labels?.['app'] === app).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Field managers in the managedFields of pods. */
async function writersOfPods(cluster: ClusterClient): Promise<readonly string[]> {
  interface Written {
    readonly metadata: { readonly managedFields?: readonly { readonly manager: string }[] };
  }
  const pods = await cluster.list<Written>(`/api/v1/namespaces/${NAMESPACE}/pods`);
  return pods.flatMap(({ metadata }) => (metadata.managedFields ?? []).map(({ manager }) => manager));
}

async function annotationsOf(cluster: ClusterClient, path: string): Promise<readonly string[]> {
  const { metadata } = await cluster.get<{ readonly metadata: { readonly annotations?: object } }>(path);
  return Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('evenkeel.io/'));
}

/** Writes as kubectl does, with its field manager. */
async function byAPerson(cluster: ClusterClient, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  const answer = await cluster.transport.request({ method: 'PATCH', path, query: { fieldManager: 'kubectl-patch' }, headers, body });
  if (answer.status !== 200) throw new Error(`${path}: HTTP ${answer.status}: ${JSON.stringify(answer.body)}`);
}
