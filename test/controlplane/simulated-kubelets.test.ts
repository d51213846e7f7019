// The simulated kubelets of kwok nodes: their endpoint, its authorization, and their part in a resize.

import https from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { RealCluster } from './real-cluster.ts';

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start({ name: 'kubelets', nodes: 1 });
  await cluster.kubectl('create', 'serviceaccount', 'reader');
  await cluster.kubectl('create', 'serviceaccount', 'stranger');
  await cluster.kubectl('create', 'clusterrole', 'kubelet-reader', '--verb=get', '--resource=nodes/metrics,nodes/stats');
  await cluster.kubectl('create', 'clusterrolebinding', 'reader', '--clusterrole=kubelet-reader', '--serviceaccount=default:reader');
}, HANG_TEST_MS);
afterAll(() => cluster.stop(), HANG_TEST_MS);

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Requests as Evenkeel does: at the node's address, with the cluster's authority. */
function ask(path: string, token: string | null): Promise<Answer> {
  const options = {
    host: '127.10.0.1',
    port: cluster.ports.kubelet,
    path,
    ca: cluster.caCertificate,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  };
  return new Promise((resolve, reject) => {
    const sent = https.get(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.once('error', reject);
  });
}

async function createPod(name: string, spec: object, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  const body = { metadata: { name, annotations }, spec };
  await cluster.api.expect({ method: 'POST', path: '/api/v1/namespaces/default/pods', body });
  await eventually(`${name} runs: kwok starts what is scheduled`, HANG_MS, async () => (await podOf(name)).status.phase === 'Running');
}

interface PodWire {
  readonly metadata: { readonly generation: number };
  readonly status: {
    readonly phase: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly observedGeneration?: number;
    }[];
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly resources?: object;
      readonly allocatedResources?: object;
    }[];
  };
}

function podOf(name: string): Promise<PodWire> {
  return cluster.api.expect<PodWire>({ path: `/api/v1/namespaces/default/pods/${name}` });
}

function readinessOf({ status }: PodWire): string | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready')?.status;
}

async function resize(name: string, requests: Readonly<Record<string, string>>): Promise<void> {
  const patch = { spec: { containers: [{ name: 'app', resources: { requests } }] } };
  await cluster.api.expect({
    method: 'PATCH',
    path: `/api/v1/namespaces/default/pods/${name}/resize`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: patch,
  });
}

function appWith(requests: object, more: object = {}): object {
  return { containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests }, ...more }] };
}

describe('A kubelet’s endpoint', () => {
  const pages: readonly (readonly [string, RegExp])[] = [
    ['/metrics/resource', /^node_cpu_usage_seconds_total /m],
    ['/stats/summary', /"nodeName":"kwok-0001","cpu":\{.*"psi":\{"full":\{"total":/],
    ['/metrics/cadvisor', /^# TYPE container_oom_events_total counter$|^$/m],
  ];
  test.each(pages)('serves %s to authorized callers only', async (path, words) => {
    expect((await ask(path, null)).status).toBe(401);
    expect((await ask(path, 'made-up')).status).toBe(401);
    expect((await ask(path, await cluster.tokenFor('default', 'stranger'))).status).toBe(403);
    const response = await ask(path, await cluster.tokenFor('default', 'reader'));
    expect(response.status).toBe(200);
    expect(response.text).toMatch(words);
  });

  test('counts the CPU of a pod’s annotation, second by second', async () => {
    const uses = { 'kwok.x-k8s.io/usage-cpu': '500m', 'kwok.x-k8s.io/usage-memory': '200Mi' };
    await createPod('busy', appWith({ cpu: '100m' }), uses);
    const token = await cluster.tokenFor('default', 'reader');
    const read = async (): Promise<{ cpu: number; memory: number; fromMs: number; toMs: number }> => {
      const fromMs = performance.now();
      const { text } = await ask('/metrics/resource', token);
      const toMs = performance.now();
      const value = (metric: string): number => Number(new RegExp(`^${metric}\\{[^}]*pod="busy"[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
      return {
        cpu: value('container_cpu_usage_seconds_total'),
        memory: value('container_memory_working_set_bytes'),
        fromMs,
        toMs,
      };
    };
    const first = await eventuallyReads(
      'the CPU of the pod is reported: its annotation sets half a core',
      HANG_MS,
      read,
      ({ cpu }) => cpu > 0,
    );
    const later = await eventuallyReads(
      'a second of CPU more: half a core is used all the time',
      HANG_MS,
      read,
      ({ cpu }) => cpu > first.cpu + 1,
    );
    expect(later.memory).toBe(200 * 1024 * 1024);
    // Each page is rendered at some moment of its request, so the usage lies between half a core for the shortest and for the longest
    // possible interval.
    const used = later.cpu - first.cpu;
    expect(used).toBeGreaterThan((0.45 * (later.fromMs - first.toMs)) / 1000);
    expect(used).toBeLessThan((0.55 * (later.toMs - first.fromMs)) / 1000);
  });
});

test('A pod that was marked not ready while its node was unreachable is ready again: its containers never stopped', async () => {
  await createPod('steady', appWith({ cpu: '100m' }));
  const conditions = [{ type: 'Ready', status: 'False' }];
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  const path = '/api/v1/namespaces/default/pods/steady/status';
  const marked = await cluster.api.expect<PodWire>({ method: 'PATCH', path, headers, body: { status: { conditions } } });
  expect(readinessOf(marked)).toBe('False');
  await eventuallyReads(
    'the pod is ready again: its containers run',
    HANG_MS,
    async () => readinessOf(await podOf('steady')),
    (status) => status === 'True',
  );
});

test('A pod is running and ready since the time of its annotation', async () => {
  const since = '2026-01-01T00:00:00Z';
  await createPod('long-running', appWith({ cpu: '100m' }), { 'evenkeel.dev/running-since': since });
  const { status } = await podOf('long-running');
  expect(status.containerStatuses).toMatchObject([{ state: { running: { startedAt: since } } }]);
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True', lastTransitionTime: since }));
});

describe('A resize in place', () => {
  test('is allocated, actuated and observed; the container keeps running', async () => {
    await createPod('web', appWith({ cpu: '100m', memory: '64Mi' }));
    await resize('web', { cpu: '200m', memory: '96Mi' });
    const { metadata, status } = await eventuallyReads(
      'the resize is done: nothing defers it',
      HANG_MS,
      () => podOf('web'),
      (pod) => JSON.stringify(pod.status.containerStatuses?.[0]?.resources).includes('200m'),
    );
    expect(status.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      resources: { requests: { cpu: '200m', memory: '96Mi' } },
      allocatedResources: { cpu: '200m', memory: '96Mi' },
    });
    expect(status.observedGeneration).toBe(metadata.generation);
    expect(status.conditions?.map(({ type }) => type)).not.toContain('PodResizeInProgress');
  });

  test('restarts a container whose resize policy requires it', async () => {
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    await createPod('careful', appWith({ cpu: '100m', memory: '64Mi' }, { resizePolicy }));
    await resize('careful', { cpu: '150m' });
    const restarts = async (): Promise<number | undefined> => (await podOf('careful')).status.containerStatuses?.[0]?.restartCount;
    await eventually('the CPU is resized: nothing defers it', HANG_MS, async () =>
      JSON.stringify((await podOf('careful')).status).includes('150m'),
    );
    expect(await restarts()).toBe(0);
    await resize('careful', { memory: '96Mi' });
    await eventuallyReads('the container is restarted: its policy for memory requires it', HANG_MS, restarts, (count) => count === 1);
  });

  test.each(['Deferred', 'Infeasible'])('stays pending as %s with the pod’s annotation, until it is reverted', async (reason) => {
    const name = reason.toLowerCase();
    await createPod(name, appWith({ cpu: '100m' }), { 'evenkeel.dev/resize': reason });
    await resize(name, { cpu: '200m' });
    const pending = await eventuallyReads(
      'the resize is pending: the annotation of the pod defers or refuses it',
      HANG_MS,
      () => podOf(name),
      ({ status }) => status.conditions?.some(({ type }) => type === 'PodResizePending') === true,
    );
    const condition = pending.status.conditions?.find(({ type }) => type === 'PodResizePending');
    expect(condition).toMatchObject({ reason, observedGeneration: pending.metadata.generation });
    expect(pending.status.containerStatuses?.[0]?.resources).toEqual({ requests: { cpu: '100m' } });
    await resize(name, { cpu: '100m' });
    await eventuallyReads(
      'no resize is pending: the request equals the allocation',
      HANG_MS,
      () => podOf(name),
      ({ status }) => status.conditions?.every(({ type }) => type !== 'PodResizePending') === true,
    );
  });
});
