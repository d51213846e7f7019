// All faults of an API server between a controller and its cluster: no change is made twice or partially, and no fault needs a restart. The
// final state is always that without faults.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { CRD_VERSION_ANNOTATION } from '../../src/adapters/kubernetes/write/crd-installer.ts';
import { readQuantities } from '../../src/core/recommendations/quantities.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import type { Fault } from '../fakes/clients/fault-proxy.ts';
import { WORKLOAD_ANNOTATIONS } from '../../src/apis/annotations.ts';
import type { Resources } from './cluster-client.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { aWorkload, ConstantWorld, TOO_LARGE } from './constant-world.ts';
import { logged } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { FaultyConnection } from './faulty-connection.ts';
import { ROOT, TestFixture } from './processes.ts';

/** Bounds of the right size for a constant usage of 150m and 150Mi: at least the usage, and at most half of the original size. */
const RIGHT = { cpuMillicores: [150, 250], memoryMib: [150, 256] } as const;
/** One pod: two would share their load differently whenever one of them starts slowly. */
const PODS = 1;

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const goneResponse = JSON.stringify({
  kind: 'Status',
  status: 'Failure',
  code: 410,
  reason: 'Expired',
  message: 'too old resource version',
});
const starting = { answer: 503, body: 'starting', headers: { 'content-type': 'text/plain' } };
const SOME: readonly (readonly [string, string, Fault])[] = [
  ['answers 500 to every third request', 'broken', { every: 3, trouble: { answer: 500 } }],
  ['answers 503 with a body that is not JSON to every third request', 'starting', { every: 3, trouble: starting }],
  [
    'answers 429 with Retry-After to every third request',
    'throttled',
    { every: 3, trouble: { answer: 429, headers: { 'retry-after': '1' } } },
  ],
  ['answers 429 without Retry-After to every third request', 'busy', { every: 3, trouble: { answer: 429 } }],
  ['is slow', 'slow', { trouble: { delayMs: 300 } }],
  ['cuts every third connection', 'cut', { every: 3, trouble: 'cut' }],
  ['carries out every request and loses every second response', 'lost', { every: 2, verbs: ['patch', 'apply'], trouble: 'lose-answer' }],
];
const FORGOTTEN = ['nodes', 'deployments.apps', 'replicasets.apps', 'recommendations.evenkeel.io'];
const OTHERS = ['undisturbed', 'forgotten', 'away', 'unpermitted', 'ungoverned', 'unknown'];

let fixture: TestFixture;
let world: ConstantWorld;
let connection: FaultyConnection;

beforeAll(async () => {
  fixture = new TestFixture();
  const workloads = [...SOME.map(([, app]) => app), ...OTHERS].map((app) => ({ ...aWorkload(app, TOO_LARGE), replicas: PODS }));
  world = await ConstantWorld.start(fixture, workloads, async (world) => {
    connection = await FaultyConnection.open(fixture, { kubeconfig: world.kubeconfig, admin: world.client.transport });
    await world.client.create(CRDS, aNewerCrd());
    await world.client.create(CRDS, aForeignCrd());
    return connection.kubeconfig;
  });
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

interface Health {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

const healthOf = async (name: string): Promise<Health | undefined> =>
  (await read<readonly Health[]>(world.controller.dashboard, 'health')).find((check) => check.name === name);

test(
  'Nothing disturbed: the change with which every other test must end',
  async () => {
    await createPolicy('undisturbed');
    await waitUntilRightSized('undisturbed');
  },
  HANG_TEST_MS,
);

describe('An API server that', () => {
  test.each(SOME)(
    '%s: the same end, each pod changed once, and only to published values',
    async (_words, app, fault) => {
      const running = connection.proxy.begin(fault);
      try {
        await createPolicy(app);
        await waitUntilRightSized(app);
        await eventually('the fault to affect several requests: each cycle reads and writes', HANG_MS, () => running.met() > 2);
      } finally {
        running.end();
      }
      expectChangedOnce(app);
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );

  test(
    'cuts watches and no longer has their resource versions: all is listed again, and no change is missed',
    async () => {
      // One fault per resource, so that each is known to have an effect.
      const running = FORGOTTEN.map((resource) =>
        connection.proxy.begin({ verbs: ['watch'], resources: [resource], every: 3, trouble: { answer: 410, body: goneResponse } }),
      );
      try {
        for (const resource of FORGOTTEN) {
          await eventually(
            `a watch of ${resource} to cut: the informer always has one`,
            HANG_MS,
            () => connection.proxy.closeWatches(resource) === 1,
          );
        }
        await createPolicy('forgotten');
        await waitUntilRightSized('forgotten');
        await eventually('each to be answered 410: the first watch of each is', HANG_MS, () => running.every((fault) => fault.met() > 0));
      } finally {
        for (const fault of running) fault.end();
      }
      expectChangedOnce('forgotten');
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );

  test(
    'refuses connections: reported, reads continue; due changes are made when it is back',
    async () => {
      await connection.proxy.refuse();
      try {
        await eventually(
          'health that reports it: the fault lasts',
          HANG_MS,
          async () => (await healthOf('informer/pods'))?.status === 'failed',
        );
        await createPolicy('away');
        expect((await ask(world.controller.dashboard, 'recommendations')).status).toBe(200);
      } finally {
        await connection.proxy.accept();
      }
      await waitUntilRightSized('away');
      expectChangedOnce('away');
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );

  test(
    'refuses the token: reported, no change is made, reads continue; work resumes when the file has a new one',
    async () => {
      connection.expireToken();
      try {
        connection.proxy.closeWatches('pods');
        const health = await eventually('health that reports it: the fault lasts', HANG_MS, async () => {
          const informer = await healthOf('informer/pods');
          return informer?.message.includes('is the token expired?') === true && informer;
        });
        expect(health.status).toBe('failed');
        await createPolicy('unknown');
        const answer = await eventually('reads marked stale: no informer confirms them while the fault lasts', HANG_MS, async () => {
          const response = await ask<readonly unknown[]>(world.controller.dashboard, 'recommendations');
          return response.envelope.meta.stale === true && response;
        });
        expect([answer.status, answer.envelope.data.length > 0]).toEqual([200, true]);
        expect(resizesOf('unknown')).toEqual([]);
      } finally {
        await connection.renewToken();
      }
      await waitUntilRightSized('unknown');
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );
});

describe('A revoked permission', () => {
  test(
    'to resize: named in log, health, responses and on the policy; other work continues; the resize is made when it is granted again',
    async () => {
      const giveBack = await connection.forbid('pods/resize', ['patch']);
      try {
        await createPolicy('unpermitted');
        const permissions = await eventually('health that names it: the resize is tried at each cycle', HANG_MS, async () => {
          const health = await healthOf('permissions');
          return health?.status === 'degraded' && health;
        });
        expect(permissions.message).toContain('patch pods/resize in namespace shop');
        await eventually('the log that names it: it is logged when health first names it', HANG_MS, () =>
          logged(world.controller.process, 'A permission is missing').some(
            ({ permission }) => permission === 'patch pods/resize in namespace shop',
          ),
        );
        await eventuallyReads(
          'its name on the policy: the resize is tried at each cycle',
          HANG_MS,
          async () => (await world.cluster.policy('unpermitted')).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
          (message) => message.includes('not permitted: patch pods/resize in namespace shop'),
        );
        const { envelope } = await ask<readonly unknown[]>(world.controller.dashboard, 'recommendations');
        expect(envelope.meta).toMatchObject({ warnings: [expect.objectContaining({ code: 'permission_missing' })] });
        expect(resizesOf('unpermitted')).toEqual([]);
      } finally {
        await giveBack();
      }
      await waitUntilRightSized('unpermitted');
      expectChangedOnce('unpermitted');
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );

  test(
    'to read policies: cached policies have no effect, because they may have changed; work resumes when it is granted again',
    async () => {
      await annotate('ungoverned', { [WORKLOAD_ANNOTATIONS.exclude]: 'true' });
      await world.recommendationOf('ungoverned', 'is excluded: no policy selects it', ({ state }) => state === 'excluded');
      await createPolicy('ungoverned');
      await world.cycles('ungoverned', 1);
      const giveBack = await connection.forbid('podresizepolicies', ['list', 'watch']);
      try {
        connection.proxy.closeWatches('podresizepolicies.evenkeel.io');
        await eventually('the informer that reports it: its watch was cut and its list is forbidden', HANG_MS, async () =>
          (await healthOf('informer/podresizepolicies.evenkeel.io'))?.message.includes('not permitted to list and watch'),
        );
        await eventually('the cached policies to be too old: the informer cannot confirm it', HANG_MS, async () => {
          const { meta } = (await ask(world.controller.dashboard, 'recommendations')).envelope;
          return meta.stale;
        });
        await annotate('ungoverned', { [WORKLOAD_ANNOTATIONS.exclude]: null });
        await world.recommendationOf(
          'ungoverned',
          'awaits data: the informer of policies cannot confirm them',
          ({ reason }) => reason === 'stale-data',
        );
        expect(resizesOf('ungoverned')).toEqual([]);
      } finally {
        await giveBack();
      }
      await waitUntilRightSized('ungoverned');
      expectChangedOnce('ungoverned');
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );
});

describe('A CRD that differs from Evenkeel’s', () => {
  test('that is newer is kept, and one of another vendor is not changed: both are reported, and all tests above passed with them', async () => {
    // When the faults above cost it the lease, it checked the CRDs again, and some of them were unreachable then.
    await eventually('both named: the definitions stay as they are', HANG_MS, async () => {
      const { status, message = '' } = (await healthOf('custom-resources')) ?? {};
      return (
        status === 'failed' &&
        message.includes('accesspolicies.evenkeel.io was written by Evenkeel 99.0.0, newer than this') &&
        /rebalanceruns\.evenkeel\.io cannot be updated.*does not serve v1alpha1/.test(message)
      );
    });
    const newer = await world.cluster.get<{ readonly metadata: { readonly annotations: Record<string, string> } }>(
      `${CRDS}/accesspolicies.evenkeel.io`,
    );
    expect(newer.metadata.annotations[CRD_VERSION_ANNOTATION]).toBe('99.0.0');
    const reports = logged(world.controller.process, 'CRD is not up to date').filter(({ outcome }) => outcome !== 'unreached');
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['kept-newer', 'failed']));
  });
});

/** A policy with a cycle each second of real time, so that the failing request is one for the workload, not for the policy's status. */
async function createPolicy(app: string): Promise<void> {
  await world.createPolicy(app, { interval: '5m' });
}

async function annotate(app: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  await world.cluster.merge(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${app}`, { metadata: { annotations } });
}

/** Waits until the workload's pods have the right size, as their nodes report it, and its Recommendation is applied. */
async function waitUntilRightSized(app: string): Promise<void> {
  await eventuallyReads(
    `${app} right-sized: the load is constant`,
    HANG_MS,
    () => world.resourcesOf(app),
    (all) => all.length === PODS && all.every(isRight),
  );
  await world.recommendationOf(app, 'is applied: every pod has its size', ({ state, apply }) => state === 'applied' && apply === undefined);
}

function isRight({ requests }: Resources): boolean {
  const { cpuMillicores, memoryBytes } = readQuantities(requests);
  return isWithin(cpuMillicores, RIGHT.cpuMillicores) && isWithin(memoryBytes === null ? null : memoryBytes / 2 ** 20, RIGHT.memoryMib);
}

function isWithin(value: number | null, [from, to]: readonly [number, number]): boolean {
  return value !== null && value >= from && value <= to;
}

/** Checks that exactly one write changed each of the pods, to values that its Recommendation had published before. */
function expectChangedOnce(app: string): void {
  const resizes = resizesOf(app);
  expect(resizes).toHaveLength(PODS);
  expect(new Set(resizes).size).toBe(PODS);
  expect(world.watch.unpromised).toEqual([]);
}

/** Paths of the resizes that were carried out. */
function resizesOf(app: string): readonly string[] {
  return connection.proxy.answered
    .filter(({ resource, verb, path, status }) => {
      return resource === 'pods/resize' && verb === 'patch' && status === 200 && path.includes(`/pods/${app}-`);
    })
    .map(({ path }) => path);
}

/** Waits until the effects of the fault are gone: nothing is queued, stale or failing. */
async function waitUntilHealthy(): Promise<void> {
  await eventually(
    'ready again: the fault has ended',
    HANG_MS,
    async () => (await boundedFetch(`${world.controller.probes}/readyz`, 'readiness of the controller')).status === 200,
  );
  await eventually('every informer well: the fault has ended', HANG_MS, async () => {
    const health = await read<readonly Health[]>(world.controller.dashboard, 'health');
    // The CRD of another vendor remains unsupported.
    const unwell = health.filter(({ name, status }) => name.startsWith('informer/') && status !== 'ok' && !name.includes('rebalanceruns'));
    if (unwell.length > 0) throw new Error(JSON.stringify(unwell));
    return true;
  });
  await eventually('nothing stale: the fault has ended', HANG_MS, async () => {
    const { meta } = (await ask(world.controller.dashboard, 'recommendations')).envelope;
    return meta.stale === undefined && !('warnings' in meta);
  });
  expect(world.controller.process.isRunning).toBe(true);
}

function ourCrd(plural: string): {
  metadata: { name: string; annotations?: object };
  spec: { scope: string; versions: { name: string }[] };
} {
  return parse(readFileSync(join(ROOT, 'crds', `${plural}.yaml`), 'utf8')) as ReturnType<typeof ourCrd>;
}

function aNewerCrd(): object {
  const crd = ourCrd('accesspolicies');
  return { ...crd, metadata: { ...crd.metadata, annotations: { [CRD_VERSION_ANNOTATION]: '99.0.0' } } };
}

/** A kind of another vendor with the same name: another scope, another version, none of Evenkeel's fields. */
function aForeignCrd(): object {
  const { metadata, spec } = ourCrd('rebalanceruns');
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { sauce: { type: 'string' } } } } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec: { ...spec, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  };
}
