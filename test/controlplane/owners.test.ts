// Workloads of custom kinds on a real control plane with the chart's RBAC: a Rollout like that of Argo Rollouts, whose pods belong to a
// ReplicaSet, and a kind that owns its pods directly.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PodResizePolicy, Recommendation } from '../../src/apis/v1alpha1/index.ts';
import { DAY_MS, MiB } from '#kube/units';
import { aScalableDefinition } from '../builders/scalable-definition.ts';
import { observedIn, type Observed } from '../chart/observed.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import type { Controller } from '../e2e/controller-process.ts';
import { ask, read, send } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS, type StateAndReason } from '../eventually.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { CONTROLLER_USER, OWN_NAMESPACE, startInstalledCluster, startControllerWithHistory } from './installed-controller.ts';
import { runningForAnHour } from './simulated-pods.ts';
import type { RealCluster } from './real-cluster.ts';

const ROLLOUTS = { group: 'argoproj.io', resource: 'rollouts' };
const OXEN = { group: 'db.example.com', resource: 'oxen' };
const ROLLOUT = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/web';
const OX = '/apis/db.example.com/v1/namespaces/shop/oxen/herd';
/** Requests are 200m and 256Mi; 20 % above this usage gives 120m, rounded up. */
const USES = { cpuMillicores: 100, memoryBytes: 100 * MiB };
const RIGHT_SIZE = '125m';

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'owners', 2);
  await permit(ROLLOUTS);
  await define({ group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout', plural: 'rollouts' });
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.members' };
  await define({ group: 'db.example.com', kind: 'Ox', plural: 'oxen', scale });
  await cluster.kubectl('create', 'namespace', 'shop');
  await aDeployment();
  await aRollout();
  await anOx();
  await eventuallyReads(
    'every pod runs: kwok starts what is scheduled',
    HANG_MS,
    async () => (await podsWhere('status.phase%3DRunning')).length,
    (count) => count === 5,
  );
  const workloads = [
    { kind: 'Deployment', name: 'web' },
    { kind: 'Rollout', name: 'web' },
    { kind: 'Ox', name: 'herd' },
  ].map((workload) => ({ ...workload, namespace: 'shop', container: 'app', uses: USES }));
  controller = await startControllerWithHistory(fixture, cluster, { workloads, spanMs: 2 * DAY_MS });
  await post('/apis/evenkeel.io/v1alpha1/podresizepolicies', {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'PodResizePolicy',
    metadata: { name: 'all' },
    spec: {
      namespaces: ['shop'],
      mode: 'Auto',
      cpu: { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } },
      memory: { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } },
      minConfidence: 0,
      cooldown: '1s',
      interval: '5s',
      rollback: { within: '3s' },
    },
  });
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

describe('A Rollout that rbac.workloads permits', () => {
  test(
    'has a Recommendation with an owner reference to it',
    async () => {
      const { metadata, spec } = await recommendation('rollout-web', 'exists: the Rollout is read', () => true);
      expect(spec.targetRef).toEqual({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web' });
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'Rollout', name: 'web', uid: await uidOf(ROLLOUT) }]);
    },
    HANG_TEST_MS,
  );

  test(
    'is right-sized in place: its pods are not replaced, its template and its ReplicaSet are unchanged',
    async () => {
      const before = await podsOf('rollout');
      await sized('rollout');
      await recommendation('rollout-web', 'is applied: every pod has the size', ({ status }) => status?.state === 'applied');
      expect((await podsOf('rollout')).map(({ uid }) => uid)).toEqual(before.map(({ uid }) => uid));
      const rollout = await cluster.api.expect<Owner>({ path: ROLLOUT });
      const replicaSet = await cluster.api.expect<Owner>({ path: '/apis/apps/v1/namespaces/shop/replicasets/web-rollout' });
      for (const { metadata, spec } of [rollout, replicaSet]) {
        expect(metadata.generation).toBe(1);
        expect(spec.template.spec.containers[0]?.resources.requests.cpu).toBe('200m');
      }
      expect(rollout.metadata.annotations?.['evenkeel.io/resized']).toContain('"cpu":"125m"');
    },
    HANG_TEST_MS,
  );

  test(
    'shares its name with a Deployment: a request must state the kind',
    async () => {
      await recommendation('deployment-web', 'exists: the Deployment is read', () => true);
      const path = 'recommendations/shop/web';
      const { status, envelope } = await ask(controller.dashboard, path);
      expect([status, envelope.error?.code]).toEqual([409, 'ambiguous_workload']);
      expect(envelope.error?.message).toContain('Deployment and Rollout share the name web in shop');
      for (const kind of ['Deployment', 'Rollout']) {
        expect(await read(controller.dashboard, `${path}?kind=${kind}`)).toMatchObject({ kind, name: 'web' });
      }
    },
    HANG_TEST_MS,
  );

  test(
    'has the autoscaler that names its group, not one of the same kind and name in another group',
    async () => {
      for (const group of ['rollouts.example.com', 'argoproj.io']) {
        const scaleTargetRef = { apiVersion: `${group}/v1`, kind: 'Rollout', name: 'web' };
        const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 4 };
        await post('/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers', { metadata: { name: group }, spec });
      }
      await eventuallyReads(
        'the Rollout has an autoscaler: both are read',
        HANG_MS,
        async () => (await read<{ readonly hpa: object | null }>(controller.dashboard, 'recommendations/shop/web?kind=Rollout')).hpa,
        (hpa) => hpa !== null && 'name' in hpa && hpa.name === 'argoproj.io',
      );
    },
    HANG_TEST_MS,
  );

  test('is not reset: the answer names the command of its controller, and no object is changed', async () => {
    const { status, envelope } = await send(controller.dashboard, 'POST', 'resource-audit/shop/web/reset-to-deploy?kind=Rollout', {});
    expect([status, envelope.error?.code]).toEqual([422, 'not_feasible']);
    expect(envelope.error?.message).toContain('kubectl argo rollouts restart web -n shop');
    const { metadata } = await cluster.api.expect<Owner>({ path: ROLLOUT });
    expect([metadata.generation, Object.keys(metadata.annotations ?? {})]).toEqual([1, ['evenkeel.io/resized']]);
  });
});

describe('A kind that rbac.workloads does not permit', () => {
  const COUNTED = '2 pods of oxen.db.example.com';

  test(
    'is reported in health and in the status of policies with its pods, which are unchanged',
    async () => {
      await kindsHealth(
        'reports the oxen: they may not be read',
        ({ status, message }) => status === 'degraded' && message.includes(COUNTED),
      );
      await eventuallyReads(
        'the policy reports the oxen: they may not be read',
        HANG_MS,
        async () => (await policy()).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
        (message) => message.includes(COUNTED),
      );
      expect((await podsOf('ox')).map(({ cpu }) => cpu)).toEqual(['200m', '200m']);
      expect(await ask(controller.dashboard, 'recommendations/shop/herd')).toMatchObject({ status: 404 });
    },
    HANG_TEST_MS,
  );

  test('is not requested: access reviews deny it', async () => {
    expect([...(await observed()).requested].filter((words) => words.includes('oxen'))).toEqual([]);
  });

  test(
    'is right-sized without a restart once it is permitted',
    async () => {
      const before = await podsOf('ox');
      await permit(ROLLOUTS, OXEN);
      await sized('ox');
      expect((await podsOf('ox')).map(({ uid }) => uid)).toEqual(before.map(({ uid }) => uid));
      const { spec } = await recommendation('ox-herd', 'exists: the herd is read', () => true);
      expect(spec.targetRef).toEqual({ apiVersion: 'db.example.com/v1', kind: 'Ox', name: 'herd' });
      await kindsHealth('is ok: both kinds are read', ({ status }) => status === 'ok');
      expect(await read(controller.dashboard, 'recommendations/shop/herd')).toMatchObject({ kind: 'Ox', replicas: 2 });
    },
    HANG_TEST_MS,
  );

  test(
    'is no longer read once its CRD is deleted, without a restart',
    async () => {
      await cluster.kubectl('delete', 'crd/oxen.db.example.com');
      await kindsHealth('is ok without oxen: they are not served', ({ status, message }) => status === 'ok' && !message.includes('oxen'));
      await eventually(
        'there is no herd: its kind is not served',
        HANG_MS,
        async () => (await ask(controller.dashboard, 'recommendations/shop/herd')).status === 404,
      );
    },
    HANG_TEST_MS,
  );
});

test('no request of Evenkeel was refused', async () => {
  expect((await observed()).denied).toEqual([]);
  const refused = cluster.audit(
    ({ user, responseStatus }) => user.username === CONTROLLER_USER && [403, 422].includes(responseStatus?.code ?? 0),
  );
  expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
});

interface Owner {
  readonly metadata: { readonly uid: string; readonly generation: number; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly containers: readonly { readonly resources: { readonly requests: { readonly cpu: string } } }[];
}

interface HealthOfKinds {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

/** Grants what the chart grants with `rbac.workloads`. */
async function permit(...kinds: readonly { readonly group: string; readonly resource: string }[]): Promise<void> {
  const values = kinds.flatMap(({ group, resource }, index) => [
    ...['--set', `rbac.workloads[${index}].group=${group}`],
    ...['--set', `rbac.workloads[${index}].resource=${resource}`],
  ]);
  const templates = ['clusterrole', 'admissionpolicies'].flatMap((name) => ['--show-only', `templates/${name}.yaml`]);
  const file = join(cluster.folder, 'permitted.yaml');
  writeFileSync(
    file,
    await cluster.helm('template', 'evenkeel', join(ROOT, 'charts/evenkeel'), '-n', OWN_NAMESPACE, ...values, ...templates),
  );
  await cluster.kubectl('apply', '-f', file);
}

async function define(definition: Parameters<typeof aScalableDefinition>[0]): Promise<void> {
  const { group, plural } = definition;
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', aScalableDefinition(definition));
  await cluster.kubectl('wait', '--for=condition=Established', `crd/${plural}.${group}`);
}

function podTemplate(app: string): { readonly metadata: object; readonly spec: object } {
  const usage = { 'kwok.x-k8s.io/usage-cpu': '100m', 'kwok.x-k8s.io/usage-memory': '100Mi', ...runningForAnHour() };
  const resources = { requests: { cpu: '200m', memory: '256Mi' } };
  return {
    metadata: { labels: { app }, annotations: usage },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1', resources }] },
  };
}

async function aDeployment(): Promise<void> {
  const selector = { matchLabels: { app: 'deployment' } };
  const spec = { replicas: 1, selector, template: podTemplate('deployment') };
  await post('/apis/apps/v1/namespaces/shop/deployments', { metadata: { name: 'web' }, spec });
}

/** As the controller of Argo Rollouts does, the ReplicaSet owns the pods. */
async function aRollout(): Promise<void> {
  const spec = { replicas: 2, selector: { matchLabels: { app: 'rollout' } }, template: podTemplate('rollout') };
  const apiVersion = 'argoproj.io/v1alpha1';
  await post('/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts', { apiVersion, kind: 'Rollout', metadata: { name: 'web' }, spec });
  const owner = { apiVersion, kind: 'Rollout', name: 'web', uid: await uidOf(ROLLOUT), controller: true, blockOwnerDeletion: true };
  await post('/apis/apps/v1/namespaces/shop/replicasets', { metadata: { name: 'web-rollout', ownerReferences: [owner] }, spec });
  await reports(ROLLOUT, { replicas: 2, updatedReplicas: 2, readyReplicas: 2, observedGeneration: '1' });
}

/** Two pods that the object owns directly, without a pod template. */
async function anOx(): Promise<void> {
  const apiVersion = 'db.example.com/v1';
  const object = { apiVersion, kind: 'Ox', metadata: { name: 'herd' }, spec: { size: 2 } };
  await post('/apis/db.example.com/v1/namespaces/shop/oxen', object);
  const owner = { apiVersion, kind: 'Ox', name: 'herd', uid: await uidOf(OX), controller: true };
  const { metadata, spec } = podTemplate('ox');
  for (const name of ['herd-0', 'herd-1']) {
    await post('/api/v1/namespaces/shop/pods', { metadata: { ...metadata, name, ownerReferences: [owner] }, spec });
  }
  await reports(OX, { members: 2 });
}

async function reports(path: string, status: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  await cluster.api.expect({ method: 'PATCH', path: `${path}/status`, headers, body: { status } });
}

async function post(path: string, body: object): Promise<void> {
  await cluster.api.expect({ method: 'POST', path, body });
}

async function uidOf(path: string): Promise<string> {
  return (await cluster.api.expect<Owner>({ path })).metadata.uid;
}

async function podsWhere(fieldSelector: string): Promise<readonly unknown[]> {
  const path = `/api/v1/namespaces/shop/pods?fieldSelector=${fieldSelector}`;
  return (await cluster.api.expect<{ readonly items: readonly unknown[] }>({ path })).items;
}

/** Uid and CPU request of pods, by name. */
async function podsOf(app: string): Promise<readonly { readonly uid: string; readonly cpu: string | undefined }[]> {
  const { items } = await cluster.api.expect<{
    readonly items: readonly { readonly metadata: { readonly uid: string }; readonly spec: PodSpec }[];
  }>({
    path: `/api/v1/namespaces/shop/pods?labelSelector=app%3D${app}`,
  });
  return items.map(({ metadata, spec }) => ({ uid: metadata.uid, cpu: spec.containers[0]?.resources.requests.cpu }));
}

async function sized(app: string): Promise<void> {
  await eventuallyReads(
    `the pods of ${app} have the recommended size: the policy applies it`,
    HANG_MS,
    async () => ({ pods: await podsOf(app), recommendations: await recommendations() }),
    ({ pods }) => pods.length === 2 && pods.every(({ cpu }) => cpu === RIGHT_SIZE),
  );
}

async function recommendations(): Promise<readonly Recommendation[]> {
  const path = '/apis/evenkeel.io/v1alpha1/namespaces/shop/recommendations';
  return (await cluster.api.expect<{ readonly items: readonly Recommendation[] }>({ path })).items;
}

function recommendation(name: string, state: StateAndReason, isMet: (object: Recommendation) => boolean): Promise<Recommendation> {
  return eventually(`the Recommendation ${name} ${state}`, HANG_MS, async () =>
    (await recommendations()).find((recommendation) => recommendation.metadata.name === name && isMet(recommendation)),
  );
}

/** Requests of the controller to the API server so far. */
async function observed(): Promise<Observed> {
  return observedIn((await boundedFetch(controller.metrics, 'metrics of the controller')).text);
}

async function policy(): Promise<PodResizePolicy> {
  return cluster.api.expect<PodResizePolicy>({ path: '/apis/evenkeel.io/v1alpha1/podresizepolicies/all' });
}

async function kindsHealth(state: StateAndReason, isMet: (health: HealthOfKinds) => boolean): Promise<void> {
  const find = async (): Promise<HealthOfKinds> => {
    const all = await read<readonly HealthOfKinds[]>(controller.dashboard, 'health');
    return all.find(({ name }) => name === 'workload-kinds') ?? { name: '', status: '', message: '' };
  };
  await eventuallyReads(`health ${state}`, HANG_MS, find, isMet);
}
