import { describe, expect, test } from '@jest/globals';
import { ApiWorld, type Wire } from '../../testing/api-world.ts';
import type { ApiProviders } from './providers.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');

const providers: ApiProviders = {
  metrics: {
    nodeMetrics: (name) =>
      ['n2', 'n1']
        .filter((node) => name === undefined || node === name)
        .map((node) => ({ name: node, labels: {}, at: T0, windowSeconds: 30, usage: { cpuNanocores: 250e6, memoryBytes: 2 ** 20 } })),
    podMetrics: () => [],
  },
  logs: {
    lines: () => ['one', 'two', 'three'].map((text, index) => ({ at: T0 - (2 - index) * 1000, text })),
    follow: (_pod, _container, onLine, onEnd) => {
      onLine({ at: T0, text: 'four' });
      onEnd();
      return () => undefined;
    },
  },
  kubelets: {
    get: (node, path, query) => {
      if (node !== 'n1') return undefined;
      if (path === '/pods') return { status: 200, contentType: 'application/json', body: '{"items":[]}' };
      return { status: 200, contentType: 'text/plain', body: `${path} ${query['q'] ?? ''}` };
    },
  },
};

async function withPod(): Promise<ApiWorld> {
  const world = new ApiWorld({ providers });
  await world.post('/api/v1/nodes', { metadata: { name: 'n1' } });
  await world.post('/api/v1/nodes', { metadata: { name: 'n2' } });
  const containers = [{ name: 'main', image: 'x' }];
  await world.post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: { containers, nodeName: 'n1' } });
  return world;
}

describe('what the nodes provide', () => {
  test('metrics in the units of metrics-server, in order of name', async () => {
    const world = await withPod();
    const list = (await world.get('/apis/metrics.k8s.io/v1beta1/nodes')).body as Wire;
    expect(list.items.map((item: Wire) => item.metadata.name)).toEqual(['n1', 'n2']);
    expect(list.items[0]).toMatchObject({ kind: 'NodeMetrics', window: '30s', usage: { cpu: '250000000n', memory: '1024Ki' } });
    expect((await world.get('/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/none')).status).toBe(404);
    expect((await world.delete('/apis/metrics.k8s.io/v1beta1/nodes/n1')).status).toBe(405);
  });

  test.each([
    [{}, 'one\ntwo\nthree\n'],
    [{ tailLines: 1 }, 'three\n'],
    [{ sinceSeconds: 1 }, 'two\nthree\n'],
    [{ limitBytes: 5 }, 'one\nt'],
    [{ tailLines: 1, timestamps: true }, '2026-01-01T00:00:00.000000000Z three\n'],
  ])('logs with %j', async (query, text) => {
    const log = await (await withPod()).get('/api/v1/namespaces/default/pods/p/log', query);
    expect([log.headers['content-type'], log.body]).toEqual(['text/plain', text]);
  });

  test('logs that are followed are a stream', async () => {
    const world = await withPod();
    const stream = await world.transport.stream({
      method: 'GET',
      path: '/api/v1/namespaces/default/pods/p/log',
      query: { follow: true, tailLines: 1 },
    });
    const lines: unknown[] = [];
    for await (const line of stream.items) lines.push(line);
    expect(lines).toEqual(['three', 'four']);
  });

  test('an unknown container is named', async () => {
    const log = await (await withPod()).get('/api/v1/namespaces/default/pods/p/log', { container: 'side' });
    expect(log.body).toMatchObject({ code: 400, message: 'container side is not valid for pod p' });
  });

  test('kubelets answer through the proxy, by any spelling of the node', async () => {
    const world = await withPod();
    expect((await world.get('/api/v1/nodes/n1/proxy/stats/summary', { q: '1' })).body).toBe('/stats/summary 1');
    expect((await world.get('/api/v1/nodes/https:n1:10250/proxy/metrics/resource')).body).toBe('/metrics/resource ');
    expect((await world.get('/api/v1/nodes/n1/proxy/pods')).body).toEqual({ items: [] });
    expect((await world.get('/api/v1/nodes/n2/proxy/')).status).toBe(503);
    expect((await world.get('/api/v1/nodes/n3/proxy/')).status).toBe(404);
  });
});
