// A real control plane that fails while a controller works: its API server is killed, its etcd stopped, its watches cut, its responses
// wrong, the token expired, a permission revoked. The end equals that of an undisturbed workload, and the audit log shows no duplicate
// write.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CRD_VERSION_ANNOTATION } from '../../src/adapters/kubernetes/write/crd-installer.ts';
import { DAY_MS } from '#kube/units';
import { boundedFetch } from '../bounded-fetch.ts';
import { aPolicy, ClusterClient, PATHS, type Resources } from '../e2e/cluster-client.ts';
import { type Controller, logged, startController } from '../e2e/controller-process.ts';
import { ask, read } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { FaultyConnection } from '../e2e/faulty-connection.ts';
import { TestFixture } from '../e2e/processes.ts';
import type { RunningFault } from '../fakes/clients/fault-proxy.ts';
import { writeRecordedUsage } from './recorded-usage.ts';
import { runningForAnHour } from './simulated-pods.ts';
import { RealCluster } from './real-cluster.ts';

const ETCD_AWAY_MS = 60_000;
const NAMESPACE = 'shop';
const REPLICAS = 3;
/** Generation of a pod after its creation and one change of its spec. */
const RESIZED_ONCE = 2;
const APPS = ['undisturbed', 'restarted', 'frozen', 'refused', 'unknown', 'unpermitted'];
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let fixture: TestFixture;
let cluster: RealCluster;
let client: ClusterClient;
let connection: FaultyConnection;
let controller: Controller;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await RealCluster.start({ name: 'faults', nodes: 3 });
  fixture.addCleanup(() => cluster.stop());
  client = await ClusterClient.connect(fixture, cluster.kubeconfig);
  connection = await FaultyConnection.open(fixture, { kubeconfig: cluster.kubeconfig, admin: client.transport });
  await cluster.kubectl('create', 'namespace', NAMESPACE);
  for (const app of APPS) await client.create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, aDeployment(app));
  await eventually('all pods run: kwok starts what is scheduled', HANG_MS, async () => {
    const pods = await client.pods(NAMESPACE);
    return pods.filter(({ status }) => status.phase === 'Running').length === APPS.length * REPLICAS;
  });
  const history = join(fixture.folder, 'history.sqlite');
  const uses = { cpuMillicores: 100, memoryBytes: 128 * 2 ** 20 };
  await writeRecordedUsage(
    history,
    APPS.map((name) => ({ namespace: NAMESPACE, name, container: 'app', uses })),
    7 * DAY_MS,
  );
  controller = await startController(fixture, {
    'kubernetes.kubeconfig': connection.kubeconfig,
    'kubelet.port': String(cluster.ports.kubelet),
    'history.url': `sqlite:${history}`,
    'kubelet.interval': '5s',
    'controller.warmUp': '1s',
  });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

test('Nothing disturbed: the end that every other test must reach', async () => {
  await createPolicy('undisturbed');
  await resized('undisturbed');
});

describe('A control plane', () => {
  test('whose API server is killed while pods are resized, and comes back', async () => {
    await createPolicy('restarted');
    await eventually('a pod is resized: it uses far less than it requests', HANG_MS, async () => (await resizesOf('restarted')).length > 0);
    cluster.signalComponent('kube-apiserver', 'SIGKILL');
    try {
      await eventually(
        'health reports the API server as failed: it was killed',
        HANG_MS,
        async () => (await healthOf('api-server'))?.status === 'failed',
      );
      expect((await ask(controller.dashboard, 'recommendations')).status).toBe(200);
    } finally {
      await cluster.restartComponent('kube-apiserver');
    }
    await resized('restarted');
    await atEase();
  });

  test('that revokes the permission to resize: reported everywhere (the last of these tests resizes after it is granted again)', async () => {
    const giveBack = await connection.forbid('pods/resize', ['patch']);
    try {
      await createPolicy('unpermitted');
      const permission = `patch pods/resize in namespace ${NAMESPACE}`;
      await eventually('health names the permission: its requests are forbidden', HANG_MS, async () =>
        (await healthOf('permissions'))?.message.includes(permission),
      );
      await eventually('the log names the permission: it is logged when health first names it', HANG_MS, () =>
        logged(controller.process, 'A permission is missing').some((line) => line['permission'] === permission),
      );
      await eventually('the policy names the permission: no pod of it can be resized', HANG_MS, async () =>
        (await client.policy('unpermitted')).status?.conditions?.some(({ message }) => message.includes(`not permitted: ${permission}`)),
      );
    } finally {
      await giveBack();
    }
    await permitted();
  });

  test('whose etcd is stopped for a minute: reads continue, and due changes are made afterwards', async () => {
    await createPolicy('frozen');
    cluster.signalComponent('etcd', 'SIGSTOP');
    const until = Date.now() + ETCD_AWAY_MS;
    const answers: number[] = [];
    try {
      await eventually('the minute is over with reads answered in it: they come from memory', HANG_MS, async () => {
        answers.push((await ask(controller.dashboard, 'recommendations')).status);
        return Date.now() > until && answers.length > 5;
      });
    } finally {
      cluster.signalComponent('etcd', 'SIGCONT');
    }
    expect(answers.filter((status) => status !== 200)).toEqual([]);
    await resized('frozen');
    await atEase();
  });

  test('behind a proxy that cuts watches, answers 500 and 429, and loses responses', async () => {
    const faults: readonly RunningFault[] = [
      connection.proxy.begin({ every: 10, trouble: { answer: 500 } }),
      connection.proxy.begin({ every: 9, trouble: { answer: 429, headers: { 'retry-after': '1' } } }),
      connection.proxy.begin({ every: 8, trouble: { answer: 429 } }),
      connection.proxy.begin({ every: 2, verbs: ['patch'], resources: ['pods/resize'], trouble: 'lose-answer' }),
    ];
    try {
      // A watch that has just ended normally is opened again, so cutting enough of them may take several attempts.
      let cut = 0;
      await eventually(
        'more than ten watches are cut: every informer opens a new one',
        HANG_MS,
        () => (cut += connection.proxy.closeWatches()) > 10,
      );
      await createPolicy('refused');
      await resized('refused');
      expect(faults.filter((fault) => fault.met() === 0)).toEqual([]);
    } finally {
      for (const fault of faults) fault.end();
    }
    await atEase();
  });

  test('for which the token has expired, until its file has a new one', async () => {
    const answers: number[] = [];
    for (const minutes of [30, -1]) {
      const token = cluster.tokenUntil(connection.token(), new Date(Date.now() + minutes * 60_000));
      answers.push((await cluster.api.request({ method: 'GET', path: '/api/v1/pods?limit=1', token })).status);
    }
    // Only the expiry is refused, not the signature.
    expect(answers).toEqual([200, 401]);
    connection.replaceToken((token) => cluster.tokenUntil(token, new Date(Date.now() - 60_000)));
    try {
      await eventually('health reports HTTP 401: the token file holds an expired token', HANG_MS, async () =>
        (await healthOf('api-server'))?.message.includes('HTTP 401'),
      );
      connection.proxy.closeWatches('pods');
      await eventually(
        'the informer of pods reports the expired token: its watch was cut, and each new one is answered 401',
        HANG_MS,
        async () => (await healthOf('informer/pods'))?.message.includes('is the token expired?'),
      );
      await createPolicy('unknown');
      expect((await ask(controller.dashboard, 'recommendations')).status).toBe(200);
      expect(await resizesOf('unknown')).toEqual([]);
    } finally {
      await connection.renewToken();
    }
    await resized('unknown');
    await atEase();
  });

  test('that has a newer CRD than the controller: kept at the next start, and reported', async () => {
    await client.merge(`${CRDS}/accesspolicies.evenkeel.io`, { metadata: { annotations: { [CRD_VERSION_ANNOTATION]: '99.0.0' } } });
    const next = await startController(fixture, {
      'kubernetes.kubeconfig': connection.kubeconfig,
      'kubelet.port': String(cluster.ports.kubelet),
    });
    const health = (await read<readonly Health[]>(next.dashboard, 'health')).find(({ name }) => name === 'custom-resources');
    expect(health?.message).toContain('accesspolicies.evenkeel.io was written by Evenkeel 99.0.0, newer than this');
    const { metadata } = await client.get<{ readonly metadata: { readonly annotations: Readonly<Record<string, string>> } }>(
      `${CRDS}/accesspolicies.evenkeel.io`,
    );
    expect(metadata.annotations[CRD_VERSION_ANNOTATION]).toBe('99.0.0');
    await next.process.kill();
  });
});

// A forbidden resize is retried after two minutes, most of which have passed by now.
test('The forbidden resize is made after the permission is granted again', async () => {
  await resized('unpermitted');
  await atEase();
});

// A request that timed out in the API server may still be carried out when etcd recovers, so a response other than 200 is no evidence; but
// a pod's generation counts the changes of its spec.
test('Each of these pods was resized once, by its generation, and none has two successful responses in the audit log', async () => {
  const pods = await client.pods(NAMESPACE);
  expect(pods.filter(({ metadata }) => metadata.generation !== RESIZED_ONCE).map(({ metadata }) => metadata)).toEqual([]);
  const answered = (await Promise.all(APPS.map((app) => resizesOf(app)))).flat();
  expect(answered.filter((name, index) => answered.indexOf(name) !== index)).toEqual([]);
  expect(await resizesOf('undisturbed')).toHaveLength(REPLICAS);
});

interface Health {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

async function healthOf(name: string): Promise<Health | undefined> {
  return (await read<readonly Health[]>(controller.dashboard, 'health')).find((check) => check.name === name);
}

/** A policy that decides as fast as possible, by a fixed rule. */
async function createPolicy(app: string): Promise<void> {
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } } as const;
  const timing = { cooldown: '1s', interval: '5s', rollback: { within: '1s' } } as const;
  const spec = { mode: 'Auto', cpu: rule, memory: rule, minConfidence: 0, ...timing, workloadSelector: { matchLabels: { app } } } as const;
  await client.create(PATHS.policies, aPolicy(app, spec));
}

/** Waits until all pods of a workload have the size of the undisturbed one's, which is less than before. */
async function resized(app: string): Promise<void> {
  await eventuallyReads(
    `the pods of ${app} have the size of undisturbed: usage, policy and template are the same`,
    HANG_MS,
    async () => [await requestsOf(app), await requestsOf('undisturbed')] as const,
    ([all, right]) => all.length === REPLICAS && new Set([...all, ...right]).size === 1 && !all[0]?.includes('400m'),
  );
  // Until it is idle, so that the counts at the end are complete.
  await eventually(`the Recommendation of ${app} is applied, and no change is under way: every pod has its size`, HANG_MS, async () => {
    const { status } = (await client.recommendations()).find(({ spec }) => spec.targetRef.name === app) ?? {};
    return status?.state === 'applied' && status.apply === undefined;
  });
}

/** CPU and memory requests in force, as the nodes report them. */
async function requestsOf(app: string): Promise<readonly string[]> {
  const pods = (await client.pods(NAMESPACE)).filter(({ metadata }) => metadata.labels?.['app'] === app);
  return pods.map(({ status }) => {
    const { requests = {} }: Resources = status.containerStatuses?.[0]?.resources ?? {};
    return `${String(requests.cpu)} ${String(requests.memory)}`;
  });
}

/** Pods of a workload, one entry per resize that the API server carried out. */
async function resizesOf(app: string): Promise<readonly string[]> {
  const events = cluster.audit(
    ({ objectRef, responseStatus, userAgent = '', requestURI }) =>
      objectRef?.resource === 'pods' &&
      objectRef.subresource === 'resize' &&
      objectRef.name?.startsWith(`${app}-`) === true &&
      responseStatus?.code === 200 &&
      userAgent.startsWith('evenkeel') &&
      !requestURI.includes('dryRun'),
  );
  return events.map(({ objectRef }) => objectRef?.name ?? '');
}

/** Waits until the controller is ready, every informer is in sync and nothing is stale. */
async function atEase(): Promise<void> {
  await eventually(
    'readyz answers 200: the fault has ended',
    HANG_MS,
    async () => (await boundedFetch(`${controller.probes}/readyz`, 'readiness of the controller')).status === 200,
  );
  await eventually('every informer is ok: the fault has ended', HANG_MS, async () => {
    const unwell = (await read<readonly Health[]>(controller.dashboard, 'health')).filter(
      ({ name, status }) => name.startsWith('informer/') && status !== 'ok',
    );
    if (unwell.length > 0) throw new Error(JSON.stringify(unwell));
    return true;
  });
  await permitted();
  await eventually(
    'no answer is marked stale: every informer is ok',
    HANG_MS,
    async () => (await ask(controller.dashboard, 'recommendations')).envelope.meta.stale === undefined,
  );
  expect(controller.process.isRunning).toBe(true);
}

/** Also where no request is made: a resize that was refused is retried after two minutes. */
async function permitted(): Promise<void> {
  await eventuallyReads(
    'no permission is reported missing: all are granted, and access is reviewed',
    HANG_MS,
    () => healthOf('permissions'),
    (health) => health?.status === 'ok',
  );
}

function aDeployment(name: string): object {
  const labels = { app: name };
  const resources = { requests: { cpu: '400m', memory: '512Mi' }, limits: { memory: '1Gi' } };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': '100m', 'kwok.x-k8s.io/usage-memory': '128Mi', ...runningForAnHour() };
  const containers = [{ name: 'app', image: 'registry.example/app:1', resources }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec: { containers } } },
  };
}
