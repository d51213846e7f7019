import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generate } from 'selfsigned';
import { aNodeRecord, aPodRecord } from '../../../test/builders/records.ts';
import { textMetrics } from '../../../test/builders/text-metrics.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeActivity, FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../test/fakes/clients/fake-transport.ts';
import { textFetcher } from '../../../test/fakes/clients/text-fetcher.ts';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord, ReportFault } from '#kube/records/pod';
import { PageTooLarge } from '../../ports/usage/page-too-large.ts';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import type { SummaryReading, UsageReading, UsageSink } from '../../ports/usage/usage-source.ts';
import type { KubeConnection } from '../kubernetes/transport/connection.ts';
import { DirectKubeletFetcher, ProxyKubeletFetcher, type KubeletAddresses, type KubeletFetcher } from './kubelet-fetcher.ts';
import { KubeletUsageSource } from './kubelet-usage-source.ts';
import { BufferedBytes } from './pages/buffered-bytes.ts';
import { NodeCounters, type FindNames } from './pages/node-counters.ts';
import { pageBounds } from './pages/page-bounds.ts';
import { readLabels } from './pages/resource-metrics.ts';
import { readStatsSummary } from './pages/stats-summary.ts';
import { InlinePageReader, TextPages } from './pages/text-pages.ts';
import { probeUsageAccess } from './usage-access.ts';

function page(cpuSeconds: number | string, memoryBytes: number | string, at: number, pod = 'p', startedAt = 1.6e12): string {
  const labels = `container="app",namespace="a",pod="${pod}"`;
  return `# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{${labels}} ${cpuSeconds} ${at}
# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{${labels}} ${memoryBytes} ${at}
# TYPE container_start_time_seconds gauge
container_start_time_seconds{${labels}} ${startedAt / 1000}
# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total ${typeof cpuSeconds === 'number' ? cpuSeconds * 2 : 0} ${at}
node_memory_working_set_bytes 1.5e+09 ${at}
pod_cpu_usage_seconds_total{namespace="a",pod="${pod}"} 9 ${at}
scrape_error 0
`;
}

const T = 1_700_000_000_000;
const MiB = 1024 * 1024;
/** Treats every pod as known on the node. */
const OWN: FindNames = (names) => names;

describe('NodeCounters', () => {
  test('reports CPU as the rate between two readings, memory at once, at the kubelet’s own times', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    expect(counters.read(textMetrics(page(10, '1.048576e+06', T)), T + 500).containers).toEqual([
      { namespace: 'a', pod: 'p', container: 'app', at: T, cpuMillicores: null, memoryBytes: 1_048_576 },
    ]);
    const second = counters.read(textMetrics(page(25, 2_000, T + 60_000)), T + 60_500);
    expect(second.containers).toMatchObject([{ at: T + 60_000, cpuMillicores: 250, memoryBytes: 2_000 }]);
    expect(second.nodeUsage).toEqual({ node: 'n1', at: T + 60_000, cpuMillicores: 500, memoryBytes: 1_500_000_000 });
  });

  test.each([
    ['a counter that went back yields no CPU', [page(10, 1, T), page(3, 1, T + 60_000)], null, {}],
    ['a gap yields no CPU and is counted', [page(10, 1, T), page(90, 1, T + 600_000)], null, { gap: 2 }],
    ['a value that is no number is counted', [page(10, 1, T), page('NaN', 1, T + 60_000)], null, { nan: 1 }],
    ['a negative value is counted', [page(10, 1, T), page(-4, 1, T + 60_000)], null, { negative: 2 }],
  ])('%s', (_, pages, cpu, dropped) => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    const readings = pages.map((text, index) => counters.read(textMetrics(text), T + index * 60_000));
    expect(readings.at(-1)?.containers[0]?.cpuMillicores ?? null).toBe(cpu);
    expect(Object.fromEntries(readings.at(-1)?.dropped ?? [])).toEqual(dropped);
  });

  test('continues from the new value after a reset and after a gap', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    counters.read(textMetrics(page(100, 1, T)), T);
    counters.read(textMetrics(page(3, 1, T + 60_000)), T + 60_000);
    expect(counters.read(textMetrics(page(9, 1, T + 120_000)), T + 120_000).containers[0]?.cpuMillicores).toBe(100);
  });

  test.each([
    ['that started just now yields CPU since its start', T - 45_000, 200],
    ['that started a moment ago yields no CPU yet', T - 5_000, null],
    ['that started long ago yields none at the first reading', T - 600_000, null],
  ])('a container %s', (_, startedAt, cpu) => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    expect(counters.read(textMetrics(page(9, 1, T, 'p', startedAt)), T).containers[0]?.cpuMillicores).toBe(cpu);
  });

  test('a restarted container yields CPU since its start', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    counters.read(textMetrics(page(100, 1, T)), T);
    expect(counters.read(textMetrics(page(3, 1, T + 60_000, 'p', T + 30_000)), T + 60_000).containers[0]?.cpuMillicores).toBe(100);
  });

  test('a sample repeated by the kubelet yields no CPU', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    counters.read(textMetrics(page(10, 1, T)), T);
    expect(counters.read(textMetrics(page(10, 1, T)), T + 10_000).containers[0]?.cpuMillicores).toBeNull();
    expect(counters.read(textMetrics(page(16, 1, T + 60_000)), T + 60_000).containers[0]?.cpuMillicores).toBe(100);
  });

  test('a future timestamp is replaced by the next one that is not', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    counters.read(textMetrics(page(10, 1, T + 86_400_000)), T);
    counters.read(textMetrics(page(16, 1, T + 60_000)), T + 60_000);
    expect(counters.read(textMetrics(page(22, 1, T + 120_000)), T + 120_000).containers[0]?.cpuMillicores).toBe(100);
  });

  test('a node whose clock was set back yields CPU from its second reading on', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    counters.read(textMetrics(page(10, 1, T)), T);
    const setBack = (minute: number) => T + minute * 60_000 - 360_000;
    const first = counters.read(textMetrics(page(16, 1, setBack(1))), T + 60_000);
    expect([first.containers[0]?.cpuMillicores, first.dropped.get('out-of-order')]).toEqual([null, 2]);
    const second = counters.read(textMetrics(page(22, 1, setBack(2))), T + 120_000);
    expect(second.containers).toMatchObject([{ at: setBack(2), cpuMillicores: 100 }]);
  });

  test.each([-3_600_000, 3_600_000])(
    'memory that is not page cache counts for 10 minutes where the clock of the node is off by %d',
    (off) => {
      const counters = new NodeCounters('n1', 180_000, OWN);
      const rssAfter = (minutes: number) => {
        const now = T + minutes * 60_000;
        return counters.read(textMetrics(page(10 + minutes, 2_000, now + off)), now).containers[0]?.memoryRssBytes;
      };
      rssAfter(0);
      counters.recordRss([{ namespace: 'a', pod: 'p', container: 'app', bytes: 500 }], T);
      expect([rssAfter(1), rssAfter(10), rssAfter(11)]).toEqual([500, 500, undefined]);
    },
  );

  test('samples of pods unknown on the node are dropped and counted, and used once the pods are known', () => {
    let fault: ReportFault | null = 'foreign-pod';
    const counters = new NodeCounters('n1', 180_000, (names) => (names.pod === 'other' && fault !== null ? fault : names));
    const text = (cpu: number, at: number) => page(cpu, 1, at, 'p') + page(cpu, 1, at, 'other');
    const first = counters.read(textMetrics(text(10, T)), T);
    expect(first.containers.map(({ pod }) => pod)).toEqual(['p']);
    expect(first.dropped.get('foreign-pod')).toBeGreaterThan(0);
    fault = null;
    const second = counters.read(textMetrics(text(16, T + 60_000)), T + 60_000);
    expect(second.containers.map(({ pod }) => pod)).toEqual(['p', 'other']);
  });

  test('too many containers of unknown pods fail the reading', () => {
    const counters = new NodeCounters('n1', 180_000, () => 'foreign-pod');
    const text = Array.from({ length: 4_000 }, (_, at) => page(1, 1, T, `p${at}`)).join('');
    expect(() => counters.read(textMetrics(text), T)).toThrow('node n1 reports more than 10000 series of pods unknown on it');
  });

  test('the number of stored containers is bounded', () => {
    const counters = new NodeCounters('n1', 180_000, OWN);
    const text = Array.from({ length: 6_000 }, (_, at) => page(1, 1, T, `p${at}`)).join('');
    const { containers, dropped } = counters.read(textMetrics(text), T);
    expect([containers.length, (dropped.get('unknown-container') ?? 0) >= 1_000]).toEqual([5_000, true]);
  });

  test('the rates sum to the counter for any times of reading', () => {
    const steps = fc.array(fc.record({ ms: fc.integer({ min: 1_000, max: 100_000 }), used: fc.integer({ min: 0, max: 1_000 }) }), {
      minLength: 1,
      maxLength: 50,
    });
    fc.assert(
      fc.property(steps, (given) => {
        const counters = new NodeCounters('n1', 180_000, OWN);
        let at = T;
        let seconds = 0;
        counters.read(textMetrics(page(0, 1, at)), at);
        let coreMs = 0;
        for (const { ms, used } of given) {
          at += ms;
          seconds += used / 10;
          const [usage] = counters.read(textMetrics(page(seconds, 1, at)), at).containers;
          coreMs += ((usage?.cpuMillicores ?? Number.NaN) * ms) / 1000;
        }
        // Each rate is rounded to a hundredth of a millicore.
        expect(Math.abs(coreMs - seconds * 1000)).toBeLessThanOrEqual(1e-5 * (at - T) + 1e-6);
      }),
    );
  });
});

class Recorded implements UsageSink {
  readonly usage: UsageReading[] = [];
  readonly summaries: SummaryReading[] = [];
  readonly failures: string[] = [];
  readonly dropped: string[] = [];

  onUsage(reading: UsageReading): void {
    this.usage.push(reading);
  }

  onSummary(reading: SummaryReading): void {
    this.summaries.push(reading);
  }

  onFailure(failure: { readonly message: string }): void {
    this.failures.push(failure.message);
  }

  onDropped(reason: string): void {
    this.dropped.push(reason);
  }
}

function running(
  fetcher: KubeletFetcher,
  nodes: NodeRecord[],
  pods: readonly PodRecord[] = [],
  intervalMs = 60_000,
): { clock: FakeClock; timer: FakeClock; activity: FakeActivity; sink: Recorded; stop: AbortController; metrics: CountingMetrics } {
  const clock = new FakeClock(T);
  const timer = new FakeClock(0);
  const activity = new FakeActivity();
  const sink = new Recorded();
  const stop = new AbortController();
  const reader = {
    nodes: () => nodes,
    findNode: (name: string) => nodes.find((node) => node.name === name),
    findPod: () => undefined,
    podsOnNode: () => pods,
  };
  const metrics = new CountingMetrics();
  const source = new KubeletUsageSource({ pages: new TextPages(new InlinePageReader(fetcher)), reader, clock, timer, activity, metrics });
  void source.run(sink, intervalMs, stop.signal);
  return { clock, timer, activity, sink, stop, metrics };
}

describe('KubeletUsageSource', () => {
  test('reads each node once per interval at its own offset, and the summary every five minutes', async () => {
    const asked: string[] = [];
    const nodes = [aNodeRecord({ name: 'n1' }), aNodeRecord({ name: 'n2' })];
    const fetcher = textFetcher(async (node, path) => {
      asked.push(`${node.name}${path}`);
      return path === '/stats/summary' ? '{"pods":[]}' : page(1, 1, T);
    });
    const { clock, sink, stop } = running(fetcher, nodes);
    await clock.advance(10 * 60_000);
    expect(sink.usage.filter((reading) => reading.node === 'n1').length).toBeGreaterThanOrEqual(10);
    expect(sink.usage.filter((reading) => reading.node === 'n1').length).toBeLessThanOrEqual(11);
    expect(asked.filter((one) => one === 'n1/stats/summary')).toHaveLength(2);
    stop.abort();
    const before = asked.length;
    await clock.advance(10 * 60_000);
    expect(asked).toHaveLength(before);
  });

  test.each([
    [200, 10, 60_000],
    [1_000, 20, 60_000],
    [1_000, 15, 15_000],
  ])('spreads the first readings of %d nodes over %d s where the interval has %d ms', async (count, seconds, intervalMs) => {
    const readAt = new Map<string, number>();
    const nodes = Array.from({ length: count }, (_, index) => aNodeRecord({ name: `node-${index}` }));
    const fetcher = textFetcher(async ({ name }) => {
      readAt.set(name, Math.min(clock.now() - T, readAt.get(name) ?? Infinity));
      throw new Error('not ready');
    });
    const { clock, stop } = running(fetcher, nodes, [], intervalMs);
    await clock.advance(seconds * 1_000);
    stop.abort();
    const half = [...readAt.values()].filter((at) => at < (seconds * 1_000) / 2);
    expect(readAt.size).toBe(count);
    expect(Math.abs(half.length / count - 0.5)).toBeLessThan(0.15);
  });

  test('a failing node does not affect others, and its error is reported', async () => {
    const fetcher = textFetcher(async (node, path) => {
      if (node.name === 'bad') throw new Error('kubelet of node bad: connect ECONNREFUSED');
      return path === '/stats/summary' ? '{}' : page(1, 1, T);
    });
    const { clock, sink, stop } = running(fetcher, [
      aNodeRecord({ name: 'bad' }),
      aNodeRecord({ name: 'good' }),
      aNodeRecord({ name: 'down', ready: false }),
    ]);
    await clock.advance(60_000);
    expect(new Set(sink.failures)).toEqual(new Set(['kubelet of node bad: connect ECONNREFUSED']));
    expect(new Set(sink.usage.map((reading) => reading.node))).toEqual(new Set(['good']));
    stop.abort();
  });

  test('bounds a page by the known pods of its node, and counts and reports a larger page as a failure', async () => {
    const asked: number[] = [];
    const fetcher = textFetcher(async (_, path, __, maxBytes) => {
      if (path === '/metrics/resource') asked.push(maxBytes);
      throw new PageTooLarge('kubelet of node n1: the answer is larger');
    });
    const pods = Array.from({ length: 110 }, (_, index) => aPodRecord({ name: `p-${index}`, node: 'n1' }));
    const { clock, sink, stop, metrics } = running(fetcher, [aNodeRecord({ name: 'n1' })], pods);
    await clock.advance(30_000);
    expect(asked[0]).toBe(pageBounds('metrics', pods).maxBytes);
    expect(sink.failures[0]).toBe('kubelet of node n1: the answer is larger');
    expect(metrics.total('evenkeel_kubelet_reads_total', { page: 'metrics', outcome: 'too-large' })).toBe(asked.length);
    stop.abort();
  });

  test('aborts a page at its deadline in machine time, and never reads a node twice concurrently', async () => {
    let asked = 0;
    const fetcher = textFetcher((_, __, signal) => {
      asked += 1;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const { clock, timer, activity, sink, stop } = running(fetcher, [aNodeRecord({ name: 'n1' })]);
    await clock.advance(180_000);
    expect([asked, activity.count]).toEqual([1, 1]);
    await timer.advance(5_000);
    expect(sink.failures).toEqual(['no answer within 5000 ms']);
    expect(activity.count).toBe(0);
    stop.abort();
  });

  test('starts reading new nodes and stops reading removed ones', async () => {
    const nodes = [aNodeRecord({ name: 'n1' })];
    const { clock, sink, stop } = running(
      textFetcher(async (_, path) => (path === '/stats/summary' ? '{}' : page(1, 1, T))),
      nodes,
    );
    await clock.advance(60_000);
    nodes.splice(0, 1, aNodeRecord({ name: 'n2' }));
    await clock.advance(120_000);
    sink.usage.length = 0;
    await clock.advance(120_000);
    expect(new Set(sink.usage.map((reading) => reading.node))).toEqual(new Set(['n2']));
    stop.abort();
  });
});

describe('DirectKubeletFetcher', () => {
  const servers: https.Server[] = [];
  const fetchers: DirectKubeletFetcher[] = [];

  afterEach(() => {
    for (const fetcher of fetchers.splice(0)) fetcher.close();
    for (const server of servers.splice(0)) server.close();
  });

  function fetcherFor(ca?: string, addresses: Partial<KubeletAddresses> = {}): DirectKubeletFetcher {
    const fetcher = new DirectKubeletFetcher(connection(ca), { port: null, loopback: true, ...addresses });
    fetchers.push(fetcher);
    return fetcher;
  }

  async function kubelet(statusCode = 200): Promise<{ node: NodeRecord; certificate: string; seen: string[] }> {
    const made = await generate([{ name: 'commonName', value: 'n1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const seen: string[] = [];
    const server = https.createServer({ key: made.private, cert: made.cert }, (request, response) => {
      seen.push(`${request.headers.authorization ?? ''} ${request.url ?? ''}`);
      response.writeHead(statusCode).end('scrape_error 0\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const node = aNodeRecord({ name: 'n1', internalIp: '127.0.0.1', kubeletPort: (server.address() as AddressInfo).port });
    return { node, certificate: made.cert, seen };
  }

  function connection(ca?: string): KubeConnection {
    return {
      server: 'https://x',
      tls: { verify: true, ...(ca === undefined ? {} : { ca }) },
      headers: async ({ fresh = false } = {}) => ({ authorization: fresh ? 'Bearer fresh' : 'Bearer t' }),
    };
  }

  test('reads a kubelet whose certificate the CA has signed, with the token', async () => {
    const { node, certificate, seen } = await kubelet();
    const fetcher = fetcherFor(certificate);
    expect(String(await fetcher.get(node, '/metrics/resource', new AbortController().signal, MiB))).toBe('scrape_error 0\n');
    expect(seen).toEqual(['Bearer t /metrics/resource']);
  });

  test.each([
    ['keeps connections up to its bound', 1, [false]],
    ['resumes the session of a connection that it does not keep', 0, [false, true, true]],
  ])('%s', async (_, maxKept, resumed) => {
    const { node, certificate } = await kubelet();
    const [server] = servers;
    const sessions: boolean[] = [];
    server?.on('secureConnection', (socket: TLSSocket) => sessions.push(socket.isSessionReused()));
    const fetcher = new DirectKubeletFetcher(connection(certificate), { port: null, loopback: true }, maxKept);
    fetchers.push(fetcher);
    for (let reading = 0; reading < 3; reading += 1) await fetcher.get(node, '/metrics/resource', new AbortController().signal, MiB);
    expect(sessions).toEqual(resumed);
  });

  test('rejects a certificate of another CA with the remedy', async () => {
    const { node, seen } = await kubelet();
    const fetcher = fetcherFor();
    const refused = fetcher.get(node, '/metrics/resource', new AbortController().signal, MiB);
    await expect(refused).rejects.toThrow(UntrustedKubelet);
    await expect(refused).rejects.toThrow(/DEPTH_ZERO_SELF_SIGNED_CERT.*serverTLSBootstrap.*kubelet.viaProxy: true/);
    expect(seen).toEqual([]);
  });

  test('streams a large page, compressed or not, and rejects one that is too large', async () => {
    const { node, certificate } = await kubelet();
    const chunk = Buffer.alloc(1024 * 1024, '\n');
    const mebibytes = { '/metrics/cadvisor': 3, '/endless': 65 } as Readonly<Record<string, number>>;
    servers
      .at(-1)
      ?.removeAllListeners('request')
      .on('request', (request: IncomingMessage, response: ServerResponse) => {
        if (request.url === '/gzip' && request.headers['accept-encoding'] === 'gzip') {
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(chunk));
          return;
        }
        for (let count = mebibytes[request.url ?? ''] ?? 0; count > 0; count -= 1) response.write(chunk);
        response.end();
      });
    const { signal } = new AbortController();
    let bytes = 0;
    const stream = (path: string) => fetcherFor(certificate).stream(node, path, (each) => (bytes += each.length), signal, 64 * MiB);
    await stream('/metrics/cadvisor');
    expect(bytes).toBe(3 * chunk.length);
    await stream('/gzip');
    expect(bytes).toBe(4 * chunk.length);
    await expect(stream('/endless')).rejects.toThrow('the answer is larger than 67108864 bytes');
    const refusing = fetcherFor(certificate).stream(
      node,
      '/metrics/cadvisor',
      () => {
        throw new Error('no such text');
      },
      signal,
      64 * MiB,
    );
    await expect(refusing).rejects.toThrow('kubelet of node n1 (127.0.0.1:' + String(node.kubeletPort) + '): no such text');
  });

  test('frees the memory of inflated chunks without garbage collection', async () => {
    const { node, certificate } = await kubelet();
    const page = gzipSync(Buffer.alloc(MiB, 'page '));
    servers
      .at(-1)
      ?.removeAllListeners('request')
      .on('request', (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(page);
      });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
    };
    await fetcherFor(certificate).stream(node, '/metrics/cadvisor', take, new AbortController().signal, 2 * MiB);
    expect(bytes).toBe(MiB);
    expect(chunks.map(({ length }) => length)).toEqual(chunks.map(() => 0));
  });

  test('rejects a page above its maximum size, and names the kubelet', async () => {
    const { node, certificate } = await kubelet();
    const refused = fetcherFor(certificate).get(node, '/metrics/resource', new AbortController().signal, 14);
    await expect(refused).rejects.toThrow(PageTooLarge);
    await expect(refused).rejects.toThrow(
      /kubelet of node n1 .*: the answer is larger than 14 bytes, more than the known pods on the node/,
    );
  });

  test('a keep-alive connection closed by the kubelet is retried without a failure', async () => {
    const { node, certificate, seen } = await kubelet();
    // Closes each connection at its second request, as a kubelet does whose idle timeout ends at that moment.
    const used = new WeakSet<object>();
    servers.at(-1)?.prependListener('request', (request: IncomingMessage) => {
      if (used.has(request.socket)) request.socket.destroy();
      used.add(request.socket);
    });
    const fetcher = fetcherFor(certificate);
    for (let times = 0; times < 3; times += 1) {
      expect(String(await fetcher.get(node, '/metrics/resource', new AbortController().signal, MiB))).toBe('scrape_error 0\n');
    }
    expect(seen.length).toBeGreaterThan(3);
  });

  test('is reached at the configured port, regardless of the node status', async () => {
    const { node, certificate, seen } = await kubelet();
    const fetcher = fetcherFor(certificate, { port: node.kubeletPort });
    await fetcher.get({ ...node, kubeletPort: 1 }, '/metrics/resource', new AbortController().signal, MiB);
    expect(seen).toEqual(['Bearer t /metrics/resource']);
  });

  test.each([
    ['169.254.169.254', 'where clouds keep credentials of machines'],
    ['0.0.0.0', 'this host'],
    ['255.255.255.255', 'all hosts'],
    ['::', 'this host'],
    ['fe80::1', 'link-local'],
    ['127.0.0.1', 'loopback of a controller that is not on the machine of its API server'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback as an IPv6 address'],
    ['evil.example', 'a name'],
    ['10.0.0.1:80/x', 'no address'],
  ])('is not reached at %s: %s', async (internalIp) => {
    const { signal } = new AbortController();
    const refused = fetcherFor('', { loopback: false }).get(aNodeRecord({ name: 'n1', internalIp }), '/metrics/resource', signal, MiB);
    await expect(refused).rejects.toThrow(/node n1: its InternalIP .* is not /);
  });

  test('may answer with a redirect, which is not followed', async () => {
    const { node, certificate, seen } = await kubelet();
    const other = await kubelet();
    servers
      .at(-2)
      ?.removeAllListeners('request')
      .on('request', (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(307, { location: `https://127.0.0.1:${other.node.kubeletPort}/metrics/resource` }).end();
      });
    const answer = fetcherFor(certificate).get(node, '/metrics/resource', new AbortController().signal, MiB);
    await expect(answer).rejects.toThrow('answered /metrics/resource with HTTP 307');
    expect([seen, other.seen]).toEqual([[], []]);
  });

  test('gets a fresh token once after rejecting the current one', async () => {
    const { node, certificate, seen } = await kubelet(401);
    const refused = fetcherFor(certificate).get(node, '/metrics/resource', new AbortController().signal, MiB);
    await expect(refused).rejects.toThrow('HTTP 401');
    expect(seen).toEqual(['Bearer t /metrics/resource', 'Bearer fresh /metrics/resource']);
  });

  test('names the missing permission', async () => {
    const { node, certificate } = await kubelet(403);
    const fetcher = fetcherFor(certificate);
    await expect(fetcher.get(node, '/stats/summary', new AbortController().signal, MiB)).rejects.toThrow(
      'grant get on nodes/metrics and nodes/stats to ServiceAccount evenkeel-kubelet-reader',
    );
  });
});

describe('a maliciously slow page', () => {
  // Quadratic time would be minutes to hours: the test would not end.
  const MANY = 4 * MiB;
  const visited = (text: string): number => {
    let count = 0;
    const visit = (): void => void (count += 1);
    textMetrics(text).visit({
      containerCpuSeconds: visit,
      containerMemoryBytes: visit,
      containerStart: visit,
      nodeCpuSeconds: visit,
      nodeMemoryBytes: visit,
    });
    return count;
  };

  test('with unclosed labels is read in one pass', () => {
    const line = 'container_cpu_usage_seconds_total{\n';
    expect(visited(line.repeat(MANY / line.length))).toBe(0);
  });

  test('with oversized labels has them ignored', () => {
    expect(visited(`container_cpu_usage_seconds_total{${'a'.repeat(MANY)}} 1\n`)).toBe(0);
  });

  test('with a long label without a value is read in one pass', () => {
    expect(readLabels('a'.repeat(MANY))).toBeNull();
    expect(readLabels('container="app",namespace="a",pod="p"')).toEqual({ container: 'app', namespace: 'a', pod: 'p' });
  });
});

describe('Bounds of pages', () => {
  const noPods: readonly unknown[] = [];
  const pods = (length: number): readonly unknown[] => Array.from({ length });

  test.each([
    ['metrics', 1, 2.71875, 8],
    ['summary', 1, 6.15625, 8],
    ['counters', 16, 64, 64],
  ] as const)('of %s: a base without pods, a share per pod, and a fixed maximum', (page, none, full, most) => {
    expect([noPods, pods(110), pods(1e5)].map((each) => pageBounds(page, each).maxBytes / MiB)).toEqual([none, full, most]);
  });

  test('concurrent large pages have a shared bound, and small pages are never rejected', async () => {
    const held = new BufferedBytes(4 * MiB);
    const chunk = Buffer.alloc(MiB);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const page = (mebibytes: number) =>
      held.hold(async (take) => {
        for (let count = 0; count < mebibytes; count++) take(chunk);
        await ended;
      });
    const large = page(5);
    await expect(page(2)).rejects.toThrow(PageTooLarge);
    const small = page(1);
    end();
    expect([(await large).length, (await small).length]).toEqual([5 * MiB, MiB]);
    expect((await page(5)).length).toBe(5 * MiB);
  });
});

describe('ProxyKubeletFetcher', () => {
  const signal = new AbortController().signal;

  test('limits the transport to the page’s maximum size', async () => {
    const transport = new FakeTransport(() => {
      throw new Error('no answer', { cause: new PageTooLarge('the answer is larger than 3 bytes') });
    });
    const refused = new ProxyKubeletFetcher(transport).get(aNodeRecord({ name: 'n1' }), '/metrics/resource', signal, 3);
    await expect(refused).rejects.toThrow(PageTooLarge);
    await expect(refused).rejects.toThrow('kubelet of node n1 through the API server: the answer is larger than 3 bytes');
    expect(transport.requests[0]?.maxBytes).toBe(3);
  });

  test('rejects a page above its maximum size', async () => {
    const fetcher = new ProxyKubeletFetcher(new FakeTransport(() => ({ body: 'text' })));
    await expect(fetcher.get(aNodeRecord({ name: 'n1' }), '/metrics/resource', signal, 3)).rejects.toThrow(PageTooLarge);
  });

  test('requests the node’s page from the API server', async () => {
    const transport = new FakeTransport(() => ({ body: 'text' }));
    expect(String(await new ProxyKubeletFetcher(transport).get(aNodeRecord({ name: 'n1' }), '/metrics/resource', signal, MiB))).toBe(
      'text',
    );
    expect(transport.requests[0]?.path).toBe('/api/v1/nodes/n1/proxy/metrics/resource');
  });

  test('names the missing nodes/proxy permission', async () => {
    const fetcher = new ProxyKubeletFetcher(new FakeTransport(() => status(403, 'Forbidden', 'no')));
    await expect(fetcher.get(aNodeRecord({ name: 'n1' }), '/metrics/resource', signal, MiB)).rejects.toThrow('grant get on nodes/proxy');
  });
});

describe('readStatsSummary', () => {
  test('reports claims and network, and ignores other volumes', () => {
    const pod = {
      podRef: { name: 'p', namespace: 'a' },
      network: { time: '2026-01-01T00:00:00Z', rxBytes: 1, txBytes: 2, rxErrors: 3, txErrors: 4, name: 'eth0' },
      volume: [
        { name: 'data', usedBytes: 10, capacityBytes: 100, inodes: 5, inodesUsed: 1, pvcRef: { name: 'data-p', namespace: 'a' } },
        { name: 'token', usedBytes: 1, capacityBytes: 2 },
      ],
    };
    expect(readStatsSummary('n1', { node: {}, pods: [pod] }, T)).toEqual({
      node: 'n1',
      volumes: [{ namespace: 'a', pod: 'p', claim: 'data-p', at: T, usedBytes: 10, capacityBytes: 100 }],
      network: [
        {
          namespace: 'a',
          pod: 'p',
          at: Date.parse('2026-01-01T00:00:00Z'),
          receiveBytes: 1,
        },
      ],
      pressure: null,
      rss: [],
    });
  });

  test('reports memory without page cache, which later samples include until it is outdated', () => {
    const minute = 60_000;
    const containers = [{ name: 'app', memory: { workingSetBytes: 5_000_000, rssBytes: 1_000_000 } }, { name: 'ended' }];
    const pods = [{ podRef: { name: 'p', namespace: 'a' }, containers }];
    const { rss } = readStatsSummary('n1', { pods }, T);
    expect(rss).toEqual([{ namespace: 'a', pod: 'p', container: 'app', bytes: 1_000_000 }]);
    const counters = new NodeCounters('n1', 30 * minute, OWN);
    const rssAt = (at: number) => counters.read(textMetrics(page(at / 1e6, 5_000_000, at)), at).containers[0]?.memoryRssBytes;
    expect(rssAt(T)).toBeUndefined();
    counters.recordRss(rss, T + minute);
    expect(rssAt(T + 2 * minute)).toBe(1_000_000);
    expect(rssAt(T + 20 * minute)).toBeUndefined();
  });
});

describe('probeUsageAccess', () => {
  test('asks the API server which usage sources may be read', async () => {
    const transport = new FakeTransport((request) => {
      const { resourceAttributes } = (request.body as { spec: { resourceAttributes: { subresource?: string } } }).spec;
      return { status: 201, body: { status: { allowed: resourceAttributes.subresource === 'metrics' } } };
    });
    expect(await probeUsageAccess(transport, new AbortController().signal)).toEqual({ kubelet: true, proxy: false, metricsServer: false });
    await settle();
  });
});
