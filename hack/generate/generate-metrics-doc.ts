// Writes docs/metrics.md from the metrics that a running controller registers; with --check fails when the file is stale. The controller
// runs on an embedded cluster over HTTPS, as the binary does, so that only real metrics are listed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { OWN_NAMESPACE } from '../../src/demo/demo-cluster.ts';
import { followClock } from '../../src/demo/follow-clock.ts';
import { serveCluster } from '#embedded-cluster/serve-cluster';
import { startController } from '../../src/cmd/controller/controller.ts';
import { registerFollowerGauge } from '../../src/controllers/replicas/leader-feed.ts';
import { reachCluster } from '../../src/cmd/controller/cluster/reach-cluster.ts';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { type ExportedMetric, PrometheusMetrics } from '../../src/runtime/metrics.ts';
import { loadSettings } from '../../src/runtime/options/load-settings.ts';
import { EVENKEEL_SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { SeededRandom } from '../../src/runtime/random.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';

/** Registered last: by the leader's reconcilers, and by the admission webhook once its certificate is made. */
const LAST_METRICS = ['evenkeel_workqueue_depth', 'evenkeel_admission_seconds', 'evenkeel_auth_api_keys'];
const MAX_MS = 30_000;

const file = join(import.meta.dirname, '..', '..', 'docs', 'metrics.md');
const wanted = await format(document(await metricsOfAController()), { ...(await resolveConfig(file)), parser: 'markdown' });
if (process.argv.includes('--check')) {
  if (read(file) !== wanted) {
    console.error('docs/metrics.md is stale');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}

async function metricsOfAController(): Promise<readonly ExportedMetric[]> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-metrics-'));
  const timer = new SystemTimer();
  const metrics = new PrometheusMetrics();
  const parts = { timer, logger: SILENT_LOGGER, metrics };
  const cluster = new EmbeddedCluster({
    startAt: 0,
    seed: 1,
    random: (seed) => new SeededRandom(seed),
    speed: 60,
    nodes: { count: 1, machineTypes: ['e2-standard-4'] },
    timer,
    logger: SILENT_LOGGER,
  });
  await cluster.transport('generator').request({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN_NAMESPACE } },
  });
  const served = await serveCluster(cluster, { port: 0, kubeconfig: join(folder, 'kubeconfig'), logger: SILENT_LOGGER });
  try {
    const loaded = loadSettings(EVENKEEL_SETTINGS, { environment: {}, flags: Object.entries(settingsFor(served.kubeconfig)).map(named) });
    if (!loaded.ok) throw new Error(loaded.message);
    const world = await reachCluster(loaded.settings, parts, undefined, followClock);
    const controller = await startController({ ...parts, environment: world, settings: loaded.settings });
    for (const name of LAST_METRICS) await registered(metrics, name);
    // Only replicas with a shared store, which is PostgreSQL, follow a leader.
    registerFollowerGauge(metrics);
    await controller.stop();
    await world.close();
    return [...metrics.exported()].sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await served.close();
    cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function settingsFor(kubeconfig: string): Readonly<Record<string, string>> {
  const anywhere = '127.0.0.1:0';
  return {
    'kubernetes.kubeconfig': kubeconfig,
    'dashboard.addr': anywhere,
    'controller.metricsAddr': anywhere,
    'controller.probeAddr': anywhere,
    'history.url': 'sqlite::memory:',
    'controller.admission.enabled': 'true',
    'auth.enabled': 'true',
    'controller.admission.addr': anywhere,
  };
}

function named([name, value]: readonly [string, string]): { readonly name: string; readonly value: string } {
  return { name, value };
}

async function registered(metrics: PrometheusMetrics, name: string): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  while (!metrics.exported().some((metric) => metric.name === name)) {
    if (performance.now() > deadline) throw new Error(`${name} was not registered within ${MAX_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function document(metrics: readonly ExportedMetric[]): string {
  const rows = metrics.map(({ name, type, labels = [], help }) => {
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  return [
    '# Metrics',
    '',
    'Scrape the port `metrics` of the Service `evenkeel-metrics`; `curl -s localhost:8080/metrics` shows what Prometheus reads.',
    '[alerts.md](alerts.md) has alerts and a Grafana dashboard that use these metrics.',
    '',
    'Generated by `make generate` from the metrics that a running controller registers.',
    '',
    'Served at `/metrics` on `controller.metricsAddr` in the text format of Prometheus, with the usual `process_*` and `nodejs_*`',
    'metrics of the process. A histogram has `_bucket`, `_sum` and `_count`. Names, types and labels are stable within a',
    'version of the API; unknown values are not exported.',
    '',
    'The leader alone exports `evenkeel_workload_*`: the requests of one pod by container, of workloads that have a Recommendation.',
    'Where a DaemonSet is sized by node class, they are those of the class with the most pods. `metrics.maxWorkloads` bounds them. Their',
    'labels `namespace` and `container` name the workload: scrape with `honorLabels: true`, as the ServiceMonitor of the chart does, or',
    'Prometheus renames them where the target has labels of these names.',
    '',
    '| metric | type | labels | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
