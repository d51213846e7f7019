import { describe, expect, test } from '@jest/globals';
import { aNodeRecord, aPodRecord } from '../../../test/builders/records.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeActivity, FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../test/fakes/clients/fake-transport.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { textFetcher } from '../../../test/fakes/clients/text-fetcher.ts';
import type { NodeRecord } from '#kube/records/node';
import { MINUTE_MS } from '#kube/units';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import { MetricsServerUsageSource } from '../metricsserver/metrics-server-usage-source.ts';
import { FallbackUsageSource } from './fallback-usage-source.ts';
import { KubeletUsageSource } from './kubelet-usage-source.ts';
import { InlinePageReader, TextPages } from './pages/text-pages.ts';

const T = Date.parse('2026-01-05T00:00:00Z');
const MANY = Array.from({ length: 10 }, (_, index) => `n${index}`);

class World {
  readonly clock = new FakeClock(T);
  readonly logger = new RecordingLogger();
  nodes: readonly NodeRecord[];
  /** Nodes whose kubelets have self-signed certificates. */
  selfSigned = new Set<string>();
  /** Nodes whose kubelets do not answer. */
  silent = new Set<string>();
  /** Kubelets answer only after this promise resolves. */
  slow: Promise<void> = Promise.resolve();
  metricsServer: 'installed' | 'missing' | 'forbidden' = 'installed';
  /** Received readings: `kubelet n1`, `metrics n1`. */
  readings: string[] = [];
  failures: string[] = [];
  kubeletReads = 0;
  readonly switches: string[] = [];
  readonly source: FallbackUsageSource;
  readonly #stop = new AbortController();
  readonly ended: Promise<void>;

  constructor(names: readonly string[]) {
    const { clock, logger } = this;
    const activity = new FakeActivity();
    this.nodes = names.map((name) => aNodeRecord({ name }));
    const reader = {
      nodes: () => this.nodes,
      findNode: (name: string) => this.nodes.find((node) => node.name === name),
      findPod: (_: string, name: string) => aPodRecord({ name, node: name }),
      podsOnNode: () => [],
    };
    const pages = new TextPages(new InlinePageReader(textFetcher((node, path) => this.slow.then(() => this.#page(node.name, path)))));
    const metrics = new CountingMetrics();
    this.source = new FallbackUsageSource({
      kubelets: new KubeletUsageSource({ pages, reader, clock, timer: new FakeClock(0), activity, metrics }),
      fallback: new MetricsServerUsageSource({ transport: this.#transport(), reader, clock, activity }),
      reader,
      clock,
      activity,
      logger,
      onSource: (name) => this.switches.push(name ?? 'none'),
    });
    this.ended = this.source.run(
      {
        // The first kubelet reading has no CPU, which is a rate; metrics.k8s.io always has CPU.
        onUsage: ({ node, containers }) => this.readings.push(`${containers[0]?.cpuMillicores === 7 ? 'metrics' : 'kubelet'} ${node}`),
        onSummary: () => undefined,
        onFailure: ({ message }) => this.failures.push(message),
        onDropped: () => undefined,
      },
      MINUTE_MS,
      this.#stop.signal,
    );
  }

  async minutes(count: number): Promise<void> {
    await this.clock.advance(count * MINUTE_MS);
  }

  /** Sources of the readings that the sink receives from now on. */
  async sourcesIn(minutes: number): Promise<readonly string[]> {
    this.readings = [];
    await this.minutes(minutes);
    return [...new Set(this.readings.map((reading) => reading.split(' ')[0] ?? ''))];
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('over'));
    await this.ended;
  }

  #page(node: string, path: string): string {
    if (path === '/metrics/resource') this.kubeletReads += 1;
    if (this.silent.has(node)) throw new Error('connect ECONNREFUSED');
    if (this.selfSigned.has(node)) throw new UntrustedKubelet(`kubelet of node ${node}`, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    if (path !== '/metrics/resource') return '{}';
    return `container_memory_working_set_bytes{container="app",namespace="a",pod="${node}"} 1 ${this.clock.now()}\n`;
  }

  #transport(): FakeTransport {
    return new FakeTransport(({ path }) => {
      if (this.metricsServer === 'missing') return status(404, 'NotFound', 'the server could not find the requested resource');
      if (this.metricsServer === 'forbidden') return status(403, 'Forbidden', 'pods.metrics.k8s.io is forbidden');
      const timestamp = new Date(this.clock.now()).toISOString();
      if (!path.endsWith('/pods')) return { body: { items: [] } };
      const containers = [{ name: 'app', usage: { cpu: '7m', memory: '2Ki' } }];
      return { body: { items: this.nodes.map(({ name }) => ({ metadata: { name, namespace: 'a' }, timestamp, containers })) } };
    });
  }
}

describe('usage of a cluster whose kubelets have self-signed certificates', () => {
  test('comes from metrics.k8s.io once most of them have been untrusted for 5 minutes, and from one source at a time', async () => {
    const world = new World(MANY);
    world.selfSigned = new Set(MANY.slice(0, 6));
    expect(await world.sourcesIn(5)).toEqual(['kubelet']);
    expect(world.source.name).toBe('kubelet');
    await world.minutes(2);
    expect(world.source.name).toBe('metrics.k8s.io');
    expect(await world.sourcesIn(60)).toEqual(['metrics']);
    expect(world.readings).toHaveLength(60 * MANY.length);
    expect(world.source.kubeletProblem()).toMatch(
      /^the certificates of 6 of 10 kubelets are not of the cluster's CA: set serverTLSBootstrap: true .*approve.*kubelet\.viaProxy: true$/,
    );
    await world.end();
  });

  test.each([
    ['only half of them are untrusted', MANY.slice(0, 5), []],
    ['those that are ready are trusted', MANY.slice(0, 8), MANY.slice(0, 7)],
    ['none is untrusted', [], []],
  ])('comes from the kubelets while %s', async (_, selfSigned, notReady) => {
    const world = new World(MANY);
    world.selfSigned = new Set(selfSigned);
    await world.minutes(3);
    world.nodes = MANY.map((name) => aNodeRecord({ name, ready: !notReady.includes(name) }));
    expect(await world.sourcesIn(60)).toEqual(['kubelet']);
    expect([world.source.kubeletProblem(), world.source.problem()]).toEqual([null, null]);
    await world.end();
  });

  test('comes from the kubelets while they fail for reasons other than certificates', async () => {
    const world = new World(MANY);
    world.silent = new Set(MANY.slice(1));
    expect(await world.sourcesIn(60)).toEqual(['kubelet']);
    await world.end();
  });

  test('an interruption restarts the 5 minutes', async () => {
    const world = new World(MANY);
    for (let round = 0; round < 5; round += 1) {
      world.selfSigned = new Set(MANY);
      await world.minutes(4);
      world.selfSigned = new Set();
      await world.minutes(2);
    }
    expect(world.switches).toEqual(['kubelet']);
    await world.end();
  });

  test('comes from the kubelets again once most of them are trusted, which is checked on each node every 15 minutes', async () => {
    const world = new World(MANY);
    world.selfSigned = new Set(MANY);
    await world.minutes(10);
    world.kubeletReads = 0;
    await world.minutes(60);
    expect(world.kubeletReads).toBe(4 * MANY.length);
    world.selfSigned = new Set(MANY.slice(0, 5));
    expect(await world.sourcesIn(16)).toEqual(['metrics']);
    world.selfSigned = new Set(MANY.slice(0, 4));
    await world.minutes(16);
    expect(await world.sourcesIn(60)).toEqual(['kubelet']);
    expect(world.switches).toEqual(['kubelet', 'metrics.k8s.io', 'kubelet']);
    expect(world.logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn Most kubelets have certificates that are not trusted; usage is read from metrics.k8s.io, which has no volumes, throttling or pressure',
      'info Most kubelets are trusted; usage is read from them',
    ]);
    expect([world.source.kubeletProblem(), world.source.problem()]).toEqual([null, null]);
    await world.end();
  });

  test.each([
    ['not installed', 'missing', 'metrics-server is not installed: install it'],
    ['not permitted', 'forbidden', 'grant list on pods of metrics.k8s.io'],
  ] as const)('stays missing where metrics.k8s.io is %s, and the remedies are named, until it is available', async (_, state, remedy) => {
    const world = new World(MANY);
    world.selfSigned = new Set(MANY.slice(1));
    world.metricsServer = state;
    expect(await world.sourcesIn(60)).toEqual(['kubelet']);
    expect(world.source.kubeletProblem()).toBeNull();
    expect(world.source.problem()).toMatch(/^the certificates of 9 of 10 kubelets .*serverTLSBootstrap.*; metrics\.k8s\.io cannot be read/);
    expect(world.source.problem()).toContain(remedy);
    expect(world.logger.lines).toHaveLength(1);
    world.metricsServer = 'installed';
    await world.minutes(6);
    expect(await world.sourcesIn(60)).toEqual(['metrics']);
    await world.end();
  });

  test('ignores a kubelet reading that arrives after the switch', async () => {
    const world = new World(MANY);
    world.selfSigned = new Set(MANY);
    await world.minutes(5);
    let answer = (): void => undefined;
    world.slow = new Promise((resolve) => (answer = resolve));
    await world.minutes(2);
    expect(world.source.name).toBe('metrics.k8s.io');
    [world.selfSigned, world.readings, world.failures] = [new Set(), [], []];
    answer();
    await world.clock.advance(0);
    expect([world.readings, world.failures]).toEqual([[], []]);
    await world.end();
  });

  test('starts with the kubelets in each run, and reports no source after its end', async () => {
    const world = new World(MANY);
    world.selfSigned = new Set(MANY);
    await world.minutes(10);
    await world.end();
    expect(world.switches).toEqual(['kubelet', 'metrics.k8s.io', 'none']);
    expect([world.source.name, world.source.kubeletProblem()]).toEqual(['kubelet', null]);
    expect(world.clock.waiting).toBe(0);
  });
});
