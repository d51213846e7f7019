import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { aPodRecord } from '../../../test/builders/records.ts';
import { FakePrometheus } from '../../../test/fakes/fake-prometheus.ts';
import { FastTimer } from '../../../test/fakes/fast-timer.ts';
import { serveSeries, type LabelledSeries } from '../../../test/fakes/labelled-prometheus.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import { SeededRandom } from '../../runtime/random.ts';
import { ClusterCheck } from './cluster-check.ts';
import { connectPrometheus } from './client/connection.ts';
import { PrometheusClient } from './client/prometheus-client.ts';

const T = Date.UTC(2026, 0, 15);
const NEVER_ABORTED = new AbortController().signal;
const OUR_UID = '11111111-1111-4111-8111-111111111111';
const OTHER_UID = '22222222-2222-4222-8222-222222222222';
const MEMORY = 'container_memory_working_set_bytes';

type Labels = Readonly<Record<string, string>>;

/** A container's series as cAdvisor exposes it; an empty value removes a label. */
function ofPod(pod: string, more: Labels = {}, name = MEMORY): LabelledSeries {
  const labels = { __name__: name, job: 'kubelet', instance: '10.0.0.1:10250', namespace: 'shop', pod, container: 'app', ...more };
  return { labels: Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== '')), value: 1 };
}

const idOf = (uid: string): Labels => ({ id: `/kubepods.slice/kubepods-pod${uid.replaceAll('-', '_')}.slice/cri-containerd-abc.scope` });

let server: FakePrometheus;
let client: PrometheusClient;
let series: readonly LabelledSeries[];
let now: number;
let logger: RecordingLogger;
beforeEach(async () => {
  server = await FakePrometheus.start();
  server.on(serveSeries(() => series));
  now = T;
  logger = new RecordingLogger();
});
afterEach(async () => {
  client.close();
  await server.stop();
});

/** A check for a cluster with the pods `web-0` and `web-1` of namespace `shop`. */
function aCheck(matchers: readonly string[] = []): ClusterCheck {
  const connection = connectPrometheus({ url: server.url, tokenFile: '', caFile: '', headers: [], tenant: '', matchers }, 'prometheus.url');
  client = new PrometheusClient({ connection, timer: new FastTimer(2), random: new SeededRandom(1) });
  const pods = new Map(['web-0', 'web-1'].map((name) => [name, aPodRecord({ namespace: 'shop', name, uid: OUR_UID })]));
  const cluster = {
    isSynced: () => true,
    findPod: (namespace: string, name: string) => (namespace === 'shop' ? pods.get(name) : undefined),
  };
  return new ClusterCheck({ client, cluster, clock: { now: () => now }, pastMs: 14 * DAY_MS, logger });
}

/** The reason against using Prometheus; null: it may be used. */
async function verdict(check: ClusterCheck): Promise<string | null> {
  const refusal = await check.pass(NEVER_ABORTED).then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
  expect(check.problem()).toBe(refusal);
  return refusal;
}

/** The verdict after enough checks to be certain. */
async function lastVerdict(check: ClusterCheck): Promise<string | null> {
  for (const end = now + 12 * MINUTE_MS; now < end; now += MINUTE_MS) await verdict(check);
  return verdict(check);
}

describe('a Prometheus of this cluster alone may be used', () => {
  test.each<[string, readonly LabelledSeries[]]>([
    ['without labels of clusters', [ofPod('web-0'), ofPod('web-1')]],
    ['with one cluster label', [ofPod('web-0', { cluster: 'a' }), ofPod('web-1', { cluster: 'a' })]],
    ['scraped by two replicas of Prometheus', ['r0', 'r1'].map((prometheus_replica) => ofPod('web-0', { prometheus_replica }))],
    ['scraped by two jobs, by different addresses', [ofPod('web-0'), ofPod('web-0', { job: 'again', instance: 'node-1' })]],
    ['of several zones', ['x', 'y'].map((zone, pod) => ofPod(`web-${pod}`, { topology_kubernetes_io_zone: zone }))],
    ['with the UIDs of its pods', [ofPod('web-0', idOf(OUR_UID))]],
    ['with the labels of a kubelet before 1.16', [ofPod('', { pod_name: 'web-0', container: '', container_name: 'app' })]],
  ])('%s', async (_, held) => {
    series = held;
    expect(await lastVerdict(aCheck())).toBeNull();
  });

  test('and is queried once per verdict, again after ten minutes', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    await Promise.all([check.pass(NEVER_ABORTED), check.pass(NEVER_ABORTED)]);
    const asked = server.requests.length;
    now += 9 * MINUTE_MS;
    await check.pass(NEVER_ABORTED);
    expect(server.requests).toHaveLength(asked);
    now += MINUTE_MS;
    await check.pass(NEVER_ABORTED);
    expect(server.requests.length).toBeGreaterThan(asked);
  });

  test('even where the clock was set back', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    expect(await verdict(check)).toBeNull();
    now -= DAY_MS;
    series = [ofPod('web-0', { cluster: 'a' }), ofPod('web-0', { cluster: 'b' })];
    expect(await verdict(check)).toMatch(/holds several clusters/);
  });
});

describe('a Prometheus of several clusters is rejected', () => {
  test.each(['cluster', 'cluster_id', 'clusterName', 'k8s_cluster', 'kubernetes_cluster_name', '__tenant_id__'])(
    'by label %s',
    async (label) => {
      series = [ofPod('web-0', { [label]: 'prod-eu' }), ofPod('web-1', { [label]: 'prod-us' })];
      expect(await verdict(aCheck())).toBe(
        `Prometheus at ${server.url}/ holds several clusters: label ${label} is "prod-eu", "prod-us"; ` +
          `set prometheus.matchers to this cluster's value of ${label}`,
      );
      expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    },
  );

  test.each<[string, readonly LabelledSeries[]]>([
    ['one of which has no cluster label', [ofPod('web-0'), ofPod('web-1', { cluster: 'b' })]],
    ['one that only kube-state-metrics has', [ofPod('web-0', { cluster: 'a' }), ofPod('web-0', { cluster: 'b' }, 'kube_pod_owner')]],
    ['one that only counters have', [ofPod('web-0', { cluster: 'a' }), ofPod('web-0', { cluster: 'b' }, 'container_oom_events_total')]],
  ])('%s', async (_, held) => {
    series = held;
    expect(await verdict(aCheck())).toMatch(/holds several clusters: label cluster is /);
  });

  test('without cluster labels, by pods that this cluster does not have', async () => {
    series = [ofPod('web-0', { env: 'prod' }), ofPod('web-2', { env: 'test' })];
    const check = aCheck();
    expect(await verdict(check)).toMatch(
      /has series of pods that this cluster does not have \(shop\/web-2\): it is not used until these series end/,
    );
    expect(await lastVerdict(check)).toBe(
      `Prometheus at ${server.url}/ has had series for 10 minutes for pods that this cluster does not have (shop/web-2): it serves several ` +
        `clusters, or another one; set prometheus.matchers to labels that only this cluster's series have`,
    );
  });

  test.each<[string, readonly LabelledSeries[]]>([
    ['by their UIDs', [ofPod('web-0', idOf(OUR_UID)), ofPod('web-0', { ...idOf(OTHER_UID), env: 'test' })]],
    ['by their nodes, where UIDs are not known', [ofPod('web-0'), ofPod('web-0', { instance: '10.9.0.1:10250' })]],
  ])('that have the same pods, %s', async (_, held) => {
    series = held;
    expect(await lastVerdict(aCheck())).toMatch(/for 10 minutes for pods that this cluster does not have \(shop\/web-0 /);
  });

  test('where matchers select several clusters, or another one', async () => {
    series = [ofPod('web-0', { cluster: 'a', env: 'prod' }), ofPod('web-9', { cluster: 'b', env: 'prod' })];
    expect(await verdict(aCheck(['env="prod"']))).toMatch(/label cluster is "a", "b"/);
    expect(await verdict(aCheck(['cluster="b"']))).toMatch(/has no current series of a pod of this cluster/);
    expect(await verdict(aCheck(['cluster="a"']))).toBeNull();
  });

  test('where there is no current series, since its cluster is unknown', async () => {
    series = [];
    expect(await verdict(aCheck())).toMatch(
      /has no current series of a pod of this cluster; .*\/metrics\/cadvisor.*prometheus\.url and prometheus\.matchers/,
    );
  });
});

describe('pods that are created and deleted', () => {
  test('delay the verdict: series of a deleted pod end, and a new pod is another', async () => {
    series = [ofPod('web-0'), ofPod('deleted-1')];
    const check = aCheck();
    expect(await verdict(check)).toMatch(/not used until these series end; if they do not within 10 minutes, set prometheus\.matchers/);
    series = [ofPod('web-0'), ofPod('deleted-2')];
    now += MINUTE_MS;
    expect(await verdict(check)).toBeNull();
  });

  test('with the same name are distinguished by UID', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    expect(await verdict(check)).toBeNull();
    for (let minute = 10; minute < 40; minute++) {
      series = [ofPod('web-0'), ofPod('poller', idOf(`000000${minute}-1111-4111-8111-111111111111`))];
      expect(await verdict(check)).toBeNull();
      now += MINUTE_MS;
    }
  });

  test('do not revoke a positive verdict, unless they remain', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    expect(await verdict(check)).toBeNull();
    now += 10 * MINUTE_MS;
    series = [ofPod('web-0'), ofPod('web-7')];
    expect(await verdict(check)).toBeNull();
    expect(await lastVerdict(check)).toMatch(/for 10 minutes for pods that this cluster does not have/);
    series = [ofPod('web-0')];
    now += MINUTE_MS;
    expect(await verdict(check)).toBeNull();
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });
});

describe('a cluster that joins later', () => {
  test('is found within ten minutes', async () => {
    series = [ofPod('web-0', { cluster: 'a' })];
    const check = aCheck();
    expect(await verdict(check)).toBeNull();
    series = [...series, ofPod('web-1', { cluster: 'b' })];
    now += 10 * MINUTE_MS;
    expect(await verdict(check)).toMatch(/holds several clusters/);
  });
});

describe('without an answer Prometheus is not used', () => {
  test('nor queried again within a minute, for any number of callers', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    server.on(() => ({ status: 422, text: 'too many series' }));
    // With `too-much` the caller would split the query, with one check per part.
    await expect(check.pass(NEVER_ABORTED)).rejects.toMatchObject({ kind: 'refused' });
    const asked = server.requests.length;
    for (let caller = 0; caller < 100; caller++) expect(await verdict(check)).toMatch(/answered 422/);
    expect(server.requests).toHaveLength(asked);
    server.on(serveSeries(() => series));
    now += MINUTE_MS;
    expect(await verdict(check)).toBeNull();
  });

  test('and an earlier positive verdict holds after the failure: recently deleted pods do not revoke it', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    expect(await verdict(check)).toBeNull();
    now += 10 * MINUTE_MS;
    server.on(() => ({ status: 422, text: '' }));
    expect(await verdict(check)).toMatch(/answered 422/);
    series = [ofPod('web-0'), ofPod('web-7')];
    server.on(serveSeries(() => series));
    now += MINUTE_MS;
    expect(await verdict(check)).toBeNull();
  });

  test('and the caller gets the reason', async () => {
    series = [ofPod('web-0')];
    const check = aCheck();
    server.on(() => ({ status: 401, text: 'Unauthorized' }));
    await expect(check.pass(NEVER_ABORTED)).rejects.toMatchObject({ kind: 'refused', message: expect.stringContaining('answered 401') });
  });

  test('and a stop does not wait for the check', async () => {
    series = [];
    const check = aCheck();
    server.on(() => ({ hang: true }));
    const stop = new AbortController();
    const passed = check.pass(stop.signal);
    stop.abort(new Error('stopping'));
    await expect(passed).rejects.toThrow('stopping');
  });
});
