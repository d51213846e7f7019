// Two clusters in one Prometheus, each with a Deployment `default/web`.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { aNodeRecord, aPodRecord, aWorkloadRecord } from '../../../../test/builders/records.ts';
import { FakeClusterReader } from '../../../../test/fakes/fake-cluster-reader.ts';
import { FakePrometheus } from '../../../../test/fakes/fake-prometheus.ts';
import { FastTimer, until } from '../../../../test/fakes/fast-timer.ts';
import { serveSeries, type LabelledSeries } from '../../../../test/fakes/labelled-prometheus.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import { MiB } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import type { UsageHistorySource } from '../../../ports/usage/usage-source.ts';
import { loadSettings } from '../../../runtime/options/load-settings.ts';
import { EVENKEEL_SETTINGS } from '../../../runtime/options/settings-schema.ts';
import { ControllerPrometheus } from './prometheus.ts';

const NOW = Date.UTC(2026, 0, 15);
const GOING_ON = new AbortController().signal;
const OURS = 'web-7d4f9c5b8d-x2k4v';
const THEIRS = 'web-7d4f9c5b8d-zzzzz';

let server: FakePrometheus;
let series: readonly LabelledSeries[];
let prometheus: ControllerPrometheus;
beforeEach(async () => {
  server = await FakePrometheus.start();
  server.on(serveSeries(() => series));
  series = [...seriesOf('prod-eu', OURS, 100 * MiB), ...seriesOf('prod-us', THEIRS, 900 * MiB)];
});
afterEach(async () => {
  await prometheus.stop();
  await server.stop();
});

/** All series of a pod and of `db-0`, which exists in both clusters. */
function seriesOf(cluster: string, pod: string, memory: number): LabelledSeries[] {
  return [pod, 'db-0'].flatMap((name) => {
    const labels = { cluster, job: 'kubelet', instance: `${cluster}-node`, namespace: 'default', pod: name, container: 'app' };
    const values = {
      container_cpu_usage_seconds_total: 1,
      container_memory_working_set_bytes: memory,
      container_cpu_cfs_periods_total: memory,
      container_cpu_cfs_throttled_periods_total: 1,
      kube_pod_owner: 1,
      errors: memory,
    };
    return Object.entries(values).map(([metric, value]) => ({ labels: { __name__: metric, ...labels }, value }));
  });
}

function withMatchers(...matchers: readonly string[]): ControllerPrometheus {
  const loaded = loadSettings(EVENKEEL_SETTINGS, {
    environment: {},
    flags: [
      { name: 'prometheus.url', value: server.url },
      { name: 'prometheus.matchers', value: matchers.join(',') },
    ],
  });
  if (!loaded.ok) throw new Error(loaded.message);
  const cluster = new FakeClusterReader();
  cluster.nodeList = [aNodeRecord({ name: 'n1' })];
  cluster.podList = [OURS, 'db-0'].map((name) => aPodRecord({ namespace: 'default', name, node: 'n1' }));
  cluster.workloadList = [aWorkloadRecord({ namespace: 'default', kind: 'Deployment', name: 'web' })];
  const clock = { now: () => NOW, schedule: () => () => undefined };
  const world = { clock, timer: new FastTimer(100), random: seededRandom(1) };
  prometheus = new ControllerPrometheus(world, loaded.settings, cluster, new RecordingLogger());
  return prometheus;
}

/** Pods whose past usage is read, and their memory in MiB; one attempt. */
async function readPastOf(from: ControllerPrometheus): Promise<Readonly<Record<string, number>>> {
  const found: UsageSeries[] = [];
  let done = false;
  const readPast = async (source: UsageHistorySource, windowMs: number, signal: AbortSignal, namespaces?: readonly string[]) => {
    try {
      const range = { from: NOW - windowMs, to: NOW, stepSeconds: 300, ...(namespaces === undefined ? {} : { namespaces }) };
      for await (const podSeries of source.range(range, signal)) found.push(podSeries);
      return { series: found.length, samples: 0, dropped: 0 };
    } finally {
      done = true;
    }
  };
  from.startPast({ readPast });
  await until(() => done, 'the past was read: there is one namespace');
  return Object.fromEntries(found.map(({ pod, samples }) => [pod, Math.max(...samples.map(({ memoryBytes }) => memoryBytes ?? 0)) / MiB]));
}

describe('a Prometheus of several clusters', () => {
  test('with a matcher: only series of its cluster are used', async () => {
    const used = withMatchers('cluster="prod-eu"');
    expect(await readPastOf(used)).toEqual({ [OURS]: 100, 'db-0': 100 });
    const counters = await used.counters?.containerCounters(aNodeRecord({ name: 'n1' }), GOING_ON);
    expect(counters?.map(({ pod, cpuPeriods }) => [pod, cpuPeriods])).toEqual([OURS, 'db-0'].map((pod) => [pod, 100 * MiB]));
    expect(await used.errorRates?.query('sum by (x) (errors)', NOW, GOING_ON)).toBe(100 * MiB);
    expect(used.problem()).toBeNull();
    const queries = server.requests.map(({ form }) => form.get('query') ?? form.get('match[]') ?? '');
    expect(queries.filter((text) => !text.includes('{cluster="prod-eu"'))).toEqual([]);
  });

  test.each([
    ['without a matcher', []],
    ['with a matcher that selects several clusters', ['job="kubelet"']],
    ['with a matcher of another cluster', ['cluster="prod-us"']],
  ])('%s: none of its series is used, and health names the remedy', async (_, matchers) => {
    const refused = withMatchers(...matchers);
    expect(await readPastOf(refused)).toEqual({});
    const refusal = /prometheus\.matchers/;
    await expect(refused.counters?.containerCounters(aNodeRecord({ name: 'n1' }), GOING_ON)).rejects.toThrow(refusal);
    expect(await refused.errorRates?.query('errors', NOW, GOING_ON)).toBeNull();
    expect(refused.problem()).toMatch(refusal);
    expect(refused.status()).toMatchObject({ status: 'degraded', message: expect.stringMatching(refusal) });
  });
});
