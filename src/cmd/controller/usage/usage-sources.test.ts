import { describe, expect, test } from '@jest/globals';
import { aContainerRecord, aNodeRecord, aPodRecord } from '../../../../test/builders/records.ts';
import { textMetrics } from '../../../../test/builders/text-metrics.ts';
import { FakeActivity, FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeClusterReader } from '../../../../test/fakes/fake-cluster-reader.ts';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import { MINUTE_MS } from '#kube/units';
import type { ContainerCounterSource, KubeletPages } from '#kube/kubelet/kubelet-pages';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import { PrometheusMetrics } from '../../../runtime/metrics.ts';
import { loadSettings } from '../../../runtime/options/load-settings.ts';
import { EVENKEEL_SETTINGS } from '../../../runtime/options/settings-schema.ts';
import { UsageModel } from '../../../state/usage/usage-model.ts';
import { pressureHealth, throttlingHealth, usageHealth } from '../health-sources.ts';
import { chooseUsageSources, createLiveUsage } from './usage-sources.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';

/** One node whose kubelet signs its own certificate, with a CPU-limited container. */
class UsageWorld {
  readonly clock = new FakeClock();
  readonly metrics = new PrometheusMetrics();
  readonly logger = new RecordingLogger();
  readonly stop = new AbortController();
  countersAsked = 0;
  selfSigned = true;
  usage!: UsageModel;
  #health: readonly { name: string; status(): { readonly status: string; readonly message: string } }[] = [];

  async start(
    given: {
      readonly prometheus?: ContainerCounterSource;
      readonly refusal?: string;
      readonly viaProxy?: boolean;
      readonly metricsServer?: boolean;
      readonly kubeletAccess?: ControllerEnvironment['kubeletAccess'];
    } = {},
  ): Promise<this> {
    const { clock, metrics, logger } = this;
    const cluster = new FakeClusterReader();
    const limited = aContainerRecord({ limits: { cpuMillicores: 500, memoryBytes: null } });
    cluster.nodeList = [aNodeRecord({ name: 'n1' })];
    cluster.podList = [aPodRecord({ name: 'p', node: 'n1', containers: [limited] })];
    const read = <T>(node: string, page: () => T): Promise<T> =>
      this.selfSigned
        ? Promise.reject(new UntrustedKubelet(`kubelet of node ${node}`, 'DEPTH_ZERO_SELF_SIGNED_CERT'))
        : Promise.resolve(page());
    const kubelets: KubeletPages = {
      resourceMetrics: ({ name }) => read(name, () => textMetrics(`node_memory_working_set_bytes 1 ${clock.now()}\n`)),
      statsSummary: ({ name }) => read(name, () => ({})),
      containerCounters: ({ name }) => {
        this.countersAsked += 1;
        return read(name, () => []);
      },
    };
    const transport = new FakeTransport(({ path }) => {
      if (path.includes('accessreviews')) return { status: 201, body: { status: { allowed: true } } };
      if (given.metricsServer === false) return status(404, 'NotFound', 'the server could not find the requested resource');
      const timestamp = new Date(clock.now()).toISOString();
      return {
        body: { items: path.endsWith('/nodes') ? [{ metadata: { name: 'n1' }, timestamp, usage: { cpu: '1', memory: '1Gi' } }] : [] },
      };
    });
    const loaded = loadSettings(EVENKEEL_SETTINGS, {
      environment: {},
      flags: [{ name: 'kubelet.viaProxy', value: String(given.viaProxy ?? false) }],
    });
    if (!loaded.ok) throw new Error(loaded.message);
    const activity = new FakeActivity();
    const world: ControllerEnvironment = {
      transport,
      leaseTransport: transport,
      kubelets,
      pastUsage: null,
      clock,
      timer: new FakeClock(0),
      activity,
      random: seededRandom(1),
      namespace: 'evenkeel-system',
      clusterName: 'test',
      identity: 'test',
      ...(given.kubeletAccess === undefined ? {} : { kubeletAccess: given.kubeletAccess }),
    };
    const usage = new UsageModel({ clock, reader: cluster, logger, metrics, intervalMs: MINUTE_MS });
    this.usage = usage;
    const sources = await chooseUsageSources(world, { settings: loaded.settings, reader: cluster, metrics, logger }, this.stop.signal);
    const { prometheus = null } = given;
    const decisions = { find: () => undefined };
    const prometheusProblem = (): string | null => given.refusal ?? null;
    const source = createLiveUsage({ sources, prometheus, prometheusProblem, usage, decisions, cluster, environment: world, metrics });
    this.#health = [
      usageHealth(usage, source.status, null, clock),
      throttlingHealth(usage.evidence, source.status, clock),
      pressureHealth(usage.evidence, source.status, clock),
    ];
    void source.run(usage, MINUTE_MS, this.stop.signal);
    return this;
  }

  health(name: string): { readonly status: string; readonly message: string } | undefined {
    return this.#health.find((source) => source.name === name)?.status();
  }

  /** The label of `evenkeel_usage_source`. */
  async source(): Promise<string | undefined> {
    return /^evenkeel_usage_source\{source="([^"]+)"\} 1$/m.exec(await this.metrics.expose())?.[1];
  }
}

const REMEDY =
  "the certificates of 1 of 1 kubelets are not of the cluster's CA: set serverTLSBootstrap: true for the kubelets and approve their " +
  'certificate signing requests, or set kubelet.viaProxy: true';

describe('where kubelets have self-signed certificates', () => {
  test('health names the source, the reason and the remedy, also for throttling and pressure, which are not read', async () => {
    const world = await new UsageWorld().start();
    await world.clock.advance(7 * MINUTE_MS);
    expect(await world.source()).toBe('metrics.k8s.io');
    expect(world.health('usage-source')).toMatchObject({ status: 'degraded', message: `metrics.k8s.io: ${REMEDY}` });
    const throttling = `unknown, reported as null: ${REMEDY}, and prometheus.url is not set`;
    expect(world.health('throttling')).toMatchObject({ status: 'degraded', message: throttling });
    expect(world.health('pressure')).toMatchObject({ status: 'degraded', message: `unknown, reported as null: ${REMEDY}` });
    world.countersAsked = 0;
    await world.clock.advance(60 * MINUTE_MS);
    expect(world.countersAsked).toBe(0);

    world.selfSigned = false;
    await world.clock.advance(20 * MINUTE_MS);
    expect(await world.source()).toBe('kubelet');
    expect(world.health('usage-source')).toMatchObject({ status: 'ok', message: 'kubelet: read' });
    expect(world.health('throttling')?.message).not.toContain('serverTLSBootstrap');
    expect(world.countersAsked).toBeGreaterThan(0);
    world.stop.abort();
    await world.clock.advance(0);
    expect(await world.source()).toBeUndefined();
  });

  test('throttling is read from Prometheus', async () => {
    const counters = [
      { namespace: 'default', pod: 'p', container: 'app', instance: 'i', at: null, cpuPeriods: 1, throttledPeriods: 0, oomEvents: 0 },
    ];
    const world = await new UsageWorld().start({ prometheus: { name: 'prometheus', containerCounters: async () => counters } });
    await world.clock.advance(20 * MINUTE_MS);
    expect(await world.source()).toBe('metrics.k8s.io');
    expect(world.health('throttling')).toMatchObject({ status: 'ok', message: 'known for 1 nodes with CPU-limited containers' });
    world.stop.abort();
  });

  test('where Prometheus is not used either, throttling is unknown and health reports the reason', async () => {
    const prometheus = { name: 'prometheus', containerCounters: () => Promise.reject(new Error('several clusters')) };
    const world = await new UsageWorld().start({ prometheus, refusal: 'Prometheus holds several clusters' });
    await world.clock.advance(20 * MINUTE_MS);
    const message = `unknown, reported as null: ${REMEDY}, and Prometheus holds several clusters`;
    expect(world.health('throttling')).toMatchObject({ status: 'degraded', message });
    world.stop.abort();
  });

  test('health names both remedies where metrics-server is not installed', async () => {
    const world = await new UsageWorld().start({ metricsServer: false });
    await world.clock.advance(20 * MINUTE_MS);
    expect(await world.source()).toBe('kubelet');
    const { status: state, message } = world.health('usage-source')!;
    expect(state).toBe('failed');
    expect(message).toMatch(/^kubelet: nothing read for two periods: the certificates of 1 of 1 .*serverTLSBootstrap.*install it/);
    world.stop.abort();
  });

  test('kubelets are read through the API server where kubelet.viaProxy is set', async () => {
    const world = new UsageWorld();
    // The API server verifies the kubelets' certificates.
    world.selfSigned = false;
    await world.start({ viaProxy: true });
    await world.clock.advance(20 * MINUTE_MS);
    expect(await world.source()).toBe('kubelet');
    expect(world.health('usage-source')?.message).not.toContain('serverTLSBootstrap');
    world.stop.abort();
    await world.clock.advance(0);
    expect(await world.source()).toBeUndefined();
  });
});

describe('health reports a problem of the kubelets’ credentials', () => {
  const problem = (): string => 'no token of ServiceAccount evenkeel-kubelet-reader: not permitted';

  test('while kubelets are read', async () => {
    const world = new UsageWorld();
    world.selfSigned = false;
    await world.start({ kubeletAccess: { problem, mayRead: () => Promise.resolve(true) } });
    await world.clock.advance(2 * MINUTE_MS);
    expect(await world.source()).toBe('kubelet');
    expect(world.health('usage-source')).toMatchObject({ status: 'degraded', message: `kubelet: ${problem()}` });
    world.stop.abort();
  });

  test('while metrics-server is read instead', async () => {
    const world = await new UsageWorld().start({ kubeletAccess: { problem, mayRead: () => Promise.resolve(false) } });
    await world.clock.advance(2 * MINUTE_MS);
    expect(await world.source()).toBe('metrics.k8s.io');
    expect(world.health('usage-source')).toMatchObject({ status: 'degraded', message: `metrics.k8s.io: ${problem()}` });
    world.stop.abort();
  });
});
