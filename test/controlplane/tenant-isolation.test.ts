// Tenants that forge annotations, under policies in Auto and in other modes, and a compromised node, beside an honest tenant on a real
// control plane: they do not change how the honest tenant's pods are resized.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { DAY_MS, MiB } from '#kube/units';
import { HmacSigner } from '../../src/runtime/hmac-signer.ts';
import { idleOriginal, targetsAnnotation } from '../builders/original-annotations.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import type { Controller } from '../e2e/controller-process.ts';
import { TestFixture } from '../e2e/processes.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { HostileKubelet, type PodName } from './hostile-kubelet.ts';
import { CONTROLLER_USER, OWN_NAMESPACE, startInstalledCluster, startControllerWithHistory } from './installed-controller.ts';
import { runningForAnHour } from './simulated-pods.ts';
import type { RealCluster } from './real-cluster.ts';
import { requestWithStolen } from './stolen-token.ts';

const TAKEN_NODE = 'kwok-0003';
/** The address that its kubelet writes into the node's status, as a kubelet may. */
const TAKEN_ADDRESS = '127.77.0.1';
/** Usage of every honest pod. */
const USES = { cpuMillicores: 100, memoryBytes: 100 * MiB };
const FORGED_REPLICAS = 9;
/** Maximum of the policies in Auto. */
const MAX_CPU = '600m';
/** Target of the grasping tenant's HPA; the forged annotation states another. */
const TARGET_PERCENT = 60;

interface App {
  readonly namespace: 'honest' | 'forging' | 'grasping' | 'taken';
  readonly name: string;
  readonly node: string;
  readonly cpu: string;
}

/**
 * Honest workloads request too much or too little. Those of the forging tenant must keep their size, and those of the grasping tenant must
 * get the size that real usage and their autoscaler give.
 */
const APPS: readonly App[] = [
  { namespace: 'honest', name: 'large', node: 'kwok-0001', cpu: '500m' },
  { namespace: 'honest', name: 'small', node: 'kwok-0002', cpu: '50m' },
  { namespace: 'forging', name: 'mine', node: 'kwok-0002', cpu: '300m' },
  { namespace: 'grasping', name: 'scaled', node: 'kwok-0001', cpu: '300m' },
  { namespace: 'taken', name: 'silent', node: TAKEN_NODE, cpu: '300m' },
  { namespace: 'taken', name: 'theirs', node: TAKEN_NODE, cpu: '300m' },
];

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;
let kubelet: HostileKubelet;
/** Pods whose usage the hostile kubelet reports: pods of honest nodes, and one workload on its own node. */
let reportedPods: readonly PodName[] = [];

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'neighbours', 3);
  kubelet = await HostileKubelet.start(cluster, TAKEN_NODE, TAKEN_ADDRESS, () => reportedPods);
  fixture.addCleanup(() => kubelet.stop());
  const addresses = [{ type: 'InternalIP', address: TAKEN_ADDRESS }];
  await cluster.kubectl('patch', 'node', TAKEN_NODE, '--subresource=status', '-p', JSON.stringify({ status: { addresses } }));
  for (const namespace of ['honest', 'forging', 'grasping', 'taken']) await cluster.kubectl('create', 'namespace', namespace);
  for (const app of APPS) await deploy(app);
  await autoscaleGrasping();
  await forge('forging', 'mine');
  await forge('grasping', 'scaled');
  await forgeOriginalTarget();
  await eventually('every pod runs: kwok starts what has a node', HANG_MS, async () => (await running()) === 2 * APPS.length);
  reportedPods = [...(await podsIn('honest')), ...(await podsIn('taken')).filter(({ name }) => name.startsWith('theirs-'))];
  const workloads = APPS.map(({ namespace, name }) => ({ namespace, name, container: 'app', uses: USES }));
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } };
  const common = { cpu: rule, memory: rule, minConfidence: 0, cooldown: '1s', interval: '5s', rollback: { within: '3s' } };
  await policy('acting', { ...common, namespaces: ['honest', 'taken'], mode: 'Auto', cpu: { ...rule, max: MAX_CPU } });
  await policy('autoscaled', {
    ...common,
    namespaces: ['grasping'],
    mode: 'Auto',
    cpu: { ...rule, max: MAX_CPU },
    workloadOverrides: 'Stricter',
    idle: { enabled: true, after: '1h', replicas: 1 },
  });
  await policy('watching', { ...common, namespaces: ['forging'], mode: 'Recommend', workloadOverrides: 'Stricter' });
  // With the policies in place: without one, a workload's own annotation may choose mode Auto.
  controller = await startControllerWithHistory(fixture, cluster, { workloads, spanMs: 2 * DAY_MS });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

describe('beside forging tenants and a compromised node', () => {
  test.each([
    ['reduced', 'large'],
    ['raised', 'small'],
  ])(
    'the pods of an honest tenant are %s to their usage',
    async (_how, name) => {
      await eventuallyReads(
        `the pods of ${name} have 20 % more than their usage: the policy applies it`,
        HANG_MS,
        async () => ({ cpus: await cpusOf('honest', name), status: await statusOf('honest', name) }),
        ({ cpus }) => cpus.length === 2 && cpus.every((cpu) => cpu === '125m'),
      );
    },
    HANG_TEST_MS,
  );

  test(
    'reports about pods of other nodes are rejected and counted',
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
    'forged annotations have no effect, and an Event reports them',
    async () => {
      await eventually('an Event reports the forged record: the workload was evaluated', HANG_MS, async () =>
        (await cluster.kubectl('get', 'events', '-n', 'forging')).includes('RecordNotSigned'),
      );
      expect(await cpusOf('forging', 'mine')).toEqual(['300m', '300m']);
      const effects = cluster.audit(
        ({ user, verb, objectRef }) =>
          user.username === CONTROLLER_USER &&
          verb === 'patch' &&
          objectRef?.namespace === 'forging' &&
          (['pods', 'horizontalpodautoscalers'].includes(objectRef.resource) || objectRef.subresource === 'scale'),
      );
      expect(effects.map(({ requestURI }) => requestURI)).toEqual([]);
      const { spec } = await deploymentOf('forging', 'mine');
      expect(spec.replicas).toBe(2);
      expect(JSON.stringify(spec.template.metadata)).not.toContain('restartedAt');
    },
    HANG_TEST_MS,
  );

  test(
    'forged annotations under mode Auto change neither the autoscaler nor the pods: their size follows real usage',
    async () => {
      // The target of an autoscaler moves to 90 % at most, and 90 % of 200m equal the 60 % of 300m at which it scales.
      await eventuallyReads(
        'its pods have the lowest request that keeps the replicas of its autoscaler: the policy applies it',
        HANG_MS,
        async () => ({
          cpus: await cpusOf('grasping', 'scaled'),
          hpa: await autoscalerOfGrasping(),
          status: await statusOf('grasping', 'scaled'),
        }),
        ({ cpus, hpa }) => cpus.join() === '200m,200m' && hpa.target === 90,
      );
      const { minReplicas, maxReplicas } = await autoscalerOfGrasping();
      expect({ minReplicas, maxReplicas }).toEqual({ minReplicas: 2, maxReplicas: 4 });
      expect((await cluster.kubectl('get', 'events', '-n', 'grasping')).match(/RecordNotSigned/g)?.length).toBeGreaterThanOrEqual(1);
      const { spec } = await deploymentOf('grasping', 'scaled');
      expect(spec.replicas).toBe(2);
      expect(JSON.stringify(spec.template.metadata)).not.toContain('restartedAt');
      const scaled = cluster.audit(
        ({ user, objectRef }) =>
          user.username === CONTROLLER_USER && objectRef?.namespace === 'grasping' && objectRef.subresource === 'scale',
      );
      expect(scaled).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'a compromised node can change the sizes of its pods within the policy only, and silence reduces nothing',
    async () => {
      await eventually('the workload on the taken node is evaluated: its policy acts', HANG_MS, async () =>
        Object.keys(await statusOf('taken', 'theirs')).includes('state'),
      );
      for (const cpu of await cpusOf('taken', 'theirs')) {
        expect(Number.parseInt(cpu, 10)).toBeGreaterThanOrEqual(125);
        expect(Number.parseInt(cpu, 10)).toBeLessThanOrEqual(Number.parseInt(MAX_CPU, 10));
      }
      expect(await cpusOf('taken', 'silent')).toEqual(['300m', '300m']);
    },
    HANG_TEST_MS,
  );

  test('the API server refuses the token that the node received for every request of value', async () => {
    expect(kubelet.tokens.size).toBeGreaterThan(0);
    for (const token of kubelet.tokens) {
      const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly sub: string };
      expect(sub).toBe(`system:serviceaccount:${OWN_NAMESPACE}:evenkeel-kubelet-reader`);
      const kubeconfig = cluster.kubeconfigWith(token, 'taken');
      const [pod] = await podsIn('honest');
      const image = { spec: { template: { spec: { containers: [{ name: 'app', image: 'evil' }] } } } };
      const size = { spec: { containers: [{ name: 'app', resources: { requests: { cpu: '1m' } } }] } };
      for (const request of [
        patchOf('/apis/apps/v1/namespaces/honest/deployments/large', image),
        patchOf(`/api/v1/namespaces/honest/pods/${pod?.name}/resize`, size),
        patchOf(`/api/v1/nodes/${TAKEN_NODE}`, { metadata: { labels: { tier: 'secure' } } }),
        { path: `/api/v1/namespaces/${OWN_NAMESPACE}/secrets/evenkeel-record-key` },
        { path: '/api/v1/namespaces/honest/secrets' },
        { path: '/api/v1/pods' },
        { path: `/api/v1/nodes/kwok-0001/proxy/metrics/resource` },
        { method: 'POST', path: `/api/v1/namespaces/honest/pods/${pod?.name}/eviction`, body: { metadata: { name: pod?.name } } },
        ...['evenkeel-kubelet-reader', 'evenkeel-controller'].map((account) => {
          const path = `/api/v1/namespaces/${OWN_NAMESPACE}/serviceaccounts/${account}/token`;
          return { method: 'POST', path, body: { spec: {} } } as const;
        }),
      ] as const) {
        const { status } = await requestWithStolen(kubeconfig, { method: 'GET', ...request });
        expect({ request, status }).toEqual({ request, status: 403 });
      }
    }
  });

  test('the controller stays ready', async () => {
    expect((await boundedFetch(`${controller.probes}/readyz`, 'readiness of the controller')).status).toBe(200);
  });
});

/** Signs with another key than Evenkeel. */
const FORGER = new HmacSigner(() => Buffer.alloc(32, 1));

/** Writes every annotation that only Evenkeel writes, as a tenant would. */
async function forge(namespace: string, name: string): Promise<void> {
  const { metadata } = await deploymentOf(namespace, name);
  const now = new Date().toISOString();
  const later = new Date(Date.now() + DAY_MS).toISOString();
  const values = [{ name: 'app', requests: { cpu: '2500m', memory: '8Gi' } }];
  const idle = { since: now, natural: values, sizes: values, wakeTriggers: 'x' };
  const original = JSON.parse(idleOriginal('replicas', { user: FORGED_REPLICAS, value: 1, since: Date.parse(now) })) as object;
  const reset = { by: 'x', at: now, heldUntil: later };
  const signed = (field: string, record: object): string =>
    FORGER.sign({ kind: 'Deployment', uid: metadata.uid, field }, JSON.stringify(record));
  await annotate(namespace, `deployment/${name}`, {
    'evenkeel.io/idle': signed('evenkeel.io/idle', idle),
    'evenkeel.io/original': signed('evenkeel.io/original', original),
    'evenkeel.io/reset-to-deploy': signed('evenkeel.io/reset-to-deploy', reset),
    'evenkeel.io/mode': 'Auto',
    'evenkeel.io/floor': '{"*":{"cpu":"2"}}',
  });
  const start = { app: { base: { requests: { cpu: '10m' } }, boosted: { requests: { cpu: '300m' } } } };
  for (const pod of await podsIn(namespace))
    await annotate(namespace, `pod/${pod.name}`, { 'evenkeel.io/start-up': JSON.stringify(start) });
}

const HPA = '/apis/autoscaling/v2/namespaces/grasping/horizontalpodautoscalers';

async function autoscaleGrasping(): Promise<void> {
  const target = { type: 'Utilization', averageUtilization: TARGET_PERCENT };
  await cluster.api.expect({
    method: 'POST',
    path: HPA,
    body: {
      metadata: { name: 'scaled' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' },
        minReplicas: 2,
        maxReplicas: 4,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      },
    },
  });
}

/** Forges an original target that was set for far larger pods, and is lower. */
async function forgeOriginalTarget(): Promise<void> {
  const { uid } = await autoscalerOfGrasping();
  const target = { resource: 'cpu' as const, container: null, percent: 1, request: 5000, set: TARGET_PERCENT };
  const field = 'evenkeel.io/original';
  const note = FORGER.sign({ kind: 'HorizontalPodAutoscaler', uid, field }, targetsAnnotation([target], Date.now()));
  await annotate('grasping', 'hpa/scaled', { [field]: note });
}

async function autoscalerOfGrasping(): Promise<{
  readonly uid: string;
  readonly target: number | undefined;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}> {
  const { metadata, spec } = await cluster.api.expect<{
    readonly metadata: { readonly uid: string };
    readonly spec: {
      readonly minReplicas: number;
      readonly maxReplicas: number;
      readonly metrics: readonly { readonly resource: { readonly target: { readonly averageUtilization: number } } }[];
    };
  }>({ path: `${HPA}/scaled` });
  const { minReplicas, maxReplicas, metrics } = spec;
  return { uid: metadata.uid, target: metrics[0]?.resource.target.averageUtilization, minReplicas, maxReplicas };
}

async function annotate(namespace: string, object: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  const pairs = Object.entries(annotations).map(([key, value]) => `${key}=${value}`);
  await cluster.kubectl('annotate', object, '-n', namespace, ...pairs);
}

interface DeploymentObject {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly template: { readonly metadata: object }; readonly replicas: number };
}

function deploymentOf(namespace: string, name: string): Promise<DeploymentObject> {
  return cluster.api.expect<DeploymentObject>({ path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}` });
}

function patchOf(path: string, body: object) {
  return { method: 'PATCH', path, body, headers: { 'content-type': 'application/strategic-merge-patch+json' } } as const;
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
  const { text } = await boundedFetch(controller.metrics, 'metrics of the controller');
  const line = text.split('\n').find((candidate) => candidate.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}
