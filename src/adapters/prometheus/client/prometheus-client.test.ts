import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineTimer } from '../../../ports/clock.ts';
import { SeededRandom } from '../../../runtime/random.ts';
import { FakePrometheus, type PrometheusReply } from '../../../../test/fakes/fake-prometheus.ts';
import { FastTimer, until } from '../../../../test/fakes/fast-timer.ts';
import { connectPrometheus, type PrometheusAddress } from './connection.ts';
import { PrometheusClient } from './prometheus-client.ts';

const NEVER_ABORTED = new AbortController().signal;
const ONE = { data: { resultType: 'vector', result: [{ metric: { pod: 'a' }, value: [1, '2'] }] } };

/** Shortens waits; the deadline of an answer is unchanged, so the test does not depend on machine speed. */
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

/** Sends the given replies in order, then success. */
function first(...replies: PrometheusReply[]): void {
  server.on(() => replies.shift() ?? ONE);
}

describe('a query to Prometheus', () => {
  test('has the configured matchers in every selector of every endpoint', async () => {
    const client = aClient({ matchers: ['cluster="prod-eu"', ' env != "test" '] });
    await client.instant('a / b{x="y"}', 0, NEVER_ABORTED);
    await client.range('rate(a[5m])', { from: 0, to: 1, stepSeconds: 300 }, NEVER_ABORTED);
    await client.labelNames('a', 0, 1, NEVER_ABORTED);
    await client.labelValues('namespace', 'a{}', 0, 1, NEVER_ABORTED);
    await client.series('{__name__="a"}', 0, 1, NEVER_ABORTED);
    const ours = 'cluster="prod-eu",env != "test"';
    expect(server.requests.map(({ form }) => form.get('query') ?? form.get('match[]'))).toEqual([
      `a{${ours}} / b{${ours},x="y"}`,
      `rate(a{${ours}}[5m])`,
      `a{${ours}}`,
      `a{${ours}}`,
      `{${ours},__name__="a"}`,
    ]);
  });

  test('is sent as a form, and its answer is decoded', async () => {
    first();
    expect(await aClient().instant('up{a="ü"}', 1_700_000_000_500, NEVER_ABORTED)).toEqual([{ labels: { pod: 'a' }, value: 2 }]);
    const [request] = server.requests;
    expect(request?.kind).toBe('query');
    expect(Object.fromEntries(request?.form ?? [])).toEqual({ query: 'up{a="ü"}', time: '1700000000.500', timeout: '30s' });
  });

  test('a range omits values that are not numbers', async () => {
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
    const series = await aClient().range('x', { from: 0, to: 1, stepSeconds: 300 }, NEVER_ABORTED);
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
  ] as const)('%s is retried after a delay', async (_, reply) => {
    first(reply, reply);
    expect(await aClient().instant('up', 0, NEVER_ABORTED)).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  test('a query without an answer fails after the last retry, with the address', async () => {
    server.on(() => ({ hang: true }));
    const fast = new FastTimer(2000);
    // Attempts are counted where they start: on a busy machine one may end before the server has seen it.
    const deadlines: number[] = [];
    const timer: MachineTimer = {
      nowMs: () => fast.nowMs(),
      setTimer: (afterMs, task) => {
        if (afterMs === 40_000) deadlines.push(afterMs);
        return fast.setTimer(afterMs, task);
      },
    };
    await expect(aClient({ timer }).instant('up', 0, NEVER_ABORTED)).rejects.toMatchObject({
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
    ['no credentials', 401, 'Unauthorized', 'refused', /answered 401; set credentials/],
    ['a wrong path', 404, 'not found', 'refused', /check its path/],
    ['a mistake of ours', 400, '{"status":"error","error":"parse error"}', 'refused', /parse error/],
    ['a page', 200, '<html>', 'malformed', /did not answer with JSON: is it the address of Prometheus/],
    ['null', 200, 'null', 'malformed', /answered unlike Prometheus/],
    ['another shape', 200, '{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}', 'malformed', /expected a vector/],
  ] as const)('%s is reported unchanged, and not retried', async (_, status, text, kind, message) => {
    server.on(() => ({ status, text }));
    await expect(aClient().instant('up', 0, NEVER_ABORTED)).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(server.requests).toHaveLength(1);
  });

  test('runs at most two at once', async () => {
    server.on(async () => {
      await until(() => server.requests.length >= 2, 'a second request comes beside the first: two may be under way');
      return ONE;
    });
    const client = aClient();
    await Promise.all(Array.from({ length: 9 }, () => client.instant('up', 0, NEVER_ABORTED)));
    expect(server.requests).toHaveLength(9);
    expect(server.maxInFlight).toBe(2);
  });

  test('after a slow answer the next query waits for as long', async () => {
    // Seconds of the client's clock, advanced by this test.
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
    await client.instant('slow', 0, NEVER_ABORTED);
    await client.instant('next', 0, NEVER_ABORTED);
    expect(waits).toEqual([8000]);
  });

  test('after closing, waiting queries fail and nothing is retried', async () => {
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
    const asked = ['busy', 'silent', 'queued'].map((query) => client.instant(query, 0, NEVER_ABORTED));
    await until(() => server.requests.length === 3, 'three requests came: two may be under way, and one waits to be tried again');
    client.close();
    for (const each of asked) await expect(each).rejects.toThrow('is no longer queried');
    expect([pending.size, server.requests.length]).toEqual([0, 3]);
  });

  test('a partial answer is used, and its warning reported', async () => {
    const warnings: string[] = [];
    server.on(() => ({ ...ONE, warnings: ['store-gateway is away'] }));
    expect(await aClient({ warnings }).instant('up', 0, NEVER_ABORTED)).toHaveLength(1);
    expect(warnings).toEqual(['store-gateway is away']);
  });

  test('an abort ends a waiting query and lets the next one run', async () => {
    server.on(() => ({ hang: true }));
    const stop = new AbortController();
    const client = aClient();
    const asked = client.instant('up', 0, stop.signal);
    stop.abort(new Error('stopping'));
    await expect(asked).rejects.toThrow('stopping');
    server.on(() => ONE);
    expect(await client.instant('up', 0, NEVER_ABORTED)).toHaveLength(1);
  });
});

describe('the connection to Prometheus', () => {
  test('token, tenant and headers are sent with each request; a rotated token is used at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-prometheus-'));
    try {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, 'one\n');
      first();
      const client = aClient({ tokenFile, tenant: 'team-a', headers: ['X-Extra: 1, 2'] });
      await client.instant('up', 0, NEVER_ABORTED);
      writeFileSync(tokenFile, 'two');
      await client.instant('up', 0, NEVER_ABORTED);
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
      expect(server.requests[0]?.headers).toMatchObject({ 'x-scope-orgid': 'team-a', 'x-extra': '1, 2' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('path and user of the address are used, and the password is never displayed', async () => {
    first();
    const client = aClient({ url: `${server.url.replace('://', '://ek:s%40cret@')}/mimir/` });
    await client.instant('up', 0, NEVER_ABORTED);
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ek:s@cret').toString('base64')}`);
    expect(client.shown).toBe(`${server.url}/mimir`);
  });

  test.each([
    [{ url: 'prometheus:9090/x y' }, /write http/],
    [{ url: 'not a url' }, /prometheus.url is not a URL/],
    [{ headers: ['nonsense'] }, /not of the form "Name: value"/],
    [{ headers: ['X: a\nB: c'] }, /not of the form "Name: value"/],
    [{ matchers: ['cluster="a"} or up{a="b"'] }, /matchers for prometheus.url must be label matchers such as cluster="prod-eu"/],
    [{ caFile: '/nowhere/ca.pem' }, /certificates of prometheus.url from \/nowhere\/ca.pem failed/],
  ])('%j is rejected with the remedy', (address, message) => {
    expect(() => aClient(address)).toThrow(message);
  });
});
