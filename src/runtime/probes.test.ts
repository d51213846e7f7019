import { afterEach, describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../test/fakes/counting-metrics.ts';
import { LoopbackClient } from '../../test/fakes/clients/loopback-client.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { NO_METRICS, PrometheusMetrics } from './metrics.ts';
import { type Listening, startMetricsEndpoint, startProbes, startProbesAndMetrics } from './probes.ts';

const listening: Listening[] = [];
afterEach(async () => {
  await Promise.all(listening.splice(0).map((server) => server.close()));
});

async function get(port: number, path: string, init: RequestInit = {}): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: response.status, body: await response.text() };
}

describe('probes', () => {
  test('answer 200 while every check passes, else 503 with the failing checks', async () => {
    let synced = false;
    const checks = {
      healthz: [{ name: 'event-loop', check: () => ({ ok: true, message: '' }) }],
      readyz: [{ name: 'informers', check: () => ({ ok: synced, message: 'pods have not been listed yet' }) }],
    };
    const probes = await startProbes('127.0.0.1:0', checks, NO_METRICS);
    listening.push(probes);
    expect(await get(probes.port, '/healthz')).toEqual({ status: 200, body: 'ok\n' });
    const notReady = await get(probes.port, '/readyz');
    expect(notReady.status).toBe(503);
    expect(notReady.body).toContain('[-]informers pods have not been listed yet');
    synced = true;
    expect((await get(probes.port, '/readyz?verbose')).body).toContain('[+]informers ok');
    expect((await get(probes.port, '/readyz')).status).toBe(200);
  });

  test('answer 404 for other paths and 405 for other methods', async () => {
    const probes = await startProbes('127.0.0.1:0', { healthz: [], readyz: [] }, NO_METRICS);
    listening.push(probes);
    expect((await get(probes.port, '/secrets')).status).toBe(404);
    expect((await get(probes.port, '/healthz', { method: 'POST' })).status).toBe(405);
  });

  test('fail to start on an address in use, with the address in the error', async () => {
    const first = await startProbes('127.0.0.1:0', { healthz: [], readyz: [] }, NO_METRICS);
    listening.push(first);
    await expect(startProbes(`127.0.0.1:${first.port}`, { healthz: [], readyz: [] }, NO_METRICS)).rejects.toThrow(
      `listening on 127.0.0.1:${first.port}`,
    );
    await expect(startProbes('nowhere', { healthz: [], readyz: [] }, NO_METRICS)).rejects.toThrow('expected host:port');
  });

  test('serve metrics in the Prometheus text format', async () => {
    const metrics = new PrometheusMetrics();
    metrics.counter({ name: 'evenkeel_test_total', help: 'Tests.', labels: ['kind'] }).add(2, { kind: 'unit' });
    const endpoint = await startMetricsEndpoint('127.0.0.1:0', metrics, new ManualClock());
    listening.push(endpoint);
    expect((await get(endpoint.port, '/metrics')).body).toContain('evenkeel_test_total{kind="unit"} 2');
  });

  test('render metrics at most once a second and share the result', async () => {
    const timer = new ManualClock();
    let rendered = 0;
    const metrics = { ...NO_METRICS, contentType: 'text/plain', expose: () => Promise.resolve(`rendered ${++rendered}`) };
    const endpoint = await startMetricsEndpoint('127.0.0.1:0', metrics, timer);
    listening.push(endpoint);
    const scrape = async () => (await get(endpoint.port, '/metrics')).body;
    expect(await Promise.all([scrape(), scrape(), scrape()])).toEqual(['rendered 1', 'rendered 1', 'rendered 1']);
    timer.advance(999);
    expect(await scrape()).toBe('rendered 1');
    timer.advance(1);
    expect(await scrape()).toBe('rendered 2');
  });

  test.each(['probes', 'metrics'] as const)('a flood of connections from four addresses leaves %s to others', async (server) => {
    const metrics = Object.assign(new CountingMetrics(), { contentType: 'text/plain', expose: () => Promise.resolve('ok\n') });
    const start = {
      probes: () => startProbes('127.0.0.1:0', { healthz: [], readyz: [] }, metrics),
      metrics: () => startMetricsEndpoint('127.0.0.1:0', metrics, new ManualClock()),
    };
    const endpoint = await start[server]();
    listening.push(endpoint);
    const path = server === 'probes' ? '/healthz' : '/metrics';
    const flood: LoopbackClient[] = [];
    for (let count = 0; count < 100; count += 1) {
      const client = new LoopbackClient(endpoint.port, `127.0.0.${2 + (count % 4)}`);
      flood.push(client);
      await client.get(path);
    }
    expect(metrics.total('evenkeel_http_refused_total', { server, kind: 'connection', reason: 'client' })).toBe(100 - 64);
    expect(await get(endpoint.port, path)).toEqual({ status: 200, body: 'ok\n' });
    for (const client of flood) client.close();
  });
});

test('probes and metrics may share an address', async () => {
  const metrics = new PrometheusMetrics();
  metrics.gauge({ name: 'evenkeel_leader', help: 'Leads.' }).set(1);
  const checks = { healthz: [], readyz: [{ name: 'informers', check: () => ({ ok: false, message: 'not listed yet' }) }] };
  const both = await startProbesAndMetrics('127.0.0.1:0', checks, metrics, new ManualClock());
  listening.push(both);
  expect((await get(both.port, '/healthz')).status).toBe(200);
  expect((await get(both.port, '/readyz')).status).toBe(503);
  expect((await get(both.port, '/metrics')).body).toContain('evenkeel_leader 1');
  expect((await get(both.port, '/')).status).toBe(404);
});
