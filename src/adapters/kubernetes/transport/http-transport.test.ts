import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { cutOff, FakeApiServer, json, refusal, silence, streamOf } from '../../../../test/fakes/fake-api-server.ts';
import { FaultProxy } from '../../../../test/fakes/clients/fault-proxy.ts';
import { FastTimer } from '../../../../test/fakes/fast-timer.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import { HOUR_MS } from '#kube/units';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import { fencedTransport } from './fenced-transport.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';

let server: FakeApiServer;
let metrics: CountingMetrics;
const open: HttpTransport[] = [];

beforeEach(async () => {
  server = await FakeApiServer.start();
  metrics = new CountingMetrics();
});

afterEach(async () => {
  for (const transport of open.splice(0)) transport.close();
  await server.close();
});

function aTransport(options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = new HttpTransport({
    connection: server.connection,
    timer: new FastTimer(),
    random: seededRandom(1),
    metrics,
    // 3 minutes under FastTimer, so that no answer is late on a busy machine; tests of deadlines set their own.
    timeoutMs: HOUR_MS,
    ...options,
  });
  open.push(transport);
  return transport;
}

const always = (): boolean => true;
const GET = { method: 'GET', path: '/api/v1/namespaces/a/pods/p' } as const;
const PATCH = { method: 'PATCH', path: '/api/v1/namespaces/a/pods/p/resize', body: [] } as const;

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('HttpTransport', () => {
  test('reuses one connection for successive requests', async () => {
    const transport = aTransport();
    for (let i = 0; i < 20; i++) expect((await transport.request({ method: 'GET', path: '/api/v1/pods' })).status).toBe(200);
    expect(server.connections).toBe(1);
  });

  test('sends credentials, query and body, and requests no compression', async () => {
    server.once(always, json(201, { ok: true }));
    const response = await aTransport().request({
      method: 'POST',
      path: '/api/v1/namespaces/a/pods',
      query: { dryRun: 'All', fieldManager: 'x', left: undefined, many: ['1', '2'] },
      body: { kind: 'Pod' },
    });
    expect(response).toMatchObject({ status: 201, body: { ok: true } });
    const [request] = server.requests;
    expect(request?.query.toString()).toBe('dryRun=All&fieldManager=x&many=1&many=2');
    expect(request?.body).toEqual({ kind: 'Pod' });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer test',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    });
  });

  test('returns refusals as values', async () => {
    server.once(always, refusal(404, 'NotFound', 'pods "p" not found'));
    expect(await aTransport().request(GET)).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
  });

  test.each(['GET', 'PATCH'] as const)('waits for Retry-After and retries a throttled %s', async (method) => {
    server.once(always, refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '1' }));
    server.once(always, json(200, { ok: true }));
    expect((await aTransport().request({ ...GET, method })).status).toBe(200);
    expect(server.requests).toHaveLength(2);
    expect(metrics.total('evenkeel_api_request_retries_total', { reason: 'throttled' })).toBe(1);
  });

  test('returns an eviction refused by a disruption budget without a retry', async () => {
    const details = { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods' }] };
    server.once(always, refusal(429, 'TooManyRequests', 'Cannot evict pod', { 'retry-after': '1' }, details));
    expect((await aTransport().request({ method: 'POST', path: '/api/v1/namespaces/a/pods/p/eviction', body: {} })).status).toBe(429);
    expect(server.requests).toHaveLength(1);
  });

  test('requests fresh credentials once after a 401', async () => {
    let token = 'old';
    server.once(always, refusal(401, 'Unauthorized', 'Unauthorized'));
    const connection = {
      ...server.connection,
      headers: async (ask?: { fresh?: boolean }) => {
        if (ask?.fresh === true) token = 'new';
        return { authorization: `Bearer ${token}` };
      },
    };
    expect((await aTransport({ connection }).request({ method: 'GET', path: '/api/v1/pods' })).status).toBe(200);
    expect(server.requests.map((request) => request.headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  });

  test('retries a GET when the connection breaks', async () => {
    server.once(always, cutOff);
    expect((await aTransport().request({ method: 'GET', path: '/api/v1/pods' })).status).toBe(200);
  });

  test('never repeats a write whose answer was lost', async () => {
    server.once(always, cutOff);
    await expect(aTransport().request(PATCH)).rejects.toThrow('PATCH /api/v1/namespaces/a/pods/p/resize: no answer from http://127.0.0.1');
    expect(server.requests).toHaveLength(1);
  });

  test('times out on a server that never answers', async () => {
    server.once(always, silence);
    await expect(aTransport().request({ ...PATCH, timeoutMs: 500 })).rejects.toThrow('no answer within 500 ms');
  });

  test('after a timeout idle connections are not reused', async () => {
    const proxy = await FaultProxy.start(server.connection);
    const connection = { ...server.connection, server: proxy.url };
    const transport = aTransport({ connection });
    await Promise.all(Array.from({ length: 6 }, () => transport.request(GET)));
    expect(proxy.halfOpen()).toBe(6);
    await expect(transport.request({ ...PATCH, timeoutMs: 2_000 })).rejects.toThrow('no answer within 2000 ms');
    for (let i = 0; i < 6; i++) expect((await transport.request(PATCH)).status).toBe(200);
    await proxy.close();
  });

  test('a request with retry: false is sent once', async () => {
    server.once(always, cutOff);
    await expect(aTransport().request({ ...GET, retry: false })).rejects.toThrow('no answer from');
    server.once(always, refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '30' }));
    expect((await aTransport().request({ ...GET, retry: false })).status).toBe(429);
    expect(server.requests).toHaveLength(2);
  });

  test('rejects an answer above the request’s maximum size without a retry', async () => {
    server.once(always, json(200, { text: 'x'.repeat(5_000) }));
    const refused = aTransport().request({ ...GET, maxBytes: 1_000 });
    await expect(refused).rejects.toThrow('larger than 1000 bytes');
    await expect(refused).rejects.toMatchObject({ cause: expect.any(PageTooLarge) });
    expect(server.requests).toHaveLength(1);
  });

  test('rejects an answer above the maximum size', async () => {
    server.once(always, json(200, { text: 'x'.repeat(5_000) }));
    await expect(aTransport({ maxResponseBytes: 1_000 }).request(PATCH)).rejects.toThrow('larger than 1000 bytes');
  });

  test('limits its rate: burst at once, then qps', async () => {
    // With a stopped clock the waits are exact on any machine.
    const fast = new FastTimer();
    const stopped = { nowMs: () => 0, setTimer: (afterMs: number, task: () => void) => fast.setTimer(afterMs, task) };
    const transport = aTransport({ timer: stopped, qps: 10, burst: 2 });
    await Promise.all(Array.from({ length: 6 }, () => transport.request({ method: 'GET', path: '/api/v1/pods' })));
    // Two are sent at once; the others wait 0.1, 0.2, 0.3 and 0.4 seconds.
    expect(metrics.total('evenkeel_api_client_throttle_seconds_total', {})).toBeCloseTo(1, 6);
  });

  test('a write that loses its permission while waiting for a connection is not sent, on a new or reused one', async () => {
    let leads = true;
    const transport = fencedTransport(aTransport(), () => leads, new FastTimer());
    const asked = transport.request(PATCH);
    // The replica loses leadership between the decision and the connection.
    leads = false;
    await expect(asked).rejects.toThrow(
      'PATCH /api/v1/namespaces/a/pods/p/resize was not sent: this replica is no longer allowed to write',
    );
    expect((await transport.request(GET)).status).toBe(200);
    await expect(transport.request(PATCH)).rejects.toThrow('was not sent');
    leads = true;
    expect((await transport.request(PATCH)).status).toBe(200);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
  });

  test('a retried write checks its fence again', async () => {
    let leads = true;
    server.once(
      () => {
        leads = false;
        return true;
      },
      refusal(429, 'TooManyRequests', 'wait', { 'retry-after': '1' }),
    );
    await expect(fencedTransport(aTransport(), () => leads, new FastTimer()).request(PATCH)).rejects.toThrow('was not sent');
    expect(server.requests).toHaveLength(1);
  });

  test('counts requests by verb, resource and code', async () => {
    await aTransport().request({ method: 'GET', path: '/apis/apps/v1/deployments' });
    expect(metrics.total('evenkeel_api_requests_total', { verb: 'list', resource: 'deployments.apps', code: '200' })).toBe(1);
  });

  test('splits a stream only at newlines: U+2028 and U+2029 stay inside their event', async () => {
    const events = [{ text: 'a\u2028b' }, { text: 'c\u2029d' }, { text: '\u0085' }];
    server.once(always, streamOf(events.map((event) => `${JSON.stringify(event)}\n`).join('')));
    const stream = await aTransport().stream({ method: 'GET', path: '/api/v1/pods', query: { watch: true } });
    expect(await all(stream.items)).toEqual(events);
  });

  test('throws when a stream ends in the middle of an event', async () => {
    server.once(always, streamOf('{"type":"ADDED"}\n{"type":"ADD'));
    const stream = await aTransport().stream({ method: 'GET', path: '/api/v1/pods', query: { watch: true } });
    await expect(all(stream.items)).rejects.toThrow('GET /api/v1/pods: the stream broke');
  });

  test('throws when the connection of a stream is cut', async () => {
    server.once(always, streamOf('{"type":"ADDED"}\n', 'cut'));
    const stream = await aTransport().stream({ method: 'GET', path: '/api/v1/pods', query: { watch: true } });
    await expect(all(stream.items)).rejects.toThrow('the stream broke');
  });

  test('a stream outlives the request deadline and ends by its signal', async () => {
    server.once(always, streamOf('{"n":1}\n', 'stay'));
    const stop = new AbortController();
    const timer = new ManualClock();
    const stream = await aTransport({ timer }).stream({ ...GET, query: { watch: true }, signal: stop.signal });
    const items = stream.items[Symbol.asyncIterator]();
    expect(await items.next()).toEqual({ done: false, value: { n: 1 } });
    const next = items.next();
    timer.advance(90_000); // three times the deadline
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  test('a refused stream returns the refusal', async () => {
    server.once(always, refusal(410, 'Expired', 'too old resource version'));
    const stream = await aTransport().stream({ method: 'GET', path: '/api/v1/pods', query: { watch: true } });
    expect(stream).toMatchObject({ status: 410, body: { reason: 'Expired' } });
  });
});
