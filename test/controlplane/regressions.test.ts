// Failures of pods on a real control plane, as kubectl shows them: containers are OOM-killed, or crash after a resize. The test writes the
// pods' statuses as a kubelet would.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pod } from '../../src/apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { parseMemory } from '../../hack/real-cluster/kubelets/quantities.ts';
import { DAY_MS, HOUR_MS, MiB, SECOND_MS } from '#kube/units';
import type { Controller } from '../e2e/controller-process.ts';
import { read } from '../e2e/dashboard.ts';
import { eventuallyReads, HANG_MS, HANG_TEST_MS, type StateAndReason } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';
import { startInstalledCluster, startControllerWithHistory } from './installed-controller.ts';
import { runningForAnHour } from './simulated-pods.ts';
import type { RealCluster } from './real-cluster.ts';

const REPLICAS = 2;
const DEPLOYED_MIB = 256;
/** The first cycle decides and acts, and the second sees the outcome. */
const CYCLES = 2;
/** `memory.max` of the policy, in MiB. */
const MAX_REQUEST = 300;
/** Bound of a limit: the highest request times the deployed ratio of limit to request. */
const BOUND_MIB = (MAX_REQUEST * DEPLOYED_MIB) / 200;

interface App {
  readonly name: 'killed' | 'looping';
  readonly usesMib: number;
  readonly resources: object;
}
const KILLED: App = {
  name: 'killed',
  usesMib: 220,
  resources: { requests: { cpu: '120m', memory: '200Mi' }, limits: { memory: `${DEPLOYED_MIB}Mi` } },
};
const LOOPING: App = { name: 'looping', usesMib: 100, resources: { requests: { cpu: '500m', memory: '512Mi' } } };

let fixture: TestFixture;
let cluster: RealCluster;
let controller: Controller;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await startInstalledCluster(fixture, 'harm', 1);
  for (const app of [KILLED, LOOPING]) await createDeployment(app);
  const workloads = [KILLED, LOOPING].map(({ name, usesMib }) => ({
    namespace: 'default',
    name,
    container: 'app',
    uses: { cpuMillicores: 100, memoryBytes: usesMib * MiB },
  }));
  controller = await startControllerWithHistory(fixture, cluster, { workloads, spanMs: 8 * DAY_MS });
  await createPolicy();
}, HANG_TEST_MS);

afterAll(() => fixture.tearDown(), HANG_TEST_MS);

describe('A container that is OOM-killed at its memory limit', () => {
  test(
    'has a higher limit in place, in its own pod alone',
    async () => {
      const [first = '', second = ''] = await podNames(KILLED);
      await usageIsRead(KILLED);
      const kills = await killUntilRaised(first);
      expect(await kubectlLimit(first)).toBeLessThanOrEqual(BOUND_MIB);
      expect(await kubectlLimit(second)).toBe(DEPLOYED_MIB);
      const restarts = await cluster.kubectl('get', 'pod', first, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}');
      expect(Number(restarts)).toBe(kills);
    },
    HANG_TEST_MS,
  );

  test(
    'is never raised past its bound, whatever the number of kills',
    async () => {
      for (const pod of await podNames(KILLED)) {
        for (let kills = 0; kills < 4; kills += 1) await killOnce(pod);
        expect(await kubectlLimit(pod)).toBeGreaterThan(DEPLOYED_MIB);
        expect(await kubectlLimit(pod)).toBeLessThanOrEqual(BOUND_MIB);
      }
      for (const request of (await memoryRequests(KILLED)).values()) expect(request).toBeLessThanOrEqual(MAX_REQUEST);
      const { containers } = await statusOf(
        KILLED,
        'counts eight kills: each was in a pod’s status',
        (now) => (now.containers?.[0]?.oomKills ?? 0) >= 8,
      );
      expect(mebibytes(containers?.[0]?.recommended?.limits?.memory)).toBeLessThanOrEqual(BOUND_MIB);
    },
    HANG_TEST_MS,
  );
});

test(
  'A reduced container that crashes has its old size back, and kubectl shows why',
  async () => {
    const reduced = await eventuallyReads(
      'a pod is reduced: it uses a fifth of its request',
      HANG_MS,
      () => memoryRequests(LOOPING),
      (requests) => [...requests.values()].some((mib) => mib < 512),
    );
    const [name = ''] = [...reduced].find(([, mib]) => mib < 512) ?? [];
    await showCrashLoop(name);
    const { message, rolledBack } = await statusOf(LOOPING, 'is rolled back: a changed pod crashes', (now) => now.rolledBack !== undefined);
    expect(rolledBack).toMatchObject({ reason: 'restarts', message: expect.stringContaining('CrashLoopBackOff') });
    expect(message).toContain('CrashLoopBackOff');
    await eventuallyReads(
      'every pod has its old request: the change was rolled back',
      HANG_MS,
      () => memoryRequests(LOOPING),
      (requests) => requests.size === REPLICAS && [...requests.values()].every((mib) => mib === 512),
    );
    expect(await cluster.kubectl('describe', 'recommendation', 'deployment-looping')).toContain('CrashLoopBackOff');
    expect(await cluster.kubectl('get', 'events')).toContain('CrashLoopBackOff');
  },
  HANG_TEST_MS,
);

async function createDeployment({ name, usesMib, resources }: App): Promise<void> {
  const labels = { app: name };
  const annotations = {
    'kwok.x-k8s.io/usage-cpu': '100m',
    'kwok.x-k8s.io/usage-memory': `${usesMib}Mi`,
    ...runningForAnHour(),
  };
  const containers = [{ name: 'app', image: 'registry.example/app:1', resources }];
  await cluster.api.expect({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: {
      metadata: { name, labels },
      spec: {
        replicas: REPLICAS,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations }, spec: { containers } },
      },
    },
  });
  await eventuallyReads(
    `${name} runs: kwok starts what is scheduled`,
    HANG_MS,
    () =>
      cluster.api.expect<{ readonly items: readonly ApiPod[] }>({ path: `/api/v1/namespaces/default/pods?labelSelector=app%3D${name}` }),
    ({ items }) => items.length === REPLICAS && items.every(({ status }) => status.phase === 'Running'),
  );
}

async function createPolicy(): Promise<void> {
  await cluster.api.expect({
    method: 'POST',
    path: '/apis/evenkeel.io/v1alpha1/podresizepolicies',
    body: {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'PodResizePolicy',
      metadata: { name: 'all' },
      spec: { mode: 'Auto', interval: '5s', cooldown: '1s', minConfidence: 0, memory: { max: `${MAX_REQUEST}Mi` } },
    },
  });
}

async function podNames({ name }: App): Promise<readonly string[]> {
  return (await cluster.kubectl('get', 'pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
}

/** Waits until usage is read: a kill is compared with the last working set before it. */
async function usageIsRead({ name }: App): Promise<void> {
  await eventuallyReads(
    `the usage of ${name} is read: its node is read every 5 s`,
    HANG_MS,
    () => podsOf(`${name}-`),
    (pods) => pods.length === REPLICAS && pods.every(({ used }) => used.memoryBytes !== null),
  );
}

/** The pods in the controller's cache. */
async function podsOf(prefix: string): Promise<readonly Pod[]> {
  return (await read<readonly Pod[]>(controller.dashboard, 'pods?namespace=default')).filter(({ name }) => name.startsWith(prefix));
}

/**
 * Kills a container until its limit is raised, and returns the number of kills. One kill is enough when the container's last working set
 * before its death was read; otherwise it takes two.
 */
async function killUntilRaised(pod: string): Promise<number> {
  const before = await kubectlLimit(pod);
  for (let kills = 1; kills <= 2; kills += 1) {
    await killOnce(pod);
    if ((await kubectlLimit(pod)) > before) return kills;
  }
  await eventuallyReads(
    'the limit of the pod is raised: it was killed twice',
    HANG_MS,
    () => limitOf(pod),
    (mib) => mib > before,
  );
  return 2;
}

/**
 * Plays a container that uses its whole limit, is OOM-killed and restarted, as a kubelet reports it. Resolves when the controller has
 * decided since.
 */
async function killOnce(pod: string): Promise<void> {
  const usesMib = Math.floor((await kubectlLimit(pod)) * 0.95);
  await cluster.kubectl('annotate', 'pod', pod, '--overwrite', `kwok.x-k8s.io/usage-memory=${usesMib}Mi`);
  await eventuallyReads(
    `${pod} uses its limit: its node is read every 5 s`,
    HANG_MS,
    () => podsOf(pod),
    ([cycle]) => (cycle?.used.memoryBytes ?? 0) >= usesMib * MiB,
  );
  const restarts = async (): Promise<number> => (await podsOf(pod))[0]?.restarts ?? 0;
  const restartCount = (await restarts()) + 1;
  const finishedAt = new Date().toISOString();
  const startedAt = new Date(Date.now() - HOUR_MS).toISOString();
  await patchContainerStatus(pod, {
    restartCount,
    lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, startedAt, finishedAt } },
    state: { running: { startedAt: finishedAt } },
  });
  await eventuallyReads(
    `the controller sees restart ${restartCount} of ${pod}: its informer follows the pods`,
    HANG_MS,
    restarts,
    (cycle) => cycle === restartCount,
  );
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const last = await lastCycle();
    await eventuallyReads('another cycle of the policy: it has one every 5 s', HANG_MS, lastCycle, (id) => id !== last);
  }
}

async function lastCycle(): Promise<string | undefined> {
  const path = '/apis/evenkeel.io/v1alpha1/podresizepolicies/all';
  const { status } = await cluster.api.expect<{ readonly status?: { readonly lastCycle?: { readonly id?: string } } }>({ path });
  return status?.lastCycle?.id;
}

/** Writes the status of a container in back-off after several crashes. */
async function showCrashLoop(pod: string): Promise<void> {
  const finishedAt = new Date().toISOString();
  const startedAt = new Date(Date.now() - SECOND_MS).toISOString();
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False' }));
  await patchContainerStatus(
    pod,
    {
      restartCount: 3,
      ready: false,
      lastState: { terminated: { reason: 'Error', exitCode: 1, startedAt, finishedAt } },
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
    },
    conditions,
  );
}

/** The list of container statuses has no merge key, so the patch includes the status that the kubelet reported. */
async function patchContainerStatus(pod: string, status: object, conditions: readonly object[] = []): Promise<void> {
  const reported = JSON.parse(await cluster.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0]}')) as object;
  const patch = { status: { conditions, containerStatuses: [{ ...reported, ...status }] } };
  await cluster.kubectl('patch', 'pod', pod, '--subresource', 'status', '--type', 'strategic', '-p', JSON.stringify(patch));
}

async function limitOf(pod: string): Promise<number> {
  const { spec } = await cluster.api.expect<ApiPod>({ path: `/api/v1/namespaces/default/pods/${pod}` });
  return mebibytes(spec.containers[0]?.resources.limits?.memory);
}

async function kubectlLimit(pod: string): Promise<number> {
  const path = 'jsonpath={.spec.containers[0].resources.limits.memory}';
  return mebibytes(await cluster.kubectl('get', 'pod', pod, '-o', path));
}

/** Memory requests in MiB by pod. Polls the API: a kubectl process per poll would keep a core busy. */
async function memoryRequests(app: App): Promise<ReadonlyMap<string, number>> {
  const path = `/api/v1/namespaces/default/pods?labelSelector=app%3D${app.name}`;
  const { items } = await cluster.api.expect<{ readonly items: readonly ApiPod[] }>({ path });
  return new Map(items.map(({ metadata, spec }) => [metadata.name, mebibytes(spec.containers[0]?.resources.requests.memory)]));
}

interface ApiPod {
  readonly metadata: { readonly name: string };
  readonly status: { readonly phase: string };
  readonly spec: {
    readonly containers: readonly {
      readonly resources: { readonly requests: { readonly memory: string }; readonly limits?: { readonly memory?: string } };
    }[];
  };
}

function mebibytes(quantity = ''): number {
  return quantity === '' ? 0 : parseMemory(quantity) / MiB;
}

function statusOf({ name }: App, state: StateAndReason, isMet: (status: RecommendationStatus) => boolean): Promise<RecommendationStatus> {
  const path = '/apis/evenkeel.io/v1alpha1/namespaces/default/recommendations';
  const status = async (): Promise<RecommendationStatus> => {
    const { items } = await cluster.api.expect<{ readonly items: readonly Recommendation[] }>({ path });
    return items.find(({ spec }) => spec.targetRef.name === name)?.status ?? {};
  };
  return eventuallyReads(`the Recommendation of ${name} ${state}`, HANG_MS, status, isMet);
}
