import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineTimer } from '../../ports/clock.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { FakePrometheus, type PrometheusReply } from '../../../test/fakes/fake-prometheus.ts';
import { FastTimer, until } from '../../../test/fakes/fast-timer.ts';
import { connectPrometheus, type PrometheusAddress } from './connection.ts';
import { PrometheusClient } from './prometheus-client.ts';

const GOING_ON = new AbortController().signal;
const ONE = { data: { resultType: 'vector', result: [{ metric: { pod: 'a' }, value: [1, '2'] }] } };

/** Waits pass quickly; the deadline of an answer stays what it is, whatever the machine is doing. */
const SHORT_WAITS: MachineTimer = {
  nowMs: () => performance.now(),
  setTimer: (afterMs, task) => {
    const timer = setTimeout(task, afterMs >= 40_000 ? afterMs : afterMs / 200);
    return () => clearTimeout(timer);
  },
};

let server: FakePrometheus;
const clients: PrometheusClient[] = [];
beforeEach(async () => {
  server = await FakePrometheus.start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server.stop();
});

type ClientOptions = Partial<PrometheusAddress> & { readonly warnings?: string[]; readonly timer?: MachineTimer };

function aClient({ warnings = [], timer = SHORT_WAITS, ...address }: ClientOptions = {}): PrometheusClient {
  const connection = connectPrometheus(
    { url: server.url, tokenFile: '', caFile: '', headers: [], tenant: '', matchers: [], ...address },
    'prometheus.url',
  );
  const onWarning = (warning: string): void => void warnings.push(warning);
  const client = new PrometheusClient({ connection, timer, random: new SeededRandom(1), onWarning });
  clients.push(client);
  return client;
}

/** Answers the given replies one after the other, then with success. */
function first(...replies: PrometheusReply[]): void {
  server.on(() => replies.shift() ?? ONE);
}

describe('a query to Prometheus', () => {
  test('has the matchers of the settings in every selector, whatever is asked', async () => {
    const client = aClient({ matchers: ['cluster="prod-eu"', ' env != "test" '] });
    await client.instant('a / b{x="y"}', 0, GOING_ON);
    await client.range('rate(a[5m])', { from: 0, to: 1, stepSeconds: 300 }, GOING_ON);
    await client.labelNames('a', 0, 1, GOING_ON);
    await client.labelValues('namespace', 'a{}', 0, 1, GOING_ON);
    await client.series('{__name__="a"}', 0, 1, GOING_ON);
    const ours = 'cluster="prod-eu",env != "test"';
    expect(server.requests.map(({ form }) => form.get('query') ?? form.get('match[]'))).toEqual([
      `a{${ours}} / b{${ours},x="y"}`,
      `rate(a{${ours}}[5m])`,
      `a{${ours}}`,
      `a{${ours}}`,
      `{${ours},__name__="a"}`,
    ]);
  });

  test('goes as a form, and its answer is read', async () => {
    first();
    expect(await aClient().instant('up{a="ü"}', 1_700_000_000_500, GOING_ON)).toEqual([{ labels: { pod: 'a' }, value: 2 }]);
    const [request] = server.requests;
    expect(request?.kind).toBe('query');
    expect(Object.fromEntries(request?.form ?? [])).toEqual({ query: 'up{a="ü"}', time: '1700000000.500', timeout: '30s' });
  });

  test('a range leaves out what is no number', async () => {
    server.on(() => ({
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: {},
            values: [
              [1, '1.5'],
              [2, 'NaN'],
              [3, '+Inf'],
              [4, '-Inf'],
              [5, '2e3'],
            ],
          },
        ],
      },
    }));
    const series = await aClient().range('x', { from: 0, to: 1, stepSeconds: 300 }, GOING_ON);
    expect(series).toEqual([
      {
        labels: {},
        points: [
          { at: 1000, value: 1.5 },
          { at: 5000, value: 2000 },
        ],
      },
    ]);
  });

  test.each([
    ['a busy server', { status: 503, text: '{"status":"error","error":"query timed out"}' }],
    ['a proxy without its server', { status: 502, text: '<html>' }],
    ['too many requests', { status: 429, text: '', headers: { 'retry-after': '1' } }],
    ['a connection that ends', { cut: 'before' }],
    ['an answer that is cut off', { cut: 'inside' }],
  ] as const)('%s is asked again, after a while', async (_, reply) => {
    first(reply, reply);
    expect(await aClient().instant('up', 0, GOING_ON)).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  test('who is never answered gives up in the end, and says who did not answer', async () => {
    server.on(() => ({ hang: true }));
    const fast = new FastTimer(2000);
    // Tries are counted where they begin: on a busy machine one may be over before the server has seen it.
    const deadlines: number[] = [];
    const timer: MachineTimer = {
      nowMs: () => fast.nowMs(),
      setTimer: (afterMs, task) => {
        if (afterMs === 40_000) deadlines.push(afterMs);
        return fast.setTimer(afterMs, task);
      },
    };
    await expect(aClient({ timer }).instant('up', 0, GOING_ON)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/ did not answer within 40 s$/),
    });
    expect(deadlines).toHaveLength(4);
  });

  test.each([
    [
      'too many samples',
      422,
      '{"status":"error","error":"query processing would load too many samples into memory"}',
      'too-much',
      /too many samples/,
    ],
    ['the limit of points', 400, '{"status":"error","error":"exceeded maximum resolution of 11,000 points"}', 'too-much', /11,000/],
    ['no credentials', 401, 'Unauthorized', 'refused', /answered 401; give it credentials/],
    ['a wrong path', 404, 'not found', 'refused', /check its path/],
    ['a mistake of ours', 400, '{"status":"error","error":"parse error"}', 'refused', /parse error/],
    ['a page', 200, '<html>', 'malformed', /no JSON: is it the address of Prometheus/],
    ['null', 200, 'null', 'malformed', /what Prometheus would not/],
    ['another shape', 200, '{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}', 'malformed', /a vector was asked for/],
  ] as const)('%s is reported as it is, and not retried', async (_, status, text, kind, message) => {
    server.on(() => ({ status, text }));
    await expect(aClient().instant('up', 0, GOING_ON)).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(server.requests).toHaveLength(1);
  });

  test('of many at once two are under way', async () => {
    server.on(async () => {
      await until(() => server.requests.length >= 2, 'a second request comes beside the first: two may be under way');
      return ONE;
    });
    const client = aClient();
    await Promise.all(Array.from({ length: 9 }, () => client.instant('up', 0, GOING_ON)));
    expect(server.requests).toHaveLength(9);
    expect(server.maxInFlight).toBe(2);
  });

  test('after an answer that took long, Prometheus is left alone for as long', async () => {
    // Seconds of the client's clock, which this test moves by hand.
    let now = 0;
    const waits: number[] = [];
    const timer = {
      nowMs: () => now,
      setTimer: (afterMs: number, task: () => void) => {
        if (afterMs < 40_000) {
          waits.push(afterMs);
          now += afterMs;
          setImmediate(task);
        }
        return () => undefined;
      },
    };
    const connection = connectPrometheus(
      { url: server.url, tokenFile: '', caFile: '', headers: [], tenant: '', matchers: [] },
      'prometheus.url',
    );
    const client = new PrometheusClient({ connection, timer, random: new SeededRandom(1) });
    clients.push(client);
    server.on(() => {
      if (server.requests.length === 1) now += 8000;
      return ONE;
    });
    await client.instant('slow', 0, GOING_ON);
    await client.instant('next', 0, GOING_ON);
    expect(waits).toEqual([8000]);
  });

  test('once closed, nothing is waited for and nothing tried again', async () => {
    const pending = new Set<() => void>();
    const timer: MachineTimer = {
      nowMs: () => 0,
      setTimer: (_, task) => {
        pending.add(task);
        return () => pending.delete(task);
      },
    };
    const connection = connectPrometheus(
      { url: server.url, tokenFile: '', caFile: '', headers: [], tenant: '', matchers: [] },
      'prometheus.url',
    );
    const client = new PrometheusClient({ connection, timer, random: new SeededRandom(1) });
    server.on(({ form }) => (form.get('query') === 'busy' ? { status: 503, text: 'later' } : { hang: true }));
    const asked = ['busy', 'silent', 'queued'].map((query) => client.instant(query, 0, GOING_ON));
    await until(() => server.requests.length === 3, 'three requests came: two may be under way, and one waits to be tried again');
    client.close();
    for (const each of asked) await expect(each).rejects.toThrow('is not asked any more');
    expect([pending.size, server.requests.length]).toEqual([0, 3]);
  });

  test('a partial answer is used, and its warning reported', async () => {
    const warnings: string[] = [];
    server.on(() => ({ ...ONE, warnings: ['store-gateway is away'] }));
    expect(await aClient({ warnings }).instant('up', 0, GOING_ON)).toHaveLength(1);
    expect(warnings).toEqual(['store-gateway is away']);
  });

  test('an abort ends it while it waits, and the next may go', async () => {
    server.on(() => ({ hang: true }));
    const stop = new AbortController();
    const client = aClient();
    const asked = client.instant('up', 0, stop.signal);
    stop.abort(new Error('stopping'));
    await expect(asked).rejects.toThrow('stopping');
    server.on(() => ONE);
    expect(await client.instant('up', 0, GOING_ON)).toHaveLength(1);
  });
});

describe('how Prometheus is reached', () => {
  test('token, tenant and headers go with each request; a renewed token is used at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-prometheus-'));
    try {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, 'one\n');
      first();
      const client = aClient({ tokenFile, tenant: 'team-a', headers: ['X-Extra: 1, 2'] });
      await client.instant('up', 0, GOING_ON);
      writeFileSync(tokenFile, 'two');
      await client.instant('up', 0, GOING_ON);
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
      expect(server.requests[0]?.headers).toMatchObject({ 'x-scope-orgid': 'team-a', 'x-extra': '1, 2' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a path and a user in the address are used, and the password is never shown', async () => {
    first();
    const client = aClient({ url: `${server.url.replace('://', '://ek:s%40cret@')}/mimir/` });
    await client.instant('up', 0, GOING_ON);
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ek:s@cret').toString('base64')}`);
    expect(client.shown).toBe(`${server.url}/mimir`);
  });

  test.each([
    [{ url: 'prometheus:9090/x y' }, /write http/],
    [{ url: 'not a url' }, /prometheus.url is not a URL/],
    [{ headers: ['nonsense'] }, /not written as "Name: value"/],
    [{ headers: ['X: a\nB: c'] }, /not written as "Name: value"/],
    [{ matchers: ['cluster="a"} or up{a="b"'] }, /matchers for prometheus.url must be label matchers such as cluster="prod-eu"/],
    [{ caFile: '/nowhere/ca.pem' }, /certificates of prometheus.url from \/nowhere\/ca.pem failed/],
  ])('%j is refused, with what to write instead', (address, message) => {
    expect(() => aClient(address)).toThrow(message);
  });
});
