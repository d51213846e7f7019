import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aContainerRecord, aNodeRecord, aPodRecord } from '../../../test/builders/records.ts';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeActivity, FakeClock } from '#embedded-cluster/testing/fake-clock';
import { textFetcher } from '../../../test/fakes/clients/text-fetcher.ts';
import type { PodRecord } from '#kube/records/pod';
import type { ContainerEvidence } from '#kube/records/usage';
import type { ContainerCounters, ContainerCounterSource } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../ports/usage/page-too-large.ts';
import type { EvidenceReading } from '../../ports/usage/usage-source.ts';
import { CadvisorPage } from './pages/cadvisor-page.ts';
import { CounterDeltas } from './counter-deltas.ts';
import { EvidenceSource } from './evidence-source.ts';
import { readStatsSummary } from './pages/stats-summary.ts';
import { pageBounds } from './pages/page-bounds.ts';
import { InlinePageReader, TextPages } from './pages/text-pages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const T = Date.UTC(2026, 0, 5);

// Families and texts of cAdvisor 0.56.2 (metrics/testdata/prometheus_metrics), labels as set by the kubelet 1.36
// (containerPrometheusLabelsFunc in pkg/kubelet/server/server.go).
const SLICE = '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0f3c.slice';
const APP = `container="app",id="${SLICE}/cri-containerd-9e1d.scope",image="registry.example/shop/web:1.2",name="9e1d",namespace="shop",pod="web-0"`;
const POD = `container="",id="${SLICE}",image="",name="",namespace="shop",pod="web-0"`;
const PAUSE = `container="POD",id="${SLICE}/cri-containerd-77aa.scope",image="registry.k8s.io/pause:3.10",name="77aa",namespace="shop",pod="web-0"`;
const ROOT = 'container="",id="/",image="",name="",namespace="",pod=""';
const PAGE = `# HELP cadvisor_version_info A metric with a constant '1' value labeled by kernel version, OS version, docker version, cadvisor version & cadvisor revision.
# TYPE cadvisor_version_info gauge
cadvisor_version_info{cadvisorRevision="",cadvisorVersion="",dockerVersion="",kernelVersion="6.12.0",osVersion="Container-Optimized OS from Google"} 1
# HELP container_blkio_device_usage_total Blkio Device bytes usage
# TYPE container_blkio_device_usage_total counter
container_blkio_device_usage_total{container="app",device="/dev/sda",id="${SLICE}/cri-containerd-9e1d.scope",image="registry.example/shop/web:1.2",major="8",minor="0",name="9e1d",namespace="shop",operation="Read",pod="web-0"} 4.194304e+06 1395066363000
# HELP container_cpu_cfs_periods_total Number of elapsed enforcement period intervals.
# TYPE container_cpu_cfs_periods_total counter
container_cpu_cfs_periods_total{${POD}} 800 1395066363000
container_cpu_cfs_periods_total{${APP}} 723 1395066363000
# HELP container_cpu_cfs_throttled_periods_total Number of throttled period intervals.
# TYPE container_cpu_cfs_throttled_periods_total counter
container_cpu_cfs_throttled_periods_total{${POD}} 20 1395066363000
container_cpu_cfs_throttled_periods_total{${APP}} 18 1395066363000
# HELP container_cpu_cfs_throttled_seconds_total Total time duration the container has been throttled.
# TYPE container_cpu_cfs_throttled_seconds_total counter
container_cpu_cfs_throttled_seconds_total{${APP}} 1.724314 1395066363000
# HELP container_cpu_load_average_10s Value of container cpu load average over the last 10 seconds.
# TYPE container_cpu_load_average_10s gauge
container_cpu_load_average_10s{${ROOT}} 0 1395066363000
# HELP container_oom_events_total Count of out of memory events observed for the container
# TYPE container_oom_events_total counter
container_oom_events_total{${ROOT}} 0 1395066363000
container_oom_events_total{${PAUSE}} 0 1395066363000
container_oom_events_total{${APP}} 2 1395066363000
container_oom_events_total{container="free",id="/x",image="",name="f",namespace="shop",pod="web-0"} 0 1395066363000
# HELP container_pressure_cpu_waiting_seconds_total Total time duration tasks in the container have waited due to CPU congestion.
# TYPE container_pressure_cpu_waiting_seconds_total counter
container_pressure_cpu_waiting_seconds_total{${APP}} 0.0002 1395066363000
# HELP container_start_time_seconds Start time of the container since unix epoch in seconds.
# TYPE container_start_time_seconds gauge
container_start_time_seconds{${APP}} 1.257894e+09 1395066363000
# HELP machine_cpu_cores Number of logical CPU cores.
# TYPE machine_cpu_cores gauge
machine_cpu_cores{boot_id="",machine_id="",system_uuid=""} 4
`;
const FOUND: readonly ContainerCounters[] = [
  {
    namespace: 'shop',
    pod: 'web-0',
    container: 'app',
    instance: `${SLICE}/cri-containerd-9e1d.scope`,
    at: 1_395_066_363_000,
    cpuPeriods: 723,
    throttledPeriods: 18,
    oomEvents: 2,
  },
  {
    namespace: 'shop',
    pod: 'web-0',
    container: 'free',
    instance: '/x',
    at: 1_395_066_363_000,
    cpuPeriods: null,
    throttledPeriods: null,
    oomEvents: 0,
  },
];

function read(...chunks: readonly (string | Buffer)[]): readonly ContainerCounters[] {
  const page = new CadvisorPage(20_000);
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    page.push(bytes);
    // The memory of a chunk is freed after the call.
    bytes.fill(0);
  }
  return page.end();
}

describe('CadvisorPage', () => {
  test('reads periods, throttled periods and OOM events of containers, not of pods, pause containers or slices', () => {
    expect(read(PAGE)).toEqual(FOUND);
  });

  test('gives the same result for any division into chunks', () => {
    const bytes = Buffer.from(PAGE);
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, (given) => {
        const at = [0, ...given.toSorted((a, b) => a - b), bytes.length];
        expect(read(...at.slice(1).map((end, index) => bytes.subarray(at[index], end)))).toEqual(FOUND);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  test.each([
    ['without comments', PAGE.replaceAll(/^#.*\n/gm, '')],
    ['without a line break at its end', PAGE.trimEnd()],
    ['whose last wanted family is its last', PAGE.slice(0, PAGE.indexOf('# HELP container_pressure')).trimEnd()],
  ])('reads a page %s', (_, text) => {
    expect(read(text)).toEqual(FOUND);
  });

  test.each([
    ['a value that is no number', `container_oom_events_total{${APP}} NaN 1`],
    ['no value', `container_oom_events_total{${APP}}`],
    ['no labels', 'container_oom_events_total 4 1'],
    ['a name that only begins alike', `container_oom_events_total_created{${APP}} 4 1`],
    ['nothing', ''],
  ])('ignores a line with %s', (_, line) => {
    expect(read(`${line}\n`)).toEqual([]);
  });

  test('rejects text without line breaks', () => {
    expect(() => read(Buffer.alloc(200_000, 'x'))).toThrow('a line of the page is longer than 65536 bytes');
  });

  test('rejects a page of more containers than any node runs', () => {
    const lines = Array.from({ length: 20_001 }, (_, at) => `container_oom_events_total{container="c${at}",namespace="a",pod="p"} 1 1\n`);
    expect(() => read(lines.join(''))).toThrow('the page has more than 20000 containers');
  });

  test('is read from the kubelet’s own path', async () => {
    const asked: string[] = [];
    const fetcher = textFetcher(async (_, path) => {
      asked.push(path);
      return PAGE;
    });
    const pages = new TextPages(new InlinePageReader(fetcher));
    const bounds = pageBounds('counters', []);
    expect(await pages.containerCounters(aNodeRecord({ name: 'n1' }), new AbortController().signal, bounds)).toEqual(FOUND);
    expect(asked).toEqual(['/metrics/cadvisor']);
  });
});

function counters(more: Partial<ContainerCounters> = {}): ContainerCounters {
  return {
    namespace: 'shop',
    pod: 'web-0',
    container: 'app',
    instance: '/a',
    at: null,
    cpuPeriods: 1_000,
    throttledPeriods: 100,
    oomEvents: 0,
    ...more,
  };
}

/** Treats every pod as known on the node. */
const ALL = () => true;

describe('CounterDeltas', () => {
  const second = (more: Partial<ContainerCounters>, before: Partial<ContainerCounters> = {}): readonly ContainerEvidence[] => {
    const deltas = new CounterDeltas();
    expect(deltas.read([counters(before)], T, ALL)).toEqual([]);
    return deltas.read([counters(more)], T + HOUR, ALL);
  };
  const evidence = { namespace: 'shop', pod: 'web-0', container: 'app', at: T + HOUR, spanMs: HOUR };

  test.each<[string, Partial<ContainerCounters>, Partial<ContainerCounters>, Partial<ContainerEvidence>]>([
    ['of the time between two readings', {}, { cpuPeriods: 3_000, throttledPeriods: 600 }, { throttledRatio: 0.25, oomEvents: 0 }],
    ['0 where no period elapsed by newer counters', { at: T - 1 }, { at: T + HOUR - 1 }, { throttledRatio: 0, oomEvents: 0 }],
    [
      'null where the counters are not newer than at the previous reading',
      { at: T - 1 },
      { at: T - 1 },
      { throttledRatio: null, oomEvents: null },
    ],
    [
      'of another instance since its start',
      {},
      { instance: '/b', cpuPeriods: 200, throttledPeriods: 50, oomEvents: 1 },
      { throttledRatio: 0.25, oomEvents: 1 },
    ],
    [
      'of OOM events without a CPU limit',
      { cpuPeriods: null, throttledPeriods: null },
      { cpuPeriods: null, throttledPeriods: null, oomEvents: 2 },
      { throttledRatio: null, oomEvents: 2 },
    ],
    [
      'null where a counter of an instance decreased',
      { oomEvents: 5 },
      { cpuPeriods: 900, throttledPeriods: 90, oomEvents: 1 },
      { throttledRatio: null, oomEvents: null },
    ],
    ['null where one of them alone went back', {}, { cpuPeriods: 3_000, throttledPeriods: 90 }, { throttledRatio: null, oomEvents: 0 }],
    ['null where throttled periods are missing', {}, { throttledPeriods: null }, { throttledRatio: null }],
  ])('reports evidence %s', (_, before, after, expected) => {
    expect(second(after, before)).toEqual([expect.objectContaining({ ...evidence, ...expected })]);
  });

  test('reports no throttling where no counter changed and counters have no time: the page is repeated', () => {
    const idle = counters({ pod: 'idle-0' });
    const deltas = new CounterDeltas();
    deltas.read([counters(), idle], T, ALL);
    const repeated = deltas.read([counters(), idle], T + HOUR, ALL);
    expect(repeated.map(({ throttledRatio, oomEvents }) => [throttledRatio, oomEvents])).toEqual([
      [null, null],
      [null, null],
    ]);
    const counted = deltas.read([counters({ cpuPeriods: 1_100 }), idle], T + 2 * HOUR, ALL);
    expect(counted.map(({ throttledRatio }) => throttledRatio)).toEqual([0, 0]);
  });

  test('sums the instances of a container that restarted between readings', () => {
    const deltas = new CounterDeltas();
    deltas.read([counters()], T, ALL);
    const after = [
      counters({ cpuPeriods: 1_100, throttledPeriods: 150 }),
      counters({ instance: '/b', cpuPeriods: 100, throttledPeriods: 0 }),
    ];
    expect(deltas.read(after, T + HOUR, ALL)).toEqual([expect.objectContaining({ throttledRatio: 0.25 })]);
  });

  test('reports no throttling where a counter of one of several instances decreased', () => {
    const deltas = new CounterDeltas();
    const readings = [1_000, 500].map((cpuPeriods) => [counters({ cpuPeriods }), counters({ instance: '/b', cpuPeriods: 100 })]);
    deltas.read(readings[0]!, T, ALL);
    expect(deltas.read(readings[1]!, T + HOUR, ALL)).toEqual([expect.objectContaining({ throttledRatio: null })]);
  });

  test('reports nothing over a gap of half a day, and continues from there', () => {
    const deltas = new CounterDeltas();
    deltas.read([counters()], T, ALL);
    expect(deltas.read([counters({ cpuPeriods: 9_000 })], T + 12 * HOUR, ALL)).toEqual([]);
    expect(deltas.read([counters({ cpuPeriods: 9_100, throttledPeriods: 150 })], T + 13 * HOUR, ALL)).toEqual([
      expect.objectContaining({ throttledRatio: 0.5, spanMs: HOUR }),
    ]);
  });
});

describe('CounterDeltas of pods that are not known on the node', () => {
  const none = () => false;

  test('reports nothing, and once the pod is known everything counted since its start', () => {
    const deltas = new CounterDeltas();
    deltas.read([], T, ALL);
    expect(deltas.read([counters({ oomEvents: 2 })], T + HOUR, none)).toEqual([]);
    expect(deltas.read([counters({ oomEvents: 3 })], T + 2 * HOUR, ALL)).toEqual([expect.objectContaining({ oomEvents: 3 })]);
  });

  test('reports only what a pod of the first reading counted since then: a controller restart repeats no old kills', () => {
    const deltas = new CounterDeltas();
    deltas.read([counters({ oomEvents: 2 })], T, none);
    expect(deltas.read([counters({ oomEvents: 2 })], T + HOUR, none)).toEqual([]);
    expect(deltas.read([counters({ oomEvents: 3 })], T + 2 * HOUR, ALL)).toEqual([expect.objectContaining({ oomEvents: 1 })]);
  });
});

interface World {
  readonly clock: FakeClock;
  readonly asked: string[];
  readonly readings: EvidenceReading[];
  readonly failures: string[];
  readonly dropped: string[];
}

function running(pods: readonly PodRecord[], parts: Partial<ConstructorParameters<typeof EvidenceSource>[0]> = {}): World {
  const clock = new FakeClock(T);
  const asked: string[] = [];
  const readings: EvidenceReading[] = [];
  const failures: string[] = [];
  const dropped: string[] = [];
  let periods = 0;
  const source: ContainerCounterSource = {
    name: 'kubelet',
    containerCounters: async ({ name }) => {
      asked.push(`${name} ${(clock.now() - T) / MINUTE}`);
      periods += 100;
      return [counters({ cpuPeriods: periods, throttledPeriods: periods / 2 })];
    },
  };
  const node = aNodeRecord({ name: 'n1' });
  const evidence = new EvidenceSource({
    sources: () => [source],
    reader: {
      nodes: () => [node],
      findNode: () => node,
      podsOnNode: () => pods,
      findPod: (_, name) => pods.find((pod) => pod.name === name),
    },
    cpuOf: () => 10,
    isVerified: () => false,
    clock,
    timer: new FakeClock(0),
    activity: new FakeActivity(),
    metrics: new CountingMetrics(),
    ...parts,
  });
  const sink = {
    onEvidence: (reading: EvidenceReading) => void readings.push(reading),
    onEvidenceFailure: ({ message }: { readonly message: string }) => void failures.push(message),
    onDropped: (reason: string, count: number) => void dropped.push(`${count} ${reason}`),
  };
  void evidence.run(sink, MINUTE, new AbortController().signal);
  return { clock, asked, readings, failures, dropped };
}

function aLimitedPod(cpuMillicores: number | null): PodRecord {
  const limits = { cpuMillicores, memoryBytes: null };
  return aPodRecord({ name: 'web-0', namespace: 'shop', node: 'n1', containers: [aContainerRecord({ name: 'app', limits })] });
}

describe('EvidenceSource', () => {
  test('reads a node twice at first, a sampling interval apart, then once an hour', async () => {
    const { clock, asked, readings } = running([aLimitedPod(100)]);
    await clock.advance(6 * HOUR);
    const [first = 0, second = 0, ...others] = asked.map((each) => Number(each.split(' ')[1]));
    expect(second - first).toBeCloseTo(1);
    expect(first).toBeLessThan(1);
    const [third = 0] = others;
    expect(third - second).toBeGreaterThanOrEqual(60);
    expect(third - second).toBeLessThan(65);
    expect(others.map((at) => Math.round(at - third))).toEqual([0, 60, 120, 180, 240]);
    expect(
      readings.map(({ containers }) => containers.map(({ throttledRatio, spanMs }) => [throttledRatio, Math.round(spanMs / MINUTE)])),
    ).toEqual([[], [[0.5, 1]], [[0.5, Math.round(third - second)]], ...others.slice(1).map(() => [[0.5, 60]])]);
  });

  test('drops and counts what a node reports about a pod of another node', async () => {
    const other = aPodRecord({ name: 'web-1', namespace: 'shop', node: 'n2' });
    const lying: ContainerCounterSource = { name: 'kubelet', containerCounters: async () => [counters(), counters({ pod: 'web-1' })] };
    const { clock, readings, dropped } = running([aLimitedPod(100), other], { sources: () => [lying] });
    await clock.advance(2 * MINUTE);
    expect(readings.map(({ containers }) => containers.map(({ pod }) => pod))).toEqual([[], ['web-0']]);
    expect(dropped).toEqual(['1 foreign-pod']);
  });

  test('reads no node without a CPU-limited container', async () => {
    const { clock, asked } = running([aLimitedPod(null)]);
    await clock.advance(3 * HOUR);
    expect(asked).toEqual([]);
  });

  test.each([
    ['usage is at 70 % of a CPU limit', { cpuOf: () => 70 }, 12],
    ['usage is below it', { cpuOf: () => 69 }, 1],
    ['usage is not known', { cpuOf: () => null }, 1],
    ['a change there is being verified', { isVerified: () => true }, 12],
  ])('reads at the required interval where %s', async (_, parts, times) => {
    const { clock, asked } = running([aLimitedPod(100)], parts);
    await clock.advance(2 * HOUR);
    asked.length = 0;
    await clock.advance(HOUR);
    expect(asked).toHaveLength(times);
  });

  test('reads the next source where one fails or has no container of the node, and reports the reasons where all fail', async () => {
    const failing: ContainerCounterSource = {
      name: 'prometheus',
      containerCounters: async () => {
        throw new Error('prometheus.example: connect ECONNREFUSED');
      },
    };
    const empty: ContainerCounterSource = { name: 'kubelet', containerCounters: async () => [counters({ cpuPeriods: null })] };
    const good: ContainerCounterSource = { name: 'good', containerCounters: async () => [counters()] };
    const first = running([aLimitedPod(100)], { sources: () => [failing, empty, good] });
    await first.clock.advance(MINUTE);
    expect([first.readings.map(({ source }) => source), first.failures]).toEqual([['good'], []]);
    const second = running([aLimitedPod(100)], { sources: () => [failing, empty] });
    await second.clock.advance(MINUTE);
    expect(second.failures).toEqual([
      'prometheus.example: connect ECONNREFUSED; kubelet has no container_cpu_cfs_periods_total of any container on node n1',
    ]);
  });

  test.each([
    ['that is larger than its node accounts for', 'too-large', (why: string) => Promise.reject(new PageTooLarge(why))],
    ['that cannot be read', 'failed', (why: string) => Promise.reject(new Error(why))],
  ])('counts a page %s as %s, and reports the failure', async (_, outcome, fail) => {
    const metrics = new CountingMetrics();
    const source: ContainerCounterSource = { name: 'kubelet', containerCounters: () => fail('the page has more than 2 containers') };
    const { clock, failures } = running([aLimitedPod(1000)], { sources: () => [source], metrics });
    await clock.advance(MINUTE);
    expect(failures[0]).toBe('the page has more than 2 containers');
    expect(metrics.total('evenkeel_evidence_reads_total', { source: 'kubelet', outcome })).toBe(failures.length);
  });

  test('retries a node that failed', async () => {
    let times = 0;
    const flaky: ContainerCounterSource = {
      name: 'kubelet',
      containerCounters: async () => {
        times += 1;
        if (times === 1) throw new Error('away');
        return [counters()];
      },
    };
    const { clock, readings, failures } = running([aLimitedPod(100)], { sources: () => [flaky] });
    await clock.advance(2 * MINUTE);
    expect([failures, readings.length]).toEqual([['away'], 1]);
  });
});

describe('readStatsSummary', () => {
  // As marshalled by k8s.io/kubelet 0.36 pkg/apis/stats/v1alpha1.
  const psi = (avg300: number, total = 81_500) => {
    const data = { total, avg10: 0, avg60: 0.5, avg300 };
    return { full: { ...data, avg300: avg300 / 2 }, some: data };
  };
  const time = '2026-01-05T00:00:00Z';
  const summaryOf = (container: object, node: object = {}) => ({
    node: { nodeName: 'n1', ...node },
    pods: [{ podRef: { name: 'web-0', namespace: 'shop', uid: 'u' }, containers: [{ name: 'app', ...container }] }],
  });

  test('reads the pressure of containers over the last 5 minutes', () => {
    const container = {
      cpu: { time, usageNanoCores: 1, usageCoreNanoSeconds: 1, psi: psi(12.34) },
      memory: { time, workingSetBytes: 1, psi: psi(0.5) },
      io: { time, psi: psi(0) },
    };
    expect(readStatsSummary('n1', summaryOf(container), T).pressure).toEqual([
      { namespace: 'shop', pod: 'web-0', container: 'app', at: T, cpuRatio: 0.1234, memoryRatio: 0.005 },
    ]);
  });

  test.each([
    ['is older than 1.34', summaryOf({ cpu: { time }, memory: { time } })],
    [
      'has zeros alone: its kernel measures none',
      summaryOf({ cpu: { psi: psi(0, 0) }, memory: { psi: psi(0, 0) } }, { cpu: { psi: psi(0, 0) } }),
    ],
  ])('reports no pressure where the kubelet %s', (_, summary) => {
    expect(readStatsSummary('n1', summary, T).pressure).toBeNull();
  });

  test('reports zero pressure where the node has measured any', () => {
    const summary = summaryOf({ cpu: { psi: psi(0, 0) }, memory: { psi: psi(0, 0) } }, { cpu: { psi: psi(0.1, 9_000) } });
    expect(readStatsSummary('n1', summary, T).pressure).toMatchObject([{ cpuRatio: 0, memoryRatio: 0 }]);
  });
});
