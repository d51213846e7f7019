import { afterEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { PrometheusMetrics } from './metrics.ts';
import { type Listening, startMetricsEndpoint, startProbes } from './probes.ts';

const listening: Listening[] = [];
afterEach(async () => {
  await Promise.all(listening.splice(0).map((each) => each.close()));
});

async function get(port: number, path: string, init: RequestInit = {}): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: response.status, body: await response.text() };
}

describe('probes', () => {
  test('answer 200 ok while every check holds, else 503 with the check that fails', async () => {
    let synced = false;
    const probes = await startProbes('127.0.0.1:0', {
      healthz: [{ name: 'event-loop', check: () => ({ ok: true, message: '' }) }],
      readyz: [{ name: 'informers', check: () => ({ ok: synced, message: 'pods have not been listed yet' }) }],
    });
    listening.push(probes);
    expect(await get(probes.port, '/healthz')).toEqual({ status: 200, body: 'ok\n' });
    const notReady = await get(probes.port, '/readyz');
    expect(notReady.status).toBe(503);
    expect(notReady.body).toContain('[-]informers pods have not been listed yet');
    synced = true;
    expect((await get(probes.port, '/readyz?verbose')).body).toContain('[+]informers ok');
    expect((await get(probes.port, '/readyz')).status).toBe(200);
  });

  test('know no other path and no other method', async () => {
    const probes = await startProbes('127.0.0.1:0', { healthz: [], readyz: [] });
    listening.push(probes);
    expect((await get(probes.port, '/secrets')).status).toBe(404);
    expect((await get(probes.port, '/healthz', { method: 'POST' })).status).toBe(405);
  });

  test('an address that is taken fails the start with its name', async () => {
    const first = await startProbes('127.0.0.1:0', { healthz: [], readyz: [] });
    listening.push(first);
    await expect(startProbes(`127.0.0.1:${first.port}`, { healthz: [], readyz: [] })).rejects.toThrow(
      `listening on 127.0.0.1:${first.port}`,
    );
    await expect(startProbes('nowhere', { healthz: [], readyz: [] })).rejects.toThrow('expected host:port');
  });

  test('metrics come in the text that Prometheus reads', async () => {
    const metrics = new PrometheusMetrics();
    metrics.counter({ name: 'evenkeel_test_total', help: 'Tests.', labels: ['kind'] }).add(2, { kind: 'unit' });
    const endpoint = await startMetricsEndpoint('127.0.0.1:0', metrics, new ManualClock());
    listening.push(endpoint);
    expect((await get(endpoint.port, '/metrics')).body).toContain('evenkeel_test_total{kind="unit"} 2');
  });

  test('metrics are rendered once a second at most, and shared by all that ask meanwhile', async () => {
    const timer = new ManualClock();
    let rendered = 0;
    const metrics = { contentType: 'text/plain', expose: () => Promise.resolve(`rendered ${++rendered}`) };
    const endpoint = await startMetricsEndpoint('127.0.0.1:0', metrics, timer);
    listening.push(endpoint);
    const scrape = async () => (await get(endpoint.port, '/metrics')).body;
    expect(await Promise.all([scrape(), scrape(), scrape()])).toEqual(['rendered 1', 'rendered 1', 'rendered 1']);
    timer.advance(999);
    expect(await scrape()).toBe('rendered 1');
    timer.advance(1);
    expect(await scrape()).toBe('rendered 2');
  });
});
