import { describe, expect, jest, test } from '@jest/globals';
import { RecordingLogger } from '../../testing/recording-logger.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { seededRandom } from '../clock/seeded-hash.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import { startControllers } from '../controllers/index.ts';
import { embeddedActions, embeddedStrategies } from '../admission/index.ts';
import { EmbeddedApiServer } from '../api/embedded-api-server.ts';
import { CountingActivity } from '../clock/activity.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { parseRecording } from '../usage/recording.ts';
import type { RecordingLibrary } from '../usage/recording-files.ts';
import { subtractCounters } from './cluster-summary.ts';
import { createNodes } from './node-pool.ts';
import { NodeSimulation } from './node-simulation.ts';

const T0 = Date.UTC(2026, 10, 2);

/** The whole embedded cluster, at full speed, with a Deployment of three replicas and one whose usage exceeds its limit. */
async function aRun(seed: number, forMs: number, recordings?: RecordingLibrary) {
  const activity = new CountingActivity();
  const machine = new ManualClock(0);
  const clock = new VirtualClock({ startAt: T0, seed, speed: 'max', timer: machine, activity });
  const api = new EmbeddedApiServer({
    clock,
    activity,
    machine,
    random: seededRandom(seed),
    logger: new RecordingLogger(),
    strategies: embeddedStrategies(),
    actions: embeddedActions(),
    providers: {},
    speed: () => clock.speed,
  });
  const nodes = api.accessAs('system:node');
  const simulation = new NodeSimulation({ cluster: nodes, clock, seed, epoch: T0, ...(recordings && { recordings }) });
  api.useProviders(simulation.providers);
  createNodes(nodes, { count: 3, machineTypes: ['e2-standard-4', 'n2-standard-2'], seed, now: T0 });
  const admin = api.accessAs('admin');
  admin.create('deployments.apps', aDeployment('web', 3, '200m', '256Mi'));
  admin.create('deployments.apps', aDeployment('batchy', 1, '100m', '64Mi'));
  simulation.dealRecordings();
  const { metrics } = simulation.providers;
  startControllers({ cluster: api.accessAs('system:controller'), clock, random: seededRandom(seed + 1), metrics: metrics! });
  simulation.start();
  new Scheduler(api.accessAs('system:kube-scheduler'), clock).start();
  const before = simulation.counters();
  await clock.runFor(forMs);
  return { simulation, admin, clock, happened: subtractCounters(before, simulation.counters()) };
}

function aDeployment(name: string, replicas: number, cpu: string, memory: string): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'app', image: `${name}:1`, resources: { requests: { cpu, memory }, limits: { cpu, memory } } }],
        },
      },
    },
  };
}

async function seriesOf(simulation: NodeSimulation, from: number, to: number): Promise<UsageSeries[]> {
  const found: UsageSeries[] = [];
  const source = simulation.history.range({ from, to, stepSeconds: 300 }, new AbortController().signal);
  for await (const series of source) found.push(series);
  return found;
}

describe('the embedded cluster with its nodes', () => {
  test('runs Deployments, and the same seed has the same end', async () => {
    const first = await aRun(4, 6 * HOUR_MS);
    const again = await aRun(4, 6 * HOUR_MS);
    const other = await aRun(5, 6 * HOUR_MS);
    const pods = first.admin.list('pods') as unknown as {
      metadata: { name: string };
      spec: { nodeName: string };
      status: { phase: string };
    }[];
    expect(pods.map(({ status }) => status.phase)).toEqual(['Running', 'Running', 'Running', 'Running']);
    expect(new Set(pods.map(({ spec }) => spec.nodeName)).size).toBe(3);
    expect(again.simulation.summary()).toEqual(first.simulation.summary());
    expect(again.happened).toEqual(first.happened);
    expect(again.admin.list('pods')).toEqual(first.admin.list('pods'));
    expect(other.simulation.summary()).not.toEqual(first.simulation.summary());
  });

  test('sums requests, usage and cost', async () => {
    const { simulation } = await aRun(4, HOUR_MS);
    const summary = simulation.summary();
    expect(summary).toMatchObject({ requestedCpuMillicores: 700, requestedMemoryBytes: (3 * 256 + 64) * 2 ** 20, nodes: 3 });
    expect(summary.costPerMonthUsd).toBeCloseTo((2 * 0.134023 + 0.097118) * 730, 1);
    expect(summary.usedCpuMillicores).toBeGreaterThan(0);
  });

  test('returns its history by range queries, with owners, from its recordings', async () => {
    const rows = Array.from({ length: 288 }, (_, index) => `${index * 300},${index % 2 === 0 ? 40 : 20},100`).join('\n');
    const recordings: RecordingLibrary = { names: ['a.csv'], load: (name) => parseRecording(name, `t_s,cpu_m,mem_mib\n${rows}\n`) };
    const { simulation } = await aRun(1, 2 * HOUR_MS, recordings);
    const series = await seriesOf(simulation, T0, T0 + 2 * HOUR_MS);
    expect(series.map(({ workload }) => workload?.name).sort()).toEqual(['batchy', 'web', 'web', 'web']);
    const batchy = series.find(({ workload }) => workload?.name === 'batchy');
    expect(batchy?.workload).toEqual({ namespace: 'default', kind: 'Deployment', name: 'batchy' });
    // Scaled to peak at 80 % of its request of 100m; the first two samples carry the start.
    expect(batchy?.samples.slice(2, 6).map(({ cpuMillicores }) => Math.round(cpuMillicores ?? 0))).toEqual([80, 40, 80, 40]);
  });

  // Its duration is measured by a benchmark; here it must end within the test's timeout.
  test('simulates a whole day', async () => {
    const { simulation } = await aRun(2, DAY_MS);
    expect(simulation.summary().usedCpuMillicores).toBeGreaterThan(0);
  });
});

describe('the endpoints of kubelets', () => {
  test('/metrics/resource counts CPU up as Go prints it, and working sets', async () => {
    const { simulation } = await aRun(4, HOUR_MS);
    const [kubelet] = [...simulation.kubelets.all()];
    const text = simulation.direct.get(kubelet!.name, '/metrics/resource');
    const pod = [...kubelet!.pods()][0]!;
    const now = T0 + HOUR_MS;
    expect(text).toMatch(
      new RegExp(
        `^container_cpu_usage_seconds_total{container="app",namespace="default",pod="${pod.name}"} [0-9.]+(e\\+\\d\\d)? ${now}$`,
        'm',
      ),
    );
    expect(text).toMatch(/^# TYPE container_memory_working_set_bytes gauge$/m);
    expect(text).toMatch(/^container_memory_working_set_bytes{.*} \d\.\d+e\+0[78] \d+$/m);
    expect(text).toMatch(new RegExp(`^node_memory_working_set_bytes [0-9.]+e\\+0[89] ${now}$`, 'm'));
    expect(text).toMatch(/^resource_scrape_error 0$/m);
    const value = Number(/^pod_cpu_usage_seconds_total{.*} (\S+) /m.exec(text)?.[1]);
    expect(value).toBeCloseTo(pod.cpuCoreSecondsAt(now), 9);
  });

  test('/stats/summary names node and pods with their containers', async () => {
    const { simulation } = await aRun(4, HOUR_MS);
    const [kubelet] = [...simulation.kubelets.all()];
    const summary = JSON.parse(simulation.direct.get(kubelet!.name, '/stats/summary'));
    expect(summary.node).toMatchObject({ nodeName: kubelet!.name, cpu: { usageNanoCores: expect.any(Number) } });
    expect(summary.pods[0]).toMatchObject({
      podRef: { namespace: 'default', uid: expect.any(String) },
      containers: [{ name: 'app', memory: { workingSetBytes: expect.any(Number) } }],
      network: { name: 'eth0', rxBytes: expect.any(Number), txErrors: 0 },
    });
  });

  test('the pages for a controller in the same process name a node that does not exist', async () => {
    const { simulation } = await aRun(4, MINUTE_MS);
    const elsewhere = { name: 'nowhere' };
    await expect(simulation.direct.statsSummary(elsewhere)).rejects.toThrow('kubelet of node nowhere: the node does not exist');
    await expect(simulation.direct.resourceMetrics(elsewhere)).rejects.toThrow('kubelet of node nowhere: the node does not exist');
  });

  test('an unknown path or node is an error that names it', async () => {
    const { simulation } = await aRun(4, MINUTE_MS);
    const [kubelet] = [...simulation.kubelets.all()];
    expect(() => simulation.direct.get('nowhere', '/healthz')).toThrow('kubelet of node nowhere: the node does not exist');
    expect(() => simulation.direct.get(kubelet!.name, '/exec')).toThrow(/\/exec answered HTTP 404/);
    expect(simulation.direct.get(kubelet!.name, '/healthz')).toBe('ok');
  });

  test('metrics.k8s.io serves nodes and pods', async () => {
    const { simulation, admin } = await aRun(4, HOUR_MS);
    const { metrics } = simulation.providers;
    expect(metrics!.nodeMetrics()).toHaveLength(3);
    expect(metrics!.nodeMetrics('nowhere')).toEqual([]);
    const [pod] = admin.list('pods');
    const [found] = metrics!.podMetrics('default', pod!.metadata.name);
    expect(found).toMatchObject({ name: pod!.metadata.name, windowSeconds: 30, containers: [{ name: 'app' }] });
    expect(found!.containers[0]!.usage.cpuNanocores).toBeGreaterThan(1e6);
    expect(metrics!.podMetrics('other')).toEqual([]);
  });

  test('metrics.k8s.io finds each pod that it lists by its name, without reading the pods of other nodes', async () => {
    const { simulation } = await aRun(4, HOUR_MS);
    const listed = simulation.metrics.podMetrics('default');
    expect(listed.length).toBeGreaterThan(2);
    const walks = jest.spyOn(simulation.kubelets, 'all');
    expect(listed.flatMap(({ name }) => simulation.metrics.podMetrics('default', name))).toEqual(listed);
    expect(simulation.metrics.podMetrics('default', 'missing')).toEqual([]);
    expect(walks).not.toHaveBeenCalled();
  });

  test('logs have the start, and a line per minute', async () => {
    const { simulation, admin } = await aRun(4, HOUR_MS);
    const { logs } = simulation.providers;
    const [pod] = admin.list('pods');
    const lines = logs!.lines(pod!, 'app', false);
    expect(lines[0]?.text).toMatch(/^level=info msg="starting app/);
    expect(lines.length).toBeGreaterThan(55);
    expect([...lines].sort((a, b) => a.at - b.at)).toEqual(lines);
    expect(() => logs!.lines(pod!, 'app', true)).toThrow(/previous terminated container "app" in pod .* not found/);
    expect(() => logs!.lines(pod!, 'other', false)).toThrow(/waiting to start/);
  });
});

/** Every series that a reading visits, as text. */
