// The whole product on a real control plane: real admission, validation, quota and RBAC; the built program with only its ServiceAccount's
// token; and kwok as the kubelets of fifty nodes and a thousand pods.

import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PodResizePolicy, Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { DAY_MS } from '#kube/units';
import { boundedFetch } from '../bounded-fetch.ts';
import type { Pod, Resources } from '../e2e/cluster-client.ts';
import { read, send } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS, type StateAndReason } from '../eventually.ts';
import { ROOT, type RunningProcess, TestFixture } from '../e2e/processes.ts';
import {
  furnish,
  known,
  NODES,
  PILOT_NAMES,
  PILOT_PODS_EACH,
  PODS,
  PODS_EACH,
  quickPolicy,
  SHOP_NAMES,
  WORKLOADS,
} from './journey-cluster.ts';
import { writeRecordedUsage } from './recorded-usage.ts';
import { RealCluster } from './real-cluster.ts';

const BINARY = 'dist/cmd/evenkeel-controller.js';
const OWN_NAMESPACE = 'evenkeel-system';
const SERVICE_ACCOUNT = 'evenkeel-controller';

/** Recommendation for a usage of 100m and 100Mi: 20 % more, rounded up to the histogram's buckets. */
const FITS = { cpu: '125m', memory: '120Mi' };

let fixture: TestFixture;
let cluster: RealCluster;
let controller: RunningProcess;
let dashboard: string;
let metrics: string;

beforeAll(async () => {
  if (!existsSync(join(ROOT, BINARY))) throw new Error(`${BINARY} is not there: run make build`);
  fixture = new TestFixture();
  cluster = await RealCluster.start({ name: 'journey', nodes: NODES, prometheus: true });
  fixture.addCleanup(() => cluster.stop());
  await furnish(cluster);
  const history = join(fixture.folder, 'history.sqlite');
  await writeRecordedUsage(history, WORKLOADS.map(known), 2 * DAY_MS);
  await eventuallyReads(
    'every pod runs: kwok starts what is scheduled',
    HANG_MS,
    async () => (await listPods()).filter(({ status }) => status.phase === 'Running').length,
    (running) => running === PODS,
  );
  await cluster.kubectl('create', 'namespace', OWN_NAMESPACE);
  await cluster.kubectl('apply', '-n', OWN_NAMESPACE, '-k', join(ROOT, 'config/rbac'));
  controller = fixture.startProcess(
    BINARY,
    Object.entries({
      'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, SERVICE_ACCOUNT),
      'kubelet.port': String(cluster.ports.kubelet),
      namespace: OWN_NAMESPACE,
      'history.url': `sqlite:${history}`,
      'dashboard.addr': '127.0.0.1:0',
      'controller.probeAddr': '127.0.0.1:0',
      'controller.metricsAddr': '127.0.0.1:0',
      'controller.warmUp': '1s',
      'kubelet.interval': '10s',
    }).map(([path, value]) => `--${path}=${value}`),
  );
  const { input } = await controller.line('stderr', /"message":"Evenkeel started"/);
  const { dashboardPort, metricsPort } = JSON.parse(input) as { dashboardPort: number; metricsPort: number };
  dashboard = `http://127.0.0.1:${dashboardPort}`;
  metrics = `127.0.0.1:${metricsPort}`;
  cluster.scrape({ evenkeel: [metrics] });
}, HANG_TEST_MS);

afterAll(async () => {
  await fixture.tearDown();
}, HANG_TEST_MS);

async function listPods(namespace?: string): Promise<readonly Pod[]> {
  const path = namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  return (await cluster.api.expect<{ readonly items: readonly Pod[] }>({ path })).items;
}

/** Distinct requests of a workload's pods, as the kubelets report them. */
async function requestsOf(namespace: string, app: string): Promise<readonly Resources['requests'][]> {
  const pods = (await listPods(namespace)).filter(({ metadata }) => metadata.labels?.['app'] === app);
  const requests = pods.map(({ status }) => JSON.stringify(status.containerStatuses?.[0]?.resources?.requests));
  return [...new Set(requests)].map((text) => JSON.parse(text) as Resources['requests']);
}

async function recommendations(namespace?: string): Promise<readonly Recommendation[]> {
  const path = `/apis/evenkeel.io/v1alpha1/${namespace === undefined ? '' : `namespaces/${namespace}/`}recommendations`;
  return (await cluster.api.expect<{ readonly items: readonly Recommendation[] }>({ path })).items;
}

async function recommendationOf(namespace: string, name: string): Promise<Recommendation> {
  const found = (await recommendations(namespace)).find(({ spec }) => spec.targetRef.name === name);
  if (found === undefined) throw new Error(`no Recommendation for ${namespace}/${name}`);
  return found;
}

function statusOf(
  namespace: string,
  name: string,
  state: StateAndReason,
  isMet: (status: RecommendationStatus) => boolean,
): Promise<RecommendationStatus> {
  const readStatus = async (): Promise<RecommendationStatus> => (await recommendationOf(namespace, name)).status ?? {};
  return eventuallyReads(`the Recommendation of ${namespace}/${name} ${state}`, HANG_MS, readStatus, isMet);
}

async function apply(...objects: readonly object[]): Promise<void> {
  const file = join(cluster.folder, 'apply.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await cluster.kubectl('apply', '-f', file);
}

/** Both resources have the recommended size. Memory may be reduced before CPU, which waits until throttling would be measured. */
function isApplied({ state, containers = [] }: RecommendationStatus): boolean {
  return (
    state === 'applied' &&
    containers.every(({ current, recommended }) => {
      const [has, wants] = [current?.requests, recommended?.requests];
      return has?.cpu === wants?.cpu && has?.memory === wants?.memory;
    })
  );
}

describe('On fifty nodes and a thousand pods', () => {
  test('the built program installs its CRDs with its ServiceAccount’s token, and the samples are accepted', async () => {
    expect(PODS).toBeGreaterThanOrEqual(1000);
    await cluster.kubectl('create', 'namespace', 'sample-shop');
    const output = await cluster.kubectl('apply', '-f', join(ROOT, 'config/samples'));
    expect(output).toContain('podresizepolicy.evenkeel.io/sample-checkout created');
    expect(output).toContain('recommendation.evenkeel.io/');
  });

  test('every workload gets a recommendation from the usage that kubelets report', async () => {
    await apply(
      quickPolicy('shop', ['shop'], 'Recommend'),
      ...['pilot', 'bounded', 'tight', 'full', 'regret'].map((namespace) => quickPolicy(namespace, [namespace], 'Auto')),
    );
    await eventuallyReads(
      'a Recommendation for each workload: a policy selects it, and its usage is known',
      HANG_MS,
      async () => {
        const items = await recommendations();
        return items.filter(({ status }) => status?.source === 'kubelet' && status.state !== undefined && status.state !== 'collecting');
      },
      ({ length }) => length === WORKLOADS.length,
    );
    for (const name of SHOP_NAMES) {
      // The default policy, which applied before, gave another size.
      await statusOf('shop', name, 'has the size of the policy: its containers all use the same', ({ state, containers }) => {
        const { cpu, memory } = containers?.[0]?.recommended?.requests ?? {};
        return state === 'recommended' && cpu === FITS.cpu && memory === FITS.memory;
      });
    }
  });

  test('pods are resized in place through the real API server; none is replaced or restarted', async () => {
    const before = await listPods('pilot');
    for (const name of PILOT_NAMES) await statusOf('pilot', name, 'is applied: every pod has the size', isApplied);
    const after = await listPods('pilot');
    expect(after.map(({ metadata }) => metadata.name)).toEqual(before.map(({ metadata }) => metadata.name));
    expect(after.flatMap(({ status }) => status.containerStatuses ?? []).every(({ restartCount }) => restartCount === 0)).toBe(true);
    for (const name of PILOT_NAMES) expect(await requestsOf('pilot', name)).toEqual([FITS]);
  });

  test('a policy that only recommends changes nothing', async () => {
    const untouched = (await listPods('shop')).filter(({ spec }) => spec.containers[0]?.resources?.requests?.cpu === '200m');
    expect(untouched).toHaveLength(SHOP_NAMES.length * PODS_EACH);
  });

  test('its status and conditions can be read with kubectl', async () => {
    const policy = await eventuallyReads(
      'the status of the policy counts every workload: each has a Recommendation',
      HANG_MS,
      async () => JSON.parse(await cluster.kubectl('get', 'podresizepolicy', 'shop', '-o', 'json')) as PodResizePolicy,
      ({ status }) => status?.workloads?.total === SHOP_NAMES.length,
    );
    expect(policy.status?.conditions?.map(({ type }) => type)).toContain('Ready');
    const table = await cluster.kubectl('get', 'recommendations', '-n', 'shop');
    expect(table.trim().split('\n')).toHaveLength(SHOP_NAMES.length + 1);
    expect(await cluster.kubectl('get', 'events', '-n', 'pilot')).toContain('Resiz');
  });
});

describe('The cluster’s constraints', () => {
  test('a LimitRange bounds the size, and the explanation names it', async () => {
    const status = await statusOf('bounded', 'floor', 'is applied: every pod has the size that the LimitRange allows', isApplied);
    expect(JSON.stringify(status.inputs)).toContain('minimum of LimitRange least');
    expect(await requestsOf('bounded', 'floor')).toEqual([{ cpu: '150m', memory: '200Mi' }]);
  });

  test('a raise waits for a full ResourceQuota, names it, and starts as soon as the quota allows it', async () => {
    const waiting = await statusOf('tight', 'hungry', 'is awaiting the quota: it has no room', ({ reason }) => reason === 'quota');
    expect(waiting.message).toContain('ResourceQuota team would be exceeded');
    expect(await requestsOf('tight', 'hungry')).toEqual([{ cpu: '50m', memory: '64Mi' }]);
    const patch = JSON.stringify({ spec: { hard: { 'requests.cpu': '4', 'requests.memory': '8Gi' } } });
    await cluster.kubectl('patch', 'resourcequota', 'team', '-n', 'tight', '--type=merge', '-p', patch);
    await statusOf('tight', 'hungry', 'is applied: the quota was raised', isApplied);
    expect(await requestsOf('tight', 'hungry')).toEqual([FITS]);
  });

  test('a resize that the node defers is reported as deferred, and completes when the node has capacity', async () => {
    const deferred = await statusOf(
      'full',
      'later',
      'is awaiting node-capacity: the node defers the resize',
      ({ reason }) => reason === 'node-capacity',
    );
    expect(deferred.message).toContain("the resize is deferred on its node, Node didn't have enough resource");
    await cluster.kubectl('annotate', 'pods', '-n', 'full', '-l', 'app=later', 'evenkeel.dev/resize-');
    await statusOf('full', 'later', 'is applied: the node has capacity', isApplied);
    expect(await requestsOf('full', 'later')).toEqual([FITS]);
  });

  test('an infeasible resize is reported as infeasible and reverted, so that no capacity is reserved for it', async () => {
    const infeasible = await statusOf(
      'full',
      'never',
      'reports an infeasible resize: the node refuses it',
      ({ resizes }) => resizes?.some(({ state }) => state === 'infeasible') === true,
    );
    expect(infeasible.resizes?.[0]?.message).toContain("Node didn't have enough capacity");
    await eventually('the pods’ specs have the running size: an infeasible resize is reverted', HANG_MS, async () => {
      const pods = (await listPods('full')).filter(({ metadata }) => metadata.labels?.['app'] === 'never');
      return pods.every(({ spec }) => spec.containers[0]?.resources?.requests?.cpu === '50m');
    });
  });
});

describe('People', () => {
  test('roll a change back, and the pods have their previous size', async () => {
    const { previous } = await statusOf('regret', 'regretted', 'is applied: every pod has the size', isApplied);
    expect(await requestsOf('regret', 'regretted')).toEqual([FITS]);
    // Memory may be reduced before CPU, which waits until throttling would be measured; then the last change is that of CPU.
    const before = previous?.containers[0]?.requests;
    expect(before).toMatchObject({ cpu: '200m' });
    const { status } = await send(dashboard, 'POST', 'recommendations/regret/regretted/rollback', { reason: 'too tight for the sale' });
    expect(status).toBeLessThan(300);
    await statusOf('regret', 'regretted', 'is rolled back: a user requested it', ({ rolledBack }) => rolledBack !== undefined);
    await eventuallyReads(
      'the pods have their old requests: the change was rolled back',
      HANG_MS,
      () => requestsOf('regret', 'regretted'),
      (requests) => requests.length === 1 && requests[0]?.cpu === before?.cpu && requests[0]?.memory === before?.memory,
    );
  });

  test('see the cluster on the dashboard', async () => {
    const page = await boundedFetch(dashboard, 'the page of the dashboard');
    expect(page.status).toBe(200);
    const listed = await read<readonly { readonly name: string }[]>(dashboard, 'recommendations?namespace=shop&limit=100');
    expect(listed).toHaveLength(SHOP_NAMES.length);
  });
});

describe('The API server’s audit log', () => {
  test('shows one writer of resizes, no refused request, and never more than 50 reduced pods a minute', async () => {
    const resizes = cluster.audit(({ objectRef }) => objectRef?.resource === 'pods' && objectRef.subresource === 'resize');
    expect(resizes.length).toBeGreaterThanOrEqual(PILOT_NAMES.length * PILOT_PODS_EACH);
    expect(new Set(resizes.map(({ user }) => user.username))).toEqual(
      new Set([`system:serviceaccount:${OWN_NAMESPACE}:${SERVICE_ACCOUNT}`]),
    );
    expect(resizes.filter(({ responseStatus }) => (responseStatus?.code ?? 0) >= 400)).toEqual([]);
    // All of these are reductions: raises and roll-backs have no budget.
    const reductions = resizes.filter(({ objectRef }) => objectRef?.namespace === 'pilot');
    const times = reductions.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp)).sort((a, b) => a - b);
    // The first and the 51st of any sequence are a minute apart, minus the duration of a request.
    const tooDense = times.filter((at, index) => at - (times[index - 50] ?? Number.NEGATIVE_INFINITY) < 55_000);
    expect(tooDense).toEqual([]);
    const refused = cluster.audit(
      // 403: a permission is missing. 422: the object violates its schema.
      ({ user, responseStatus }) => user.username.endsWith(`:${SERVICE_ACCOUNT}`) && [403, 422].includes(responseStatus?.code ?? 0),
    );
    expect(refused.map(({ verb, requestURI, responseStatus }) => `${verb} ${requestURI}: ${responseStatus?.code}`)).toEqual([]);
  });
});

describe('Prometheus', () => {
  test('finds no error in the text of /metrics', async () => {
    const { text } = await boundedFetch(`http://${metrics}/metrics`, 'metrics of the controller');
    expect(await promtool(text)).toEqual({ code: 0, output: '' });
  });

  test('scrapes the controller, and the usage of every pod from kwok', async () => {
    await eventuallyReads(
      'the controller is scraped: it is a target of Prometheus',
      HANG_MS,
      () => query('up{job="evenkeel"}'),
      ([value]) => value === 1,
    );
    await eventuallyReads(
      'every resize is counted: Prometheus scrapes the controller',
      HANG_MS,
      () => query('sum(evenkeel_pod_resizes_total{kind="change"})'),
      ([value = 0]) => value >= PILOT_NAMES.length * PILOT_PODS_EACH,
    );
    await eventuallyReads(
      'the usage of every container is scraped: kwok serves it for every pod',
      HANG_MS,
      () => query('count(container_cpu_usage_seconds_total)'),
      ([value]) => value === PODS,
    );
    await eventuallyReads(
      'every target is up: every component runs',
      HANG_MS,
      () => query('min(up)'),
      ([value]) => value === 1,
    );
  });

  async function query(expression: string): Promise<readonly number[]> {
    const url = `${cluster.prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const { data } = JSON.parse((await boundedFetch(url, `${expression} of Prometheus`)).text) as {
      readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
    };
    return data.result.map(({ value }) => Number(value[1]));
  }
});

test('It stops on SIGTERM, and releases its lease', async () => {
  controller.signal('SIGTERM');
  expect(await controller.exit()).toEqual({ code: 0, signal: null });
  const lease = await cluster.api.expect<{ readonly spec: { readonly holderIdentity?: string } }>({
    path: `/apis/coordination.k8s.io/v1/namespaces/${OWN_NAMESPACE}/leases/evenkeel-controller`,
  });
  expect(lease.spec.holderIdentity ?? '').toBe('');
});

/** Exit code and output of `promtool check metrics` for a text on its standard input. */
function promtool(text: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile('promtool', ['check', 'metrics'], (err, stdout, stderr) => {
      if (err !== null && typeof err.code !== 'number')
        reject(new Error('promtool could not be started: install prometheus', { cause: err }));
      else resolve({ code: err === null ? 0 : Number(err.code), output: stdout + stderr });
    });
    child.stdin?.end(text);
  });
}
