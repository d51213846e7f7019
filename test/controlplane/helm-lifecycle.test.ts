// The lifecycle of the chart with the real Helm on the real API server: install, upgrade, roll back, uninstall. Every pod of Evenkeel runs
// as a process with its ServiceAccount's token, so a missing permission fails here.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { DAY_MS, MiB } from '#kube/units';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { ROOT } from '../e2e/processes.ts';
import { quickPolicy } from './journey-cluster.ts';
import { writeRecordedUsage } from './recorded-usage.ts';
import { runningForAnHour } from './simulated-pods.ts';
import { copyImage, PodRunner } from './pod-runner.ts';
import { RealCluster } from './real-cluster.ts';
import type { RunningPod } from './running-pod.ts';

const NAMESPACE = 'evenkeel-system';
const RELEASE = 'evenkeel';
const CHART = join(ROOT, 'charts/evenkeel');
/** Timeout of the waits of Helm and kubectl. */
const CLI_TIMEOUT = `${HANG_MS / 60_000}m`;

/** A claim of the user, with the history of an earlier installation. */
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
  /** Pods by name, as they were before the installation. */
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
    const recordedUsage = { namespace: 'shop', name: 'web', container: 'app', uses };
    await writeRecordedUsage(join(runner.claimFolder(CLAIM), 'evenkeel.sqlite'), [recordedUsage], 2 * DAY_MS);
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

  /** The controller's pod, once there is exactly one and it is ready. @param not a pod that does not count */
  function theController(not?: RunningPod): Promise<RunningPod> {
    return eventually('one ready pod of the controller: its Deployment has one replica', HANG_MS, () => {
      const pods = runner.pods(NAMESPACE).filter(({ component }) => component === 'controller');
      const [pod] = pods;
      if (pod !== undefined && pod !== not && pods.length === 1 && pod.isReady) return pod;
      throw new Error(pods.map(({ name, lines }) => `${name}:\n${lines.slice(-10).join('\n')}`).join('\n'));
    });
  }

  /** Forbidden requests of Evenkeel: writes from the audit log, others from the controllers' metrics. */
  async function forbiddenToUs(): Promise<readonly string[]> {
    const writes = cluster.audit(
      ({ user, responseStatus }) => user.username.startsWith(`system:serviceaccount:${NAMESPACE}:`) && responseStatus?.code === 403,
    );
    const lines: string[] = [];
    for (const pod of runner.pods(NAMESPACE).filter(({ isReady }) => isReady)) {
      const text = await metricsOf(pod);
      lines.push(...text.split('\n').filter((line) => line.startsWith('evenkeel_api_requests_total{') && line.includes('code="403"')));
    }
    return [...writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`), ...lines];
  }

  test(
    'is installed: the controller starts with its ServiceAccount’s token, and Helm sees it ready',
    async () => {
      await helm('install', RELEASE, CHART, '--values', values, ...runner.helmValues, '--wait', '--timeout', CLI_TIMEOUT);
      const controller = await theController();
      expect((await boundedFetch(`${controller.url('dashboard')}/api/v1/health`, 'health of the controller')).status).toBe(200);
      // No cluster name is set, and in-cluster credentials contain none.
      const clusterInfo = JSON.parse(
        (await boundedFetch(`${controller.url('dashboard')}/api/v1/cluster`, 'the cluster of the dashboard')).text,
      ) as {
        readonly data: { readonly name: string };
      };
      expect(clusterInfo.data.name).toBe('kubernetes');
      const crds = await list<Named>('/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
      expect(crds.map(({ metadata }) => metadata.name)).toContain('recommendations.evenkeel.io');
      expect(await forbiddenToUs()).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'right-sizes pods in place with its ServiceAccount’s permissions',
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
    'is upgraded: a changed setting replaces the pod, and the old pod stops cleanly',
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
    'is rolled back to the previous settings',
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
    'is uninstalled: pods have their original sizes without a restart, and no object of Evenkeel blocks or misleads',
    async () => {
      await cluster.kubectl('-n', 'shop', 'annotate', 'deployment/web', 'evenkeel.io/floor={"*":{"cpu":"50m"}}');
      await helm('uninstall', RELEASE, '--wait', '--timeout', CLI_TIMEOUT);

      const uninstall = runner.all.find(({ name }) => name.includes('uninstall'));
      expect(uninstall?.lines.join('\n')).toContain('evenkeel uninstall: complete');
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
      // Policies and CRDs belong to users and remain, but without a status: no controller updates it any more.
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
    'leaves no object behind: not those of the release, its hook, the lease and the pause',
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
      // Objects of every namespace. The claim belongs to a user and is not listed here.
      const expected = new Set(['configmap/kube-root-ca.crt', 'serviceaccount/default']);
      await eventually('no object is left: the garbage collector deletes the lease and the pause with their owner', HANG_MS, async () => {
        const names = (await cluster.kubectl('-n', NAMESPACE, 'get', namespaced, '-o', 'name')).split('\n').filter((name) => name !== '');
        const remaining = names.filter((name) => !expected.has(name));
        if (remaining.length > 0) throw new Error(`left: ${remaining.join(', ')}`);
        return true;
      });
      const wideLeft = (await cluster.kubectl('get', wide, '-o', 'name')).split('\n').filter((name) => name.includes('evenkeel'));
      expect(wideLeft).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'has one writer at a time: after the uninstall began to restore, no controller changed a pod',
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

/** Metrics page of a pod; empty when the pod has ended, because the garbage collector may delete it at any time. */
async function metricsOf(pod: RunningPod): Promise<string> {
  try {
    return (await boundedFetch(`${pod.url('metrics')}/metrics`, 'metrics of the controller')).text;
  } catch (err) {
    if (!pod.isReady) return '';
    throw err;
  }
}

/** A pre-bound claim with its volume, because no provisioner runs here. */
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
