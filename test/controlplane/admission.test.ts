// Admission on a real API server, which calls the built program over TLS with the certificate that the program created, and creates pods
// without it when the program is down. The program has only the chart's ServiceAccount.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DAY_MS, MiB } from '#kube/units';
import { boundedFetch } from '../bounded-fetch.ts';
import { logged, startController, type Controller } from '../e2e/controller-process.ts';
import { ask } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { freePorts } from '../e2e/free-ports.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { InjectingWebhook } from './injecting-webhook.ts';
import { writeRecordedRuns, writeRecordedUsage } from './recorded-usage.ts';
import { runningForAnHour } from './simulated-pods.ts';
import { RealCluster } from './real-cluster.ts';

const OWN_NAMESPACE = 'evenkeel-system';
const ACCOUNT = 'evenkeel-controller';
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/evenkeel-admission';

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await RealCluster.start({ name: 'admission', nodes: 2 });
  await cluster.kubectl('create', 'namespace', OWN_NAMESPACE);
  await cluster.kubectl('create', 'namespace', 'shop');
  await cluster.kubectl('create', 'namespace', 'busy');
  await cluster.kubectl('create', 'namespace', 'elsewhere');
  const chart = [
    'template',
    'evenkeel',
    join(ROOT, 'charts/evenkeel'),
    '-n',
    OWN_NAMESPACE,
    '--set',
    'config.controller.admission.enabled=true',
  ];
  const roles = ['clusterrole', 'role', 'serviceaccount'].flatMap((name) => ['--show-only', `templates/${name}.yaml`]);
  const file = join(cluster.folder, 'roles.yaml');
  writeFileSync(file, await cluster.helm(...chart, ...roles));
  await cluster.kubectl('apply', '-n', OWN_NAMESPACE, '-f', file);
  const historyFile = join(cluster.folder, 'history.sqlite');
  const uses = { cpuMillicores: 150, memoryBytes: 150 * MiB };
  const usesMore = { cpuMillicores: 800, memoryBytes: 150 * MiB };
  await writeRecordedUsage(
    historyFile,
    [
      { namespace: 'shop', name: 'web', container: 'app', uses },
      { namespace: 'busy', name: 'api', container: 'app', uses: usesMore },
    ],
    7 * DAY_MS,
  );
  await writeRecordedRuns(historyFile, 'shop/CronJob/report', 'app', 12);
  const [port = 0] = await freePorts(1);
  settings = {
    'history.url': `sqlite:${historyFile}`,
    namespace: OWN_NAMESPACE,
    'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, ACCOUNT),
    'kubelet.port': String(cluster.ports.kubelet),
    'kubelet.interval': '5s',
    'controller.warmUp': '1s',
    'controller.admission.enabled': 'true',
    'controller.admission.addr': `127.0.0.1:${port}`,
    'controller.admission.url': `https://127.0.0.1:${port}`,
  };
  controller = await startController(fixture, settings);
}, HANG_TEST_MS);
afterAll(async () => {
  await fixture.tearDown();
  await cluster.stop();
}, HANG_TEST_MS);

test(
  'a recommendation is applied in place, and new pods have its size at creation',
  async () => {
    await eventually('the webhook is registered: admission is enabled', HANG_MS, async () => (await caBundle()) !== '');
    await deploy('shop', 'web', 2);
    await deploy('elsewhere', 'other', 1);
    await applyPolicy();
    await eventuallyReads(
      'both pods resized in place: they use far less than they request',
      HANG_MS,
      () => podsOf('shop', 'web'),
      (pods) => pods.length === 2 && pods.every(({ cpu, created }) => cpu !== '500m' && created === null),
    );
    await eventuallyReads(
      'the Recommendation reports when it was applied: both pods have the size',
      HANG_MS,
      () => cluster.kubectl('get', 'recommendation/deployment-web', '-n', 'shop', '-o', 'jsonpath={.status.lastApplied.at}'),
      (at) => at !== '',
    );
    const [{ cpu } = { cpu: '' }] = await podsOf('shop', 'web');
    expect(await createdBy(() => scale('web', 3))).toMatchObject([
      { cpu, created: '{"app":{"requests":{"cpu":"500m","memory":"512Mi"},"limits":{}}}' },
    ]);
    // The first pods of a rollout are created before the program's informers have their ReplicaSet.
    await cluster.kubectl('rollout', 'restart', 'deployment/web', '-n', 'shop');
    await eventuallyReads(
      'three new pods of that size: the rollout replaces every pod, and the webhook sizes each',
      HANG_MS,
      async () => {
        await replaceUnreviewed('web');
        return podsOf('shop', 'web');
      },
      (pods) => pods.length === 3 && pods.every((pod) => pod.cpu === cpu && pod.created !== null),
    );
    expect(await cluster.kubectl('get', 'deployment/web', '-n', 'shop', '-o', 'jsonpath={..resources.requests.cpu}')).toBe('500m');
    expect(await health('webhook')).toBe('ok');
  },
  HANG_TEST_MS,
);

test(
  'a pod of another namespace is created with its template’s size',
  async () => {
    expect(await podsOf('elsewhere', 'other')).toMatchObject([{ cpu: '500m', created: null }]);
  },
  HANG_TEST_MS,
);

test(
  'a pod whose size exceeds a quota is created with its template’s size',
  async () => {
    await deploy('busy', 'api', 1, '800m');
    const [raised] = await eventuallyReads(
      'the pod is raised in place: it uses more than it requests',
      HANG_MS,
      () => podsOf('busy', 'api'),
      ([pod]) => millicores(pod?.cpu) > 600,
    );
    // The quota leaves CPU for one more pod of that size, and for one of the template's size.
    await cluster.kubectl('create', 'quota', 'room', '-n', 'busy', `--hard=requests.cpu=${2 * millicores(raised?.cpu) + 600}m`);
    await eventually('the quota is in effect: its status has the usage', HANG_MS, async () => {
      const used = await cluster.kubectl('get', 'resourcequota/room', '-n', 'busy', '-o', 'jsonpath={.status.used.requests\\.cpu}');
      return used === raised?.cpu;
    });
    await cluster.kubectl('scale', 'deployment/api', '-n', 'busy', '--replicas=3');
    const pods = await eventuallyReads(
      'all three pods: a pod that the quota refuses is recreated with its template’s size',
      HANG_MS,
      () => podsOf('busy', 'api'),
      (all) => all.length === 3,
    );
    expect(pods.filter(({ cpu }) => cpu === '500m').length).toBeGreaterThanOrEqual(1);
  },
  HANG_TEST_MS,
);

test(
  'a pod whose size a LimitRange of type Pod would refuse is created with its template’s size',
  async () => {
    const limits = [{ type: 'Pod', min: { cpu: '400m' } }];
    await cluster.api.expect({
      method: 'POST',
      path: '/api/v1/namespaces/shop/limitranges',
      body: { metadata: { name: 'whole-pods' }, spec: { limits } },
    });
    const sized = (await podsOf('shop', 'web')).map(({ cpu }) => millicores(cpu));
    expect(Math.max(...sized)).toBeLessThan(400);
    expect(await createdBy(() => scale('web', 4))).toMatchObject([{ cpu: '500m', created: null }]);
    await cluster.kubectl('delete', 'limitrange/whole-pods', '-n', 'shop');
  },
  HANG_TEST_MS,
);

test(
  'a pod that another webhook changes is reviewed twice, and has the size of one review',
  async () => {
    const proxy = { name: 'proxy', image: 'registry.example/proxy:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } };
    const injector = await InjectingWebhook.start(cluster, 'shop', proxy);
    try {
      // The size in force may change meanwhile, and a single pod may have more: both are read anew each time.
      const { pods, cpu } = await eventuallyReads(
        'a pod of two containers with the size in force: the webhook is known to the API server, and the pods are created anew until then',
        HANG_MS,
        async () => {
          await cluster.kubectl('delete', 'pods', '-n', 'shop', '-l', 'app=web', '--wait=false', '--grace-period=0');
          const injected = (await podsOf('shop', 'web')).filter(({ others, created }) => others.length === 1 && created !== null);
          return { pods: injected, cpu: await sizeInForce('web') };
        },
        (read) => read.pods.some((pod) => pod.cpu === read.cpu),
      );
      const pod = pods.find((each) => each.cpu === cpu);
      expect(cpu).not.toBe('500m');
      expect(pod).toMatchObject({ created: '{"app":{"requests":{"cpu":"500m","memory":"512Mi"},"limits":{}}}', others: ['100m'] });
      const rounds = reviewedTwice();
      expect(rounds).toContainEqual({ first: true, second: false });
      expect(rounds.filter(({ second }) => second)).toEqual([]);
    } finally {
      await injector.stop();
    }
  },
  HANG_TEST_MS,
);

test(
  'the next run of a CronJob is created with the size that its runs need',
  async () => {
    const containers = [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '500m', memory: '512Mi' } } }];
    const template = { metadata: { labels: { app: 'report' } }, spec: { restartPolicy: 'Never', containers } };
    await cluster.api.expect({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/shop/cronjobs',
      body: {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'report', namespace: 'shop' },
        spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } } },
      },
    });
    const reasonOf = (): Promise<string> =>
      cluster.kubectl('get', 'recommendation/cronjob-report', '-n', 'shop', '-o', 'jsonpath={.status.reason} {.status.message}');
    await eventuallyReads('the Recommendation applies to the next run: a finished run cannot be resized', HANG_MS, reasonOf, (text) =>
      text.startsWith('restart in force: the next run'),
    );
    await cluster.kubectl('create', 'job', '--from=cronjob/report', 'report-by-hand', '-n', 'shop');
    const [pod] = await eventually('the pod of the run: its Job was created', HANG_MS, async () => {
      if (await replaceUnreviewed('report')) return false;
      const pods = await podsOf('shop', 'report');
      return pods.length > 0 && pods;
    });
    expect(pod?.created).toBe('{"app":{"requests":{"cpu":"500m","memory":"512Mi"},"limits":{}}}');
    expect(pod?.cpu).toMatch(/^1[5-9]\dm$|^2\d\dm$/);
  },
  HANG_TEST_MS,
);

test(
  'the certificate is renewed while it is served, first by the same authority and then by another',
  async () => {
    const secret = `/api/v1/namespaces/${OWN_NAMESPACE}/secrets/evenkeel-admission`;
    await cluster.kubectl('patch', 'secret/evenkeel-admission', '-n', OWN_NAMESPACE, '--type=merge', '-p', '{"data":{"tls.crt":null}}');
    await renewals(1);
    expect(await createdBy(() => scale('web', 5))).toMatchObject([{ created: expect.any(String) }]);
    const before = await caBundle();
    await cluster.api.expect({ method: 'DELETE', path: secret });
    await renewals(2);
    await eventually(
      'another authority is trusted: the Secret of the first was deleted',
      HANG_MS,
      async () => (await caBundle()) !== before,
    );
    expect(await createdBy(() => scale('web', 6))).toMatchObject([{ created: expect.any(String) }]);
    const { text } = await boundedFetch(controller.metrics, 'metrics of the controller');
    expect(text).toMatch(/evenkeel_admission_reviews_total\{outcome="sized"\} [1-9]/);
    expect(text).not.toMatch(/evenkeel_admission_reviews_total\{outcome="(error|unread)"\} [1-9]/);
  },
  HANG_TEST_MS,
);

test(
  'no request of the chart’s ServiceAccount was refused',
  async () => {
    const account = `system:serviceaccount:${OWN_NAMESPACE}:${ACCOUNT}`;
    const denied = cluster.audit(({ user, responseStatus }) => user.username === account && responseStatus?.code === 403);
    expect(denied.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  },
  HANG_TEST_MS,
);

test(
  'while it is down pods are created from their template',
  async () => {
    await controller.process.kill();
    expect(await createdBy(() => scale('web', 7))).toMatchObject([{ cpu: '500m', created: null }]);
  },
  HANG_TEST_MS,
);

test(
  'when admission is disabled, its configuration is deleted',
  async () => {
    expect(await caBundle()).not.toBe('');
    controller = await startController(fixture, { ...settings, 'controller.admission.enabled': 'false' });
    await eventually(
      'no webhook configuration: admission is disabled',
      HANG_MS,
      async () => (await cluster.api.request({ path: CONFIGURATION })).status === 404,
    );
    expect(await health('webhook')).toBeUndefined();
  },
  HANG_TEST_MS,
);

interface NewPod {
  readonly name: string;
  readonly cpu: string;
  /** CPU requests of its other containers. */
  readonly others: readonly string[];
  /** The template's request; null when the pod was created with it unchanged. */
  readonly created: string | null;
}

/** For each pod that was reviewed twice, whether the review of each round changed it. */
function reviewedTwice(): readonly { readonly first: boolean; readonly second: boolean }[] {
  const created = cluster.audit(
    ({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'pods' && objectRef.subresource === undefined,
  );
  return created.flatMap(({ annotations = {} }) => {
    const rounds = [0, 1].map((round) => {
      const ofRound = Object.entries(annotations).filter(([key]) => key.startsWith(`mutation.webhook.admission.k8s.io/round_${round}_`));
      return ofRound
        .map(([, text]) => JSON.parse(text) as { readonly configuration: string; readonly mutated: boolean })
        .find(({ configuration }) => configuration === 'evenkeel-admission');
    });
    const [first, second] = rounds;
    return first === undefined || second === undefined ? [] : [{ first: first.mutated, second: second.mutated }];
  });
}

/** CPU request of the container app in the last change that reached the Deployment's pods. */
function sizeInForce(app: string): Promise<string> {
  const path = 'jsonpath={.status.lastApplied.containers[?(@.name=="app")].requests.cpu}';
  return cluster.kubectl('get', `recommendation/deployment-${app}`, '-n', 'shop', '-o', path);
}

function millicores(text = '0'): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
}

async function podsOf(namespace: string, app: string): Promise<readonly NewPod[]> {
  const { items } = await cluster.api.expect<{
    readonly items: readonly {
      readonly metadata: {
        readonly name: string;
        readonly deletionTimestamp?: string;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: { readonly containers: readonly { readonly resources: { readonly requests: { readonly cpu: string } } }[] };
    }[];
  }>({ path: `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${app}` });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      cpu: spec.containers[0]?.resources.requests.cpu ?? '',
      others: spec.containers.slice(1).map(({ resources }) => resources.requests.cpu),
      created: metadata.annotations?.['evenkeel.io/size-at-creation'] ?? null,
    }));
}

/** Pods that did not exist before `act`, in their first observed state. */
async function createdBy(act: () => Promise<unknown>): Promise<readonly NewPod[]> {
  const before = new Set((await podsOf('shop', 'web')).map(({ name }) => name));
  await act();
  return eventually('a new pod: the Deployment was scaled up', HANG_MS, async () => {
    if (await replaceUnreviewed('web', before)) return false;
    const fresh = (await podsOf('shop', 'web')).filter(({ name }) => !before.has(name));
    return fresh.length > 0 && fresh;
  });
}

/** Number of reviews that had timed out at the last look. */
let timedOut = 0;

/**
 * Deletes new pods whose review timed out. On a busy machine a review may take longer than two seconds, after which the API server creates
 * the pod from its template; the successor is reviewed again. Returns whether there was such a pod.
 */
async function replaceUnreviewed(app: string, expected: ReadonlySet<string> = new Set()): Promise<boolean> {
  const counted = timedOutReviews();
  if (counted === timedOut) return false;
  timedOut = counted;
  for (const { name } of (await podsOf('shop', app)).filter((pod) => pod.created === null && !expected.has(pod.name))) {
    await cluster.api.request({ method: 'DELETE', path: `/api/v1/namespaces/shop/pods/${name}?gracePeriodSeconds=0` });
  }
  return true;
}

/** Timed-out reviews in the API server's log. Reviews that failed for another reason are not counted: they are errors of the program. */
function timedOutReviews(): number {
  const lines = readFileSync(cluster.layout.log('kube-apiserver'), 'utf8').split('\n');
  return lines.filter((line) => /failing open size-at-creation\.evenkeel\.io.*(deadline|Timeout) exceeded/.test(line)).length;
}

function scale(name: string, replicas: number): Promise<string> {
  return cluster.kubectl('scale', `deployment/${name}`, '-n', 'shop', `--replicas=${replicas}`);
}

/** CA bundle of the webhook configuration, in base64; empty when there is no configuration. */
async function caBundle(): Promise<string> {
  const { status, body } = await cluster.api.request({ path: CONFIGURATION });
  if (status !== 200) return '';
  const { webhooks = [] } = body as { readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[] };
  return webhooks[0]?.clientConfig.caBundle ?? '';
}

function renewals(count: number): Promise<unknown> {
  return eventually(
    `${count} new certificates served: each was removed from its Secret`,
    HANG_MS,
    () => logged(controller.process, 'Serving admission webhook with a new certificate').length >= count,
  );
}

async function health(name: string): Promise<string | undefined> {
  const { envelope } = await ask<readonly { readonly name: string; readonly status: string }[]>(controller.dashboard, 'health');
  return envelope.data.find((check) => check.name === name)?.status;
}

async function deploy(namespace: string, name: string, replicas: number, uses = '150m'): Promise<void> {
  const labels = { app: name };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': uses, 'kwok.x-k8s.io/usage-memory': '150Mi', ...runningForAnHour() };
  const containers = [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '500m', memory: '512Mi' } } }];
  await cluster.api.expect({
    method: 'POST',
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec: { containers } } },
    },
  });
}

async function applyPolicy(): Promise<void> {
  await cluster.api.expect({
    method: 'PATCH',
    path: '/apis/evenkeel.io/v1alpha1/podresizepolicies/shop?fieldManager=test&force=true',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'PodResizePolicy',
      metadata: { name: 'shop' },
      spec: {
        namespaces: ['shop', 'busy'],
        mode: 'Auto',
        cpu: { limit: { rule: 'Keep' } },
        memory: { limit: { rule: 'Keep' } },
        minConfidence: 0,
        cooldown: '1h',
        interval: '5s',
        rollback: { within: '5s' },
      },
    },
  });
}
