// Proves least privilege: each program runs with its ServiceAccount's token on a real API server with RBAC. A missing permission fails, and
// an unused permission is found. docs/rbac.md lists what the API server reports.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canIListsIn, linesOf, withCanILists } from '../../hack/can-i-lists.ts';
import { WEBHOOK_CONFIGURATION, webhookConfiguration, type WebhookTarget } from '../../src/adapters/admission/webhook-configuration.ts';
import { HttpTransport } from '../../src/adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig } from '../../src/adapters/kubernetes/transport/kube-config.ts';
import { CONTROLLER_PERMISSIONS, KUBELET_READER } from '../../src/adapters/kubernetes/access/permissions.ts';
import { UNINSTALL_PERMISSIONS } from '../../src/cli/uninstall/permissions.ts';
import { MUTATING_WEBHOOKS, OWN_RESOURCES, objectPath } from '../../src/adapters/kubernetes/resources.ts';
import { parseUninstallOptions } from '../../src/cli/uninstall/options.ts';
import { runUninstall, type UninstallReport } from '../../src/cli/uninstall/run-uninstall.ts';
import type { ApiRequest, ApiResponse } from '#kube/api-transport';
import { DAY_MS, MiB } from '#kube/units';
import { PrometheusMetrics } from '../../src/runtime/metrics.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { differences, observedIn, type Observed } from '../chart/observed.ts';
import { BY_DEFAULT, requestsOf, ROOT } from '../chart/rules.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { startController, type Controller } from '../e2e/controller-process.ts';
import { ask, send } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';
import { seededRandom } from '../fakes/seeded-random.ts';
import { writeRecordedUsage } from './recorded-usage.ts';
import { runningForAnHour } from './simulated-pods.ts';
import { RealCluster } from './real-cluster.ts';
import { requestWithStolen, STOLEN, transportWithStolen } from './stolen-token.ts';

const OWN_NAMESPACE = 'evenkeel-system';
const CONTROLLER = 'evenkeel-controller';
const UNINSTALL = 'evenkeel-uninstall';
const ACCOUNTS = [CONTROLLER, KUBELET_READER, UNINSTALL];
const NAMESPACE = 'shop';
type Method = 'GET' | 'POST' | 'DELETE';

const DENIED_BY_POLICY = {
  status: 422,
  body: { message: expect.stringMatching(/ValidatingAdmissionPolicy 'evenkeel-\w+' .* denied request: /) },
};

/** Requests of clusters in which most kubelets are untrusted, which is not the case here. */
const NOT_ASKED = ['list nodes.metrics.k8s.io', 'list pods.metrics.k8s.io'];

/**
 * Lists of watched resources. This API server streams the initial list as part of a watch. Older ones do not, and a watch is compared with
 * a list too rarely for this journey to see one.
 */
function isListOfWatched(words: string): boolean {
  const [verb, resource] = words.split(' ');
  return verb === 'list' && requestsOf(CONTROLLER_PERMISSIONS, BY_DEFAULT).has(`watch ${resource}`);
}

let fixture: TestFixture;
let cluster: RealCluster;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await RealCluster.start({ name: 'permissions', nodes: 2 });
  await cluster.kubectl('apply', '-k', join(ROOT, 'config/default'));
  await cluster.kubectl('apply', '-k', join(ROOT, 'config/uninstall'));
  await cluster.kubectl('create', 'namespace', NAMESPACE);
}, HANG_TEST_MS);
afterAll(async () => {
  await fixture.tearDown();
  await cluster.stop();
}, HANG_TEST_MS);

describe('docs/rbac.md', () => {
  test(
    'lists for each ServiceAccount the permissions that the API server reports',
    async () => {
      const file = join(ROOT, 'docs/rbac.md');
      const lists: Record<string, string> = {};
      for (const account of ACCOUNTS) {
        lists[account] = await cluster.kubectl(
          ...['auth', 'can-i', '--list', '-n', OWN_NAMESPACE, '--as', `system:serviceaccount:${OWN_NAMESPACE}:${account}`],
        );
      }
      const text = readFileSync(file, 'utf8');
      if (process.env['WRITE_DOCS'] === '1') writeFileSync(file, withCanILists(text, lists));
      const documented = canIListsIn(readFileSync(file, 'utf8'));
      for (const account of ACCOUNTS) expect(linesOf(documented[account] ?? '')).toEqual(linesOf(lists[account] ?? ''));
    },
    HANG_TEST_MS,
  );
});

describe('With its ServiceAccount’s token', () => {
  let controller: Controller;
  const uninstalls: UninstallReport[] = [];
  const uninstallMetrics = new PrometheusMetrics();

  test(
    'an uninstall is a no-op in a cluster where Evenkeel never ran',
    async () => {
      uninstalls.push(await uninstall());
      expect(uninstalls.at(-1)!.left).toEqual([]);
      // Deletes the lease and the pause of the uninstall, so that controllers may act again.
      await cluster.kubectl('delete', 'lease/evenkeel-controller', 'configmap/evenkeel-pause', '-n', OWN_NAMESPACE);
    },
    HANG_TEST_MS,
  );

  test(
    'the controller does all of its work without a refused request',
    async () => {
      const historyFile = join(cluster.folder, 'history.sqlite');
      const uses = { cpuMillicores: 150, memoryBytes: 150 * MiB };
      await writeRecordedUsage(
        historyFile,
        [
          ...['web', 'stuck'].map((name) => ({ namespace: NAMESPACE, name, container: 'app', uses })),
          ...QUIET.map((kind) => ({ namespace: NAMESPACE, kind, name: quietName(kind), container: 'app', uses })),
        ],
        7 * DAY_MS,
      );
      controller = await startController(fixture, {
        'history.url': `sqlite:${historyFile}`,
        'kubernetes.kubeconfig': await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, CONTROLLER),
        'kubelet.port': String(cluster.ports.kubelet),
        'kubelet.interval': '5s',
        'controller.warmUp': '1s',
      });
      await peopleTheShop();
      await rightSized();
      await whatPeopleAskFor(controller.dashboard);
      const observed = await eventually('every declared request is observed: the workloads and mutations need each', HANG_MS, async () => {
        const now = await observedOf(controller);
        const missing = notSeen(now);
        if (missing.length > NOT_ASKED.length) {
          await twiceTheSameEvent(controller.dashboard);
          throw new Error(`not requested yet: ${missing.join(', ')}`);
        }
        return now;
      });
      expect(observed.denied).toEqual([]);
      expect(differences(observed.requested, CONTROLLER_PERMISSIONS, BY_DEFAULT).undeclared).toEqual([]);
      expect(notSeen(observed)).toEqual(NOT_ASKED);
      expect(await health(controller.dashboard, 'usage-source')).toBe('ok');
    },
    HANG_TEST_MS,
  );

  test(
    'what kubelets are sent reads the metrics of nodes, and nothing else',
    async () => {
      const tokens = cluster.audit(
        ({ verb, requestURI }) => verb === 'create' && requestURI.includes(`/serviceaccounts/${KUBELET_READER}/token`),
      );
      expect(new Set(tokens.map(({ user }) => user.username))).toEqual(new Set([`system:serviceaccount:${OWN_NAMESPACE}:${CONTROLLER}`]));
      const kubeconfig = cluster.kubeconfigWith(await cluster.tokenFor(OWN_NAMESPACE, KUBELET_READER, 600), 'taken-by-a-node');
      const stolen = await transportWithStolen(kubeconfig);
      const statusOf = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object): Promise<number> =>
        (await stolen.request({ method, path, ...(body === undefined ? {} : { body }) })).status;
      const refused = [
        await statusOf('GET', `/api/v1/namespaces/${NAMESPACE}/pods`),
        await statusOf('GET', `/api/v1/namespaces/${OWN_NAMESPACE}/secrets`),
        await statusOf('GET', '/api/v1/nodes'),
        await statusOf('GET', '/api/v1/nodes/kwok-0001/proxy/metrics/resource'),
        await statusOf('GET', `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web`),
        await statusOf('PATCH', `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web`, [{ op: 'add', path: '/spec/replicas', value: 0 }]),
        await statusOf('POST', `/api/v1/namespaces/${OWN_NAMESPACE}/serviceaccounts/${CONTROLLER}/token`, { spec: {} }),
        await statusOf('POST', `/api/v1/namespaces/${OWN_NAMESPACE}/serviceaccounts/${KUBELET_READER}/token`, { spec: {} }),
        await statusOf('GET', '/apis/evenkeel.io/v1alpha1/recommendations'),
      ];
      stolen.close();
      expect(refused).toEqual(refused.map(() => 403));
    },
    HANG_TEST_MS,
  );

  describe('the controller’s token, stolen', () => {
    const [apps, batch] = [`/apis/apps/v1/namespaces/${NAMESPACE}`, `/apis/batch/v1/namespaces/${NAMESPACE}`];
    const hpa = `/apis/autoscaling/v2/namespaces/${NAMESPACE}/horizontalpodautoscalers/web`;
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/recommendations.evenkeel.io';
    const byMemory = { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 1 } } };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://evil.example/' } };
    const ofPods = (template: object): object => ({ spec: { template } });
    const rollOut = ofPods({ metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } });

    test.each([
      ['runs no other image', `${apps}/deployments/web`, ofPods({ spec: { containers: [{ name: 'app', image: 'evil' }] } })],
      ['marks new pods by no annotation', `${apps}/deployments/web`, ofPods({ metadata: { annotations: { 'sidecar.io/inject': 'x' } } })],
      ['changes no label of new pods', `${apps}/statefulsets/store`, ofPods({ metadata: { labels: { tier: 'x' } } })],
      ['changes no replicas in the spec', `${apps}/deployments/web`, { spec: { replicas: 0 } }],
      ['changes no label', `${apps}/daemonsets/agent`, { metadata: { labels: { owner: 'x' } } }],
      [
        'writes no annotation of others',
        `${apps}/replicasets/bare`,
        { metadata: { annotations: { 'deployment.kubernetes.io/revision': '9' } } },
      ],
      ['holds no object by a finalizer', `${batch}/jobs/batch`, { metadata: { finalizers: ['evil.example/hold'] } }],
      ['stops no schedule', `${batch}/cronjobs/nightly`, { spec: { suspend: true } }],
      ['has no other workload scaled', hpa, { spec: { scaleTargetRef: { name: 'store', kind: 'StatefulSet' } } }],
      ['scales by no other metric', hpa, { spec: { metrics: [byMemory] } }],
      ['reads no object on its way into the store', crd, { spec: { conversion: { strategy: 'Webhook', webhook } } }],
    ])('%s by a patch of %s', async (_what, path, patch) => {
      const { status, body } = await patchAsController(path, patch);
      expect({ status, body }).toMatchObject(DENIED_BY_POLICY);
    });

    test.each([
      ['annotations under evenkeel.io/', `${batch}/cronjobs/nightly`, { metadata: { annotations: { 'evenkeel.io/probe': '1' } } }],
      ['the mark of a roll-out of a Deployment', `${apps}/deployments/stuck`, rollOut],
      ['of a StatefulSet', `${apps}/statefulsets/store`, rollOut],
      ['of a DaemonSet', `${apps}/daemonsets/agent`, rollOut],
      ['the bounds of an autoscaler', hpa, { spec: { maxReplicas: 5 } }],
    ])('may change what Evenkeel changes: %s', async (_what, path, patch) => {
      expect(await patchAsController(path, patch)).toMatchObject({ status: 200 });
    });

    describe('on a kind of rbac.workloads', () => {
      const rollouts = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/rollouts`;
      const rollout = `${rollouts}/canary`;
      const annotated = { metadata: { annotations: { 'evenkeel.io/probe': '1' } } };

      beforeAll(async () => {
        const file = join(cluster.folder, 'workloads.yaml');
        const values = ['--set', 'rbac.workloads[0].group=argoproj.io', '--set', 'rbac.workloads[0].resource=rollouts'];
        const templates = ['clusterrole', 'admissionpolicies'].flatMap((name) => ['--show-only', `templates/${name}.yaml`]);
        const chart = join(ROOT, 'charts/evenkeel');
        writeFileSync(file, await cluster.helm('template', 'evenkeel', chart, '-n', OWN_NAMESPACE, ...values, ...templates));
        await apply(ROLLOUTS);
        await cluster.kubectl('wait', '--for=condition=Established', 'crd/rollouts.argoproj.io');
        expect(await patchAsController(rollout, annotated)).toMatchObject({ status: 403 });
        await cluster.kubectl('apply', '-f', file);
        await apply({
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Rollout',
          metadata: { name: 'canary', namespace: NAMESPACE },
          spec: { ...podsOf('canary', { replicas: 2 }, {}, 'Always'), strategy: 'canary' },
        });
        await eventually(
          'another image is refused by the policy: it and the role are known to the API server',
          HANG_MS,
          async () => (await patchAsController(rollout, image)).status === 422,
        );
      }, HANG_TEST_MS);

      const image = ofPods({ spec: { containers: [{ name: 'app', image: 'evil' }] } });

      test.each<[string, object]>([
        ['runs no other image', image],
        ['marks new pods by no annotation', ofPods({ metadata: { annotations: { 'sidecar.io/inject': 'x' } } })],
        ['changes no replicas in the spec', { spec: { replicas: 0 } }],
        ['changes no other field of the spec', { spec: { strategy: 'all-at-once' } }],
        ['changes no field beside the spec', { paused: true }],
        ['changes no label', { metadata: { labels: { owner: 'x' } } }],
        ['writes no annotation of others', { metadata: { annotations: { 'rollout.argoproj.io/revision': '9' } } }],
      ])('%s', async (_what, patch) => {
        expect(await patchAsController(rollout, patch)).toMatchObject(DENIED_BY_POLICY);
      });

      test.each<[string, string, object]>([
        ['annotates it under evenkeel.io/', rollout, annotated],
        ['rolls its pods out anew by the mark of its template', rollout, rollOut],
        ['scales it', `${rollout}/scale`, { spec: { replicas: 1 } }],
      ])('%s', async (_what, path, patch) => {
        expect(await patchAsController(path, patch)).toMatchObject({ status: 200 });
      });

      test('neither creates nor deletes one', async () => {
        expect(await requestAs(CONTROLLER, { method: 'DELETE', path: rollout })).toMatchObject({ status: 403 });
        expect(await requestAs(CONTROLLER, { method: 'POST', path: rollouts, body: { metadata: { name: 'evil' } } })).toMatchObject({
          status: 403,
        });
      });
    });

    test('has no Secret filled with the token of another ServiceAccount', async () => {
      const metadata = { name: 'evenkeel-record-key', annotations: { 'kubernetes.io/service-account.name': 'evenkeel-uninstall' } };
      for (const [name, type] of [
        ['evenkeel-record-key', 'kubernetes.io/service-account-token'],
        ['other', 'Opaque'],
      ]) {
        const body = { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name }, type };
        const path = `/api/v1/namespaces/${OWN_NAMESPACE}/secrets`;
        expect(await requestAs(CONTROLLER, { method: 'POST', path, body })).toMatchObject({
          status: 422,
          body: { message: expect.stringContaining("ValidatingAdmissionPolicy 'evenkeel-secrets'") },
        });
      }
    });

    test('writes no Lease of another component of its namespace', async () => {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${OWN_NAMESPACE}/leases`;
      const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });
      expect(await requestAs(CONTROLLER, { method: 'POST', path, body: lease('evenkeel-autoscaler') })).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining("ValidatingAdmissionPolicy 'evenkeel-leases'") },
      });
      expect(await requestAs(CONTROLLER, { method: 'POST', path, body: lease('evenkeel-access-a') })).toMatchObject({ status: 201 });
    });

    test('has no Service but Evenkeel’s asked about pods, nothing else asked about, and no pod refused for want of an answer', async () => {
      const file = join(cluster.folder, 'webhook-policy.yaml');
      const values = ['--set', 'config.controller.admission.enabled=true', '--show-only', 'templates/admissionpolicies.yaml'];
      writeFileSync(file, await cluster.helm('template', 'evenkeel', join(ROOT, 'charts/evenkeel'), '-n', OWN_NAMESPACE, ...values));
      await cluster.kubectl('apply', '-f', file);
      const verbs = '--verb=get,create,patch';
      await cluster.kubectl(
        'create',
        'clusterrole',
        'announces',
        verbs,
        '--resource=mutatingwebhookconfigurations.admissionregistration.k8s.io',
      );
      const account = `--serviceaccount=${OWN_NAMESPACE}:${CONTROLLER}`;
      try {
        await cluster.kubectl('create', 'clusterrolebinding', 'announces', '--clusterrole=announces', account);
        const service = { name: 'evenkeel-admission', namespace: OWN_NAMESPACE, path: '/mutate', port: 443 };
        const announce = (clientConfig: WebhookTarget['clientConfig'], [from, to] = ['"pods"', '"pods"']): Promise<ApiResponse> => {
          const body = JSON.stringify(webhookConfiguration({ clientConfig, ownNamespace: OWN_NAMESPACE }, ''));
          return patchAsController(
            `${objectPath(MUTATING_WEBHOOKS, null, WEBHOOK_CONFIGURATION)}?fieldManager=evenkeel&force=true&dryRun=All`,
            JSON.parse(body.replace(from, to)) as object,
            'application/apply-patch+yaml',
          );
        };
        await eventually(
          'another address is refused: the policy and the role are known to the API server',
          HANG_MS,
          async () => (await announce({ url: 'https://evil.example/' })).status === 422,
        );
        expect(await announce({ service: { ...service, namespace: 'shop' } })).toMatchObject({ status: 422 });
        expect(await announce({ service }, ['"pods"', '"secrets"'])).toMatchObject({ status: 422 });
        expect(await announce({ service }, ['"Ignore"', '"Fail"'])).toMatchObject({ status: 422 });
        expect(await announce({ service }, ['"timeoutSeconds":2', '"timeoutSeconds":30'])).toMatchObject({ status: 422 });
        expect(await announce({ service })).toMatchObject({ status: 201 });
      } finally {
        await cluster.kubectl('delete', 'clusterrolebinding,clusterrole', 'announces', '--ignore-not-found');
      }
    });

    test('does not restrict other users', async () => {
      await cluster.kubectl('label', 'daemonset/agent', '-n', NAMESPACE, 'owner=team');
    });
  });

  describe('the uninstall’s token, stolen', () => {
    const [core, apps, batch] = [
      `/api/v1/namespaces/${NAMESPACE}`,
      `/apis/apps/v1/namespaces/${NAMESPACE}`,
      `/apis/batch/v1/namespaces/${NAMESPACE}`,
    ];
    const hpa = `/apis/autoscaling/v2/namespaces/${NAMESPACE}/horizontalpodautoscalers/web`;
    const node = '/api/v1/nodes/kwok-0001';
    const [own, policies, rbac] = [
      `/api/v1/namespaces/${OWN_NAMESPACE}`,
      '/apis/evenkeel.io/v1alpha1/podresizepolicies',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    ];
    const image = { spec: { template: { spec: { containers: [{ name: 'app', image: 'evil' }] } } } };
    const byMemory = { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 1 } } };
    const taint = { key: 'evil.example/out', effect: 'NoExecute' };

    beforeAll(async () => {
      await cluster.kubectl('cordon', 'kwok-0002');
      await cluster.kubectl('taint', 'node', 'kwok-0002', 'team.example/reserved=x:NoSchedule', 'evenkeel.io/draining=x:NoSchedule');
      await eventually(
        'the cordon is a taint, too: the node lifecycle controller adds it',
        HANG_MS,
        async () => (await taintsOf('kwok-0002')).length === 3,
      );
    }, HANG_TEST_MS);

    test.each<[string, Method, string, object | null]>([
      ['reads no Secret of a namespace', 'GET', `${core}/secrets`, null],
      ['lists none of Evenkeel’s own', 'GET', `${own}/secrets`, null],
      ['makes no pod', 'POST', `${core}/pods`, { metadata: { name: 'evil' }, spec: { containers: [{ name: 'a', image: 'evil' }] } }],
      ['makes no workload', 'POST', `${apps}/deployments`, { metadata: { name: 'evil' } }],
      ['deletes no workload', 'DELETE', `${apps}/deployments/web`, null],
      ['evicts no pod', 'POST', `${core}/pods/any/eviction`, { metadata: { name: 'any' } }],
      ['enters no pod', 'POST', `${core}/pods/any/exec`, null],
      ['deletes no node', 'DELETE', node, null],
      ['asks no kubelet', 'GET', `${node}/proxy/metrics`, null],
      ['has no token of the controller', 'POST', `${own}/serviceaccounts/${CONTROLLER}/token`, { spec: {} }],
      ['grants nothing', 'POST', rbac, { metadata: { name: 'evil' }, roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }],
      ['deletes no policy of users', 'DELETE', `${policies}/shop`, null],
      ['makes no policy', 'POST', policies, { metadata: { name: 'evil' }, spec: { mode: 'Auto' } }],
    ])('%s by a %s of %s', async (_what, method, path, body) => {
      const request = { method, path, ...(body === null ? {} : { body }) };
      expect(await requestAs(UNINSTALL, request)).toMatchObject({ status: 403 });
    });

    test.each<[string, string, object]>([
      ['runs no other image', `${apps}/deployments/web`, image],
      ['changes no replicas in the spec', `${apps}/statefulsets/store`, { spec: { replicas: 0 } }],
      ['changes no label', `${apps}/daemonsets/agent`, { metadata: { labels: { owner: 'x' } } }],
      ['holds no object by a finalizer', `${batch}/jobs/batch`, { metadata: { finalizers: ['evil.example/hold'] } }],
      ['stops no schedule', `${batch}/cronjobs/nightly`, { spec: { suspend: true } }],
      ['has no other workload scaled', hpa, { spec: { scaleTargetRef: { name: 'store', kind: 'StatefulSet' } } }],
      ['scales by no other metric', hpa, { spec: { metrics: [byMemory] } }],
      ['cordons no node', node, { spec: { unschedulable: true } }],
      ['drives no pod off a node', node, { spec: { taints: [taint] } }],
      ['removes no taint of others', '/api/v1/nodes/kwok-0002', { spec: { taints: [] } }],
      ['attracts no pod to a node', node, { metadata: { labels: { tier: 'secure' } } }],
      ['writes no annotation of others on a node', node, { metadata: { annotations: { 'volumes.example/attached': 'x' } } }],
      ['lets no policy act', `${policies}/shop`, { spec: { mode: 'Observe' } }],
      ['holds no policy by a finalizer', `${policies}/shop`, { metadata: { finalizers: ['evil.example/hold'] } }],
    ])('%s by a patch of %s', async (_what, path, patch) => {
      expect(await patchAs(UNINSTALL, path, patch)).toMatchObject(DENIED_BY_POLICY);
    });

    test('may change what an uninstall changes: Evenkeel’s own taint of a node, and a cordon taken away', async () => {
      const taints = (await taintsOf('kwok-0002')).filter(({ key }) => !key.startsWith('evenkeel.io/'));
      const patch = { spec: { taints, unschedulable: null } };
      expect(await patchAs(UNINSTALL, '/api/v1/nodes/kwok-0002', patch)).toMatchObject({ status: 200 });
      await cluster.kubectl('taint', 'node', 'kwok-0002', 'team.example/reserved-');
    });
  });

  test(
    'an uninstall restores everything without a refused request',
    async () => {
      await tracesOfLaterParts();
      uninstalls.push(await uninstall());
      expect(uninstalls.at(-1)!.left).toEqual([]);
      // Without pods or a Deployment of the controller, the lease and the pause are deleted too.
      controller.process.signal('SIGTERM');
      await controller.process.exit();
      await cluster.kubectl('delete', 'deployment/evenkeel-controller', '-n', OWN_NAMESPACE, '--cascade=foreground');
      uninstalls.push(await uninstall());
      expect(uninstalls.at(-1)!.left).toEqual([]);

      const { requested, denied } = observedIn(await uninstallMetrics.expose());
      expect(denied).toEqual([]);
      expect(differences(requested, UNINSTALL_PERMISSIONS, BY_DEFAULT)).toEqual({ undeclared: [], unused: [] });
    },
    HANG_TEST_MS,
  );

  test(
    'the audit log of the API server has no denied request',
    async () => {
      const accounts = ACCOUNTS.map((name) => `system:serviceaccount:${OWN_NAMESPACE}:${name}`);
      // Requests of tests with stolen tokens are not counted.
      const events = cluster.audit(({ user, userAgent = '' }) => accounts.includes(user.username) && !userAgent.startsWith(STOLEN));
      expect(events.length).toBeGreaterThan(50);
      const denied = events.filter(({ responseStatus }) => responseStatus?.code === 403);
      expect(denied.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    },
    HANG_TEST_MS,
  );

  /** Uninstalls as `evenkeel uninstall --restore` does, with its ServiceAccount's token, and counts the requests. */
  async function uninstall(): Promise<UninstallReport> {
    const timer = new SystemTimer();
    const connection = await resolveKubeConfig({ path: await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, UNINSTALL), timer });
    const transport = new HttpTransport({ connection, timer, random: seededRandom(1), metrics: uninstallMetrics, userAgent: UNINSTALL });
    const parsed = parseUninstallOptions(['--restore']);
    if (!parsed.ok) throw new Error(parsed.problems.join('; '));
    try {
      const interrupted = new AbortController().signal;
      return await runUninstall({
        transport,
        namespace: OWN_NAMESPACE,
        options: parsed.options,
        timer,
        interrupted,
        print: () => undefined,
      });
    } finally {
      transport.close();
    }
  }
});

const patchAsController = (path: string, body: object, type?: string): Promise<ApiResponse> => patchAs(CONTROLLER, path, body, type);

async function patchAs(account: string, path: string, body: object, type = 'application/merge-patch+json'): Promise<ApiResponse> {
  const [bare = '', query = ''] = path.split('?');
  const sent = {
    method: 'PATCH',
    path: bare,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: { 'content-type': type },
  } as const;
  return requestAs(account, { ...sent, body });
}

/** Sends a request with a stolen token of the account. */
async function requestAs(account: string, request: ApiRequest): Promise<ApiResponse> {
  return requestWithStolen(await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, account), request);
}

/** Permissions of the controller without an observed request. */
function notSeen({ requested }: Observed): readonly string[] {
  return differences(requested, CONTROLLER_PERMISSIONS, BY_DEFAULT).unused.filter((words) => !isListOfWatched(words));
}

async function observedOf({ metrics }: Controller): Promise<Observed> {
  return observedIn((await boundedFetch(metrics, 'metrics of the controller')).text);
}

async function health(dashboard: string, name: string): Promise<string | undefined> {
  const { envelope } = await ask<readonly { readonly name: string; readonly status: string }[]>(dashboard, 'health');
  return envelope.data.find((check) => check.name === name)?.status;
}

/** Creates one workload of each kind. */
async function peopleTheShop(): Promise<void> {
  const workload = (kind: string, name: string, spec: object, ofPods: object = {}): object => ({
    apiVersion: kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec:
      kind === 'CronJob'
        ? { schedule: '0 0 1 1 *', jobTemplate: { spec: podsOf(name, spec, ofPods, 'Never') } }
        : podsOf(name, spec, ofPods, kind === 'Job' ? 'Never' : 'Always'),
  });
  const replicas = { replicas: 2 };
  await cluster.api.expect({
    method: 'PATCH',
    path: '/apis/evenkeel.io/v1alpha1/podresizepolicies/shop?fieldManager=test&force=true',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: POLICY,
  });
  await apply(
    workload('Deployment', 'web', replicas),
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: NAMESPACE },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 4,
        minReplicas: 2,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
      },
    },
    workload('Deployment', 'stuck', replicas, { 'evenkeel.dev/resize': 'Infeasible' }),
    workload('StatefulSet', 'store', { ...replicas, serviceName: 'store' }),
    workload('DaemonSet', 'agent', {}),
    workload('ReplicaSet', 'bare', replicas),
    workload('Job', 'batch', {}, { 'evenkeel.dev/run-for': '24h' }),
    workload('CronJob', 'nightly', {}),
    // For each scalable kind a workload whose usage ended, so that it is idled and scaled down. Its pods are an hour old, because the CPU
    // of a pod's first two minutes is ignored.
    ...QUIET.map((kind) =>
      workload(kind, quietName(kind), kind === 'StatefulSet' ? { ...replicas, serviceName: quietName(kind) } : replicas, {
        'kwok.x-k8s.io/usage-cpu': '1m',
        ...runningForAnHour(),
      }),
    ),
  );
}

const QUIET = ['Deployment', 'StatefulSet', 'ReplicaSet'];

function quietName(kind: string): string {
  return `quiet-${kind.toLowerCase()}`;
}

const POLICY = {
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'PodResizePolicy',
  metadata: { name: 'shop' },
  spec: {
    namespaces: [NAMESPACE],
    mode: 'Auto',
    apply: 'InPlaceOrEvict',
    cpu: { limit: { rule: 'Keep' } },
    memory: { limit: { rule: 'Keep' } },
    minConfidence: 0,
    cooldown: '5s',
    interval: '5s',
    rollback: { within: '5s' },
    idle: { enabled: true, after: '10s', replicas: 1 },
  },
};

/** A kind with its own controller, as users install them: with a template, replicas and a scale subresource. */
const ROLLOUTS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rollouts.argoproj.io' },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: { kind: 'Rollout', plural: 'rollouts' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, paused: { type: 'boolean' } },
          },
        },
      },
    ],
  },
};

function podsOf(name: string, spec: object, annotations: object, restartPolicy: string): object {
  const labels = { app: name };
  return {
    ...spec,
    ...(restartPolicy === 'Never' ? {} : { selector: { matchLabels: labels } }),
    template: {
      metadata: { labels, annotations: { 'kwok.x-k8s.io/usage-cpu': '150m', 'kwok.x-k8s.io/usage-memory': '150Mi', ...annotations } },
      spec: {
        restartPolicy,
        containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '500m', memory: '512Mi' } } }],
      },
    },
  };
}

async function apply(...objects: readonly object[]): Promise<void> {
  const file = join(cluster.folder, 'objects.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await cluster.kubectl('apply', '-f', file);
}

/** Pods of `web` have the recommended size, and those of `stuck`, which cannot be resized in place, were evicted. */
async function rightSized(): Promise<void> {
  const before = await eventuallyReads(
    'stuck has its pods: the Deployment asks for two',
    HANG_MS,
    () => podsNamed('stuck'),
    (pods) => pods.length === 2,
  );
  await eventuallyReads(
    'the pods of web are resized: they use far less than they request',
    HANG_MS,
    async () => (await podsNamed('web')).map(({ cpu }) => cpu),
    (sizes) => sizes.length === 2 && sizes.every((cpu) => cpu !== '500m'),
  );
  await eventuallyReads(
    'a pod of stuck is evicted: its resize is infeasible, and the policy allows evictions',
    HANG_MS,
    async () => (await podsNamed('stuck')).map(({ name }) => name),
    (names) => before.some(({ name }) => !names.includes(name)),
  );
}

async function podsNamed(app: string): Promise<readonly { readonly name: string; readonly cpu: string }[]> {
  const { items } = await cluster.api.expect<{
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly containers: readonly { readonly resources: { readonly requests: { readonly cpu: string } } }[] };
    }[];
  }>({ path: `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3D${app}` });
  return items.map(({ metadata, spec }) => ({ name: metadata.name, cpu: spec.containers[0]!.resources.requests.cpu }));
}

async function taintsOf(node: string): Promise<readonly { readonly key: string }[]> {
  const { spec } = await cluster.api.expect<{ readonly spec: { readonly taints?: readonly { readonly key: string }[] } }>({
    path: `/api/v1/nodes/${node}`,
  });
  return spec.taints ?? [];
}

/** The dashboard's mutations, for every kind of workload. */
async function whatPeopleAskFor(dashboard: string): Promise<void> {
  for (const [kind, name] of [
    ['StatefulSet', 'store'],
    ['DaemonSet', 'agent'],
    ['ReplicaSet', 'bare'],
    ['Job', 'batch'],
    ['CronJob', 'nightly'],
  ]) {
    const answer = await send(dashboard, 'PUT', `recommendations/${NAMESPACE}/${name}/mode?kind=${kind}`, { mode: 'Recommend' });
    expect({ kind, status: answer.status, error: answer.envelope.error }).toMatchObject({ kind, status: 200 });
  }
  expect((await send(dashboard, 'POST', 'resize-cycle/trigger', {})).status).toBeLessThan(300);
  await apply(...['NodeScalingPolicy', 'RebalancePolicy'].map(aPolicy));
  for (const kind of ['NodeScalingPolicy', 'RebalancePolicy']) {
    const override = { field: 'paused', value: true, reason: 'test of permissions' };
    const path = `policy-overrides/${kind}/overridden`;
    await eventually(
      'the override is accepted: the policy was created and reaches the cache',
      HANG_MS,
      async () => (await send(dashboard, 'PUT', path, override)).status === 200,
    );
  }
  // A workload in mode Observe has no Recommendation.
  await cluster.kubectl('annotate', 'deployment/stuck', '-n', NAMESPACE, 'evenkeel.io/mode=Observe');
}

function aPolicy(kind: string): object {
  return { apiVersion: 'evenkeel.io/v1alpha1', kind, metadata: { name: 'overridden' }, spec: {} };
}

/** An Event that repeats within two minutes increases the count of the first. */
async function twiceTheSameEvent(dashboard: string): Promise<void> {
  for (const mode of ['Off', null, 'Off', null]) await send(dashboard, 'PUT', `recommendations/${NAMESPACE}/web/mode`, { mode });
}

/** Objects of features that this journey does not use, created in their names. */
async function tracesOfLaterParts(): Promise<void> {
  await cluster.kubectl('apply', '-f', join(ROOT, 'config/samples'));
  await apply({
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'NodeScalingPolicy',
    metadata: { name: 'default', labels: { 'evenkeel.io/implied': 'true' } },
    spec: {},
  });
  await apply(
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'evenkeel-admission' },
      webhooks: [],
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'evenkeel-admission', namespace: OWN_NAMESPACE } },
  );
  for (const resource of OWN_RESOURCES) {
    const { items } = await cluster.api.expect<{
      readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace?: string } }[];
    }>({ path: `/apis/${resource.group}/${resource.version}/${resource.plural}` });
    for (const { metadata } of items) {
      const path = objectPath(resource, metadata.namespace ?? null, metadata.name);
      await merge(path, { metadata: { finalizers: ['evenkeel.io/test'] } });
      await merge(`${path}/status`, { status: { observedGeneration: 1 } });
    }
  }
  for (const app of ['store', 'agent', 'batch']) for (const { name } of await podsNamed(app)) await resize(name);
  const note = { metadata: { annotations: { 'evenkeel.io/resized': '{}' } } };
  for (const [group, plural, name] of [
    ['apps', 'deployments', 'web'],
    ['apps', 'statefulsets', 'store'],
    ['apps', 'daemonsets', 'agent'],
    ['apps', 'replicasets', 'bare'],
    ['batch', 'jobs', 'batch'],
    ['batch', 'cronjobs', 'nightly'],
  ])
    await merge(`/apis/${group}/v1/namespaces/${NAMESPACE}/${plural}/${name}`, note, 'evenkeel');
  const draining = { key: 'evenkeel.io/draining', effect: 'NoSchedule' };
  const ofNode = { metadata: { annotations: { 'evenkeel.io/draining-by': 'test' } }, spec: { unschedulable: true, taints: [draining] } };
  await merge('/api/v1/nodes/kwok-0001', ofNode, CONTROLLER);
}

/** Resizes in the name of the controller, which has no usage of these pods. */
async function resize(pod: string): Promise<void> {
  await cluster.api.expect({
    method: 'PATCH',
    path: `/api/v1/namespaces/${NAMESPACE}/pods/${pod}/resize?fieldManager=${CONTROLLER}`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { spec: { containers: [{ name: 'app', resources: { requests: { cpu: '300m' } } }] } },
  });
}

async function merge(path: string, body: object, fieldManager = 'test'): Promise<void> {
  await cluster.api.expect({
    method: 'PATCH',
    path: `${path}?fieldManager=${fieldManager}`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });
}
