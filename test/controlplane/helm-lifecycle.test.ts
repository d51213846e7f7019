// The chart's whole life by the real Helm on the real API server: installed, upgraded, rolled back, uninstalled. Every
// pod of ours runs for real, with its ServiceAccount's own token, so a permission that is missing fails here.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { DAY_MS, MiB } from '#kube/units';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { ROOT } from '../e2e/processes.ts';
import { copyImage } from './built-image.ts';
import { quickPolicy } from './journey-cluster.ts';
import { writeLearntUsage } from './learnt-usage.ts';
import { runningForAnHour } from './played-pods.ts';
import { PodRunner } from './pod-runner.ts';
import { RealCluster } from './real-cluster.ts';
import type { RunningPod } from './running-pod.ts';

const NAMESPACE = 'evenkeel-system';
const RELEASE = 'evenkeel';
const CHART = join(ROOT, 'charts/evenkeel');
/** Of Helm's and kubectl's own waits. */
const CLI_TIMEOUT = `${HANG_MS / 60_000}m`;

/** Of a person, with the history of an earlier life of Evenkeel on it. */
const CLAIM = 'evenkeel-history';
const TOO_LARGE = { requests: { cpu: '500m', memory: '512Mi' } };

interface Listed<T> {
  readonly items: readonly T[];
}

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
}

interface PodShape extends Named {
  readonly spec: { readonly containers: readonly { readonly resources: { readonly requests: Readonly<Record<string, string>> } }[] };
  readonly status: { readonly containerStatuses: readonly { readonly restartCount: number; readonly resources?: object }[] };
}

describe('The chart', () => {
  let cluster: RealCluster;
  let runner: PodRunner;
  let values: string;
  const endings: (() => Promise<void>)[] = [];
  /** By name, as they were before Evenkeel came. */
  let created: ReadonlyMap<string, PodShape>;

  beforeAll(async () => {
    cluster = await RealCluster.start({ name: 'helm-lifecycle', nodes: 3 });
    endings.push(() => cluster.stop());
    runner = await PodRunner.start(cluster, copyImage(cluster.folder));
    endings.push(() => runner.end());
    values = join(cluster.folder, 'values.yaml');
    const config = { controller: { warmUp: '1s' }, kubelet: { interval: '5s' } };
    writeFileSync(values, stringify({ config, persistence: { existingClaim: CLAIM } }));
    await cluster.kubectl('create', 'namespace', 'shop');
    await cluster.kubectl('create', 'namespace', NAMESPACE);
    await apply(...aVolume(CLAIM));
    const uses = { cpuMillicores: 150, memoryBytes: 150 * MiB };
    const known = { namespace: 'shop', name: 'web', container: 'app', uses };
    await writeLearntUsage(join(runner.claimFolder(CLAIM), 'evenkeel.sqlite'), [known], 2 * DAY_MS);
    await apply(aDeployment('web', 3));
    await cluster.kubectl('-n', 'shop', 'rollout', 'status', 'deployment/web', `--timeout=${CLI_TIMEOUT}`);
    created = new Map((await podsOf('web')).map((pod) => [pod.metadata.name, pod]));
  }, HANG_TEST_MS);

  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  }, HANG_TEST_MS);

  async function apply(...objects: readonly object[]): Promise<void> {
    const path = join(cluster.folder, 'objects.yaml');
    writeFileSync(path, objects.map((object) => stringify(object)).join('---\n'));
    await cluster.kubectl('apply', '-f', path);
  }

  function helm(...args: readonly string[]): Promise<string> {
    return cluster.helm(...args, '--namespace', NAMESPACE);
  }

  async function list<T>(path: string): Promise<readonly T[]> {
    return (await cluster.api.expect<Listed<T>>({ path })).items;
  }

  function podsOf(app: string): Promise<readonly PodShape[]> {
    return list(`/api/v1/namespaces/shop/pods?labelSelector=app%3D${app}`);
  }

  /** Of the controller, once there is exactly one and it is ready. */
  function theController(not?: RunningPod): Promise<RunningPod> {
    return eventually('one ready pod of the controller: its Deployment has one replica', HANG_MS, () => {
      const pods = runner.pods(NAMESPACE).filter(({ component }) => component === 'controller');
      const [pod] = pods;
      if (pod !== undefined && pod !== not && pods.length === 1 && pod.ready) return pod;
      throw new Error(pods.map(({ name, lines }) => `${name}:\n${lines.slice(-10).join('\n')}`).join('\n'));
    });
  }

  /** Requests of ours that the API server forbade: writes by its audit log, everything else by the controllers' own count. */
  async function forbiddenToUs(): Promise<readonly string[]> {
    const writes = cluster.audit(
      ({ user, responseStatus }) => user.username.startsWith(`system:serviceaccount:${NAMESPACE}:`) && responseStatus?.code === 403,
    );
    const lines: string[] = [];
    for (const pod of runner.pods(NAMESPACE).filter(({ ready }) => ready)) {
      const text = await metricsOf(pod);
      lines.push(...text.split('\n').filter((line) => line.startsWith('evenkeel_api_requests_total{') && line.includes('code="403"')));
    }
    return [...writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`), ...lines];
  }

  test(
    'is installed: the controller comes up with the token of its own ServiceAccount, and Helm sees it ready',
    async () => {
      await helm('install', RELEASE, CHART, '--values', values, ...runner.helmValues, '--wait', '--timeout', CLI_TIMEOUT);
      const controller = await theController();
      expect((await boundedFetch(`${controller.url('dashboard')}/api/v1/health`, 'health of the controller')).status).toBe(200);
      // Nobody named this cluster, and a pod's credentials do not either.
      const shown = JSON.parse(
        (await boundedFetch(`${controller.url('dashboard')}/api/v1/cluster`, 'the cluster of the dashboard')).text,
      ) as {
        readonly data: { readonly name: string };
      };
      expect(shown.data.name).toBe('kubernetes');
      const crds = await list<Named>('/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
      expect(crds.map(({ metadata }) => metadata.name)).toContain('recommendations.evenkeel.io');
      expect(await forbiddenToUs()).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'right-sizes pods in place, by its own permissions',
    async () => {
      await apply(quickPolicy('web', ['shop'], 'Auto'));
      await eventually('every pod of web is resized: it uses far less than it requests', HANG_MS, async () =>
        (await podsOf('web')).every(({ spec }) => spec.containers[0]?.resources.requests['cpu'] !== TOO_LARGE.requests.cpu),
      );
      await eventually('the Deployment is annotated: its pods were resized', HANG_MS, async () => {
        const { metadata } = await cluster.api.expect<Named>({ path: '/apis/apps/v1/namespaces/shop/deployments/web' });
        return metadata.annotations?.['evenkeel.io/resized'];
      });
      expect(await forbiddenToUs()).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'is upgraded: a changed setting rolls the pods, the old one stops by itself',
    async () => {
      const before = await theController();
      await helm(
        'upgrade',
        RELEASE,
        CHART,
        '--reuse-values',
        '--set',
        'config.controller.logLevel=debug',
        '--wait',
        '--timeout',
        CLI_TIMEOUT,
      );
      const after = await theController(before);
      expect(before.lines.join('\n')).toContain('"message":"Stopped"');
      expect(after.lines.join('\n')).toContain('"level":"debug"');
    },
    HANG_TEST_MS,
  );

  test(
    'is rolled back to the settings before',
    async () => {
      const before = await theController();
      await helm('rollback', RELEASE, '1', '--wait', '--timeout', CLI_TIMEOUT);
      const after = await theController(before);
      expect(after.lines.join('\n')).not.toContain('"level":"debug"');
      expect(await forbiddenToUs()).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'is uninstalled: pods have their sizes again without a restart, and nothing of ours blocks or misleads',
    async () => {
      await cluster.kubectl('-n', 'shop', 'annotate', 'deployment/web', 'evenkeel.io/floor={"*":{"cpu":"50m"}}');
      await helm('uninstall', RELEASE, '--wait', '--timeout', CLI_TIMEOUT);

      const uninstall = runner.all.find(({ name }) => name.includes('uninstall'));
      expect(uninstall?.lines.join('\n')).toContain('evenkeel uninstall: nothing is left');
      for (const pod of await podsOf('web')) {
        const before = created.get(pod.metadata.name);
        const { uid } = pod.metadata;
        expect({ uid, requests: pod.spec.containers[0]?.resources.requests }).toEqual({
          uid: before?.metadata.uid,
          requests: TOO_LARGE.requests,
        });
        expect(pod.status.containerStatuses[0]?.restartCount).toBe(0);
      }
      const deployment = await cluster.api.expect<Named>({ path: '/apis/apps/v1/namespaces/shop/deployments/web' });
      expect(Object.keys(deployment.metadata.annotations ?? {}).filter((key) => key.startsWith('evenkeel.io/'))).toEqual([
        'evenkeel.io/floor',
      ]);
      expect(await list('/apis/evenkeel.io/v1alpha1/recommendations')).toEqual([]);
      // Policies and definitions are people's, and stay; nobody keeps a status true any more.
      const [policy, ...others] = await list<Named & { readonly status?: object }>('/apis/evenkeel.io/v1alpha1/podresizepolicies');
      expect(others).toEqual([]);
      expect(policy?.metadata).toMatchObject({ name: 'web' });
      expect(policy?.metadata.finalizers ?? []).toEqual([]);
      expect(policy?.status).toBeUndefined();
      expect(await forbiddenToUs()).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'leaves no object behind: neither its own nor those of its hook, nor its lease and pause',
    async () => {
      const namespaced = [
        'deployments.apps',
        'jobs.batch',
        'services',
        'configmaps',
        'secrets',
        'serviceaccounts',
        'leases.coordination.k8s.io',
        'pods',
      ]
        .concat(['roles.rbac.authorization.k8s.io', 'rolebindings.rbac.authorization.k8s.io', 'networkpolicies.networking.k8s.io'])
        .join(',');
      const wide = 'clusterroles,clusterrolebindings,validatingwebhookconfigurations,mutatingwebhookconfigurations';
      // What every namespace has; the claim is a person's and is not asked for here.
      const expected = new Set(['configmap/kube-root-ca.crt', 'serviceaccount/default']);
      await eventually('no object is left: the garbage collector deletes the lease and the pause with their owner', HANG_MS, async () => {
        const names = (await cluster.kubectl('-n', NAMESPACE, 'get', namespaced, '-o', 'name')).split('\n').filter((name) => name !== '');
        const left = names.filter((name) => !expected.has(name));
        if (left.length > 0) throw new Error(`left: ${left.join(', ')}`);
        return true;
      });
      const wideLeft = (await cluster.kubectl('get', wide, '-o', 'name')).split('\n').filter((name) => name.includes('evenkeel'));
      expect(wideLeft).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'never acted on two sides: after the uninstall began to put back, no controller changed a pod',
    async () => {
      const resizes = cluster.audit(({ objectRef }) => objectRef?.subresource === 'resize');
      const byWhom = resizes.map(({ user }) => user.username.split(':').at(-1) ?? '');
      const firstBack = byWhom.findIndex((name) => name.endsWith('-uninstall'));
      expect(firstBack).toBeGreaterThan(0);
      expect(byWhom.slice(0, firstBack)).toContain(`${RELEASE}-controller`);
      expect(byWhom.slice(firstBack)).not.toContain(`${RELEASE}-controller`);
    },
    HANG_TEST_MS,
  );
});

/** Empty where the pod ended meanwhile: the garbage collector may take it at any time after its Deployment was deleted. */
async function metricsOf(pod: RunningPod): Promise<string> {
  try {
    return (await boundedFetch(`${pod.url('metrics')}/metrics`, 'metrics of the controller')).text;
  } catch (err) {
    if (!pod.ready) return '';
    throw err;
  }
}

/** A claim that is bound by hand, as no provisioner runs here. */
function aVolume(name: string): readonly object[] {
  const amounts = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  const spec = {
    ...amounts,
    capacity: { storage: '2Gi' },
    hostPath: { path: `/var/lib/${name}` },
    claimRef: { namespace: NAMESPACE, name },
  };
  return [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: NAMESPACE, name },
      spec: { ...amounts, volumeName: name, resources: { requests: { storage: '2Gi' } } },
    },
  ];
}

function aDeployment(name: string, replicas: number): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          annotations: { 'kwok.x-k8s.io/usage-cpu': '150m', 'kwok.x-k8s.io/usage-memory': '150Mi', ...runningForAnHour() },
        },
        spec: { containers: [{ name: 'app', image: 'registry.example/app:1', resources: TOO_LARGE }] },
      },
    },
  };
}
