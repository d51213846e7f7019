import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MiB } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import { inferOwners } from '../../core/model/infer-owner.ts';
import { SeededRandom } from '../../runtime/random.ts';
import { FakePrometheus, labelsOf, type PrometheusRule, rangeOf, seriesOf } from '../../../test/fakes/fake-prometheus.ts';
import { FastTimer } from '../../../test/fakes/fast-timer.ts';
import { connectPrometheus } from './client/connection.ts';
import { PrometheusClient } from './client/prometheus-client.ts';
import { PrometheusHistorySource } from './prometheus-history-source.ts';

const TO = Date.UTC(2026, 0, 15);
const FROM = TO - 3 * DAY_MS;
const NEVER_ABORTED = new AbortController().signal;
const WEB = { pod: 'web-7d4f9c5b8d-x2k4v', container: 'app' };

let server: FakePrometheus;
let client: PrometheusClient;
beforeEach(async () => {
  server = await FakePrometheus.start();
  const connection = connectPrometheus(
    { url: server.url, tokenFile: '', caFile: '', headers: [], tenant: '', matchers: [] },
    'prometheus.url',
  );
  client = new PrometheusClient({ connection, timer: new FastTimer(2), random: new SeededRandom(1) });
});
afterEach(async () => {
  client.close();
  await server.stop();
});

async function read(options: { from?: number; withKills?: boolean; namespaces?: string[] } = {}): Promise<UsageSeries[]> {
  const { from = FROM, withKills = true, namespaces = ['shop'] } = options;
  const source = new PrometheusHistorySource({ client, ownerOf: (namespace, pod) => inferOwners(namespace, pod)[0] ?? null, withKills });
  const series: UsageSeries[] = [];
  for await (const each of source.range({ from, to: TO, stepSeconds: 300, namespaces }, NEVER_ABORTED)) series.push(each);
  return series;
}

function rangeQueries(matches: RegExp): { start: number; end: number; query: string }[] {
  return server.requests
    .filter(({ kind, form }) => kind === 'query_range' && matches.test(form.get('query') ?? ''))
    .map(({ form }) => ({ start: Number(form.get('start')), end: Number(form.get('end')), query: form.get('query') ?? '' }));
}

function cadvisor(pod = 'pod', container = 'container'): void {
  server.on(labelsOf(/^container_/, 'namespace', pod, container, 'id'));
}

function usage(labels: Readonly<Record<string, string>> = WEB): void {
  server.on(rangeOf(/cpu_usage_seconds_total/, [[labels, () => 0.25]]));
  server.on(rangeOf(/working_set_bytes/, [[labels, () => 100 * MiB]]));
}

describe('usage history from Prometheus', () => {
  test('is read in five-minute steps, one day per query, each step once', async () => {
    cadvisor();
    usage();
    const [series, ...others] = await read();
    expect(others).toEqual([]);
    expect(series).toMatchObject({ namespace: 'shop', ...WEB, stepSeconds: 300 });
    expect(series?.samples).toHaveLength(3 * 288 + 1);
    expect(series?.samples[0]).toEqual({ at: FROM, cpuMillicores: 250, memoryBytes: 100 * MiB, throttledRatio: null });
    expect(series?.samples.at(-1)?.at).toBe(TO);
    expect(rangeQueries(/cpu_usage/).every(({ start, end }) => end - start < 86_400)).toBe(true);
    expect(server.maxInFlight).toBeLessThanOrEqual(2);
  });

  test('no query sums series that are scraped twice, or selects pods or pause containers', async () => {
    cadvisor();
    usage();
    await read();
    for (const { query } of rangeQueries(/container_/)) {
      expect(query).toMatch(/^max by \(pod,container\) \(/);
      expect(query).toContain('namespace="shop",pod!="",container!="",container!="POD"');
    }
  });

  test.each([
    ['kubelets before 1.16', 'pod_name', 'container_name'],
    ['a scrape that sets labels of its own', 'exported_pod', 'exported_container'],
  ])('%s: labels %s and %s', async (_, pod, container) => {
    cadvisor(pod, container);
    usage({ [pod]: WEB.pod, [container]: WEB.container });
    expect(await read()).toEqual([expect.objectContaining(WEB)]);
    expect(rangeQueries(/cpu_usage/)[0]?.query).toContain(`max by (${pod},${container})`);
  });

  test('gaps remain gaps, and memory without CPU is returned', async () => {
    cadvisor();
    server.on(rangeOf(/cpu_usage/, [[WEB, (second) => (second < FROM / 1000 + 3600 ? 1 : null)]]));
    server.on(rangeOf(/working_set/, [[WEB, (second) => (second >= FROM / 1000 + 1800 ? MiB : null)]]));
    const [series] = await read({ from: FROM });
    expect(series?.samples[0]).toMatchObject({ cpuMillicores: 1000, memoryBytes: null });
    expect(series?.samples[8]).toMatchObject({ cpuMillicores: 1000, memoryBytes: MiB });
    expect(series?.samples.at(-1)).toMatchObject({ cpuMillicores: null, memoryBytes: MiB });
  });

  test('without given namespaces, all that have containers are read', async () => {
    cadvisor();
    usage();
    server.on(({ kind, form }) =>
      kind === 'label/namespace/values' && form.get('match[]') === 'container_memory_working_set_bytes{container!="",container!="POD"}'
        ? { data: ['shop', 'bank'] }
        : undefined,
    );
    const source = new PrometheusHistorySource({ client, ownerOf: () => null, withKills: false });
    const read: string[] = [];
    for await (const { namespace } of source.range({ from: FROM, to: TO, stepSeconds: 300 }, NEVER_ABORTED)) read.push(namespace);
    expect(read).toEqual(['bank', 'shop']);
  });

  test('a namespace is escaped', async () => {
    cadvisor();
    await read({ namespaces: ['x"} or vector(1) or {y="'] });
    expect(rangeQueries(/cpu_usage/)[0]?.query).toContain('namespace="x\\"} or vector(1) or {y=\\""');
  });

  test('a day with too many samples is split in halves, repeatedly', async () => {
    cadvisor();
    usage();
    const tooMuch: PrometheusRule = ({ kind, form }) =>
      kind === 'query_range' && Number(form.get('end')) - Number(form.get('start')) > 6 * 3600
        ? { status: 422, text: '{"status":"error","error":"query processing would load too many samples into memory"}' }
        : undefined;
    server.on(tooMuch);
    const [series] = await read({ from: TO - DAY_MS });
    expect(series?.samples).toHaveLength(289);
    expect(new Set(series?.samples.map(({ at }) => at)).size).toBe(289);
  });

  test('too many samples for an hour fail with the reason', async () => {
    cadvisor();
    server.on(({ kind }) => (kind === 'query_range' ? { status: 422, text: '{"error":"too many samples"}' } : undefined));
    await expect(read({ from: TO - DAY_MS })).rejects.toMatchObject({ kind: 'too-much' });
    expect(rangeQueries(/./).length).toBeLessThan(20);
  });

  test('a Prometheus without container metrics fails with the missing metrics', async () => {
    await expect(read()).rejects.toMatchObject({ kind: 'refused', message: expect.stringMatching(/let it scrape \/metrics\/cadvisor/) });
  });

  test('the window of a rate holds four scrapes', async () => {
    cadvisor();
    usage();
    server.on(({ kind }) =>
      kind === 'query' ? { data: { resultType: 'vector', result: [{ metric: {}, value: [0, '15'] }] } } : undefined,
    );
    await read();
    expect(rangeQueries(/cpu_usage/)[0]?.query).toContain('[480s]');
  });
});

describe('the owner of a pod', () => {
  const owners = (kind: string, name: string) =>
    seriesOf(/kube_pod_owner/, [{ namespace: 'shop', pod: WEB.pod, owner_kind: kind, owner_name: name }]);

  test.each([
    [
      'a Deployment, by its ReplicaSet',
      [
        owners('ReplicaSet', 'web-7d4f9c5b8d'),
        seriesOf(/kube_replicaset_owner/, [{ replicaset: 'web-7d4f9c5b8d', owner_kind: 'Deployment', owner_name: 'web' }]),
      ],
      { kind: 'Deployment', name: 'web' },
    ],
    [
      'a CronJob, by its Job',
      [owners('Job', 'nightly-1'), seriesOf(/kube_job_owner/, [{ job_name: 'nightly-1', owner_kind: 'CronJob', owner_name: 'nightly' }])],
      { kind: 'CronJob', name: 'nightly' },
    ],
    ['a StatefulSet', [owners('StatefulSet', 'db')], { kind: 'StatefulSet', name: 'db' }],
    [
      'a ReplicaSet without an owner',
      [owners('ReplicaSet', 'rs'), seriesOf(/kube_replicaset_owner/, [{ replicaset: 'rs', owner_kind: '<none>', owner_name: '<none>' }])],
      { kind: 'ReplicaSet', name: 'rs' },
    ],
    ['no owner', [owners('<none>', '<none>')], { kind: 'Pod', name: WEB.pod }],
    ['its node', [owners('Node', 'n1')], { kind: 'Pod', name: WEB.pod }],
    ['by its name, where kube-state-metrics is not there', [], { kind: 'Deployment', name: 'web' }],
  ] as const)('%s', async (_, rules, workload) => {
    cadvisor();
    usage();
    for (const rule of rules) server.on(rule);
    expect((await read())[0]?.workload).toEqual({ namespace: 'shop', ...workload });
  });
});

describe('kills and throttling', () => {
  const ksm = labelsOf(/last_terminated_reason/, 'namespace', 'pod', 'container', 'reason');
  const killedAt = FROM / 1000 + 30 * 3600;

  test('a restart after an OOM kill is a kill, with the limit that was hit; a restart for another reason is none', async () => {
    cadvisor();
    usage();
    server.on(ksm);
    server.on(rangeOf(/last_terminated_reason/, [[WEB, (second) => (second >= killedAt && second < killedAt + 7200 ? 1 : null)]]));
    server.on(
      rangeOf(/restarts_total/, [
        [WEB, (second) => (second < killedAt ? 3 : second < killedAt + 3600 ? 4 : second < killedAt + 7200 ? 5 : 6)],
      ]),
    );
    server.on(rangeOf(/resource_limits/, [[WEB, () => 128 * MiB]]));
    const [series] = await read();
    expect(series?.oomKills).toEqual([
      { at: killedAt * 1000, memoryLimitBytes: 128 * MiB },
      { at: killedAt * 1000 + HOUR_MS, memoryLimitBytes: 128 * MiB },
    ]);
  });

  test('a kill before the range is not reported', async () => {
    cadvisor();
    usage();
    server.on(ksm);
    server.on(rangeOf(/last_terminated_reason/, [[WEB, () => 1]]));
    server.on(rangeOf(/restarts_total/, [[WEB, () => 4]]));
    expect((await read())[0]?.oomKills).toEqual([]);
  });

  test('the throttled ratio is known where there are CPU limits', async () => {
    cadvisor();
    usage();
    server.on(rangeOf(/throttled_periods/, [[WEB, (second) => (second < FROM / 1000 + 600 ? 0.4 : 'NaN')]]));
    const [series] = await read();
    expect(series?.samples.slice(0, 3).map(({ throttledRatio }) => throttledRatio)).toEqual([0.4, 0.4, null]);
  });

  test('without kills, only usage is queried', async () => {
    cadvisor();
    usage();
    server.on(ksm);
    await read({ withKills: false });
    expect(rangeQueries(/throttled|terminated|restarts/)).toEqual([]);
  });
});
