// Right-sizing with other controllers and constraints on a real control plane: admission, quotas, LimitRanges, the HPA controller with
// metrics.k8s.io, and objects of VPA and KEDA.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { DAY_MS, MiB } from '#kube/units';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS, type StateAndReason } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';
import { CONTROLLER_USER, startInstalledCluster, startControllerWithHistory } from './installed-controller.ts';
import { MetricsApi } from './metrics-api.ts';
import { runningForAnHour } from './simulated-pods.ts';
import type { RealCluster } from './real-cluster.ts';

/** Requests are 100m and 100Mi, plus 20 %. */
const USES = { cpuMillicores: 100, memoryBytes: 100 * MiB };
const LARGE = { cpu: '200m', memory: '256Mi' };
/** Total load, shared by the pods: with a target of 60 % of 200m it needs four pods. */
const LOAD_MILLICORES = 480;
const REPLICAS = 4;
const WORKLOADS = ['scaled', 'kept', 'vpa', 'free', 'bounded', 'tight', 'ratio', 'crowded'] as const;
type App = (typeof WORKLOADS)[number];

let fixture: TestFixture;
let cluster: RealCluster;
let metricsApi: MetricsApi;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'rightsizing', 4);
  metricsApi = await MetricsApi.start(cluster, (pod, pods) =>
    pod.metadata.labels['app'] === 'scaled' ? Math.round(LOAD_MILLICORES / pods.length) : USES.cpuMillicores,
  );
  fixture.addCleanup(() => metricsApi.stop());
  await othersKinds();
  for (const app of WORKLOADS) await furnish(app);
  await post('/apis/autoscaling/v2/namespaces/scaled/horizontalpodautoscalers', hpa('scaled', 60));
  await runs();
  // The autoscaler has read the metrics and has nothing to do before the resize.
  await autoscaler(
    'its controller has read the use of 60 %: the metrics report it',
    ({ status }) => status?.currentMetrics?.[0]?.resource.current.averageUtilization === 60,
  );
  const workloads = WORKLOADS.map((app) => ({ namespace: app, name: app, container: 'app', uses: USES }));
  await startControllerWithHistory(fixture, cluster, { workloads, spanMs: 2 * DAY_MS });
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } };
  await post('/apis/evenkeel.io/v1alpha1/podresizepolicies', {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'PodResizePolicy',
    metadata: { name: 'all' },
    spec: {
      namespaces: [...WORKLOADS],
      mode: 'Recommend',
      cpu: rule,
      memory: rule,
      minConfidence: 0,
      cooldown: '1s',
      interval: '5s',
      maxConcurrent: 100,
      rollback: { within: '3s' },
    },
  });
  // A raise that begins with the first minute of usage asks for less, and is not urgent enough to follow the recommendation.
  await statusOf('crowded', 'recommends 125m: its usage is steady', ({ containers }) => {
    return containers?.[0]?.recommended?.requests?.cpu === '125m';
  });
  await merge('/apis/evenkeel.io/v1alpha1/podresizepolicies/all', { spec: { mode: 'Auto' } });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

describe('on a real control plane', () => {
  test(
    'a resize passes admission, and the pod has the new size',
    async () => {
      await sized('free', (cpus) => cpus.every((cpu) => cpu === '125m'));
      expect(await statusOf('free', 'is applied: every pod has the size', ({ state }) => state === 'applied')).toMatchObject({
        state: 'applied',
      });
    },
    HANG_TEST_MS,
  );

  test(
    'an autoscaler’s replicas are unchanged by a resize: its target is adjusted',
    async () => {
      const replicaCounts: number[] = [];
      await sized('scaled', (cpus) => {
        replicaCounts.push(cpus.length);
        return cpus.every((cpu) => cpu === '134m');
      });
      const requestsBefore = metricsApi.asked;
      const { metadata, spec } = await autoscaler(
        'has a target of 90 %, and its controller has read the use: a resize moves the target',
        (now) =>
          now.spec.metrics[0]?.resource.target.averageUtilization === 90 &&
          now.status?.currentMetrics?.[0]?.resource.current.averageUtilization === 89,
      );
      // The HPA controller has read the new target and the new requests more than once.
      await eventually(
        'three more readings of the metrics: the HPA controller reads them every 5 s',
        HANG_MS,
        async () => metricsApi.asked >= requestsBefore + 3 || (replicaCounts.push((await cpusOf('scaled')).length), false),
      );
      expect(new Set([...replicaCounts, (await cpusOf('scaled')).length])).toEqual(new Set([REPLICAS]));
      expect(spec.metrics[0]?.resource.target.averageUtilization).toBe(90);
      expect(JSON.parse(metadata.annotations?.['evenkeel.io/original'] ?? '')).toEqual({
        v: 1,
        fields: { cpu: { user: 60, cpuMillicores: 200, wants: { 'keep-replicas': 90 }, set: 90, by: 'keep-replicas' } },
        takenAt: { 'keep-replicas': expect.any(String) },
        signature: expect.any(String),
      });
      const rescaled = cluster.audit(
        ({ objectRef, verb }) => objectRef?.namespace === 'scaled' && objectRef.subresource === 'scale' && verb !== 'get',
      );
      expect(rescaled).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'an autoscaler that KEDA manages is not changed, and the state names the ScaledObject',
    async () => {
      expect(await statusOf('kept', 'is awaiting the autoscaler: KEDA manages it', ({ reason }) => reason === 'hpa')).toMatchObject({
        state: 'awaiting',
        message: expect.stringContaining('ScaledObject load manages it'),
      });
      expect(new Set(await cpusOf('kept'))).toEqual(new Set(['200m']));
    },
    HANG_TEST_MS,
  );

  test(
    'an active VerticalPodAutoscaler blocks Evenkeel for its workload, and is named; in mode Off it does not block',
    async () => {
      expect(
        await statusOf('vpa', 'is blocked: a VerticalPodAutoscaler manages the pods', ({ state }) => state === 'blocked'),
      ).toMatchObject({
        reason: 'other-manager',
        message: expect.stringContaining('VerticalPodAutoscaler theirs sizes the pods (updateMode Recreate)'),
      });
      expect(new Set(await cpusOf('vpa'))).toEqual(new Set(['200m']));
      await merge('/apis/autoscaling.k8s.io/v1/namespaces/vpa/verticalpodautoscalers/theirs', {
        spec: { updatePolicy: { updateMode: 'Off' } },
      });
      await sized('vpa', (cpus) => cpus.every((cpu) => cpu === '125m'));
    },
    HANG_TEST_MS,
  );

  test(
    'a size that a LimitRange does not allow is not requested, and the explanation names the LimitRange',
    async () => {
      await sized('bounded', (cpus) => cpus.every((cpu) => cpu === '150m'));
      const { inputs = [] } = await statusOf(
        'bounded',
        'is applied: every pod has the size that the LimitRange allows',
        ({ state }) => state === 'applied',
      );
      expect(inputs.filter(({ step }) => step === 'limit-range').map(({ detail }) => detail)).toContain('minimum of LimitRange least');
      const refused = cluster.audit(
        ({ user, objectRef, responseStatus }) =>
          user.username === CONTROLLER_USER &&
          objectRef?.namespace === 'bounded' &&
          objectRef.subresource === 'resize' &&
          (responseStatus?.code ?? 0) >= 400,
      );
      expect(refused).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'a size that a quota refuses waits, with the API server’s message if it was requested',
    async () => {
      const status = await statusOf('tight', 'is awaiting the quota: it has no room for the size', ({ reason }) => reason === 'quota');
      expect(status).toMatchObject({ state: 'awaiting', message: expect.stringMatching(/ResourceQuota team|exceeded quota: team/) });
      expect(new Set(await cpusOf('tight'))).toEqual(new Set(['50m']));
    },
    HANG_TEST_MS,
  );

  test(
    'a size that the API server refuses waits, with its message',
    async () => {
      const status = await statusOf('ratio', 'is awaiting the quota: the API server refuses the size', ({ reason }) => reason === 'quota');
      expect(status).toMatchObject({ state: 'awaiting', message: expect.stringContaining('cpu max limit to request ratio per Pod is 3') });
      expect(new Set(await cpusOf('ratio'))).toEqual(new Set(['200m']));
    },
    HANG_TEST_MS,
  );

  test(
    'a raise that the kubelets defer waits for node capacity: kubectl shows the reason, the pods, and their requests',
    async () => {
      const status = await statusOf(
        'crowded',
        'has four pods that wait for the recommended requests: their kubelets defer the raise',
        ({ waitingForNodeCapacity }) => waitingForNodeCapacity?.pods === REPLICAS && waitingForNodeCapacity.requests?.cpu === '300m',
      );
      expect(status).toMatchObject({ state: 'awaiting', reason: 'node-capacity' });
      expect(await cluster.kubectl('get', 'recommendations', '-n', 'crowded')).toMatch(/awaiting +node-capacity/);
      const described = await cluster.kubectl('describe', 'recommendation', '-n', 'crowded', 'deployment-crowded');
      expect(described).toMatch(/Message: .*the resize is deferred on its node/);
    },
    HANG_TEST_MS,
  );

  test(
    'a pod that a user has resized is not changed, and the state names the field manager',
    async () => {
      const [pod] = await podsOf('free');
      const patch = { spec: { containers: [{ name: 'app', resources: { requests: { cpu: '300m' } } }] } };
      await cluster.kubectl('patch', 'pod', pod ?? '', '-n', 'free', '--subresource', 'resize', '--patch', JSON.stringify(patch));
      expect(await statusOf('free', 'is blocked: kubectl resized a pod', ({ state }) => state === 'blocked')).toMatchObject({
        reason: 'other-manager',
        message: expect.stringMatching(new RegExp(`^${pod ?? ''} was resized by kubectl`)),
      });
      expect(await cpusOf('free')).toContain('300m');
    },
    HANG_TEST_MS,
  );

  test(
    'nothing else was patched, and no request of Evenkeel was refused',
    async () => {
      const ours = cluster.audit(({ user, stage }) => user.username === CONTROLLER_USER && stage === 'ResponseComplete');
      const patched = ours.filter(({ objectRef }) => objectRef?.resource === 'horizontalpodautoscalers');
      expect(new Set(patched.map(({ verb, objectRef }) => `${verb} ${objectRef?.namespace}/${objectRef?.name}`))).toEqual(
        new Set(['patch scaled/scaled']),
      );
      expect(patched.length).toBeGreaterThanOrEqual(2);
      const forbidden = ours.filter(({ responseStatus, objectRef }) => responseStatus?.code === 403 && objectRef?.subresource !== 'resize');
      expect(forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    },
    HANG_TEST_MS,
  );
});

interface Autoscaler {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly metrics: readonly { readonly resource: { readonly target: { readonly averageUtilization: number } } }[] };
  readonly status?: {
    readonly currentMetrics?: readonly { readonly resource: { readonly current: { readonly averageUtilization?: number } } }[];
  };
}

function autoscaler(state: StateAndReason, isMet: (hpa: Autoscaler) => boolean): Promise<Autoscaler> {
  const path = '/apis/autoscaling/v2/namespaces/scaled/horizontalpodautoscalers/scaled';
  return eventuallyReads(`the autoscaler ${state}`, HANG_MS, () => cluster.api.expect<Autoscaler>({ path }), isMet);
}

/** The CRDs of VPA and KEDA with the fields that Evenkeel reads, and one object of each. */
async function othersKinds(): Promise<void> {
  await definition('autoscaling.k8s.io', 'v1', 'VerticalPodAutoscaler', 'verticalpodautoscalers');
  await definition('keda.sh', 'v1alpha1', 'ScaledObject', 'scaledobjects');
}

async function definition(group: string, version: string, kind: string, plural: string): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    // API groups below k8s.io: without the approval annotation such a CRD is not served.
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
        },
      ],
    },
  });
  await eventually(
    `${kind} is served: its definition was created`,
    HANG_MS,
    async () => (await cluster.api.request({ path: `/apis/${group}/${version}/${plural}` })).status === 200,
  );
}

async function furnish(app: App): Promise<void> {
  await post('/api/v1/namespaces', { metadata: { name: app } });
  const small = app === 'tight' || app === 'crowded';
  if (app === 'bounded') {
    const limits = [{ type: 'Container', min: { cpu: '150m', memory: '200Mi' } }];
    await post('/api/v1/namespaces/bounded/limitranges', { metadata: { name: 'least' }, spec: { limits } });
  }
  if (app === 'tight') {
    const hard = { 'requests.cpu': '220m', 'requests.memory': '300Mi' };
    await post('/api/v1/namespaces/tight/resourcequotas', { metadata: { name: 'team' }, spec: { hard } });
  }
  if (app === 'ratio') {
    const limits = [{ type: 'Pod', maxLimitRequestRatio: { cpu: '3' } }];
    await post('/api/v1/namespaces/ratio/limitranges', { metadata: { name: 'ratio' }, spec: { limits } });
  }
  const labels = { app };
  const annotations = {
    'kwok.x-k8s.io/usage-cpu': '100m',
    'kwok.x-k8s.io/usage-memory': '100Mi',
    // For five minutes after its start, the HPA controller ignores a pod's CPU until a while after it became ready.
    ...runningForAnHour(),
    // The kubelets have no free capacity for a resize.
    ...(app === 'crowded' ? { 'evenkeel.dev/resize': 'Deferred' } : {}),
  };
  const requests = small ? { cpu: '50m', memory: '64Mi' } : LARGE;
  const limits = app === 'ratio' ? { limits: { cpu: '400m' } } : {};
  const container = { name: 'app', image: 'registry.example/app:1', resources: { requests, ...limits } };
  await post(`/apis/apps/v1/namespaces/${app}/deployments`, {
    metadata: { name: app, labels },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [container] } },
    },
  });
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: app };
  if (app === 'vpa') {
    await post('/apis/autoscaling.k8s.io/v1/namespaces/vpa/verticalpodautoscalers', {
      apiVersion: 'autoscaling.k8s.io/v1',
      kind: 'VerticalPodAutoscaler',
      metadata: { name: 'theirs' },
      spec: { targetRef, updatePolicy: { updateMode: 'Recreate' } },
    });
  }
  if (app === 'kept') await furnishKeda(targetRef);
}

/** A ScaledObject, and the HPA that KEDA would create for it. */
async function furnishKeda(targetRef: object): Promise<void> {
  const { metadata } = await cluster.api.expect<{ readonly metadata: { readonly uid: string } }>({
    method: 'POST',
    path: '/apis/keda.sh/v1alpha1/namespaces/kept/scaledobjects',
    body: {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: { name: 'load' },
      spec: { scaleTargetRef: targetRef, triggers: [{ type: 'cpu', metricType: 'Utilization', metadata: { value: '50' } }] },
      status: { hpaName: 'keda-hpa-load' },
    },
  });
  const owner = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'load', uid: metadata.uid, controller: true };
  const made = hpa('kept', 50);
  await post('/apis/autoscaling/v2/namespaces/kept/horizontalpodautoscalers', {
    ...made,
    metadata: { name: 'keda-hpa-load', ownerReferences: [owner] },
  });
}

function hpa(app: App, averageUtilization: number): object {
  return {
    metadata: { name: app },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: app },
      minReplicas: REPLICAS / 2,
      maxReplicas: REPLICAS * 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }],
    },
  };
}

async function runs(): Promise<void> {
  const path = '/api/v1/pods?fieldSelector=status.phase%3DRunning';
  const running = async (): Promise<number> => (await cluster.api.expect<{ readonly items: readonly unknown[] }>({ path })).items.length;
  await eventuallyReads(
    'every pod runs: kwok starts what is scheduled',
    HANG_MS,
    running,
    (count) => count === WORKLOADS.length * REPLICAS,
  );
}

/** CPU requests in the specs of a workload's pods. */
async function cpusOf(app: App): Promise<readonly string[]> {
  const { items } = await cluster.api.expect<{
    readonly items: readonly {
      readonly spec: { readonly containers: readonly { readonly resources: { readonly requests: { readonly cpu: string } } }[] };
    }[];
  }>({ path: `/api/v1/namespaces/${app}/pods?labelSelector=app%3D${app}` });
  return items.map(({ spec }) => spec.containers[0]?.resources.requests.cpu ?? '');
}

async function podsOf(app: App): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/${app}/pods?labelSelector=app%3D${app}`;
  const { items } = await cluster.api.expect<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>({ path });
  return items.map(({ metadata }) => metadata.name);
}

async function sized(app: App, isMet: (cpus: readonly string[]) => boolean): Promise<void> {
  // The state explains a timeout.
  const read = async () => ({ cpus: await cpusOf(app), state: await stateOf(app) });
  await eventuallyReads(`the pods of ${app} have the recommended size: the policy applies it`, HANG_MS, read, ({ cpus }) => isMet(cpus));
}

function statusOf(app: App, state: StateAndReason, isMet: (status: RecommendationStatus) => boolean): Promise<RecommendationStatus> {
  return eventuallyReads(`the Recommendation of ${app} ${state}`, HANG_MS, () => stateOf(app), isMet);
}

async function stateOf(app: App): Promise<RecommendationStatus> {
  const path = `/apis/evenkeel.io/v1alpha1/namespaces/${app}/recommendations`;
  return (await cluster.api.expect<{ readonly items: readonly Recommendation[] }>({ path })).items[0]?.status ?? {};
}

async function post(path: string, body: object): Promise<void> {
  await cluster.api.expect({ method: 'POST', path, body });
}

async function merge(path: string, body: object): Promise<void> {
  await cluster.api.expect({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body });
}
