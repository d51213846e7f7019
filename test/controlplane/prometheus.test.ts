// Past usage from a real Prometheus, whose blocks hold metrics like those of cAdvisor and kube-state-metrics, scraped twice, with a
// restart, a gap and an OOM kill.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPrometheus } from '../../src/adapters/prometheus/client/connection.ts';
import { PrometheusClient } from '../../src/adapters/prometheus/client/prometheus-client.ts';
import { PrometheusHistorySource } from '../../src/adapters/prometheus/prometheus-history-source.ts';
import { ClusterCheck } from '../../src/adapters/prometheus/cluster-check.ts';
import type { BacktestSummary } from '../../src/cli/backtest/report/summary.ts';
import { HOUR_MS, MiB } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import { SeededRandom } from '../../src/runtime/random.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { aPodRecord } from '../builders/records.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, HANG_MS } from '../eventually.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { freePorts } from '../e2e/free-ports.ts';

const HOURS = 60;
const SCRAPE_SECONDS = 60;
/** A full hour, a little in the past. */
const END = Math.floor(Date.now() / HOUR_MS) * 3600;
const BEGIN = END - HOURS * 3600;
const RESTARTED_AT = BEGIN + 20 * 3600 + 120;
const GAP = { from: BEGIN + 30 * 3600, to: BEGIN + 32 * 3600 };
const WEB = ['web-7d4f9c5b8d-x2k4v', 'web-7d4f9c5b8d-p9q8r'] as const;
const GOING_ON = new AbortController().signal;

interface RealPrometheus {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a Prometheus with the samples of a text in OpenMetrics format with timestamps. */
async function startPrometheus(exposed: string): Promise<RealPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-prometheus-'));
  const blocks = join(folder, 'data');
  mkdirSync(blocks);
  writeFileSync(join(folder, 'past.txt'), exposed);
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'past.txt'), blocks], { stdio: 'pipe' });
  writeFileSync(join(folder, 'prometheus.yml'), 'global: { scrape_interval: 1m }\n');
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${blocks}`,
      '--storage.tsdb.retention.time=365d',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  await eventually(
    'Prometheus is ready: it was started',
    HANG_MS,
    async () => (await boundedFetch(`${url}/-/ready`, 'readiness of Prometheus')).status === 200,
  );
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let prometheus: RealPrometheus;
beforeAll(async () => void (prometheus = await startPrometheus(openMetrics())));
afterAll(() => prometheus.stop());

/** The samples: 0.25 CPU in the first replica, 0.5 in the second, and memory in a sawtooth. */
function openMetrics(): string {
  const lines: string[] = [];
  const write = (name: string, labels: Readonly<Record<string, string>>, valueAt: (second: number) => number | null): void => {
    const text = Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(',');
    for (let second = BEGIN; second <= END; second += SCRAPE_SECONDS) {
      const value = second > GAP.from && second < GAP.to ? null : valueAt(second);
      if (value !== null) lines.push(`${name}{${text}} ${value} ${second}`);
    }
  };
  // Two scrape jobs read the same kubelet, so a sum over them would be twice the usage.
  for (const job of ['kubelet', 'kubelet-again']) {
    write('up', { job, instance: 'n1' }, () => 1);
    for (const [index, pod] of WEB.entries()) {
      const of = { job, namespace: 'shop', pod, container: 'app', id: `/kubepods/${pod}` };
      const cores = index === 0 ? 0.25 : 0.5;
      // The counter of the second replica restarts after its kill.
      const since = (second: number) => (index === 1 && second >= RESTARTED_AT ? second - RESTARTED_AT : second - BEGIN + 1000);
      write('container_cpu_usage_seconds_total', of, (second) => since(second) * cores);
      write('container_memory_working_set_bytes', of, (second) => (second % 300 === 120 ? 200 : 100) * MiB);
      // Series of the pod's cgroup and of its pause container, which are not usage of a container.
      write('container_cpu_usage_seconds_total', { ...of, container: '', id: `/kubepods/${pod}/pod` }, (second) => (second - BEGIN) * 9);
      write('container_cpu_usage_seconds_total', { ...of, container: 'POD' }, (second) => (second - BEGIN) * 9);
    }
  }
  for (const pod of WEB)
    write('kube_pod_owner', { namespace: 'shop', pod, owner_kind: 'ReplicaSet', owner_name: 'web-7d4f9c5b8d' }, () => 1);
  write('kube_replicaset_owner', { namespace: 'shop', replicaset: 'web-7d4f9c5b8d', owner_kind: 'Deployment', owner_name: 'web' }, () => 1);
  const killed = { namespace: 'shop', pod: WEB[1], container: 'app' };
  const after = (second: number): number | null => (second >= RESTARTED_AT ? 1 : null);
  write('kube_pod_container_status_last_terminated_reason', { ...killed, reason: 'OOMKilled' }, after);
  write('kube_pod_container_status_restarts_total', killed, (second) => (second >= RESTARTED_AT ? 1 : 0));
  write('kube_pod_container_resource_limits', { ...killed, resource: 'memory', unit: 'byte' }, () => 256 * MiB);
  return [...lines, '# EOF', ''].join('\n');
}

function aClient(url = prometheus.url, ...matchers: readonly string[]): PrometheusClient {
  const connection = connectPrometheus({ url, tokenFile: '', caFile: '', headers: [], tenant: '', matchers }, 'prometheus.url');
  return new PrometheusClient({ connection, timer: new SystemTimer(), random: new SeededRandom(1) });
}

describe('a real Prometheus', () => {
  test('gives usage of each container once, with its owner, its gap and its kill', async () => {
    const client = aClient();
    try {
      const source = new PrometheusHistorySource({ client, ownerOf: () => null, withKills: true });
      const series: UsageSeries[] = [];
      const range = { from: (BEGIN + 3600) * 1000, to: END * 1000, stepSeconds: 300 };
      for await (const item of source.range(range, GOING_ON)) series.push(item);
      expect(series.map(({ pod, container }) => `${pod}/${container}`).sort()).toEqual([...WEB].sort().map((pod) => `${pod}/app`));
      for (const { pod, workload, samples } of series) {
        expect(workload).toEqual({ namespace: 'shop', kind: 'Deployment', name: 'web' });
        const cores = pod === WEB[0] ? 250 : 500;
        const away = samples.filter(({ at }) => Math.abs(at / 1000 - RESTARTED_AT) > 900);
        expect(away.filter(({ cpuMillicores }) => cpuMillicores !== null && Math.abs(cpuMillicores - cores) > 1)).toEqual([]);
        // A counter reset gives neither a negative rate nor a jump.
        expect(samples.every(({ cpuMillicores }) => cpuMillicores === null || (cpuMillicores >= 0 && cpuMillicores <= cores * 1.5))).toBe(
          true,
        );
        // At the edges of the gap a step has less than five scrapes.
        const outsideGap = samples.filter(({ at }) => Math.abs(at / 1000 - GAP.from) > 300 && Math.abs(at / 1000 - GAP.to) > 300);
        expect(new Set(outsideGap.map(({ memoryBytes }) => memoryBytes))).toEqual(new Set([200 * MiB]));
        expect(samples.filter(({ at }) => at / 1000 > GAP.from + 300 && at / 1000 < GAP.to)).toEqual([]);
      }
      const [kill, ...others] = series.flatMap(({ oomKills }) => oomKills);
      expect(others).toEqual([]);
      expect(kill?.memoryLimitBytes).toBe(256 * MiB);
      expect(Math.abs((kill?.at ?? 0) / 1000 - RESTARTED_AT)).toBeLessThanOrEqual(300);
    } finally {
      client.close();
    }
  });

  test('evenkeel backtest replays the usage', () => {
    const main = join(import.meta.dirname, '../../src/cli/main.ts');
    const out = execFileSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', main, 'backtest', '--prometheus', prometheus.url, '--days', '3', '--json'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const summary = JSON.parse(out) as BacktestSummary;
    expect(summary.workloads.map(({ name }) => name)).toEqual(['shop/Deployment/web/app']);
    // The replicas use 0.25 and 0.5 CPU constantly: the recommendation is the busier one's usage, plus a little.
    expect(summary.overall.cpu?.methods.evenkeel.slack).toBeLessThan(0.3);
    expect(summary.overall.cpu?.methods.evenkeel.overrun).toBeLessThan(0.02);
    expect(summary.overall.memory?.methods.clairvoyantDay.slack).toBeLessThan(0.03);
  });
});

describe('a real Prometheus of two clusters', () => {
  const OURS = '0b8d2a5e-6c3f-4a57-9f0e-1d2c3b4a5f60';
  const THEIRS = '9e1f7c44-20aa-4d11-8b6f-7a8b9c0d1e2f';
  let central: RealPrometheus;
  beforeAll(async () => void (central = await startPrometheus(twoClusters())));
  afterAll(() => central.stop());

  /** Both clusters have a pod `shop/db-0`, in a cgroup as systemd or cgroupfs names it. */
  function twoClusters(): string {
    const lines: string[] = [];
    for (const [cluster, id] of [
      ['prod-eu', `/kubepods.slice/kubepods-burstable-pod${OURS.replaceAll('-', '_')}.slice/cri-containerd-1.scope`],
      ['prod-us', `/kubepods/burstable/pod${THEIRS}/1`],
    ] as const) {
      const of = `region="${cluster}",job="kubelet",instance="${cluster}-n1",namespace="shop",pod="db-0",container="app",id="${id}"`;
      for (let second = END - 3600; second <= END; second += SCRAPE_SECONDS)
        lines.push(`container_cpu_usage_seconds_total{${of}} ${second} ${second}`);
    }
    return [...lines, '# EOF', ''].join('\n');
  }

  /** Why a cluster whose pod `shop/db-0` has this UID does not use this Prometheus; null when it does. */
  async function problemOf(uid: string, ...matchers: readonly string[]): Promise<string | null> {
    const client = aClient(central.url, ...matchers);
    const db = aPodRecord({ namespace: 'shop', name: 'db-0', uid });
    const check = new ClusterCheck({
      client,
      cluster: { isSynced: () => true, findPod: (namespace, pod) => (`${namespace}/${pod}` === 'shop/db-0' ? db : undefined) },
      clock: { now: () => END * 1000 },
      pastMs: HOUR_MS,
      logger: new RecordingLogger(),
    });
    try {
      await check.pass(GOING_ON).catch(() => undefined);
      return check.problem();
    } finally {
      client.close();
    }
  }

  test('is not used without a matcher: UIDs in the cgroups distinguish pods of the same name where no cluster label does', async () => {
    expect(await problemOf(OURS)).toContain(`shop/db-0 with UID ${THEIRS}`);
  });

  test('is used with a matcher of this cluster, and not with one of the other', async () => {
    expect(await problemOf(OURS, 'region="prod-eu"')).toBeNull();
    expect(await problemOf(OURS, 'region="prod-us"')).toContain('has no current series of a pod of this cluster');
  });
});
