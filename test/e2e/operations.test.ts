// What operators of Evenkeel rely on: probes, metrics, and the documented list of them.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { logged, runController } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { type Demo, startDemo } from './demo-process.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { freePorts } from './free-ports.ts';
import { ROOT, type RunningProcess, TestFixture } from './processes.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('A running Evenkeel', () => {
  let fixture: TestFixture;
  let demo: Demo;

  beforeAll(async () => {
    fixture = new TestFixture();
    demo = await startDemo(fixture, ['--speed', '300']);
  }, HANG_TEST_MS);
  afterAll(() => fixture.tearDown());

  const metrics = async (): Promise<string> => (await boundedFetch(demo.metrics, 'metrics of the demo')).text;
  /** Once every part has had its say: pods were resized. */
  const metricsAfterResizes = (): Promise<string> =>
    eventuallyReads('resizes counted: the dozen asks for more than it uses', HANG_MS, metrics, (text) =>
      /^evenkeel_pod_resizes_total\{[^}]*outcome="done"[^}]*\} [1-9]/m.test(text),
    );

  test('is alive and ready', async () => {
    for (const path of ['healthz', 'readyz']) {
      const { status, text } = await boundedFetch(`${demo.probes}/${path}?verbose`, `${path} of the demo`);
      expect([path, status, text]).toEqual([path, 200, expect.stringMatching(/ok\n$/)]);
    }
  });

  (hasPromtool ? test : test.skip)(
    `promtool check metrics finds nothing to say${hasPromtool ? '' : ' (skipped: promtool is not installed; Debian has it in the package prometheus)'}`,
    async () => {
      const text = await metricsAfterResizes();
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      expect([status, stdout + stderr]).toEqual([0, '']);
    },
  );

  test('exports no metric of ours that docs/metrics.md does not list, with the same type, labels and help', async () => {
    const listed = documentedMetrics();
    const exported = exportedMetrics(await metricsAfterResizes());
    expect(exported.length).toBeGreaterThan(25);
    for (const metric of exported) expect(listed.get(metric.name)).toEqual({ ...metric, labels: expect.any(Array) });
    const unknownLabels = exported.filter(({ name, labels }) => labels.some((label) => listed.get(name)?.labels.includes(label) === false));
    expect(unknownLabels).toEqual([]);
  });

  test('says what the process needs', async () => {
    const text = await metrics();
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(text).toMatch(/^process_cpu_seconds_total [\d.]+/m);
  });
});

describe('An Evenkeel that has not listed the cluster yet', () => {
  let fixture: TestFixture;
  let process: RunningProcess;
  let dashboard: string;
  let probes: string;

  beforeAll(async () => {
    fixture = new TestFixture();
    const kubeconfig = await anApiServerThatOnlySaysItsVersion(fixture);
    const [dashboardPort, probePort] = await freePorts(2);
    dashboard = `http://127.0.0.1:${String(dashboardPort)}`;
    probes = `http://127.0.0.1:${String(probePort)}`;
    process = runController(fixture, {
      'kubernetes.kubeconfig': kubeconfig,
      'crds.install': 'false',
      'prometheus.url': 'http://prometheus.example:9090',
      'prometheus.tokenFile': join(fixture.folder, 'token'),
      'dashboard.addr': `127.0.0.1:${String(dashboardPort)}`,
      'controller.probeAddr': `127.0.0.1:${String(probePort)}`,
    });
    await eventually(
      'the dashboard listening: it starts before the informers',
      HANG_MS,
      async () => (await boundedFetch(`${dashboard}/api/v1/health`, 'health of the controller')).status === 200,
    );
  }, HANG_TEST_MS);
  afterAll(() => fixture.tearDown());

  test('is alive and not ready, and says what it waits for', async () => {
    const healthz = await boundedFetch(`${probes}/healthz`, 'liveness of the controller');
    expect([healthz.status, healthz.text]).toEqual([200, 'ok\n']);
    const readyz = await boundedFetch(`${probes}/readyz`, 'readiness of the controller');
    expect([readyz.status, readyz.text]).toEqual([503, expect.stringMatching(/informers not listed yet: pods \(starting\)/)]);
  });

  test('answers no read but health, which names what is missing', async () => {
    const cluster = await ask<null>(dashboard, 'cluster');
    expect([cluster.status, cluster.envelope.error?.code]).toEqual([503, 'not_ready']);
    const health = await read<readonly { readonly name: string; readonly status: string }[]>(dashboard, 'health');
    expect(health).toContainEqual(expect.objectContaining({ name: 'informer/pods', status: 'failed' }));
  });

  test('warns of a credential that is sent without encryption, in health and in the log', async () => {
    const health = await read<readonly { readonly name: string; readonly message: string }[]>(dashboard, 'health');
    const warning = expect.stringMatching(/prometheus\.tokenFile is sent without encryption: write https/) as unknown;
    expect(health).toContainEqual(expect.objectContaining({ name: 'credentials', status: 'degraded', message: warning }));
    expect(logged(process, 'Credential is sent without encryption')).toEqual([expect.objectContaining({ warning })]);
  });

  test('ends with 0 when it is asked to stop meanwhile', async () => {
    process.signal('SIGTERM');
    expect(await process.exit()).toEqual({ code: 0, signal: null });
  });
});

/** Every other request is answered with 503. Answers a kubeconfig for it. */
async function anApiServerThatOnlySaysItsVersion(fixture: TestFixture): Promise<string> {
  const server = createServer((request, response) => {
    const known = request.url === '/version';
    response.writeHead(known ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { gitVersion: 'v1.36.0' } : { kind: 'Status', code: 503, message: 'starting' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fixture.addCleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  const file = join(fixture.folder, 'kubeconfig');
  const named = (name: string, content: object): object[] => [{ name, ...content }];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named('c', {
      cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'insecure-skip-tls-verify': true },
    }),
    users: named('u', { user: {} }),
    contexts: named('x', { context: { cluster: 'c', user: 'u' } }),
    'current-context': 'x',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

interface ListedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

function documentedMetrics(): ReadonlyMap<string, ListedMetric> {
  const rows = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8').matchAll(/^\| `(\w+)` *\| (\w+) *\| (.*?) *\| (.*?) *\|$/gm);
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '', help = '']) => [
      name,
      { name, type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label), help },
    ]),
  );
}

/** Metrics of ours in Prometheus' text, with the labels that are really used. */
function exportedMetrics(text: string): readonly ListedMetric[] {
  return [...text.matchAll(/^# HELP (evenkeel_\w+) (.*)\n# TYPE \1 (\w+)$/gm)].map(([, name = '', help = '', type = '']) => {
    const labels = new Set<string>();
    for (const [, inside = ''] of text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'))) {
      for (const [, label = ''] of inside.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) if (label !== 'le') labels.add(label);
    }
    return { name, type, labels: [...labels], help };
  });
}
