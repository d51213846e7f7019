import { describe, expect, test } from '@jest/globals';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import type { PodResize } from '../../../core/effects/effect.ts';
import { hpaRef, podRef } from '../../../core/model/object-ref.ts';
import { dryRunEffectWriter } from './dry-run-effect-writer.ts';
import { kubernetesEffectWriter } from './effect-writer.ts';
import { KubernetesRecordWriter } from './record-writer.ts';

const signal = new AbortController().signal;
const MiB = 2 ** 20;

function aPod(
  resources: object = { requests: { cpu: '0.5', memory: '256Mi', 'ephemeral-storage': '1Gi' }, limits: { memory: '268435456' } },
): object {
  return {
    metadata: { name: 'p', namespace: 'a', uid: 'u1' },
    spec: {
      containers: [
        { name: 'side', resources: {} },
        { name: 'app', resources },
      ],
      initContainers: [{ name: 'proxy', restartPolicy: 'Always' }],
    },
  };
}

const resize: PodResize = {
  kind: 'resize',
  target: podRef({ namespace: 'a', name: 'p' }),
  uid: 'u1',
  containers: [
    {
      name: 'app',
      from: { requests: { cpuMillicores: 500, memoryBytes: 256 * MiB }, limits: { cpuMillicores: null, memoryBytes: 256 * MiB } },
      to: { requests: { cpuMillicores: 250, memoryBytes: 256 * MiB }, limits: { cpuMillicores: null, memoryBytes: 320 * MiB } },
    },
  ],
};

function serving(pod: object, patched: ReturnType<typeof status> | { status?: number } = {}): FakeTransport {
  return new FakeTransport((request) => (request.method === 'GET' ? { body: pod } : patched));
}

describe('kubernetesEffectWriter', () => {
  test('resizes by a patch that tests the uid, the name and the resources of the decision', async () => {
    const transport = serving(aPod());
    expect(await kubernetesEffectWriter(transport).write(resize, signal)).toEqual({ kind: 'done' });
    const [, patch] = transport.requests;
    expect(patch).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/a/pods/p/resize',
      headers: { 'content-type': 'application/json-patch+json' },
    });
    expect(patch?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u1' },
      { op: 'test', path: '/spec/containers/1/name', value: 'app' },
      {
        op: 'test',
        path: '/spec/containers/1/resources',
        value: { requests: { cpu: '0.5', memory: '256Mi', 'ephemeral-storage': '1Gi' }, limits: { memory: '268435456' } },
      },
      {
        op: 'replace',
        path: '/spec/containers/1/resources',
        value: { requests: { cpu: '250m', memory: '256Mi', 'ephemeral-storage': '1Gi' }, limits: { memory: '320Mi' } },
      },
    ]);
  });

  test('finds a sidecar among the init containers, and adds resources where there are none', async () => {
    const transport = serving(aPod());
    const nothing = { requests: { cpuMillicores: null, memoryBytes: null }, limits: { cpuMillicores: null, memoryBytes: null } };
    const to = { ...nothing, requests: { cpuMillicores: 10, memoryBytes: null } };
    await kubernetesEffectWriter(transport).write({ ...resize, containers: [{ name: 'proxy', from: nothing, to }] }, signal);
    expect(transport.requests[1]?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u1' },
      { op: 'test', path: '/spec/initContainers/0/name', value: 'proxy' },
      { op: 'add', path: '/spec/initContainers/0/resources', value: { requests: { cpu: '10m' } } },
    ]);
  });

  test.each([
    ['another pod of the same name is gone to us', { ...aPod(), metadata: { name: 'p', uid: 'u2' } }, 'gone'],
    [
      'a pod that is being deleted is not resized',
      { ...aPod(), metadata: { name: 'p', uid: 'u1', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'gone',
    ],
    [
      'a request that changed meanwhile is a conflict',
      aPod({ requests: { cpu: '400m', memory: '256Mi' }, limits: { memory: '256Mi' } }),
      'conflict',
    ],
    [
      'a pod that already has the values needs no write',
      aPod({ requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '320Mi' } }),
      'done',
    ],
  ])('%s', async (_, pod, kind) => {
    const transport = serving(pod);
    expect(await kubernetesEffectWriter(transport).write(resize, signal)).toMatchObject({ kind });
    expect(transport.requests).toHaveLength(1);
  });

  test.each([
    [
      'a failed test of a JSON patch is a conflict',
      status(422, 'Invalid', 'the server rejected our request due to an error in our request'),
      'conflict',
    ],
    ['a quota refuses in its own words', status(403, 'Forbidden', 'pods "p" is forbidden: exceeded quota: team'), 'refused'],
    ['validation refuses', status(422, 'Invalid', 'Pod "p" is invalid: spec: Forbidden: pod QoS class may not change'), 'refused'],
    ['a pod that vanished in between is gone', status(404, 'NotFound', 'pods "p" not found'), 'gone'],
    ['409 is a conflict', status(409, 'Conflict', 'the object has been modified'), 'conflict'],
  ])('%s', async (_, refusal, kind) => {
    const outcome = await kubernetesEffectWriter(serving(aPod(), refusal)).write(resize, signal);
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === 'refused') expect(outcome.message).toBe((refusal.body as { message: string }).message);
  });

  test('a refused resize has a reason code', async () => {
    const refusal = status(403, 'Forbidden', 'pods "p" is forbidden: exceeded quota: team');
    expect(await kubernetesEffectWriter(serving(aPod(), refusal)).write(resize, signal)).toMatchObject({ code: 'quota' });
  });

  test('a broken server is a fault, not an outcome', async () => {
    const writer = kubernetesEffectWriter(serving(aPod(), status(500, 'InternalError', 'etcd is away')));
    await expect(writer.write(resize, signal)).rejects.toThrow(
      'patching /api/v1/namespaces/a/pods/p/resize: etcd is away (500 InternalError)',
    );
  });

  test('evicts with the uid as precondition; a refusal by a disruption budget is an outcome', async () => {
    const transport = new FakeTransport(() => status(429, 'TooManyRequests', 'Cannot evict pod', [{ reason: 'DisruptionBudget' }]));
    const outcome = await kubernetesEffectWriter(transport).write(
      { kind: 'evict', target: podRef({ namespace: 'a', name: 'p' }), uid: 'u1' },
      signal,
    );
    expect(outcome).toEqual({ kind: 'refused', status: 429, message: 'Cannot evict pod' });
    expect(transport.requests[0]?.body).toMatchObject({ deleteOptions: { preconditions: { uid: 'u1' } } });
  });

  test.each([
    ['of the replicas of the decision', 3, { op: 'test', path: '/spec/replicas', value: 3 }],
    ['of the resourceVersion, since a count of 0 is absent in JSON', 0, { op: 'test', path: '/metadata/resourceVersion', value: '7' }],
  ])('scales under a test %s', async (_, from, guard) => {
    const transport = new FakeTransport();
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'd' };
    const scale = { kind: 'scale', target, from, to: 1, resourceVersion: '7' } as const;
    expect(await kubernetesEffectWriter(transport).write(scale, signal)).toEqual({ kind: 'done' });
    expect(transport.requests[0]).toMatchObject({
      path: '/apis/apps/v1/namespaces/a/deployments/d/scale',
      body: [guard, { op: 'add', path: '/spec/replicas', value: 1 }],
    });
  });

  test('patches an autoscaler only at the version of the decision', async () => {
    const transport = new FakeTransport();
    const patch = [{ op: 'replace', path: '/spec/minReplicas', value: 2 }] as const;
    const target = hpaRef({ namespace: 'a', name: 'h' });
    await kubernetesEffectWriter(transport).write({ kind: 'patchHpa', target, resourceVersion: '7', patch }, signal);
    expect(transport.requests[0]?.body).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'replace', path: '/spec/minReplicas', value: 2 },
    ]);
  });
});

describe('dryRunEffectWriter', () => {
  test('reads normally, writes as a dry run, and reports a dry run', async () => {
    const transport = serving(aPod());
    expect(await dryRunEffectWriter(transport).write(resize, signal)).toEqual({ kind: 'dry-run' });
    expect(transport.requests.map((request) => [request.method, request.query?.['dryRun']])).toEqual([
      ['GET', undefined],
      ['PATCH', 'All'],
    ]);
  });
});

describe('KubernetesRecordWriter', () => {
  const recommendation = { plural: 'recommendations', namespace: 'a', name: 'deployment-web' };

  test('applies custom resources by force, each controller under its own field manager', async () => {
    const transport = new FakeTransport(() => ({ body: { made: true } }));
    const outcome = await new KubernetesRecordWriter(transport).apply(
      recommendation,
      { metadata: { labels: { x: 'y' } }, spec: {} },
      { fieldManager: 'evenkeel-recommendation' },
    );
    expect(outcome).toEqual({ kind: 'done', object: { made: true } });
    expect(transport.requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/apis/evenkeel.io/v1alpha1/namespaces/a/recommendations/deployment-web',
      query: { fieldManager: 'evenkeel-recommendation', force: true },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: {
        apiVersion: 'evenkeel.io/v1alpha1',
        kind: 'Recommendation',
        metadata: { name: 'deployment-web', namespace: 'a', labels: { x: 'y' } },
        spec: {},
      },
    });
  });

  test('applies a status to the status subresource alone', async () => {
    const transport = new FakeTransport();
    await new KubernetesRecordWriter(transport).applyStatus(
      { plural: 'podresizepolicies', namespace: null, name: 'p' },
      { phase: 'x' },
      { fieldManager: 'm' },
    );
    expect(transport.requests[0]).toMatchObject({
      path: '/apis/evenkeel.io/v1alpha1/podresizepolicies/p/status',
      body: { metadata: { name: 'p' }, status: { phase: 'x' } },
    });
  });

  test('applies no empty map: a real API server turns an emptied map into null, and rejects it', async () => {
    const transport = new FakeTransport();
    const status = { awaiting: {}, savings: {}, workloads: { total: 1 } };
    await new KubernetesRecordWriter(transport).applyStatus({ plural: 'podresizepolicies', namespace: null, name: 'p' }, status, {
      fieldManager: 'm',
    });
    expect(transport.requests[0]?.body).toMatchObject({ status: { workloads: { total: 1 } } });
    expect(Object.keys((transport.requests[0]?.body as { status: object }).status)).toEqual(['workloads']);
  });

  test('applies and deletes under a resourceVersion, so that the API server refuses a write that arrives after another one', async () => {
    const transport = new FakeTransport();
    const writer = new KubernetesRecordWriter(transport);
    const options = { fieldManager: 'm', resourceVersion: '7' };
    await writer.apply(recommendation, { metadata: { labels: { x: 'y' } }, spec: {} }, options);
    await writer.applyStatus(recommendation, { state: 'ready' }, options);
    await writer.delete(recommendation, undefined, { resourceVersion: '7' });
    const metadata = { name: 'deployment-web', namespace: 'a', resourceVersion: '7' };
    expect(transport.requests.map(({ body }) => body)).toMatchObject([
      { metadata: { ...metadata, labels: { x: 'y' } }, spec: {} },
      { metadata, status: { state: 'ready' } },
      { kind: 'DeleteOptions', preconditions: { resourceVersion: '7' } },
    ]);
  });

  test('patches intent under a resourceVersion, and as a dry run where requested', async () => {
    const transport = new FakeTransport();
    const outcome = await new KubernetesRecordWriter(transport).patchIntent(
      recommendation,
      { spec: { paused: true } },
      { resourceVersion: '9', dryRun: true, fieldManager: 'evenkeel-dashboard' },
    );
    expect(outcome.kind).toBe('dry-run');
    expect(transport.requests[0]).toMatchObject({
      query: { dryRun: 'All', fieldManager: 'evenkeel-dashboard' },
      body: { spec: { paused: true }, metadata: { resourceVersion: '9' } },
    });
  });

  test('annotates only under evenkeel.io/', async () => {
    const transport = new FakeTransport();
    const writer = new KubernetesRecordWriter(transport);
    await writer.annotate('/apis/apps/v1/namespaces/a/deployments/web', { 'evenkeel.io/mode': 'Off', 'evenkeel.io/floor': null }, {});
    expect(transport.requests[0]?.body).toEqual({ metadata: { annotations: { 'evenkeel.io/mode': 'Off', 'evenkeel.io/floor': null } } });
    await expect(writer.annotate('/x', { 'other.io/a': 'b' }, {})).rejects.toThrow('not under evenkeel.io/');
  });

  test('deletes, and accepts an object that is already deleted', async () => {
    const writer = new KubernetesRecordWriter(new FakeTransport(() => status(404, 'NotFound', 'not found')));
    expect(await writer.delete(recommendation)).toEqual({ kind: 'gone', message: 'not found' });
  });
});
