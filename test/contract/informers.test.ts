// Informers, model, usage and writers on the embedded cluster, in process.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { installCrds, readCrds } from '../../src/adapters/kubernetes/write/crd-installer.ts';
import { dryRunEffectWriter } from '../../src/adapters/kubernetes/write/dry-run-effect-writer.ts';
import { kubernetesEffectWriter } from '../../src/adapters/kubernetes/write/effect-writer.ts';
import { KubernetesEventRecorder } from '../../src/adapters/kubernetes/write/event-recorder.ts';
import { ALL_KINDS, startKubernetesInformers, type KubernetesInformers } from '../../src/adapters/kubernetes/watch/informers.ts';
import { KubernetesLeaseStore } from '../../src/adapters/kubernetes/write/lease-store.ts';
import { KubernetesRecordWriter } from '../../src/adapters/kubernetes/write/record-writer.ts';
import { KubeletUsageSource } from '../../src/adapters/kubelet/kubelet-usage-source.ts';
import type { PodResize } from '../../src/core/effects/effect.ts';
import { hpaRef, podRef } from '../../src/core/model/object-ref.ts';
import { POLICY_KINDS } from '../../src/core/policies/policy-kinds.ts';
import { MINUTE_MS } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import type { ApiTransport } from '#kube/api-transport';
import type { InformerStatus } from '../../src/ports/cluster/cluster-feed.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { ClusterState } from '../../src/state/cluster-state.ts';
import { UsageModel } from '../../src/state/usage/usage-model.ts';
import { aDeployment } from '#embedded-cluster/testing/workloads';
import { until } from '../fakes/fast-timer.ts';
import { seededRandom } from '../fakes/seeded-random.ts';

const T = Date.UTC(2026, 10, 2);
const WEB = 'shop/Deployment/web';
const signal = new AbortController().signal;

let cluster: EmbeddedCluster;
let transport: ApiTransport;
let state: ClusterState;
let informers: KubernetesInformers;

beforeEach(async () => {
  const timer = new SystemTimer();
  cluster = new EmbeddedCluster({
    startAt: T,
    seed: 1,
    random: seededRandom,
    speed: 'max',
    nodes: { count: 2, machineTypes: ['e2-standard-4'] },
    timer,
    logger: SILENT_LOGGER,
  });
  transport = cluster.transport('evenkeel');
  await installCrds(await readCrds('crds'), { transport, timer, version: '0.1.0' }, signal);
  for (const name of ['shop', 'evenkeel-system'])
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await post('/apis/apps/v1/namespaces/shop/deployments', aDeployment({ cpu: '500m', memory: '256Mi' }));
  await cluster.live(2 * MINUTE_MS);
  state = new ClusterState();
  informers = startKubernetesInformers({
    transport,
    clock: cluster.clock,
    timer,
    activity: cluster.activity.labelled('informers'),
    random: seededRandom(2),
    logger: SILENT_LOGGER,
    metrics: NO_METRICS,
    sink: state,
    namespace: 'evenkeel-system',
    kinds: ALL_KINDS,
  });
  await informers.whenSynced;
});

afterEach(async () => {
  await informers.stop();
  cluster.close();
});

async function post(path: string, body: object): Promise<void> {
  const response = await transport.request({ method: 'POST', path, body });
  expect([path, response.status, response.status < 300 ? '' : response.body]).toEqual([path, 201, '']);
}

function aWebPod(): PodRecord {
  const [pod] = state.podsOf(WEB);
  if (pod === undefined) throw new Error('web has no pods');
  return pod;
}

describe('on the embedded cluster', () => {
  test('the model has nodes, workloads and the owners of pods, and follows changes', async () => {
    expect(state.isSynced()).toBe(true);
    expect([...state.nodes()].map((node) => [node.ready, node.machineType])).toEqual([
      [true, 'e2-standard-4'],
      [true, 'e2-standard-4'],
    ]);
    expect([...state.workloads()].map((workload) => [workload.kind, workload.name, workload.rolloutInProgress])).toEqual([
      ['Deployment', 'web', false],
    ]);
    expect([...state.podsOf(WEB)].map((pod) => [pod.phase, pod.ready, pod.containers[0]?.requests])).toEqual(
      Array.from({ length: 3 }, () => ['Running', true, { cpuMillicores: 500, memoryBytes: 256 * 2 ** 20 }]),
    );
    expect(informers.informers().filter((informer) => informer.problem !== null)).toEqual([]);

    await transport.request({ method: 'DELETE', path: '/apis/apps/v1/namespaces/shop/deployments/web' });
    await cluster.live(2 * MINUTE_MS);
    await until(() => state.totals().pods === 0, 'no pod is left: their Deployment is deleted');
    expect(state.totals()).toEqual({ pods: 0, nodes: 2, workloads: 0 });
  });

  test('a resize reaches the pod and the informers, and a stale one changes nothing', async () => {
    const pod = aWebPod();
    const [container] = pod.containers;
    if (container === undefined) throw new Error('no container');
    const from = { requests: container.requests, limits: container.limits };
    const to = { ...from, requests: { cpuMillicores: 250, memoryBytes: 256 * 2 ** 20 } };
    const resize: PodResize = {
      kind: 'resize',
      target: podRef(pod),
      uid: pod.uid,
      containers: [{ name: container.name, from, to }],
    };

    expect(await dryRunEffectWriter(transport).write(resize, signal)).toEqual({ kind: 'dry-run' });
    const writer = kubernetesEffectWriter(transport);
    expect(await writer.write(resize, signal)).toEqual({ kind: 'done' });
    await cluster.live(MINUTE_MS);
    await until(
      () => state.findPod('shop', pod.name)?.containers[0]?.actual?.requests.cpuMillicores === 250,
      'the resize is actuated: the node has capacity',
    );
    expect(state.findPod('shop', pod.name)?.resize.state).toBe('none');

    const late = {
      ...resize,
      containers: [{ name: container.name, from, to: { ...from, requests: { cpuMillicores: 100, memoryBytes: 256 * 2 ** 20 } } }],
    };
    expect(await writer.write(late, signal)).toMatchObject({ kind: 'conflict' });
    expect(await writer.write({ ...resize, uid: 'another' }, signal)).toMatchObject({ kind: 'gone' });
  });

  test('a patch whose test fails is a conflict with the server’s message', async () => {
    const response = await transport.request({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/deployments/web',
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'test', path: '/metadata/uid', value: 'another' }],
    });
    expect(response.status).toBe(422);
    const target = hpaRef({ namespace: 'shop', name: 'missing' });
    const missing = { kind: 'patchHpa', target, resourceVersion: '1', patch: [] } as const;
    expect(await kubernetesEffectWriter(transport).write(missing, signal)).toMatchObject({ kind: 'gone' });
  });

  test('custom resources, leases and events are written in the server’s format', async () => {
    const records = new KubernetesRecordWriter(transport);
    const object = { plural: 'recommendations', namespace: 'shop', name: 'deployment-web' };
    const spec = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };
    expect(await records.apply(object, { spec }, { fieldManager: 'evenkeel-recommendation' })).toMatchObject({
      kind: 'done',
      object: { kind: 'Recommendation' },
    });
    expect(await records.applyStatus(object, { state: 'collecting' }, { fieldManager: 'evenkeel-recommendation' })).toMatchObject({
      kind: 'done',
    });
    await until(() => state.findRecommendation(WEB)?.status?.state === 'collecting', 'the Recommendation is seen: its informer follows it');
    const wrong = { spec: { targetRef: { ...spec.targetRef, kind: 'Unknown' } } };
    expect(await records.apply(object, wrong, { fieldManager: 'evenkeel-recommendation' })).toMatchObject({ kind: 'refused' });

    const leases = new KubernetesLeaseStore(transport, { namespace: 'evenkeel-system', name: 'controller' });
    const lease = {
      holder: 'me',
      leaseDurationSeconds: 10,
      acquireTime: '2026-01-01T00:00:00Z',
      renewTime: '2026-01-01T00:00:00Z',
      transitions: 0,
    };
    const made = await leases.create(lease, signal);
    expect(await leases.create(lease, signal)).toBeUndefined();
    expect(await leases.update(made?.resourceVersion ?? '', { ...lease, transitions: 1 }, signal)).toMatchObject({ transitions: 1 });
    expect(await leases.update(made?.resourceVersion ?? '', lease, signal)).toBeUndefined();

    const parts = { transport, clock: cluster.clock, random: seededRandom(4), logger: SILENT_LOGGER, metrics: NO_METRICS };
    const events = new KubernetesEventRecorder({ ...parts, controller: 'evenkeel.io/controller', instance: 'test' });
    const subject = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' };
    for (let i = 0; i < 3; i++) events.record({ subject, type: 'Normal', reason: 'Resized', action: 'Resize', message: 'smaller' });
    await cluster.live(MINUTE_MS);
    const listed = await transport.request({ method: 'GET', path: '/apis/events.k8s.io/v1/namespaces/shop/events' });
    const ownEvents = (listed.body as { items: { reason: string; series?: { count: number } }[] }).items.filter(
      (event) => event.reason === 'Resized',
    );
    expect(ownEvents.map((event) => event.series?.count)).toEqual([3]);
  });

  test('informers of policy kinds with effects must be synced before any effect', async () => {
    const names = new Map(POLICY_KINDS.map((kind) => [`${kind.plural}.evenkeel.io`, kind.gatesEffects]));
    const policies = (): readonly InformerStatus[] => informers.informers().filter(({ name }) => names.has(name));
    await until(() => policies().every(({ synced }) => synced), 'every kind of policy is listed: its definition is installed');
    expect(new Map(policies().map(({ name, decisive }) => [name, decisive]))).toEqual(names);
  });

  test('the pause is seen', async () => {
    await post('/api/v1/namespaces/evenkeel-system/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'evenkeel-pause' },
      data: { reason: 'load test' },
    });
    await until(() => state.activePause(T) !== null, 'the pause is seen: its informer follows the ConfigMap');
    expect(state.activePause(T)).toMatchObject({ until: null, reason: 'load test' });
  });

  test('usage comes from the kubelets, by workload', async () => {
    const model = new UsageModel({
      clock: cluster.clock,
      reader: state,
      logger: SILENT_LOGGER,
      metrics: NO_METRICS,
      intervalMs: MINUTE_MS,
    });
    const stop = new AbortController();
    const source = new KubeletUsageSource({
      pages: cluster.nodes.direct,
      reader: state,
      clock: cluster.clock,
      timer: new SystemTimer(),
      activity: cluster.activity.labelled('usage'),
      metrics: NO_METRICS,
    });
    const running = source.run(model, MINUTE_MS, stop.signal);
    await cluster.live(5 * MINUTE_MS);
    const samples = [...state.podsOf(WEB)].flatMap(({ namespace, name }) => [...model.containersOf(namespace, name).values()]);
    expect(samples).toHaveLength(3);
    expect(samples.every(({ cpuMillicores, memoryBytes }) => (cpuMillicores ?? 0) > 0 && (memoryBytes ?? 0) > 0)).toBe(true);
    expect([model.problem(), model.isStale()]).toEqual([null, false]);
    stop.abort();
    await running;
  });
});
