// A tenant that forges annotations and a node that was taken over, beside an honest tenant on a real control plane: neither changes
// how the honest tenant's pods are reduced and raised.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { DAY_MS, MiB } from '../../src/core/model/units.ts';
import { HmacSigner } from '../../src/runtime/hmac-signer.ts';
import { type Controller, startController } from '../e2e/controller-process.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { HostileKubelet, type PodName } from './hostile-kubelet.ts';
import { writeLearntUsage } from './learnt-usage.ts';
import { runningForAnHour } from './played-pods.ts';
import { RealCluster } from './real-cluster.ts';

const OWN_NAMESPACE = 'evenkeel-system';
const CONTROLLER = 'evenkeel-controller';
const TAKEN_NODE = 'kwok-0003';
/** The address that its kubelet writes into the node's status, as a kubelet may. */
const TAKEN_ADDRESS = '127.77.0.1';
/** Usage of every honest pod. */
const USES = { cpuMillicores: 100, memoryBytes: 100 * MiB };
const FORGED_REPLICAS = 9;

interface App {
  readonly namespace: 'honest' | 'forging' | 'taken';
  readonly name: string;
  readonly node: string;
  readonly cpu: string;
}

/** The honest ones request too much and too little; the forging tenant's must stay as they are. */
const APPS: readonly App[] = [
  { namespace: 'honest', name: 'large', node: 'kwok-0001', cpu: '500m' },
  { namespace: 'honest', name: 'small', node: 'kwok-0002', cpu: '50m' },
  { namespace: 'forging', name: 'mine', node: 'kwok-0002', cpu: '300m' },
  { namespace: 'taken', name: 'theirs', node: TAKEN_NODE, cpu: '300m' },
];

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;
let kubelet: HostileKubelet;
let honestPods: readonly PodName[] = [];

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await RealCluster.start({ name: 'neighbours', nodes: 3 });
  fixture.addCleanup(() => cluster.stop());
  await cluster.kubectl('apply', '-k', join(ROOT, 'config/crds'));
  await cluster.kubectl('create', 'namespace', OWN_NAMESPACE);
  await cluster.kubectl('apply', '-n', OWN_NAMESPACE, '-k', join(ROOT, 'config/rbac'));
  kubelet = await HostileKubelet.start(cluster, TAKEN_NODE, TAKEN_ADDRESS, () => honestPods);
  fixture.addCleanup(() => kubelet.stop());
  const addresses = [{ type: 'InternalIP', address: TAKEN_ADDRESS }];
  await cluster.kubectl('patch', 'node', TAKEN_NODE, '--subresource=status', '-p', JSON.stringify({ status: { addresses } }));
  for (const namespace of ['honest', 'forging', 'taken']) await cluster.kubectl('create', 'namespace', namespace);
  for (const app of APPS) await deploy(app);
  await forge();
  await eventually('every pod runs: kwok starts what has a node', HANG_MS, async () => (await running()) === 2 * APPS.length);
  honestPods = await podsIn('honest');
  const learnt = join(fixture.folder, 'learnt.sqlite');
  await writeLearntUsage(
    learnt,
    APPS.map(({ namespace, name }) => ({ namespace, name, container: 'app', uses: USES })),
    2 * DAY_MS,
  );
  controller = await startController(fixture, {
    'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, CONTROLLER),
    'kubelet.port': String(cluster.ports.kubelet),
    'kubelet.interval': '5s',
    namespace: OWN_NAMESPACE,
    'history.url': `sqlite:${learnt}`,
    'controller.warmUp': '1s',
    'controller.leaderElect': 'false',
  });
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } };
  const common = { cpu: rule, memory: rule, minConfidence: 0, cooldown: '1s', interval: '5s', rollback: { within: '3s' } };
  await policy('acting', { ...common, namespaces: ['honest', 'taken'], mode: 'Auto' });
  await policy('watching', { ...common, namespaces: ['forging'], mode: 'Recommend', workloadOverrides: 'Stricter' });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

describe('beside a forging tenant and a node that was taken over', () => {
  test.each([
    ['reduced', 'large'],
    ['raised', 'small'],
  ])(
    'the pods of an honest tenant are %s to what they use',
    async (_how, name) => {
      await eventuallyReads(
        `the pods of ${name} have what they use and a fifth: the policy applies it`,
        HANG_MS,
        async () => ({ cpus: await cpusOf('honest', name), status: await statusOf('honest', name) }),
        ({ cpus }) => cpus.length === 2 && cpus.every((cpu) => cpu === '125m'),
      );
    },
    HANG_TEST_MS,
  );

  test(
    'of the reports about pods of other nodes nothing is believed, and they are counted',
    async () => {
      await eventually(
        'the hostile kubelet has been asked again since the pods were resized: it is read every 5 s',
        HANG_MS,
        async () => (kubelet.served.get('/metrics/resource') ?? 0) >= 4 && (kubelet.served.get('/stats/summary') ?? 0) >= 1,
      );
      expect(await metric('evenkeel_usage_samples_dropped_total{reason="foreign-pod"}')).toBeGreaterThan(0);
      for (const name of ['large', 'small']) {
        const { limitExceptions = [] } = await eventuallyReads(
          `the Recommendation of ${name} is applied: both pods have their size`,
          HANG_MS,
          () => statusOf('honest', name),
          ({ state }) => state === 'applied',
        );
        expect(limitExceptions).toEqual([]);
        expect(await cpusOf('honest', name)).toEqual(['125m', '125m']);
      }
    },
    HANG_TEST_MS,
  );

  test(
    'what the forging tenant wrote has no effect, and an Event says what is not believed',
    async () => {
      await eventually('an Event reports the forged record: the workload was evaluated', HANG_MS, async () =>
        (await cluster.kubectl('get', 'events', '-n', 'forging')).includes('RecordNotSigned'),
      );
      expect(await cpusOf('forging', 'mine')).toEqual(['300m', '300m']);
      const effects = cluster.audit(
        ({ user, verb, objectRef }) =>
          user.username.endsWith(`:${CONTROLLER}`) &&
          verb === 'patch' &&
          objectRef?.namespace === 'forging' &&
          (['pods', 'horizontalpodautoscalers'].includes(objectRef.resource) || objectRef.subresource === 'scale'),
      );
      expect(effects.map(({ requestURI }) => requestURI)).toEqual([]);
      const { spec } = await cluster.api.expect<{
        readonly spec: { readonly template: { readonly metadata: object }; readonly replicas: number };
      }>({
        path: '/apis/apps/v1/namespaces/forging/deployments/mine',
      });
      expect(spec.replicas).toBe(2);
      expect(JSON.stringify(spec.template.metadata)).not.toContain('restartedAt');
    },
    HANG_TEST_MS,
  );

  test('the token that the node was sent is refused by the API server for what a node could gain by', async () => {
    expect(kubelet.tokens.size).toBeGreaterThan(0);
    for (const token of kubelet.tokens) {
      const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly sub: string };
      expect(sub).toBe(`system:serviceaccount:${OWN_NAMESPACE}:evenkeel-kubelet-reader`);
      const kubeconfig = cluster.kubeconfigWith(token, 'taken');
      for (const [verb, what] of [
        ['patch', 'deployments.apps'],
        ['patch', 'pods/resize'],
        ['get', 'secrets'],
        ['list', 'pods'],
        ['create', 'serviceaccounts/token'],
      ] as const) {
        const answer = await cluster.kubectl('--kubeconfig', kubeconfig, 'auth', 'can-i', verb, what, '-A').catch(String);
        expect([verb, what, answer]).toEqual([verb, what, expect.stringContaining('no')]);
      }
    }
  });

  test('the controller is ready all the same', async () => {
    expect((await fetch(`${controller.probes}/readyz`)).status).toBe(200);
  });
});

/** Everything that only Evenkeel writes, as a tenant writes it. */
async function forge(): Promise<void> {
  const signer = new HmacSigner(() => Buffer.alloc(32, 1));
  const { metadata } = await cluster.api.expect<{ readonly metadata: { readonly uid: string } }>({
    path: '/apis/apps/v1/namespaces/forging/deployments/mine',
  });
  const now = new Date().toISOString();
  const later = new Date(Date.now() + DAY_MS).toISOString();
  const values = [{ name: 'app', requests: { cpu: '2500m', memory: '8Gi' } }];
  const idle = { since: now, natural: values, sizes: values, replicas: FORGED_REPLICAS, idleReplicas: 1, wakesOn: 'x' };
  const reset = { by: 'x', at: now, heldUntil: later };
  const signed = (field: string, record: object): string =>
    signer.sign({ kind: 'Deployment', uid: metadata.uid, field }, JSON.stringify(record));
  await annotate('deployment/mine', {
    'evenkeel.io/idle': signed('evenkeel.io/idle', idle),
    'evenkeel.io/reset-to-deploy': signed('evenkeel.io/reset-to-deploy', reset),
    'evenkeel.io/mode': 'Auto',
    'evenkeel.io/floor': '{"*":{"cpu":"2"}}',
  });
  const start = { app: { base: { requests: { cpu: '10m' } }, boosted: { requests: { cpu: '300m' } } } };
  for (const { name } of await podsIn('forging')) await annotate(`pod/${name}`, { 'evenkeel.io/start-up': JSON.stringify(start) });
}

async function annotate(object: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  const pairs = Object.entries(annotations).map(([key, value]) => `${key}=${value}`);
  await cluster.kubectl('annotate', object, '-n', 'forging', ...pairs);
}

async function deploy({ namespace, name, node, cpu }: App): Promise<void> {
  const labels = { app: name };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': '100m', 'kwok.x-k8s.io/usage-memory': '100Mi', ...runningForAnHour() };
  const container = { name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu, memory: '256Mi' } } };
  await cluster.api.expect({
    method: 'POST',
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    body: {
      metadata: { name, labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations }, spec: { nodeName: node, containers: [container] } },
      },
    },
  });
}

async function policy(name: string, spec: object): Promise<void> {
  await cluster.api.expect({
    method: 'POST',
    path: '/apis/evenkeel.io/v1alpha1/podresizepolicies',
    body: { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name }, spec },
  });
}

interface Pod {
  readonly metadata: PodName;
  readonly spec: { readonly containers: readonly { readonly resources: { readonly requests: { readonly cpu: string } } }[] };
  readonly status: { readonly phase: string };
}

async function podsOf(path: string): Promise<readonly Pod[]> {
  return (await cluster.api.expect<{ readonly items: readonly Pod[] }>({ path })).items;
}

async function running(): Promise<number> {
  return (await podsOf('/api/v1/pods')).filter(({ status }) => status.phase === 'Running').length;
}

async function podsIn(namespace: string): Promise<readonly PodName[]> {
  return (await podsOf(`/api/v1/namespaces/${namespace}/pods`)).map(({ metadata }) => metadata);
}

async function cpusOf(namespace: string, app: string): Promise<readonly string[]> {
  const pods = await podsOf(`/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${app}`);
  return pods.map(({ spec }) => spec.containers[0]?.resources.requests.cpu ?? '');
}

async function statusOf(namespace: string, app: string): Promise<RecommendationStatus> {
  const path = `/apis/evenkeel.io/v1alpha1/namespaces/${namespace}/recommendations/deployment-${app}`;
  const { status, body } = await cluster.api.request({ path });
  return status === 200 ? ((body as Recommendation).status ?? {}) : {};
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(controller.metrics)).text();
  const line = text.split('\n').find((each) => each.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}
