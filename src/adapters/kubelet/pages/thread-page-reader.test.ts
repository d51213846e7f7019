import { EventEmitter } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { generate } from 'selfsigned';
import { aNodeRecord } from '../../../../test/builders/records.ts';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { textFetcher } from '../../../../test/fakes/clients/text-fetcher.ts';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import { SILENT_LOGGER } from '../../../runtime/logging.ts';
import { NO_METRICS } from '../../../runtime/metrics.ts';
import { SystemTimer } from '../../../runtime/system-clock.ts';
import { pageBounds } from './page-bounds.ts';
import { PageService, type PageReply, type PageRequest } from './page-service.ts';
import { InlinePageReader } from './text-pages.ts';
import { ThreadPageReader, type PageOrigin } from './thread-page-reader.ts';

const NODE = aNodeRecord({ name: 'n1' });
const BOUNDS = pageBounds('metrics', []);
const SAMPLE =
  'container_memory_working_set_bytes{container="app",namespace="a",pod="p"} 5 1700000000000\nnode_cpu_usage_seconds_total 3\n';
const ORIGIN: PageOrigin = { fetcher: textFetcher(async () => SAMPLE) };

/** An in-process fake thread: replies at the next turn, unless it hangs. */
class FakeThread extends EventEmitter {
  readonly service = new PageService(null, (reply: PageReply) => setImmediate(() => this.emit('message', structuredClone(reply))));
  readonly requests: PageRequest[] = [];
  hangs = false;
  terminated = false;

  postMessage(request: PageRequest): void {
    this.requests.push(request);
    if (!this.hangs) this.service.handle(structuredClone(request));
  }

  async terminate(): Promise<void> {
    this.terminated = true;
  }
}

function aReader(origin: PageOrigin = ORIGIN) {
  const timer = new FakeClock();
  const metrics = new CountingMetrics();
  const threads: FakeThread[] = [];
  const start = (): FakeThread => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread;
  };
  const reader = new ThreadPageReader(origin, { timer, logger: SILENT_LOGGER, metrics, start });
  const stop = new AbortController();
  return { reader, timer, metrics, threads, stop, read: () => reader.read('metrics', NODE, BOUNDS, stop.signal) };
}

describe('a kubelet reader thread', () => {
  test('is replaced after a pause when it dies, and readings in progress are rejected', async () => {
    const { timer, threads, metrics, read } = aReader();
    threads[0]!.hangs = true;
    const lost = expect(read()).rejects.toThrow('exited or timed out during the reading');
    await settle();
    threads[0]?.emit('error', new Error('out of memory'));
    await lost;
    await expect(read()).rejects.toThrow('kubelet of node n1: the kubelet reader thread is restarting');
    await timer.advance(1_000);
    expect((await read()).added).toHaveLength(1);
    expect(metrics.total('evenkeel_kubelet_thread_restarts_total')).toBe(1);
  });

  test('is replaced when it hangs', async () => {
    const { timer, threads, read } = aReader();
    threads[0]!.hangs = true;
    const lost = expect(read()).rejects.toThrow('exited or timed out');
    await timer.advance(61_000);
    await lost;
    expect(threads[0]?.terminated).toBe(true);
    expect((await read()).added).toHaveLength(1);
  });

  test('is requested to cancel an aborted reading', async () => {
    const { threads, stop, read } = aReader();
    threads[0]!.hangs = true;
    void read().catch(() => undefined);
    await settle();
    stop.abort(new Error('no answer within 5000 ms'));
    expect(threads[0]?.requests.at(-1)).toEqual({ type: 'cancel', id: 1, reason: 'no answer within 5000 ms' });
  });

  test('is posted the credentials that it asks for, or the error where there are none', async () => {
    const headers = async ({ fresh = false } = {}): Promise<Record<string, string>> => {
      if (fresh) throw new Error('no token is to be had');
      return { authorization: 'Bearer t' };
    };
    const reach = { server: 'https://x', tls: { verify: true }, addresses: { port: null, loopback: true } };
    const { threads } = aReader({ reach, headers });
    threads[0]!.hangs = true;
    threads[0]?.emit('message', { type: 'ask-headers', id: 7, fresh: false } satisfies PageReply);
    threads[0]?.emit('message', { type: 'ask-headers', id: 8, fresh: true } satisfies PageReply);
    await settle();
    expect(threads[0]?.requests).toEqual([
      { type: 'headers', id: 7, headers: { authorization: 'Bearer t' } },
      { type: 'no-headers', id: 8, message: 'no token is to be had' },
    ]);
  });
});

describe('a real thread', () => {
  const cleanup: (() => unknown)[] = [];
  afterEach(async () => {
    for (const each of cleanup.splice(0)) await each();
  });

  function realReader(origin: PageOrigin): ThreadPageReader {
    const reader = new ThreadPageReader(origin, { timer: new SystemTimer(), logger: SILENT_LOGGER, metrics: NO_METRICS });
    cleanup.push(() => reader.stop());
    return reader;
  }

  test.each([
    ['metrics', SAMPLE],
    ['summary', '{"pods":[{"podRef":{"name":"p","namespace":"a"},"containers":[{"name":"app","memory":{"rssBytes":4}}]}]}'],
    ['counters', 'container_oom_events_total{container="app",id="/k",namespace="a",pod="p"} 2 1700000000000\n'],
  ] as const)('parses the page %s like the main thread', async (page, text) => {
    const fetcher = textFetcher(async () => text);
    const { signal } = new AbortController();
    const expected = await new InlinePageReader(fetcher).read(page, NODE, pageBounds(page, []), signal);
    const read = await realReader({ fetcher }).read(page, NODE, pageBounds(page, []), signal);
    // Times of receipt differ.
    expect({ ...(read as object), receivedAtMs: 0 }).toEqual({ ...(expected as object), receivedAtMs: 0 });
  });

  test('rejects a page that is not JSON, and one of too many containers', async () => {
    let text = 'no JSON';
    const reader = realReader({ fetcher: textFetcher(async () => text) });
    const { signal } = new AbortController();
    await expect(reader.read('summary', NODE, BOUNDS, signal)).rejects.toThrow('is not valid JSON');
    text = Array.from({ length: 300 }, (_, at) => SAMPLE.replace('app', `app-${at}`)).join('');
    await expect(reader.read('metrics', NODE, BOUNDS, signal)).rejects.toThrow(PageTooLarge);
  });

  test('reads a kubelet with the main thread’s credentials, and rejects a certificate of another CA', async () => {
    const made = await generate([{ name: 'commonName', value: 'n1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const seen: (string | undefined)[] = [];
    const server = https.createServer({ key: made.private, cert: made.cert }, (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(seen.length === 1 ? 401 : 200).end(SAMPLE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const node = aNodeRecord({ name: 'n1', internalIp: '127.0.0.1', kubeletPort: (server.address() as AddressInfo).port });
    const { signal } = new AbortController();
    const readerOf = (ca: string): ThreadPageReader =>
      realReader({
        reach: { server: 'https://x', tls: { verify: true, ca }, addresses: { port: null, loopback: true } },
        headers: async ({ fresh = false } = {}) => ({ authorization: fresh ? 'Bearer fresh' : 'Bearer old' }),
      });
    expect((await readerOf(made.cert).read('metrics', node, BOUNDS, signal)).added).toHaveLength(1);
    expect(seen).toEqual(['Bearer old', 'Bearer fresh']);
    const other = await generate([{ name: 'commonName', value: 'other' }]);
    await expect(readerOf(other.cert).read('metrics', node, BOUNDS, signal)).rejects.toThrow(UntrustedKubelet);
  });
});
