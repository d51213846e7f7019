// An API server that fails in every way there is, between a controller and its cluster: nothing is done twice or half, and
// nothing needs a restart. The end is always the one that it has without a fault.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { CRD_VERSION_ANNOTATION } from '../../src/adapters/kubernetes/crd-installer.ts';
import { readQuantities } from '../../src/core/recommendations/quantities.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import type { Fault } from '../fakes/fault-proxy.ts';
import { WORKLOAD_ANNOTATIONS } from '../../src/apis/annotations.ts';
import type { Resources } from './cluster-client.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { aWorkload, ConstantWorld, TOO_LARGE } from './constant-world.ts';
import { logged } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { FaultyConnection } from './faulty-connection.ts';
import { ROOT, TestFixture } from './processes.ts';

/** A constant load of 150m and 150Mi: not less than it, and not more than half of what there was before. */
const RIGHT = { cpuMillicores: [150, 250], memoryMib: [150, 256] } as const;
/** One: two share their load anew whenever one of them is slow to start. */
const PODS = 1;

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const gone = JSON.stringify({ kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old resource version' });
const starting = { answer: 503, body: 'starting', headers: { 'content-type': 'text/plain' } };
const SOME: readonly (readonly [string, string, Fault])[] = [
  ['answers 500 to every third request', 'broken', { every: 3, trouble: { answer: 500 } }],
  ['answers 503 with words that are no JSON to every third request', 'starting', { every: 3, trouble: starting }],
  ['asks to wait at every third request', 'throttled', { every: 3, trouble: { answer: 429, headers: { 'retry-after': '1' } } }],
  ['is too busy at every third request and does not say for how long', 'busy', { every: 3, trouble: { answer: 429 } }],
  ['is slow', 'slow', { trouble: { delayMs: 300 } }],
  ['cuts every third connection', 'cut', { every: 3, trouble: 'cut' }],
  ['does what is asked and loses every second answer', 'lost', { every: 2, verbs: ['patch', 'apply'], trouble: 'lose-answer' }],
];
const FORGOTTEN = ['nodes', 'deployments.apps', 'replicasets.apps', 'recommendations.evenkeel.io'];
const OTHERS = ['undisturbed', 'forgotten', 'away', 'unpermitted', 'ungoverned', 'unknown'];

let fixture: TestFixture;
let here: ConstantWorld;
let connection: FaultyConnection;

beforeAll(async () => {
  fixture = new TestFixture();
  const workloads = [...SOME.map(([, app]) => app), ...OTHERS].map((app) => ({ ...aWorkload(app, TOO_LARGE), replicas: PODS }));
  here = await ConstantWorld.start(fixture, workloads, async (world) => {
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
  (await read<readonly Health[]>(here.controller.dashboard, 'health')).find((each) => each.name === name);

test(
  'Nothing disturbed: the change that every other test must end with, too',
  async () => {
    await createPolicy('undisturbed');
    await waitUntilRightSized('undisturbed');
  },
  HANG_TEST_MS,
);

describe('An API server that', () => {
  test.each(SOME)(
    '%s: the same end, each pod changed once, what was promised and nothing else',
    async (_words, app, fault) => {
      const running = connection.proxy.begin(fault);
      try {
        await createPolicy(app);
        await waitUntilRightSized(app);
        await eventually('the fault to be met several times: each cycle reads and writes', HANG_MS, () => running.met() > 2);
      } finally {
        running.end();
      }
      expectChangedOnce(app);
      await waitUntilHealthy();
    },
    HANG_TEST_MS,
  );

  test(
    'cuts watches and has forgotten the versions that they had come to: all is listed again, and nothing is missed',
    async () => {
      // A fault for each, so that each is seen to be met.
      const running = FORGOTTEN.map((resource) =>
        connection.proxy.begin({ verbs: ['watch'], resources: [resource], every: 3, trouble: { answer: 410, body: gone } }),
      );
      try {
        for (const resource of FORGOTTEN) {
          await eventually(
            `a watch of ${resource} to cut: the informer always has one`,
            HANG_MS,
            () => connection.proxy.cutWatches(resource) === 1,
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
    'refuses connections: said, reads go on; what was due is done when it is back',
    async () => {
      await connection.proxy.refuse();
      try {
        await eventually(
          'health that reports it: the fault lasts',
          HANG_MS,
          async () => (await healthOf('informer/pods'))?.status === 'failed',
        );
        await createPolicy('away');
        expect((await ask(here.controller.dashboard, 'recommendations')).status).toBe(200);
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
    'does not know our token (any more): said, nothing acted on, reads go on; taken up again when the file holds a new one',
    async () => {
      connection.expireToken();
      try {
        connection.proxy.cutWatches('pods');
        const health = await eventually('health that reports it: the fault lasts', HANG_MS, async () => {
          const informer = await healthOf('informer/pods');
          return informer?.message.includes('is the token expired?') === true && informer;
        });
        expect(health.status).toBe('failed');
        await createPolicy('unknown');
        const answer = await eventually('reads marked stale: nothing confirms them while the fault lasts', HANG_MS, async () => {
          const said = await ask<readonly unknown[]>(here.controller.dashboard, 'recommendations');
          return said.envelope.meta.stale === true && said;
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

describe('A permission that is taken away', () => {
  test(
    'to resize: named in log, health, answers and on the policy; everything else goes on; done when it is given back',
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
          logged(here.controller.process, 'A permission is missing').some(
            ({ permission }) => permission === 'patch pods/resize in namespace shop',
          ),
        );
        await eventuallyReads(
          'its name on the policy: the resize is tried at each cycle',
          HANG_MS,
          async () => (await here.cluster.policy('unpermitted')).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
          (message) => message.includes('not permitted: patch pods/resize in namespace shop'),
        );
        const { envelope } = await ask<readonly unknown[]>(here.controller.dashboard, 'recommendations');
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
    'to see policies: nothing is done by those that were seen, because they may have changed; done when it is given back',
    async () => {
      await annotate('ungoverned', { [WORKLOAD_ANNOTATIONS.exclude]: 'true' });
      await here.recommendationOf('ungoverned', 'is excluded: no policy selects it', ({ state }) => state === 'excluded');
      await createPolicy('ungoverned');
      await here.cycles('ungoverned', 1);
      const giveBack = await connection.forbid('podresizepolicies', ['list', 'watch']);
      try {
        connection.proxy.cutWatches('podresizepolicies.evenkeel.io');
        await eventually('the informer that reports it: its watch was cut and its list is forbidden', HANG_MS, async () =>
          (await healthOf('informer/podresizepolicies.evenkeel.io'))?.message.includes('not permitted to list and watch'),
        );
        await eventually('what is known to be too old: the informer cannot confirm it', HANG_MS, async () => {
          const { meta } = (await ask(here.controller.dashboard, 'recommendations')).envelope;
          return meta.stale;
        });
        await annotate('ungoverned', { [WORKLOAD_ANNOTATIONS.exclude]: null });
        await here.recommendationOf(
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

describe('A CRD that is not ours as it is', () => {
  test('newer than this Evenkeel is kept, and another of its name is left alone: both are named, and all of the above worked', async () => {
    // Where the faults above cost it the lease it looked at the definitions anew, and some were out of reach then.
    await eventually('both named: the definitions stay as they are', HANG_MS, async () => {
      const { status, message = '' } = (await healthOf('custom-resources')) ?? {};
      return (
        status === 'failed' &&
        message.includes('accesspolicies.evenkeel.io was written by Evenkeel 99.0.0, newer than this') &&
        /rebalanceruns\.evenkeel\.io cannot be brought up to date.*does not serve v1alpha1/.test(message)
      );
    });
    const newer = await here.cluster.get<{ readonly metadata: { readonly annotations: Record<string, string> } }>(
      `${CRDS}/accesspolicies.evenkeel.io`,
    );
    expect(newer.metadata.annotations[CRD_VERSION_ANNOTATION]).toBe('99.0.0');
    const reports = logged(here.controller.process, 'CRD is not up to date').filter(({ outcome }) => outcome !== 'unreached');
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['kept-newer', 'failed']));
  });
});

/** A cycle each second of real time: the request that fails is one for the workload, not one that reports on the policy. */
async function createPolicy(app: string): Promise<void> {
  await here.createPolicy(app, { interval: '5m' });
}

async function annotate(app: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  await here.cluster.merge(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${app}`, { metadata: { annotations } });
}

/** The workload's pods have what is right, as their nodes report it, and its Recommendation is at rest. */
async function waitUntilRightSized(app: string): Promise<void> {
  await eventuallyReads(
    `${app} right-sized: the load is constant`,
    HANG_MS,
    () => here.resourcesOf(app),
    (all) => all.length === PODS && all.every(isRight),
  );
  await here.recommendationOf(app, 'is applied: every pod has its size', ({ state, apply }) => state === 'applied' && apply === undefined);
}

function isRight({ requests }: Resources): boolean {
  const { cpuMillicores, memoryBytes } = readQuantities(requests);
  return within(cpuMillicores, RIGHT.cpuMillicores) && within(memoryBytes === null ? null : memoryBytes / 2 ** 20, RIGHT.memoryMib);
}

function within(value: number | null, [from, to]: readonly [number, number]): boolean {
  return value !== null && value >= from && value <= to;
}

/** Each of its pods had its values by exactly one write, and its Recommendation had published them before. */
function expectChangedOnce(app: string): void {
  const resizes = resizesOf(app);
  expect(resizes).toHaveLength(PODS);
  expect(new Set(resizes).size).toBe(PODS);
  expect(here.watch.unpromised).toEqual([]);
}

/** Paths of the resizes that were carried out. */
function resizesOf(app: string): readonly string[] {
  return connection.proxy.answered
    .filter(({ resource, verb, path, status }) => {
      return resource === 'pods/resize' && verb === 'patch' && status === 200 && path.includes(`/pods/${app}-`);
    })
    .map(({ path }) => path);
}

/** Nothing waits, nothing is old, nothing is wrong: with the fault its traces are gone. */
async function waitUntilHealthy(): Promise<void> {
  await eventually(
    'ready again: the fault has ended',
    HANG_MS,
    async () => (await boundedFetch(`${here.controller.probes}/readyz`, 'readiness of the controller')).status === 200,
  );
  await eventually('every informer well: the fault has ended', HANG_MS, async () => {
    const health = await read<readonly Health[]>(here.controller.dashboard, 'health');
    // The kind whose CRD is another's stays as it is.
    const unwell = health.filter(({ name, status }) => name.startsWith('informer/') && status !== 'ok' && !name.includes('rebalanceruns'));
    if (unwell.length > 0) throw new Error(JSON.stringify(unwell));
    return true;
  });
  await eventually('nothing stale: the fault has ended', HANG_MS, async () => {
    const { meta } = (await ask(here.controller.dashboard, 'recommendations')).envelope;
    return meta.stale === undefined && !('warnings' in meta);
  });
  expect(here.controller.process.running).toBe(true);
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

/** Another vendor's kind of the same name: another scope, another version, none of our fields. */
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
