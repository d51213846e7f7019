// Workloads of custom kinds on the embedded cluster: definitions are created and deleted while the informers run.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { kubernetesEffectWriter } from '../../src/adapters/kubernetes/write/effect-writer.ts';
import { ALL_KINDS, startKubernetesInformers, type KubernetesInformers } from '../../src/adapters/kubernetes/watch/informers.ts';
import { resourceName } from '../../src/adapters/kubernetes/resources.ts';
import { KubernetesRecordWriter } from '../../src/adapters/kubernetes/write/record-writer.ts';
import { namespacedRef } from '../../src/core/model/object-ref.ts';
import { MINUTE_MS } from '#kube/units';
import { workloadPath, type WorkloadKey } from '#kube/records/workload';
import type { ClusterKind } from '../../src/ports/cluster/cluster-feed.ts';
import type { ApiRequest, ApiResponse, ApiTransport } from '#kube/api-transport';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SILENT_LOGGER } from '../../src/runtime/logging.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { ClusterState } from '../../src/state/cluster-state.ts';
import { aScalableDefinition } from '../builders/scalable-definition.ts';
import { FastTimer, until } from '../fakes/fast-timer.ts';
import { seededRandom } from '../fakes/seeded-random.ts';

/** Discovery runs every 30 ms, and the server's bookmarks come every 60 ms. */
const timer = new FastTimer(1000);
const T = Date.UTC(2026, 10, 2);
const signal = new AbortController().signal;
const OX = 'shop/Ox/ox';

let cluster: EmbeddedCluster;
let admin: ApiTransport;
let state: ClusterState;
let informers: KubernetesInformers;
/** Response to the controller in place of the cluster's; undefined: the cluster's. */
let answerOf: (request: ApiRequest) => ApiResponse | undefined;

beforeEach(async () => {
  cluster = new EmbeddedCluster({
    startAt: T,
    seed: 1,
    random: seededRandom,
    speed: 'max',
    nodes: { count: 1, machineTypes: ['e2-standard-4'] },
    timer,
    logger: SILENT_LOGGER,
  });
  admin = cluster.transport('admin');
  answerOf = () => undefined;
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  state = new ClusterState();
});

afterEach(async () => {
  await informers.stop();
  cluster.close();
});

async function start(kinds: readonly ClusterKind[] = ALL_KINDS): Promise<void> {
  const base = cluster.transport('evenkeel');
  const transport: ApiTransport = {
    request: async (request) => answerOf(request) ?? base.request(request),
    stream: async (request) => {
      const answer = answerOf(request);
      return answer === undefined ? base.stream(request) : { ...answer, items: { [Symbol.asyncIterator]: () => [][Symbol.iterator]() } };
    },
  } as ApiTransport;
  informers = startKubernetesInformers({
    transport,
    clock: cluster.clock,
    timer,
    activity: cluster.activity.labelled('informers'),
    random: seededRandom(2),
    logger: SILENT_LOGGER,
    metrics: NO_METRICS,
    sink: state,
    namespace: 'evenkeel-system',
    kinds,
  });
  await informers.whenSynced;
}

async function create(path: string, body: object): Promise<void> {
  const response = await admin.request({ method: 'POST', path, body });
  expect([path, response.status, response.status < 300 ? '' : response.body]).toEqual([path, 201, '']);
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function define(group: string, kind: string, plural: string, scale?: object): Promise<void> {
  await create(DEFINITIONS, aScalableDefinition({ group, kind, plural, ...(scale === undefined ? {} : { scale }) }));
}

async function anOx(name = 'ox', spec: object = { replicas: 2 }): Promise<void> {
  const path = '/apis/db.example.com/v1/namespaces/shop/oxen';
  await create(path, { apiVersion: 'db.example.com/v1', kind: 'Ox', metadata: { name, namespace: 'shop' }, spec });
}

async function aPodOf(owner: { readonly apiVersion: string; readonly kind: string }, name: string): Promise<void> {
  const ownerReferences = [{ ...owner, name: 'ox', uid: 'u', controller: true }];
  const spec = { containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '100m', memory: '64Mi' } } }] };
  await create('/api/v1/namespaces/shop/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, ownerReferences }, spec });
}

function isKnown(key: WorkloadKey): boolean {
  return state.findWorkload(key) !== undefined;
}

function readNow(): readonly string[] {
  return informers.scalableKinds().read.map(({ resource }) => resourceName(resource));
}

function accessReview(allowed: boolean): ApiResponse {
  return { status: 201, headers: {}, body: { status: { allowed } } };
}

function isRequestFor(request: ApiRequest, plural: string): boolean {
  return request.method === 'POST' && JSON.stringify(request.body ?? null).includes(`"${plural}"`);
}

describe('a kind with a scale subresource', () => {
  test('is found while the informers run, by the plural of its definition, and it owns its pods', async () => {
    await start();
    await define('db.example.com', 'Ox', 'oxen', { specReplicasPath: '.spec.size', statusReplicasPath: '.status.members' });
    await anOx('ox', { size: 3 });
    await aPodOf({ apiVersion: 'db.example.com/v1', kind: 'Ox' }, 'ox-0');
    await until(() => isKnown(OX), 'the ox is read: its definition is found');
    await until(() => [...state.podsOf(OX)].length === 1, 'the ox has a pod: its informer follows it');
    const ox = state.findWorkload(OX)!;
    expect(ox).toMatchObject({ apiVersion: 'db.example.com/v1', plural: 'oxen', scalable: true, replicas: { desired: 3 } });
    expect(informers.scalableKinds()).toMatchObject({ notPermitted: [], leftOut: [], problem: null });

    const writer = kubernetesEffectWriter(cluster.transport('evenkeel'));
    const scale = { kind: 'scale', target: namespacedRef(ox), from: 3, to: 1, resourceVersion: ox.resourceVersion } as const;
    expect(await writer.write(scale, signal)).toEqual({ kind: 'done' });
    const annotated = await new KubernetesRecordWriter(cluster.transport('evenkeel')).annotate(
      workloadPath(ox),
      { 'evenkeel.io/mode': 'Off' },
      {},
    );
    expect(annotated).toMatchObject({ kind: 'done' });
    await until(() => state.findWorkload(OX)?.replicas.desired === 1, 'the new size is read: the ox is watched');
    expect(state.findWorkload(OX)?.annotations).toEqual({ 'evenkeel.io/mode': 'Off' });
    expect(await writer.write(scale, signal)).toMatchObject({ kind: 'conflict' });
  });

  test('is not discovered by a program that reads no workloads', async () => {
    const requests: string[] = [];
    answerOf = ({ path }) => void requests.push(path);
    await start(['node']);
    expect(requests.filter((path) => path === '/apis')).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
  });

  test('is removed with its definition, and returns with it', async () => {
    await define('db.example.com', 'Ox', 'oxen');
    await anOx();
    await start();
    await until(() => isKnown(OX), 'the ox is read: its kind is discovered');
    await admin.request({ method: 'DELETE', path: `${DEFINITIONS}/oxen.db.example.com` });
    await until(() => readNow().length === 0, 'the kind is no longer read: its definition is deleted');
    expect(isKnown(OX)).toBe(false);
    await define('db.example.com', 'Ox', 'oxen');
    await anOx();
    await until(() => isKnown(OX), 'the ox is read again: its kind is listed anew');
  });

  test('is not read without the permission, its pods are counted, and it is read as soon as it is granted', async () => {
    await define('db.example.com', 'Ox', 'oxen');
    await anOx();
    await aPodOf({ apiVersion: 'db.example.com/v1', kind: 'Ox' }, 'ox-0');
    answerOf = (request) => (isRequestFor(request, 'oxen') ? accessReview(false) : undefined);
    await start();
    await until(() => informers.scalableKinds().notPermitted.length === 1, 'the kind is reported: the permission is missing');
    await until(() => state.countPodsOfUnreadKinds().get('Ox') === 1, 'the pod of the ox is counted: its kind is not read');
    expect([readNow(), isKnown(OX)]).toEqual([[], false]);
    answerOf = () => undefined;
    await until(() => isKnown(OX), 'the ox is read: its kind is discovered');
    expect([informers.scalableKinds().notPermitted, state.countPodsOfUnreadKinds()]).toEqual([[], new Map()]);
  });

  test('is not acted on after the permission is revoked', async () => {
    await define('db.example.com', 'Ox', 'oxen');
    await anOx();
    await start();
    await until(() => isKnown(OX), 'the ox is read: its kind is discovered');
    answerOf = (request) => (isRequestFor(request, 'oxen') ? accessReview(false) : undefined);
    await until(() => !isKnown(OX), 'the ox is no longer in the model: its records are withdrawn');
    expect(readNow()).toEqual([]);
  });

  test('is not acted on while its lists fail, and the reason is reported', async () => {
    await define('db.example.com', 'Ox', 'oxen');
    await anOx();
    await start();
    await until(() => isKnown(OX), 'the ox is read: its kind is discovered');
    const broken: ApiResponse = { status: 500, headers: {}, body: { kind: 'Status', code: 500, message: 'conversion webhook failed' } };
    answerOf = (request) => (request.path.endsWith('/oxen') ? broken : undefined);
    // The open watch ends with the server's timeout; other watches continue.
    await cluster.live(15 * MINUTE_MS);
    await until(() => !isKnown(OX), 'the ox is no longer in the model: its records are withdrawn');
    await until(
      () => informers.scalableKinds().read.some(({ informer }) => informer.problem?.includes('conversion webhook failed') === true),
      'the reason is reported: the informer tries again',
    );
    answerOf = () => undefined;
    await until(() => isKnown(OX), 'the ox is read again: its kind is listed anew');
  });

  test('that shares its name with another is excluded, and reported', async () => {
    await define('a.example.com', 'Ox', 'oxen');
    await define('db.example.com', 'Ox', 'oxen');
    await define('kruise.example.com', 'StatefulSet', 'statefulsets');
    await define('lower.example.com', 'ox', 'oxes');
    await start();
    await until(() => readNow().length === 1, 'one kind is read: the others share their names');
    expect(readNow()).toEqual(['oxen.a.example.com']);
    expect(informers.scalableKinds().leftOut.map(({ resource, why }) => [resourceName(resource), why])).toEqual([
      ['oxen.db.example.com', 'Ox is a kind of oxen.a.example.com'],
      ['oxes.lower.example.com', 'no Recommendation can name the kind ox'],
      ['statefulsets.kruise.example.com', 'StatefulSet is a kind of Kubernetes'],
    ]);
    await admin.request({ method: 'DELETE', path: `${DEFINITIONS}/oxen.a.example.com` });
    await until(() => readNow()[0] === 'oxen.db.example.com', 'the other is read: its name is free');
  });

  test('with a wrong path to its replicas is read, and its replicas are not changed', async () => {
    await define('db.example.com', 'Ox', 'oxen', { specReplicasPath: '.spec.wrong', statusReplicasPath: '.status.wrong' });
    await anOx();
    await start();
    await until(() => isKnown(OX), 'the ox is read: its kind is discovered');
    expect(state.findWorkload(OX)?.scalable).toBeUndefined();
    expect(informers.scalableKinds().read).toMatchObject([{ withoutReplicas: { count: 1, first: 'shop/ox', path: '.spec.wrong' } }]);
  });

  test('is not found when discovery fails: the reason is reported, and other kinds continue', async () => {
    await define('db.example.com', 'Ox', 'oxen');
    await anOx();
    await start();
    await until(() => isKnown(OX), 'the ox is read: its kind is discovered');
    answerOf = (request) => (request.path === '/apis' ? { status: 503, headers: {}, body: { message: 'starting' } } : undefined);
    await until(() => informers.scalableKinds().problem !== null, 'the failure is reported: discovery answers 503');
    expect([informers.scalableKinds().problem, isKnown(OX)]).toEqual(['discovering kinds with a scale subresource: starting', true]);
    answerOf = () => undefined;
    await until(() => informers.scalableKinds().problem === null, 'the failure is gone: discovery answers again');
  });
});
